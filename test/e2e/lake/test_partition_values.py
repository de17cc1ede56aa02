"""What a directory `key=value` of an added file stands for is what DuckLake's reader makes of it."""

from pathlib import Path

import duckdb
import pytest
from file_rows import sql_literal
from lakes import lake_in

VALUES = [
    "", "NULL", "null", "Null", "__HIVE_DEFAULT_PARTITION__", "__hive_default_partition__", "5", "05", "+5", " 5", "5 ",
    "0x1F", "1e2", "1_000", "5.0", "a%20b", "%4E%55%4C%4C", "%", "a%zz", "2020-01-01", "2020-01-01%2001%3A02%3A03", "true",
    "t", "abc", "a=b", "é", "%20",
]  # fmt: skip
TYPES = ["VARCHAR", "INTEGER", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP", "DECIMAL(9,2)", "UUID", "BLOB"]


@pytest.fixture
def lake(connection, load_packaged, tmp_path):
    load_packaged(connection, "ducklake")
    return lake_in(connection, tmp_path)


def add(lake, folder, table, directory):
    folder = Path(folder) / directory
    folder.mkdir(parents=True)
    path = sql_literal(folder / "file.parquet")
    lake.execute(f"COPY (SELECT unnest([1, 2, 3]) AS i) TO {path}")
    lake.execute(f"CALL ducklake_add_data_files('lake', {sql_literal(table)}, {path}, hive_partitioning => true)")


@pytest.mark.parametrize("kind", TYPES)
def test_values_are_the_readers(lake, tmp_path, kind):
    taken = 0
    for number, value in enumerate(VALUES):
        table = f"t{number}"
        lake.execute(f"CREATE TABLE lake.{table}(i BIGINT, k {kind})")
        try:
            add(lake, tmp_path / table, table, f"k={value}")
        except duckdb.Error:
            lake.execute(f"DROP TABLE lake.{table}")
            continue
        taken += 1
        spelled = "upper(hex(k))" if kind == "BLOB" else "k::INTEGER::VARCHAR" if kind == "BOOLEAN" else "k::VARCHAR"
        expected = lake.value(f"SELECT any_value({spelled}) FROM lake.{table}")
        rows = lake.rows("ducklake_column_stats", table_name=table)
        (row,) = [row for row in rows if row["column_name"] == "k"]
        count = 0 if expected is None else 3
        found = (row["value_count"], row["null_count"], row["min_value"], row["max_value"])
        assert found == (count, 3 - count, expected, expected), value
        assert lake.findings("wrong", table_name=table) == set()
    assert taken >= 4


@pytest.mark.parametrize("directory, expected", [("k=7/k=8", 7), ("k=7/K=8", 7), ("k=7/j=8", 7)])
def test_keys(lake, tmp_path, directory, expected):
    lake.execute("CREATE TABLE lake.t(i BIGINT, k INTEGER, j INTEGER)")
    try:
        add(lake, tmp_path, "t", directory)
    except duckdb.Error:
        lake.execute("DROP TABLE lake.t")
        lake.execute("CREATE TABLE lake.t(i BIGINT, k INTEGER)")
        add(lake, tmp_path / "again", "t", directory)
    assert lake.value("SELECT any_value(k) FROM lake.t") == expected
    rows = {row["column_name"]: row for row in lake.rows("ducklake_column_stats")}
    assert rows["k"]["min_value"] == str(expected)


@pytest.mark.parametrize("value", ["NULL", "null", "__HIVE_DEFAULT_PARTITION__"])
def test_the_widest_repair_leaves_a_right_lake_right(lake, tmp_path, value):
    lake.execute("CREATE TABLE lake.t(i BIGINT, k VARCHAR)")
    add(lake, tmp_path, "t", f"k={value}")
    lake.repair(include=["wrong", "missing", "loose", "harmless"])
    assert lake.value("SELECT count(*) FROM lake.t WHERE k IS NULL") == 3
    assert lake.audit() == []


@pytest.mark.parametrize("value", ["NULL", "null", "5", "__HIVE_DEFAULT_PARTITION__", "a%20b"])
def test_files_alone(connection, tmp_path, value):
    """In `file_column_stats` and for Hive, DuckDB's own reader says what a directory stands for."""
    folder = tmp_path / f"k={value}"
    folder.mkdir()
    connection.execute(f"COPY (SELECT 1 AS i) TO {sql_literal(folder / 'file.parquet')}")
    file = sql_literal(folder / "file.parquet")
    ((expected,),) = connection.execute(
        f"SELECT nullif(k::VARCHAR, '__HIVE_DEFAULT_PARTITION__') FROM read_parquet({file}, hive_partitioning = true)"
    ).fetchall()
    statement = f"SELECT min_value FROM file_column_stats({file}) WHERE column_name = 'k'"
    assert connection.execute(statement).fetchall() == [(expected,)]
