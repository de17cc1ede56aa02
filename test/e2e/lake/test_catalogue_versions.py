"""Inlined rows and statistics as other versions of DuckLake and DuckDB leave them, imitated by changing a catalogue that
1.5.5 made.

DuckLake itself may not read such a catalogue any more. Our functions read its tables alone, and what they find must not
change. Tables and columns that versions have more or less are imitated in test_catalogue_layouts.py.
"""

import pytest
from lakes import FUNCTIONS, lake_in, write_files


@pytest.fixture
def mixed_lake(connection, load_packaged, tmp_path):
    """Files, inlined rows of two versions of a table, deleted rows, added files, a VARIANT, and statistics that are
    wrong and absent."""
    load_packaged(connection, "ducklake")
    lake = lake_in(connection, tmp_path)
    lake.set_option("parquet_row_group_size", "2048")
    pattern = write_files(connection, tmp_path / "added", ["SELECT i::DOUBLE AS d, i AS i FROM range(100) s(i)"])
    return lake.run([
        "CREATE TABLE lake.files AS SELECT CASE WHEN i < 10 THEN 'nan'::DOUBLE ELSE i END AS d, {'a': i} AS s"
        " FROM range(10000) s(i)",
        "DELETE FROM lake.files WHERE d BETWEEN 100 AND 200",
        "CREATE TABLE lake.variants AS SELECT {'a': i}::VARIANT AS v FROM range(100) s(i)",
        "CREATE TABLE lake.inlined (i INTEGER, j INTEGER)",
        "INSERT INTO lake.inlined SELECT i, i FROM range(50) s(i)",
        "INSERT INTO lake.inlined VALUES (100, 1000), (200, 2000)",
        "ALTER TABLE lake.inlined ADD COLUMN later INTEGER DEFAULT 7",
        "INSERT INTO lake.inlined VALUES (-100, NULL, 8)",
        "DELETE FROM lake.inlined WHERE i = 100",
        "CREATE TABLE lake.added (i BIGINT, d DOUBLE)",
        f"CALL ducklake_add_data_files('lake', 'added', '{pattern}')",
    ])  # fmt: skip


def everything(lake):
    return {function: lake.rows(function) for function in FUNCTIONS}


def inlined_tables(lake):
    return [name for (name,) in lake.execute(f"SELECT table_name FROM {lake.metadata}.ducklake_inlined_data_tables")]


def test_the_lake_has_something_of_everything(mixed_lake):
    found = everything(mixed_lake)
    assert all(found.values())
    severities = {row["severity"] for row in found["ducklake_stats_audit"]}
    assert {"wrong", "missing"} <= severities
    row = next(row for row in found["ducklake_table_column_stats"] if row["column_name"] == "i" and row["table_name"] == "inlined")
    assert (row["min_value"], row["max_value"]) == ("-100", "200")


def test_names_in_inlined_tables_of_1_1(mixed_lake):
    """1.1 puts a prefix before the names of the three columns that DuckLake keeps to itself."""
    before = everything(mixed_lake)
    tables = inlined_tables(mixed_lake)
    assert len(tables) >= 2
    for table in tables:
        for name in ("row_id", "begin_snapshot", "end_snapshot"):
            mixed_lake.execute(f"ALTER TABLE {mixed_lake.metadata}.{table} RENAME COLUMN {name} TO _ducklake_{name}")
    assert everything(mixed_lake) == before


def test_inlined_rows_of_an_unknown_schema_version(mixed_lake):
    """DuckLake before 1.1 may have written no row of `ducklake_schema_versions` for a table of inlined rows, and reads
    them all the same. Bounds without these rows would be wrong, and so would be a repair."""
    before = everything(mixed_lake)
    mixed_lake.execute(f"DELETE FROM {mixed_lake.metadata}.ducklake_schema_versions")
    mixed_lake.attach_again()
    assert mixed_lake.value("SELECT count(*) FROM lake.inlined WHERE i NOT BETWEEN 0 AND 50") == 2
    assert everything(mixed_lake) == before
    mixed_lake.repair()
    assert mixed_lake.value("SELECT count(*) FROM lake.inlined WHERE i NOT BETWEEN 0 AND 50") == 2


def test_bounds_of_long_decimals_the_wrong_way_round(files_lake):
    """DuckDB 1.5.3 wrote the bounds of decimals of 19 or more digits with the minimum above the maximum."""
    files_lake.execute("CREATE TABLE lake.t(d DECIMAL(38,2))")
    files_lake.execute("INSERT INTO lake.t VALUES (-12345678901234567890.5), (98765432109876543210.25)")
    files_lake.repair()
    right = files_lake.execute(f"FROM {files_lake.metadata}.ducklake_file_column_stats")
    for table in ("ducklake_file_column_stats", "ducklake_table_column_stats"):
        files_lake.execute(f"UPDATE {files_lake.metadata}.{table} SET min_value = max_value, max_value = min_value")
    expected = {("wrong", "d", bound, part) for bound in ("min_value", "max_value") for part in ("file", "table")}
    assert files_lake.findings("wrong") == expected
    files_lake.repair()
    assert files_lake.execute(f"FROM {files_lake.metadata}.ducklake_file_column_stats") == right and files_lake.audit() == []


def test_rows_of_nested_parents(files_lake):
    """DuckDB 2.0 returns statistics of structs and lists, too, and DuckLake 1.1 may keep them."""
    files_lake.execute("CREATE TABLE lake.t(s STRUCT(a INTEGER), l INTEGER[])")
    files_lake.execute("INSERT INTO lake.t VALUES ({'a': 1}, [2]), (NULL, NULL)")
    files_lake.repair()
    parents = files_lake.execute(f"SELECT column_id FROM {files_lake.metadata}.ducklake_column WHERE column_type IN ('struct', 'list')")
    for (column_id,) in parents:
        for table, columns in (("file", "data_file_id, table_id, column_id, value_count, null_count"), ("table", "table_id, column_id, contains_null")):
            stats = f"{files_lake.metadata}.ducklake_{table}_column_stats"
            files_lake.execute(f"INSERT INTO {stats} ({columns}) SELECT {columns.replace('column_id', str(column_id))} FROM {stats} LIMIT 1")
    before = files_lake.execute(f"FROM {files_lake.metadata}.ducklake_file_column_stats ORDER BY ALL")
    files_lake.attach_again()
    assert files_lake.audit() == [] and files_lake.repair(include=["wrong", "missing", "loose", "harmless"]) == 0
    assert files_lake.execute(f"FROM {files_lake.metadata}.ducklake_file_column_stats ORDER BY ALL") == before
    assert files_lake.value("SELECT count(*) FROM lake.t WHERE s.a = 1") == 1


def test_a_float_that_became_a_double(files_lake):
    """Its bounds are those of the FLOAT, whose shortest text is another DOUBLE."""
    files_lake.execute("CREATE TABLE lake.t(f FLOAT)")
    files_lake.execute("INSERT INTO lake.t VALUES (0.1), (1e30)")
    files_lake.execute("ALTER TABLE lake.t ALTER COLUMN f TYPE DOUBLE")
    assert files_lake.findings("wrong")
    files_lake.repair()
    assert files_lake.findings("wrong", "missing") == set()
    for value in ("0.1::FLOAT::DOUBLE", "1e30::FLOAT::DOUBLE"):
        assert files_lake.value(f"SELECT count(*) FROM lake.t WHERE f = {value}") == 1
