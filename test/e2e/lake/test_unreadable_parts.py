"""A file or table that cannot be read does not hide the rest of a lake: the audit says what cannot be read and judges the
others, and the repair leaves alone what could not be judged. The functions that compute name it in their error."""

import re
from pathlib import Path

import duckdb
import pytest
from file_rows import sql_literal
from lakes import FUNCTIONS, add_file, lake_in, sick_table

EVERYTHING = ["wrong", "missing", "loose", "harmless"]


@pytest.fixture
def lake(connection, load_packaged, tmp_path):
    """Three tables of some files; the second file of `sick` and all of `wrong` have something to find."""
    load_packaged(connection, "ducklake")
    lake = lake_in(connection, tmp_path)
    lake.set_option("data_inlining_row_limit", "0")
    for table in ("sick", "sound", "wrong"):
        lake.execute(f"CREATE TABLE lake.{table}(i BIGINT, t TIMESTAMP)")
        for number in range(4):
            lake.execute(f"INSERT INTO lake.{table} VALUES ({number}, TIMESTAMP '2020-01-01' + INTERVAL {number} DAY)")
    files = f"{lake.metadata}.ducklake_file_column_stats"
    tables = f"(SELECT table_id FROM {lake.metadata}.ducklake_table WHERE table_name IN ('sick', 'wrong'))"
    lake.execute(f"UPDATE {files} SET max_value = '0' WHERE max_value = '3' AND table_id IN {tables}")
    lake.execute(f"UPDATE {lake.metadata}.ducklake_table_column_stats SET max_value = '0' WHERE max_value = '3' AND table_id IN {tables}")
    return lake


def paths(lake, table):
    return sorted(Path(row["file_name"]) for row in lake.rows("ducklake_column_stats", table_name=table) if row["column_id"] == 1)


def unreadable(lake):
    rows = [row for row in lake.audit() if row["severity"] == "unreadable"]
    assert all(row["repairable"] is False and row["statistic"] == "unreadable" for row in rows)
    return [(row["table_name"], row["file_name"] and Path(row["file_name"]), row["effect"]) for row in rows]


def wrong(lake):
    return {(row["table_name"], row["column_name"], row["data_file_id"] is None) for row in lake.audit() if row["severity"] == "wrong"}


def damage_missing(path):
    path.unlink()


def damage_garbage(path):
    path.write_bytes(b"no Parquet at all" * 10)


def damage_truncated(path):
    path.write_bytes(path.read_bytes()[:-10])


def damage_pages(path):
    content = path.read_bytes()
    path.write_bytes(content[:4] + b"\xff" * 60 + content[64:])


@pytest.mark.parametrize("damage", [damage_missing, damage_garbage, damage_truncated, damage_pages])
def test_a_sick_file(lake, damage):
    sick = paths(lake, "sick")[0]
    damage(sick)
    ((table, path, effect),) = unreadable(lake)
    assert (table, path) == ("sick", sick) and "cannot be read" in effect
    found = wrong(lake)
    # Nothing is said of the table's own row while one of its files cannot be read.
    assert {("wrong", "i", False), ("wrong", "i", True), ("sick", "i", False)} >= found >= {("wrong", "i", False), ("wrong", "i", True)}
    before = lake.execute(f"FROM {lake.metadata}.ducklake_table_column_stats ORDER BY ALL")
    lake.run(lake.repair_statements(include=EVERYTHING))
    after = lake.execute(f"FROM {lake.metadata}.ducklake_table_column_stats ORDER BY ALL")
    changed = {row[0] for row in after if row not in before}
    (wrong_id,) = lake.execute(f"SELECT table_id FROM {lake.metadata}.ducklake_table WHERE table_name = 'wrong'")
    assert changed == {wrong_id[0]}
    assert wrong(lake) == set() and len(unreadable(lake)) == 1


def test_values_that_the_type_of_today_cannot_hold(lake):
    """DuckLake allows TIMESTAMP to become TIMESTAMP_NS whatever the values."""
    lake.execute("INSERT INTO lake.sick VALUES (9, TIMESTAMP '0044-03-15')")
    lake.execute("ALTER TABLE lake.sick ALTER COLUMN t TYPE TIMESTAMP_NS")
    ((table, path, _),) = unreadable(lake)
    assert table == "sick" and path is not None
    assert ("wrong", "i", True) in wrong(lake)


