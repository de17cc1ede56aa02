"""Catalogues as other versions of DuckLake and DuckDB leave them, imitated by editing one."""

import pytest
from lakes import lake_in


@pytest.fixture
def lake(connection, load_packaged, tmp_path):
    load_packaged(connection, "ducklake")
    lake = lake_in(connection, tmp_path)
    lake.set_option("data_inlining_row_limit", "0")
    return lake


def test_bounds_of_long_decimals_the_wrong_way_round(lake):
    """DuckDB 1.5.3 wrote the bounds of decimals of 19 or more digits with the minimum above the maximum."""
    lake.execute("CREATE TABLE lake.t(d DECIMAL(38,2))")
    lake.execute("INSERT INTO lake.t VALUES (-12345678901234567890.5), (98765432109876543210.25)")
    lake.repair()
    right = lake.execute(f"FROM {lake.metadata}.ducklake_file_column_stats")
    for table in ("ducklake_file_column_stats", "ducklake_table_column_stats"):
        lake.execute(f"UPDATE {lake.metadata}.{table} SET min_value = max_value, max_value = min_value")
    expected = {("wrong", "d", bound, part) for bound in ("min_value", "max_value") for part in ("file", "table")}
    assert lake.findings("wrong") == expected
    lake.repair()
    assert lake.execute(f"FROM {lake.metadata}.ducklake_file_column_stats") == right and lake.audit() == []


def test_rows_of_nested_parents(lake):
    """DuckDB 2.0 returns statistics of structs and lists, too, and DuckLake 1.1 may keep them."""
    lake.execute("CREATE TABLE lake.t(s STRUCT(a INTEGER), l INTEGER[])")
    lake.execute("INSERT INTO lake.t VALUES ({'a': 1}, [2]), (NULL, NULL)")
    lake.repair()
    parents = lake.execute(f"SELECT column_id FROM {lake.metadata}.ducklake_column WHERE column_type IN ('struct', 'list')")
    for (column_id,) in parents:
        for table, columns in (("file", "data_file_id, table_id, column_id, value_count, null_count"), ("table", "table_id, column_id, contains_null")):
            stats = f"{lake.metadata}.ducklake_{table}_column_stats"
            lake.execute(f"INSERT INTO {stats} ({columns}) SELECT {columns.replace('column_id', str(column_id))} FROM {stats} LIMIT 1")
    before = lake.execute(f"FROM {lake.metadata}.ducklake_file_column_stats ORDER BY ALL")
    lake.attach_again()
    assert lake.audit() == [] and lake.repair(include=["wrong", "missing", "loose", "harmless"]) == 0
    assert lake.execute(f"FROM {lake.metadata}.ducklake_file_column_stats ORDER BY ALL") == before
    assert lake.value("SELECT count(*) FROM lake.t WHERE s.a = 1") == 1


def test_a_float_that_became_a_double(lake):
    """Its bounds are those of the FLOAT, whose shortest text is another DOUBLE."""
    lake.execute("CREATE TABLE lake.t(f FLOAT)")
    lake.execute("INSERT INTO lake.t VALUES (0.1), (1e30)")
    lake.execute("ALTER TABLE lake.t ALTER COLUMN f TYPE DOUBLE")
    assert lake.findings("wrong")
    lake.repair()
    assert lake.findings("wrong", "missing") == set()
    for value in ("0.1::FLOAT::DOUBLE", "1e30::FLOAT::DOUBLE"):
        assert lake.value(f"SELECT count(*) FROM lake.t WHERE f = {value}") == 1
