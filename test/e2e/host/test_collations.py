"""A default collation changes what DuckDB takes for equal; files, partitions and bounds stay what their bytes say."""

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_rows import bounds, counts, file_rows, rows_of, sql_literal, with_room_before_footer
from parquet_footer import edit

pytestmark = pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="file names that differ in case alone")


@pytest.fixture
def connection(connection):
    connection.execute("SET GLOBAL default_collation = 'nocase'")
    return connection


def write(path, columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return str(path)


@pytest.fixture
def files(tmp_path):
    """Two files whose names are the same in lower case."""
    return [
        write(tmp_path / "A.parquet", {"i": [1], "t": ["B"]}),
        write(tmp_path / "a.parquet", {"i": [100, 200], "t": ["a", "C"]}),
    ]


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("is_united", [False, True])
def test_files_are_not_merged(connection, files, size, is_united):
    if size == "large":
        files = [str(with_room_before_footer(Path(file), Path(file[:-8] + ".large.parquet"))) for file in files]
    rows = file_rows(connection, files, union_by_name=is_united)
    expected = [("1", "1", 1, 0), ("B", "B", 1, 0), ("100", "200", 2, 0), ("C", "a", 2, 0)]
    assert [(*bounds(row), *counts(row)) for row in rows] == expected
    assert [row["file_name"] for row in rows] == [files[0]] * 2 + [files[1]] * 2
    sizes = [
        pq.read_metadata(file).row_group(0).column(chunk).total_compressed_size for file in files for chunk in (0, 1)
    ]
    assert [row["column_size_bytes"] for row in rows] == sizes
    twin = f"FROM query(file_column_stats_sql({sql_literal(files)}))"
    assert [bounds(row) for row in rows_of(connection, twin)] == [bounds(row) for row in rows]


# Hosts before 1.5 have no VARIANT.
@pytest.mark.host_minimum("1.5.0")
def test_variants_are_not_merged(connection, tmp_path):
    files = [str(tmp_path / name) for name in ("V.parquet", "v.parquet")]
    for number, file in enumerate(files):
        connection.execute(f"COPY (SELECT {{'a': {number}}}::VARIANT AS v FROM range(3)) TO '{file}'")
    entries = [json.loads(row["extra_stats"]) for row in file_rows(connection, files)]
    assert [(entry["min"], entry["max"]) for (entry,) in entries] == [("0", "0"), ("1", "1")]


def audit(connection, files):
    return rows_of(connection, f"FROM parquet_stats_audit({sql_literal(files)})")


def test_audited_files_are_not_merged(connection, files):
    assert audit(connection, files) == []
    edit(files[1], 0, 0, min_value=(150).to_bytes(8, "little"), min=None)
    (found,) = audit(connection, files)
    assert (found["file_name"], found["statistic"], found["true_value"]) == (files[1], "min", "100")
    assert (found["first_offending_value"], found["first_offending_row"]) == ("100", 0)


def test_partitions_are_not_merged(connection, tmp_path):
    write(tmp_path / "p=X" / "f.parquet", {"i": [1]})
    write(tmp_path / "p=x" / "f.parquet", {"i": [100, 200]})
    call = f"FROM hive_column_stats({sql_literal(tmp_path / '**' / '*.parquet')})"
    found = {row["partition_name"]: row for row in rows_of(connection, call)}
    assert {name: (row["long_low_value"], row["long_high_value"], row["value_count"]) for name, row in found.items()} == {
        "p=X": (1, 1, 1),
        "p=x": (100, 200, 2),
    }