def test_a_mapping_that_is_gone(lake, tmp_path):
    lake.execute(f"COPY (SELECT 7::BIGINT AS i, TIMESTAMP '2020-01-01' AS t) TO '{tmp_path}/added.parquet'")
    lake.execute(f"CALL ducklake_add_data_files('lake', 'sick', '{tmp_path}/added.parquet')")
    lake.execute(f"DELETE FROM {lake.metadata}.ducklake_name_mapping")
    ((table, path, effect),) = unreadable(lake)
    assert (table, path) == ("sick", tmp_path / "added.parquet") and "ducklake_name_mapping" in effect


def test_many_sick_files_among_many(lake):
    lake.execute("CREATE TABLE lake.many(i BIGINT)")
    for number in range(40):
        lake.execute(f"INSERT INTO lake.many VALUES ({number})")
    sick = paths(lake, "many")[::13]
    for path in sick:
        path.unlink()
    assert sorted(path for table, path, _ in unreadable(lake) if table == "many") == sick


@pytest.fixture
def inlined(lake):
    """The name of the table of inlined rows of `sick`."""
    lake.set_option("data_inlining_row_limit", "10")
    lake.execute("INSERT INTO lake.sick VALUES (7, NULL)")
    return lake.value(f"SELECT table_name FROM {lake.metadata}.ducklake_inlined_data_tables")


@pytest.mark.parametrize("damage", ["DROP TABLE {m}.{t}", "ALTER TABLE {m}.{t} DROP COLUMN i",
                                    "UPDATE {m}.ducklake_inlined_data_tables SET schema_version = 999"])  # fmt: skip
def test_inlined_rows_that_cannot_be_read(lake, inlined, damage):
    lake.execute(damage.format(m=lake.metadata, t=inlined))
    ((table, path, effect),) = unreadable(lake)
    assert (table, path) == ("sick", None) and "its own statistics are not judged" in effect
    assert {("sick", "i", False), ("wrong", "i", False), ("wrong", "i", True)} <= wrong(lake)
    assert not any(table == "sick" and is_table for table, _, is_table in wrong(lake))
    assert len(lake.rows("ducklake_column_stats", table_name="sick")) == 8
    with pytest.raises(duckdb.Error):
        lake.rows("ducklake_table_column_stats", table_name="sick")
    assert len(lake.rows("ducklake_table_column_stats", table_name="sound")) == 2
    lake.run(lake.repair_statements(include=EVERYTHING))
    assert wrong(lake) == set() and len(unreadable(lake)) == 1


def test_a_missing_file_that_only_older_snapshots_have(lake):
    old = paths(lake, "sick")[0]
    lake.execute("DELETE FROM lake.sick WHERE i = 0")
    lake.execute("DELETE FROM lake.sick")
    lake.execute("INSERT INTO lake.sick VALUES (5, NULL)")
    old.unlink()
    ((table, path, effect),) = unreadable(lake)
    assert (table, path) == ("sick", old) and "is missing" in effect


def test_a_failure_that_names_no_file_leads_to_the_audit(lake):
    sick = paths(lake, "sick")[0]
    lake.execute(f"COPY (SELECT 'x' AS i, NULL::TIMESTAMP AS t) TO '{sick}' (FIELD_IDS {{i: 1, t: 2}})")
    with pytest.raises(duckdb.Error, match="ducklake_stats_audit names|" + sick.name):
        lake.rows("ducklake_column_stats")
    ((table, path, _),) = unreadable(lake)
    assert (table, path) == ("sick", sick)
    assert len(lake.rows("ducklake_column_stats", table_name="sound")) == 8


def test_very_many_sick_files(lake, tmp_path):
    """Missing files are listed and damaged footers looked at, so their number does not matter."""
    lake.execute("CREATE TABLE lake.many(i BIGINT)")
    query = "SELECT i::BIGINT AS i, i // 2 AS part FROM range(400) s(i)"
    lake.execute(f"COPY ({query}) TO '{tmp_path}/many' (FORMAT parquet, PARTITION_BY (part))")
    lake.execute(f"CALL ducklake_add_data_files('lake', 'many', '{tmp_path}/many/*/*.parquet', ignore_extra_columns => true)")
    files = paths(lake, "many")
    assert len(files) == 200
    for number, path in enumerate(files[::2]):
        (damage_missing if number % 2 else damage_garbage)(path)
    assert sorted(path for table, path, _ in unreadable(lake) if table == "many") == files[::2]


