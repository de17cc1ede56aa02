"""parquet_stats_audit: every bound of a footer that does not bound the values is reported, and no other is."""

import random
import struct

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from footer_audit import INTEGER, LONG, TYPES, audit, big_endian, offences, packed, seen, write
from parquet_footer import Footer, edit


def int96(nanoseconds):
    return struct.pack("<qi", nanoseconds, 2440588)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("is_deprecated", [False, True], ids=["new", "deprecated"])
def test_wrong_bounds_of_a_type(connection, tmp_path, name, is_deprecated):
    column, bound = TYPES[name]
    path = write(tmp_path / "a.parquet", column([20, 10, 30, 50, 40]))
    assert audit(connection, path) == []
    bound = bound or big_endian(path)
    low, high = ("min", "max") if is_deprecated else ("min_value", "max_value")
    names = {"min": None, "max": None, "min_value": None, "max_value": None}
    # One step too far inside, the other bound right; then both far outside, which is right, too.
    edit(path, 0, 0, **(names | {low: bound(20), high: bound(50)}))
    wrong_min = tmp_path / "b.parquet"
    wrong_min.write_bytes(path.read_bytes())
    edit(path, 0, 0, **(names | {low: bound(10), high: bound(40)}))
    wrong_max = tmp_path / "c.parquet"
    wrong_max.write_bytes(path.read_bytes())
    edit(path, 0, 0, **(names | {low: bound(1), high: bound(90), "is_min_value_exact": False, "is_max_value_exact": False}))
    loose = tmp_path / "d.parquet"
    loose.write_bytes(path.read_bytes())
    (least,), (greatest,) = audit(connection, wrong_min), audit(connection, wrong_max)
    prefix = "deprecated_" if is_deprecated else ""
    assert (least["statistic"], least["first_offending_row"]) == (prefix + "min", 1)
    assert (greatest["statistic"], greatest["first_offending_row"]) == (prefix + "max", 3)
    for finding in (least, greatest):
        assert finding["true_value"] == finding["first_offending_value"] != finding["footer_value"]
        assert finding["writer"].startswith("parquet-cpp-arrow")
        assert ("deprecated field" in finding["effect"]) == is_deprecated
    assert audit(connection, loose) == []


@pytest.mark.parametrize(("name", "literal"), [("int64", "10"), ("string", "'010'"), ("wide_decimal", "10")])
def test_what_is_reported_is_lost(connection, tmp_path, name, literal):
    """DuckDB itself skips the row group, by the new bounds and by the deprecated ones where there are no new ones."""
    column, bound = TYPES[name]
    path = write(tmp_path / "right.parquet", column([20, 10, 30]))
    bound = bound or big_endian(path)
    footer = Footer(path)
    footer.set(0, 0, min=None, max=None, min_value=bound(20))
    footer.write(tmp_path / "new.parquet")
    footer.set(0, 0, min=bound(20), max=bound(30), min_value=None, max_value=None)
    footer.write(tmp_path / "old.parquet")
    for file, count in (("right", 1), ("new", 0), ("old", 0)):
        query = f"SELECT count(*) FROM '{tmp_path}/{file}.parquet' WHERE x = {literal}"
        assert connection.execute(query).fetchall() == [(count,)], file
        assert len(audit(connection, tmp_path / f"{file}.parquet")) == 1 - count


def test_deprecated_bounds_beside_new_ones(connection, tmp_path):
    path = write(tmp_path / "a.parquet", pa.array([1, 2, 200], pa.uint8()))
    # As a signed comparison sees them.
    edit(path, 0, 0, min=INTEGER(200), max=INTEGER(2))
    found = audit(connection, path)
    assert offences(found) == [("deprecated_min", "200", "1", 0), ("deprecated_max", "2", "200", 2)]
    assert all("ducklake_add_data_files" in finding["effect"] for finding in found)


def test_int96(connection, tmp_path):
    times = pa.array([2000, 1000, 3000], pa.timestamp("ns"))
    path = write(tmp_path / "a.parquet", times, use_deprecated_int96_timestamps=True)
    assert audit(connection, path) == []
    edit(path, 0, 0, min=int96(2000), max=int96(3000))
    (finding,) = audit(connection, path)
    assert offences([finding]) == [
        ("deprecated_min", "1970-01-01 00:00:00.000002", "1970-01-01 00:00:00.000001", 1)
    ]
    assert "INT96" in finding["effect"]


