"""Which tables, files, rows and snapshots of a lake count."""

import threading
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest
from file_rows import sql_literal
from lakes import FUNCTIONS, Lake, lake_in, sick_table, write_files


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_tables_and_no_files(files_lake, function):
    assert files_lake.rows(function) == []
    files_lake.execute("CREATE TABLE lake.t (i INTEGER, s VARCHAR, g GEOMETRY, v VARIANT, l INTEGER[])")
    rows = files_lake.rows(function)
    if function == "ducklake_table_column_stats":
        assert {(row["contains_null"], row["min_value"], row["max_value"]) for row in rows} <= {(False, None, None)}
    else:
        assert rows == []


def test_inlined_rows_alone(files_lake):
    files_lake.set_option("data_inlining_row_limit", "10")
    files_lake.execute("CREATE TABLE lake.t (i INTEGER, d DOUBLE, s VARCHAR, p STRUCT(a INTEGER, b VARCHAR[]))")
    files_lake.execute("INSERT INTO lake.t VALUES (3, 'nan', 'é', {'a': 1, 'b': ['x']}), (-1, 2.5, NULL, NULL)")
    assert files_lake.value(f"SELECT count(*) FROM {files_lake.metadata}.ducklake_data_file") == 0
    assert files_lake.rows("ducklake_column_stats") == []
    rows = {row["column_name"]: row for row in files_lake.rows("ducklake_table_column_stats")}
    found = {name: (row["contains_null"], row["contains_nan"], row["min_value"], row["max_value"])
             for name, row in rows.items()}  # fmt: skip
    assert found == {
        "i": (False, None, "-1", "3"), "d": (False, True, "2.5", "2.5"), "s": (True, None, "é", "é"),
        "p.a": (True, None, "1", "1"), "p.b.element": (True, None, "x", "x"),
    }  # fmt: skip
    assert files_lake.findings("wrong", "missing") == set()


def test_rows_that_are_flushed_meanwhile(inlining_lake):
    """Inlined rows move into a file between the list of the files and the scan."""
    inlining_lake.execute("CREATE TABLE lake.t(i BIGINT)")
    is_over = threading.Event()
    committed = [-1]

    def write(cursor):
        while not is_over.is_set():
            number = committed[0] + 1
            cursor.execute(f"INSERT INTO lake.t VALUES ({number})").fetchall()
            committed[0] = number
            cursor.execute("CALL ducklake_flush_inlined_data('lake')").fetchall()

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write, inlining_lake.connection.cursor())
        try:
            for _ in range(12):
                before = committed[0]
                rows = inlining_lake.rows("ducklake_table_column_stats")
                assert before < 0 or int(rows[0]["max_value"]) >= before
                inlining_lake.rows("ducklake_stats_audit")
        finally:
            is_over.set()
        writer.result()


def counts(lake, **options):
    return {function: len(lake.rows(function, **options)) for function in FUNCTIONS}


NOTHING = dict.fromkeys(FUNCTIONS, 0)


def test_a_table_whose_rows_are_all_deleted(ducklake, tmp_path):
    lake = lake_in(ducklake, tmp_path)
    sick_table(lake)
    lake.execute("DELETE FROM lake.t")
    lake.repair()
    lake.execute("INSERT INTO lake.t VALUES (1), ('nan')")
    assert lake.value("SELECT count(*) FROM lake.t WHERE d > 5") == 1
    assert lake.findings("wrong", "missing") == set()


def test_dropped_tables_and_views_have_no_rows(ducklake, tmp_path):
    lake = lake_in(ducklake, tmp_path)
    sick_table(lake)
    lake.execute("CREATE VIEW lake.v AS FROM lake.t")
    lake.execute("COMMENT ON TABLE lake.t IS 'a ''comment'''")
    assert {row["table_name"] for row in lake.rows("ducklake_column_stats")} == {"t"}
    lake.execute("DROP VIEW lake.v")
    lake.execute("DROP TABLE lake.t")
    assert counts(lake) == NOTHING


