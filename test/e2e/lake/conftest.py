"""Fixtures for tests of DuckLakes."""

import pytest
from lakes import lake_in


@pytest.fixture
def ducklake(connection, load_packaged):
    """The connection, with DuckLake loaded and no lake attached."""
    load_packaged(connection, "ducklake")
    return connection


@pytest.fixture
def files_lake(connection, catalogues, tmp_path):
    """An empty lake that puts every insert into files."""
    lake = lake_in(connection, tmp_path, catalogues("duckdb"))
    lake.set_option("data_inlining_row_limit", "0")
    lake.set_option("parquet_row_group_size", "2048")
    return lake


@pytest.fixture
def inlining_lake(ducklake, tmp_path):
    """An empty lake with DuckLake's own options: rows of small inserts are inlined in the catalogue."""
    return lake_in(ducklake, tmp_path)