def test_booleans(connection, tmp_path):
    path = write(tmp_path / "a.parquet", pa.array([True, False]))
    edit(path, 0, 0, min_value=b"\1", min=None)
    assert offences(audit(connection, path)) == [("min", "true", "false", 1)]


def test_times_in_utc(connection, tmp_path):
    """The order of TIME WITH TIME ZONE is that of the time, as all are in UTC."""
    path = tmp_path / "a.parquet"
    connection.execute(
        f"COPY (SELECT x::TIMETZ AS x FROM (VALUES ('12:00:00+02'), ('09:00:00+00'), ('23:00:00+10')) t(x)) TO '{path}'"
    )
    assert audit(connection, path) == []
    edit(path, 0, 0, min_value=LONG(9 * 3600 * 10**6 + 1), min=None)
    (finding,) = audit(connection, path)
    assert (finding["column_type"], finding["first_offending_row"]) == ("TIME WITH TIME ZONE", 1)
    assert finding["first_offending_value"] == "09:00:00"


def test_bounds_without_values(connection, tmp_path):
    path = write(tmp_path / "a.parquet", pa.array([None, None], pa.int32()))
    assert audit(connection, path) == []
    edit(path, 0, 0, min_value=INTEGER(1), max_value=INTEGER(2))
    found = audit(connection, path)
    assert seen(found, "statistic", "footer_value", "true_value", "first_offending_row") == [
        ("min", "1", None, None),
        ("max", "2", None, None),
    ]
    assert all("MAX answered from it are wrong" in finding["effect"] for finding in found)
    edit(path, 0, 0, null_count=None)
    found = audit(connection, path)
    assert [finding["effect"].split(",")[0] for finding in found] == ["no row is lost"] * 2


def test_exactness_flags(connection, tmp_path):
    path = write(tmp_path / "a.parquet", pa.array(["bb", "cc"]))
    edit(path, 0, 0, min_value=b"b", max_value=b"d", is_min_value_exact=False, is_max_value_exact=False)
    assert audit(connection, path) == [], "a bound that was cut is right"
    edit(path, 0, 0, is_min_value_exact=True, is_max_value_exact=True)
    wrong = tmp_path / "b.parquet"
    wrong.write_bytes(path.read_bytes())
    assert seen(audit(connection, wrong), "statistic", "footer_value", "true_value") == [
        ("min_is_exact", "b", "bb"),
        ("max_is_exact", "d", "cc"),
    ]
    edit(path, 0, 0, min_value=b"bb", max_value=b"cc")
    exact = tmp_path / "c.parquet"
    exact.write_bytes(path.read_bytes())
    assert audit(connection, exact) == []


def test_texts_are_compared_as_bytes(connection, tmp_path):
    connection.execute("SET GLOBAL default_collation = 'nocase'")
    values = ["B", "a", "\u00e9t\u00e9", "\U0001f600", "x\0y"]
    path = write(tmp_path / "a.parquet", pa.array(values))
    assert audit(connection, path) == []
    # Signed bytes would put all but ASCII first.
    edit(path, 0, 0, min_value="\u00e9t\u00e9".encode(), max_value=b"x\0x")
    found = audit(connection, path)
    assert offences(found) == [
        ("min", "\u00e9t\u00e9", "B", 0),
        ("max", "x\0x", "\u00e9t\u00e9", 2),
    ]
    assert seen(found, "true_value") == [("B",), ("\U0001f600",)]


@pytest.mark.host_minimum("1.4.0")  # DuckDB 1.3 reads no file with such a bound
def test_bounds_that_were_cut_inside_a_character(connection, tmp_path):
    """DuckDB prints such a bound as a BLOB. A text with a backslash in it looks the same."""
    path = write(tmp_path / "a.parquet", pa.array(["\u00e9", "\u00ea"]))
    edit(path, 0, 0, min_value=b"\xc3", max_value=b"\xc4", is_min_value_exact=False, is_max_value_exact=False)
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(path.read_bytes())
    assert audit(connection, cut) == []
    edit(path, 0, 0, max_value=b"\xc3")
    wrong = tmp_path / "wrong.parquet"
    wrong.write_bytes(path.read_bytes())
    assert offences(audit(connection, wrong)) == [("max", "\\xC3", "\u00e9", 0)]
    backslashes = write(tmp_path / "b.parquet", pa.array(["\\xC3", "\\x41", "\\xzz"]))
    assert audit(connection, backslashes) == []
    edit(backslashes, 0, 0, min_value=b"\\xd")
    assert offences(audit(connection, backslashes)) == [("min", "\\xd", "\\xC3", 0)]


