"""Loading: it works on supported hosts, keeps nothing open, and is declined with a sentence elsewhere."""

import subprocess
import sys

import duckdb
import pytest
from packaged_extension import load_statement

OPEN_FOR_WRITING = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute('CREATE TABLE u AS SELECT 1')"


def test_functions_are_registered(connection):
    names = connection.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions()"
        " WHERE function_name IN ('column_stats', 'file_column_stats') ORDER BY 1"
    ).fetchall()
    assert names == [("column_stats",), ("file_column_stats",)]


def test_footer_is_known_to_duckdb(connection):
    loaded, version = connection.execute(
        "SELECT loaded, extension_version FROM duckdb_extensions() WHERE extension_name = 'colstats'"
    ).fetchone()
    assert loaded
    assert version.startswith("v")


def test_loading_twice_and_into_two_databases(connect, extension_path):
    first, second = connect(), connect()
    first.execute(load_statement(extension_path))
    assert first.execute("SELECT 42").fetchone() == second.execute("SELECT 42").fetchone() == (42,)


def test_closing_releases_the_database(connect, tmp_path):
    """A connection kept by the extension would hold the file's lock after close()."""
    path = tmp_path / "a.db"
    data = tmp_path / "a.parquet"
    connection = connect(path)
    connection.execute(f"COPY (SELECT 1 AS i) TO '{data}' (FORMAT parquet)")
    connection.execute(f"SELECT count(*) FROM file_column_stats('{data}')").fetchall()
    connection.close()
    subprocess.run([sys.executable, "-c", OPEN_FOR_WRITING, str(path)], check=True, timeout=60)


def test_the_real_ducklake_is_at_hand(lake):
    """Where it is packaged: colstats and DuckLake live in one session. A few rows would stay in the catalogue."""
    lake.execute("CREATE TABLE lake.t AS SELECT i / 2 AS d FROM range(1000) numbers(i)")
    rows = lake.execute(
        "SELECT min_value, max_value, contains_nan FROM __ducklake_metadata_lake.ducklake_file_column_stats"
    ).fetchall()
    assert rows == [("0.0", "499.5", False)]


@pytest.mark.refusing_host
def test_old_hosts_are_refused_with_a_sentence(extension_path):
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(load_statement(extension_path))
    message = str(caught.value)
    assert "1.3.0" in message
    assert "INTERNAL" not in message
    assert connection.execute("SELECT 42").fetchone() == (42,)