def test_a_lake_attached_for_reading(connect, load_packaged, tmp_path):
    writer = connect()
    load_packaged(writer, "ducklake")
    sick_table(lake_in(writer, tmp_path))
    writer.close()
    reader = connect()
    load_packaged(reader, "ducklake")
    lake = lake_in(reader, tmp_path, attach_options=", READ_ONLY")
    assert len(lake.audit()) == 2
    with pytest.raises(duckdb.Error, match="read-only"):
        lake.run(lake.repair_statements())


def test_a_lake_in_an_older_state(ducklake, tmp_path):
    lake = lake_in(ducklake, tmp_path)
    lake.set_option("data_inlining_row_limit", "0")
    lake.run(["CREATE TABLE lake.t (i INTEGER)", "INSERT INTO lake.t VALUES (1)", "INSERT INTO lake.t VALUES (5)"])
    bounds = [row["max_value"] for row in lake.rows("ducklake_column_stats", snapshot=2)]
    assert bounds == ["1"]
    lake.execute("DETACH lake")
    Lake(ducklake, lake.catalogue, lake.data_path, attach_options=", SNAPSHOT_VERSION 2").attach()
    assert [row["max_value"] for row in lake.rows("ducklake_column_stats")][0] == "1"
    assert lake.audit() == []


def test_older_snapshots(files_lake):
    files_lake.run([
        "CREATE TABLE lake.t AS SELECT 1 AS i, 'a' AS s",
        "ALTER TABLE lake.t DROP COLUMN s",
        "INSERT INTO lake.t VALUES (2)",
        "CREATE TABLE lake.u AS SELECT 3 AS z",
        "DROP TABLE lake.u",
    ])  # fmt: skip
    first = files_lake.value(f"SELECT max(snapshot_id) FROM {files_lake.metadata}.ducklake_snapshot") - 4

    def files(snapshot):
        rows = files_lake.rows("ducklake_column_stats", snapshot=snapshot)
        return [(row["table_name"], row["column_name"], row["min_value"]) for row in rows]

    assert [files(first + number) for number in range(5)] == [
        [("t", "i", "1"), ("t", "s", "a")],
        [("t", "i", "1")],
        [("t", "i", "1"), ("t", "i", "2")],
        [("t", "i", "1"), ("t", "i", "2"), ("u", "z", "3")],
        [("t", "i", "1"), ("t", "i", "2")],
    ]
    assert files(0) == []
    of_table = files_lake.rows("ducklake_table_column_stats", snapshot=first + 2)
    assert [(row["column_name"], row["min_value"], row["max_value"]) for row in of_table] == [("i", "1", "2")]


def test_one_file_in_two_tables_and_twice_in_one(files_lake, tmp_path):
    queries = ["SELECT i::DOUBLE AS d, i AS k FROM range(1000) s(i)"]
    pattern = write_files(files_lake.connection, tmp_path / "added", queries)
    added = f"CALL ducklake_add_data_files('lake', '{{}}', {sql_literal(pattern)})"
    files_lake.run([
        "CREATE TABLE lake.a (d DOUBLE, k BIGINT)", "CREATE TABLE lake.b (k BIGINT, d DOUBLE)",
        added.format("a"), added.format("b"), added.format("a"),
    ])  # fmt: skip
    rows = files_lake.rows("ducklake_column_stats")
    assert len({(row["data_file_id"], row["column_id"]) for row in rows}) == len(rows) == 6
    for row in rows:
        expected = ("0.0", "999.0", False) if row["column_name"] == "d" else ("0", "999", None)
        assert (row["min_value"], row["max_value"], row["contains_nan"]) == expected
        order = "dk" if row["table_name"] == "a" else "kd"
        assert (row["value_count"], row["column_id"]) == (1000, 1 + order.index(row["column_name"]))
    assert {row["data_file_id"] for row in files_lake.audit()} == {row["data_file_id"] for row in rows}
    files_lake.repair()
    assert files_lake.audit() == []
    assert files_lake.value("SELECT count(*) FROM lake.a WHERE d > 500") == 998
    assert files_lake.value("SELECT count(*) FROM lake.b WHERE d > 500") == 499
    assert files_lake.files_read("SELECT count(*) FROM lake.b WHERE d = 999 AND k >= 0") == 1