def test_a_data_file_that_is_gone(ducklake, tmp_path):
    lake = lake_in(ducklake, tmp_path)
    sick_table(lake)
    lake.execute("CREATE TABLE lake.whole AS SELECT i FROM range(100) s(i)")
    (row,) = lake.rows("ducklake_column_stats", table_name="t")
    file = Path(row["file_name"])
    for damage in (file.unlink, lambda: file.write_bytes(b"PAR1 not any more"), lambda: file.write_bytes(b"")):
        damage()
        for function in FUNCTIONS:
            if function in ("ducklake_stats_audit", "ducklake_stats_repair"):
                (row,) = lake.rows(function)
                assert file.name in (row.get("effect") or row["purpose"])
            else:
                with pytest.raises(duckdb.Error, match=file.name):
                    lake.rows(function)
            lake.rows(function, table_name="whole")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_data_file_is_missing(files_lake, function):
    files_lake.run(["CREATE TABLE lake.first AS SELECT 1 AS i", "CREATE TABLE lake.t AS SELECT 1 AS i"])
    ((name,),) = files_lake.execute("SELECT data_file FROM ducklake_list_files('lake', 't')")
    Path(name).unlink()
    message = f"data file 1 of table 't' is missing: '{name}'"
    if function in ("ducklake_stats_audit", "ducklake_stats_repair"):
        (row,) = files_lake.rows(function)
        assert message in (row.get("effect") or row["purpose"])
    else:
        with pytest.raises(duckdb.Error, match=re.escape(f"{function}: {message}")):
            files_lake.rows(function)
    # The rest of the lake can still be looked at.
    files_lake.rows(function, table_name="first")


def test_a_file_with_fewer_rows_than_the_catalogue_says(files_lake):
    """A file that was put in the place of another."""
    files_lake.execute("CREATE TABLE lake.t AS SELECT i FROM range(10) s(i)")
    ((name,),) = files_lake.execute("SELECT data_file FROM ducklake_list_files('lake', 't')")
    no_rows = "SELECT 1::BIGINT AS i WHERE false"
    files_lake.execute(f"COPY ({no_rows}) TO {sql_literal(name)} (FORMAT parquet, FIELD_IDS {{i: 1}})")
    (row,) = files_lake.audit()
    assert row["severity"] == "unreadable" and "has no rows, but the catalogue says 10" in row["effect"]


@pytest.mark.parametrize("table", ["ducklake_inlined_data_tables", "ducklake_delete_file", "ducklake_name_mapping"])
def test_a_table_of_the_catalogue_that_cannot_be_read(inlining_lake, table):
    """It must not be taken for one that is not there: bounds without its rows would be too narrow."""
    inlining_lake.execute("CREATE TABLE lake.t AS FROM range(100) s(i)")
    inlining_lake.execute("INSERT INTO lake.t VALUES (1000)")
    inlining_lake.run([
        f"ALTER TABLE {inlining_lake.metadata}.{table} RENAME TO moved",
        f"CREATE TABLE {inlining_lake.metadata}.absent(x INTEGER)",
        f"CREATE VIEW {inlining_lake.metadata}.{table} AS FROM {inlining_lake.metadata}.absent",
        f"DROP TABLE {inlining_lake.metadata}.absent",
    ])  # fmt: skip
    for function in ("ducklake_table_column_stats", "ducklake_stats_audit", "ducklake_stats_repair"):
        with pytest.raises(duckdb.Error, match=f"{function}: the DuckLake catalogue could not be read"):
            inlining_lake.rows(function)


def test_a_name_mapping_that_is_gone(inlining_lake, tmp_path):
    inlining_lake.execute("CREATE TABLE lake.t(i BIGINT)")
    add_file(inlining_lake, tmp_path / "a.parquet", "SELECT i FROM range(1, 50) s(i)")
    inlining_lake.execute(f"DELETE FROM {inlining_lake.metadata}.ducklake_name_mapping")
    message = "a.parquet.*table 't' is read by name mapping 0.*no row"
    for function in ("ducklake_column_stats", "ducklake_table_column_stats"):
        with pytest.raises(duckdb.Error, match=message):
            inlining_lake.rows(function)
    (step,) = inlining_lake.rows("ducklake_stats_repair")
    assert re.search(message, step["purpose"], re.DOTALL) and inlining_lake.execute(step["statement"])
