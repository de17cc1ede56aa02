"""Fixtures for tests of Parquet footers."""

import pytest


@pytest.fixture
def connection(connection):
    """The tests change files between two calls, and DuckDB since 1.4 keeps what it read of a file by its time."""
    setting = "enable_external_file_cache"
    if connection.execute("SELECT count(*) FROM duckdb_settings() WHERE name = ?", [setting]).fetchone() != (0,):
        connection.execute(f"SET GLOBAL {setting} = false")
    return connection
