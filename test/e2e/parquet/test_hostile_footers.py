"""No footer ends the database or the process through a statement of ours, whatever bounds it has for whatever type."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_rows import column_rows, bounds, with_room_before_footer
from hostile_footers import write_hostile_footers
from parquet_footer import edit


def test_bounds_of_every_length_for_every_type(extension_path, tmp_path):
    write_hostile_footers(tmp_path)
    runner = Path(__file__).parents[1] / "support" / "hostile_footers.py"
    command = [sys.executable, str(runner), str(extension_path), str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert result.returncode == 0, (lines[-1:], result.stderr[-500:])
    assert len(lines) == len(list(tmp_path.glob("*.parquet"))) > 600
    answers = 0
    for name, text in lines:
        (audit, stats, _), alive = json.loads(text)
        assert alive == 42, name
        for told in (audit, stats):
            assert isinstance(told, list) or ("INTERNAL" not in told and "FATAL" not in told), (name, told)
        # Some schemas DuckDB does not read at all; where it does, the values of the sound column are told.
        if isinstance(stats, list):
            assert stats == [[2, "1", "2"]], name
            answers += 1
    assert answers > 300


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("value", [b"\xff" * 8, (86_400_000_001).to_bytes(8, "little")])
def test_a_time_outside_of_the_day(connection, tmp_path, is_large, value):
    path = tmp_path / "time.parquet"
    times = pa.array([1, 2], pa.time64("us"))
    pq.write_table(pa.table({"t": times, "k": ["a", "b"]}), path)
    edit(path, 0, 0, min_value=value, max_value=value, min=value, max=value)
    if is_large:
        path = with_room_before_footer(path, tmp_path / "large.parquet")
    rows = column_rows(connection, str(path))
    assert bounds(rows["t"]) == ("00:00:00.000001", "00:00:00.000002") and rows["t"]["column_size_bytes"] > 0
    with pytest.raises(duckdb.Error, match="bounds for column 't'"):
        connection.execute("FROM parquet_stats_audit(?)", [str(path)])
    assert connection.execute("SELECT 42").fetchone() == (42,)


# Columns of readers and of read_blob, and columns that DuckDB makes up.
KEYS = ["filename", "FileName", "file_row_number", "file_index", "content", "size", "last_modified", "rowid", "column_name"]


@pytest.mark.parametrize("key", KEYS)
def test_hive_keys_called_like_columns_of_duckdb(connection, tmp_path, key):
    files = []
    for number in range(2):
        folder = tmp_path / f"{key}=part_{number}"
        folder.mkdir()
        pq.write_table(pa.table({"a": [f"in {number}"]}), folder / "x.parquet")
        (folder / "x.csv").write_text(f"a\nin {number}\n")
        files.append(folder)
    for ending in ("parquet", "csv"):
        for names in ([files[0] / f"x.{ending}"], [folder / f"x.{ending}" for folder in files]):
            statement = "SELECT column_name, min_value FROM file_column_stats(?) ORDER BY data_file_id, column_id"
            rows = connection.execute(statement, [[str(name) for name in names]]).fetchall()
            expected = [row for number in range(len(names)) for row in (("a", f"in {number}"), (key, f"part_{number}"))]
            assert rows == expected, ending
            connection.execute("FROM hive_column_stats(?)", [[str(name) for name in names]]).fetchall()
    connection.execute("FROM parquet_stats_audit(?)", [str(tmp_path / "*" / "*.parquet")]).fetchall()
    assert connection.execute("SELECT 42").fetchone() == (42,)


def test_the_sandbox_holds_for_footers(connect, tmp_path):
    """Local footers are opened by colstats itself, but only where DuckDB allows the access."""
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    for folder in (allowed, other):
        folder.mkdir()
        pq.write_table(pa.table({"i": [1]}), folder / "x.parquet")
    connection = connect()
    connection.execute(f"SET allowed_directories = ['{allowed}/']")
    connection.execute("SET enable_external_access = false")
    assert bounds(column_rows(connection, str(allowed / "x.parquet"))["i"]) == ("1", "1")
    with pytest.raises(duckdb.Error, match="Permission"):
        column_rows(connection, str(other / "x.parquet"))
    shutil.copy(other / "x.parquet", allowed / "y.parquet")
    assert bounds(column_rows(connection, str(allowed / "y.parquet"))["i"]) == ("1", "1")
