"""What a directory `key=value` of an added file stands for is what DuckLake's reader makes of it."""

from pathlib import Path

import duckdb
import pytest
from file_rows import sql_literal
from lakes import lake_in

VALUES = [
    "", "NULL", "null", "Null", "__HIVE_DEFAULT_PARTITION__", "__hive_default_partition__", "5", "05", "+5", " 5", "5 ",
    "0x1F", "1e2", "1_000", "5.0", "a%20b", "%4E%55%4C%4C", "%", "a%zz", "2020-01-01", "2020-01-01%2001%3A02%3A03", "true",
    "t", "abc", "a=b", "é", "%20", "a?b", "a\\b", "%2F", "a+b", "01", "1.5", "-0", "2020-13-01", "9007199254740993",
    "99999999999999999999999999999999999999999999", "12%3A00%3A00",
]  # fmt: skip
TYPES = [
    "VARCHAR", "INTEGER", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP", "DECIMAL(9,2)", "UUID", "BLOB", "JSON", "HUGEINT", "UBIGINT",
    "TIME",
]  # fmt: skip


@pytest.fixture
def lake(connection, load_packaged, tmp_path):
    load_packaged(connection, "ducklake")
    return lake_in(connection, tmp_path)


def add(lake, folder, table, directory, number=0):
    """Three rows of a number, in a file below the directory."""
    folder = Path(folder) / directory
    folder.mkdir(parents=True)
    path = sql_literal(folder / "file.parquet")
    lake.execute(f"COPY (SELECT {number}::BIGINT AS i FROM range(3)) TO {path}")
    lake.execute(f"CALL ducklake_add_data_files('lake', {sql_literal(table)}, {path}, hive_partitioning => true)")


@pytest.mark.parametrize("kind", TYPES)
def test_values_are_the_readers(lake, tmp_path, kind):
    lake.execute(f"CREATE TABLE lake.t(i BIGINT, k {kind})")
    for number, value in enumerate(VALUES):
        try:
            add(lake, tmp_path / str(number), "t", f"k={value}", number)
        except duckdb.Error:
            continue
    spelled = {"BLOB": "upper(hex(k))", "BOOLEAN": "k::INTEGER::VARCHAR"}.get(kind, "k::VARCHAR")
    expected = dict(lake.execute(f"SELECT i, any_value({spelled}) FROM lake.t GROUP BY i"))
    rows = lake.rows("ducklake_column_stats")
    numbers = {row["data_file_id"]: int(row["min_value"]) for row in rows if row["column_name"] == "i"}
    found = {
        VALUES[numbers[row["data_file_id"]]]: (row["value_count"], row["null_count"], row["min_value"], row["max_value"])
        for row in rows
        if row["column_name"] == "k"
    }
    assert len(found) >= 4
    assert found == {VALUES[n]: (0, 3, None, None) if text is None else (3, 0, text, text) for n, text in expected.items()}
    assert lake.findings("wrong") == set()


ZONED = {
    "TIMESTAMPTZ": ["2020-01-01 00%3A00%3A00%2B02", "2020-02-01 00:00:00-05:30", "2020-02-01T00:00:00Z", "abc", "NULL"],
    "TIMETZ": ["10:00:00%2B02", "11:00:00-05:30", "abc", "25:00:00%2B00", "%4E%55LL"],
}


@pytest.mark.parametrize("kind", ZONED)
def test_times_with_an_offset_are_the_readers(lake, tmp_path, kind):
    lake.execute(f"CREATE TABLE lake.t(i BIGINT, k {kind})")
    for number, value in enumerate(ZONED[kind]):
        add(lake, tmp_path / str(number), "t", f"k={value}", number)
    expected = dict(lake.execute("SELECT i, any_value(k)::VARCHAR FROM lake.t GROUP BY i"))
    assert sum(value is None for value in expected.values()) >= 2
    rows = [row for row in lake.rows("ducklake_column_stats") if row["column_name"] == "k"]
    assert [row["min_value"] for row in rows] == [expected[number] for number in range(len(rows))]
    assert lake.findings("wrong", "unreadable") == set()


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
@pytest.mark.parametrize(
    "kind, values",
    [
        ("TIMESTAMPTZ", ["2020-02-01"]),
        ("TIMESTAMPTZ", ["2020-01-01 00:00:00 Europe%2FBerlin", "2020-02-01"]),
        ("TIMETZ", ["10:00:00", "11:00:00%2B00"]),
    ],
)
def test_what_another_session_reads_as_another_value_is_not_judged(lake, tmp_path, zone, kind, values):
    """A time with a zone but without an offset is taken in the zone of the session that reads it. ICU keeps the name of
    a zone for the values that it reads next."""
    lake.execute(f"SET TimeZone = '{zone}'")
    lake.execute(f"CREATE TABLE lake.t(i BIGINT, k {kind})")
    for number, value in enumerate(values):
        add(lake, tmp_path / str(number), "t", f"k={value}", number)
    values = [value for (value,) in lake.execute("SELECT DISTINCT k::VARCHAR FROM lake.t ORDER BY ALL")]

    def counts():
        return [lake.value(f"SELECT count(*) FROM lake.t WHERE k = {sql_literal(value)}::{kind}") for value in values]

    before = counts()
    assert [row["column_name"] for row in lake.rows("ducklake_column_stats")] == ["i"] * len(before)
    lake.repair(include=["wrong", "missing", "loose", "harmless"])
    assert counts() == before
    assert lake.audit() == []


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


DIRECTORIES = [
    "K=5/k=6", "k=5/K=6", "k=5/k=6", "k=5=6/k=7", "k=5?/k=7", "k=5\n/k=7", "=5/k=7", "k=7/a=b=c", "a\\k=7", "=k=5/k=7",
    "K=5", "k=5=6", "k=5?", "k=abc", "k=%E9", "none",
]  # fmt: skip


@pytest.mark.parametrize("directory", DIRECTORIES)
@pytest.mark.parametrize("value", ["5", "NULL"])
def test_directories_are_the_readers(lake, tmp_path, directory, value):
    """The file is moved after it was added, so that no check of DuckLake's is in the way."""
    lake.execute("CREATE TABLE lake.t(i BIGINT, k INTEGER)")
    add(lake, tmp_path / "t", "t", f"k={value}")
    moved = tmp_path / "t" / "moved" / directory
    moved.mkdir(parents=True)
    (tmp_path / "t" / f"k={value}" / "file.parquet").rename(moved / "file.parquet")
    lake.execute(f"UPDATE {lake.metadata}.ducklake_data_file SET path = {sql_literal(moved / 'file.parquet')}")
    try:
        expected = lake.value("SELECT any_value(k)::VARCHAR FROM lake.t")
    except duckdb.Error:
        (row,) = lake.audit()
        assert (row["severity"], row["column_name"], row["repairable"]) == ("unreadable", None, False)
        with pytest.raises(duckdb.Error, match="file.parquet|ducklake_stats_audit"):
            lake.rows("ducklake_column_stats")
        return
    (row,) = [row for row in lake.rows("ducklake_column_stats") if row["column_name"] == "k"]
    assert (row["min_value"], row["max_value"]) == (expected, expected)


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
