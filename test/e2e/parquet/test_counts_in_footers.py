"""parquet_stats_audit: counts of values, of NULL and of NaN that are not those of the values."""

import duckdb
import pyarrow as pa
import pytest
from footer_audit import audit, offences, seen, write
from parquet_footer import I64, META_NUM_VALUES, Footer, edit


def reads_no_nulls(connection):
    """DuckDB since 2.0 does not read a column chunk whose footer says that all entries are NULL."""
    return connection.execute("SELECT version() >= 'v2'").fetchone() == (True,)


def test_values_in_a_chunk_of_nulls(connection, tmp_path):
    """Where DuckDB does not read the values, the bounds beside the count tell that something is wrong."""
    path = write(tmp_path / "a.parquet", pa.array([1, None, 3, None]))
    edit(path, 0, 0, null_count=4, min=None, max=None)
    found = audit(connection, path)
    if reads_no_nulls(connection):
        assert seen(found, "statistic", "footer_value", "true_value") == [("min", "1", None), ("max", "3", None)]
        assert all("lose all its values" in finding["effect"] for finding in found)
    else:
        assert offences(found) == [("null_count", "4", "1", 0)]


def test_null_counts(connection, tmp_path):
    path = write(tmp_path / "a.parquet", pa.array([1, None, 3, None]))
    assert audit(connection, path) == []
    cases = [(0, None, 1, "IS NULL"), (3, None, None, "COUNT")]
    if not reads_no_nulls(connection):
        cases.append((4, "1", 0, "every filter"))
    for null_count, value, row, effect in cases:
        wrong = tmp_path / f"{null_count}.parquet"
        footer = Footer(path)
        footer.set(0, 0, null_count=null_count)
        footer.write(wrong)
        (finding,) = audit(connection, wrong)
        assert offences([finding]) == [("null_count", str(null_count), value, row)]
        assert finding["true_value"] == "2"
        assert finding["effect"].startswith(effect)
    footer.set(0, 0, null_count=None)
    footer.write(path)
    assert audit(connection, path) == [], "absent is not zero"


@pytest.mark.host_minimum("2.0.0")
def test_nan_counts(connection, tmp_path):
    path = write(tmp_path / "a.parquet", pa.array([1.0, float("nan"), None, 2.0]))
    for nan_count, row in ((0, 1), (3, None)):
        wrong = tmp_path / f"{nan_count}.parquet"
        footer = Footer(path)
        footer.set(0, 0, nan_count=nan_count)
        footer.write(wrong)
        found = audit(connection, wrong)
        assert seen(found, "statistic", "footer_value", "true_value", "first_offending_row") == [
            ("nan_count", str(nan_count), "1", row)
        ]
    footer.set(0, 0, nan_count=1)
    footer.write(path)
    assert audit(connection, path) == []


def test_num_values(connection, tmp_path):
    """DuckDB 2.0 refuses such a file; older ones read it."""
    path = write(tmp_path / "a.parquet", pa.array([1, 2, 3]))
    footer = Footer(path)
    footer.column(0, 0)[META_NUM_VALUES] = (I64, 99)
    footer.write(path)
    try:
        found = audit(connection, path)
    except duckdb.Error as error:
        assert path.name in str(error)
        return
    assert seen(found) == [(0, "x", "num_values", "99", "3")]