def test_zeros_and_nan(connection, tmp_path):
    """Bounds of zero count for both zeros, and bounds say nothing of NaN. DuckDB, as Parquet asks, does not take a
    bound that is NaN, nor does parquet_metadata print one."""
    nan = float("nan")
    path = write(tmp_path / "a.parquet", pa.array([-0.0, 0.0, nan, 1e-30], pa.float32()))
    edit(path, 0, 0, min_value=packed("f")(0.0), max_value=packed("f")(1e-30), is_min_value_exact=True)
    positive = tmp_path / "positive.parquet"
    positive.write_bytes(path.read_bytes())
    assert audit(connection, positive) == []
    edit(path, 0, 0, min_value=packed("f")(nan), max_value=packed("f")(nan))
    unknown = tmp_path / "unknown.parquet"
    unknown.write_bytes(path.read_bytes())
    assert audit(connection, unknown) == []
    edit(path, 0, 0, min_value=packed("f")(1e-35), max_value=packed("f")(1e-31))
    wrong = tmp_path / "wrong.parquet"
    wrong.write_bytes(path.read_bytes())
    assert seen(audit(connection, wrong), "statistic", "true_value", "first_offending_row") == [
        ("min", "-0.0", 0),
        ("max", "1e-30", 3),
    ]


def test_bounds_that_duckdb_cannot_read(connection, tmp_path):
    """A bound that is no value of the type is not compared; one that DuckDB refuses is an error with the file's name."""
    path = write(tmp_path / "a.parquet", pa.array([1], pa.int8()))
    edit(path, 0, 0, min_value=INTEGER(1000), max_value=INTEGER(1000), min=None, max=None)
    assert audit(connection, path) == []
    path = write(tmp_path / "short.parquet", pa.array([1]))
    edit(path, 0, 0, min_value=b"\1")
    with pytest.raises(duckdb.Error, match=r"parquet_stats_audit: .*short\.parquet"):
        audit(connection, path)


def wrong_statistics(values, low, high):
    """What the audit must find, by Python alone."""
    wrong = []
    if low is not None and min(values) < low:
        wrong.append(("min", next(v for v in values if v < low)))
    if high is not None and max(values) > high:
        wrong.append(("max", next(v for v in values if v > high)))
    return wrong


@pytest.mark.parametrize("seed", range(4))
def test_random_footers(connection, tmp_path, seed):
    """Random bounds over random row groups and types: what is found is what Python finds."""
    chooser = random.Random(seed)
    files, expected = [], []
    names = [name for name, (_, bound) in TYPES.items() if bound is not None]
    for number in range(6):
        groups = [[chooser.randrange(2, 100) for _ in range(chooser.randrange(1, 9))] for _ in range(4)]
        path = tmp_path / f"{number}.parquet"
        schema = pa.schema([(name, TYPES[name][0]([1]).type) for name in names])
        with pq.ParquetWriter(path, schema, store_schema=False) as writer:
            for values in groups:
                writer.write_table(pa.table([TYPES[name][0](values) for name in names], schema))
        footer, first = Footer(path), 0
        for row_group, values in enumerate(groups):
            for chunk, name in enumerate(names):
                low = chooser.choice([None, min(values), chooser.randrange(1, 100)])
                high = chooser.choice([None, max(values), chooser.randrange(1, 100)])
                bound = TYPES[name][1]
                footer.set(
                    row_group,
                    chunk,
                    min=None,
                    max=None,
                    is_min_value_exact=None,
                    is_max_value_exact=None,
                    min_value=None if low is None else bound(low),
                    max_value=None if high is None else bound(high),
                )
                for statistic, value in wrong_statistics(values, low, high):
                    row = first + values.index(value)
                    expected.append((str(path), row_group, name, statistic, row))
            first += len(values)
        footer.write(path)
        files.append(path)
    found = audit(connection, files)
    names = ("file_name", "row_group_id", "column_name", "statistic", "first_offending_row")
    assert len(expected) > 100
    assert seen(found, *names) == expected
