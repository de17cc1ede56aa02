"""parquet_stats_audit: every wrong statistic of a footer is reported, and nothing else is."""

import datetime
import decimal
import os
import random
import struct
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from parquet_footer import I64, META_NUM_VALUES, Footer, edit

CORPUS = Path(os.environ.get("COLSTATS_SHARED", Path(__file__).resolve().parents[4] / "shared")) / "corpus"
COLUMNS = (
    "file_name row_group_id column_name column_type statistic footer_value true_value first_offending_value"
    " first_offending_row writer effect"
).split()


@pytest.fixture
def connection(connection):
    """The tests change files between two calls, and DuckDB since 1.4 keeps what it read of a file by its time."""
    setting = "enable_external_file_cache"
    if connection.execute("SELECT count(*) FROM duckdb_settings() WHERE name = ?", [setting]).fetchone() != (0,):
        connection.execute(f"SET GLOBAL {setting} = false")
    return connection


def audit(connection, files, columns=None):
    """The findings as dicts."""
    paths = [str(file) for file in files] if isinstance(files, list) else str(files)
    option = "" if columns is None else ", columns := $columns"
    parameters = {"files": paths} if columns is None else {"files": paths, "columns": columns}
    rows = connection.execute(f"FROM parquet_stats_audit($files{option})", parameters).fetchall()
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def seen(findings, *names):
    """The named columns of the findings; by default those that say what is wrong and where."""
    names = names or ("row_group_id", "column_name", "statistic", "footer_value", "true_value")
    return [tuple(finding[name] for name in names) for finding in findings]


def offences(findings):
    return seen(findings, "statistic", "footer_value", "first_offending_value", "first_offending_row")


def packed(kind):
    return lambda value: struct.pack(f"<{kind}", value)


def int96(nanoseconds):
    return struct.pack("<qi", nanoseconds, 2440588)


def write(path, array, **options):
    pq.write_table(pa.table({"x": array}), path, store_schema=False, **options)
    return path


def day(number):
    return datetime.date(1970, 1, 1) + datetime.timedelta(days=number)


def uuid_bytes(number):
    return bytes(15) + bytes([number])


INTEGER, LONG = packed("i"), packed("q")
# Each: a function of three numbers that gives the column, and one that gives the bytes of a bound.
TYPES = {
    "int8": (lambda n: pa.array(n, pa.int8()), INTEGER),
    "int16": (lambda n: pa.array(n, pa.int16()), INTEGER),
    "int32": (lambda n: pa.array(n, pa.int32()), INTEGER),
    "int64": (lambda n: pa.array(n, pa.int64()), LONG),
    "uint8": (lambda n: pa.array(n, pa.uint8()), INTEGER),
    "uint16": (lambda n: pa.array(n, pa.uint16()), INTEGER),
    "uint32": (lambda n: pa.array(n, pa.uint32()), INTEGER),
    "uint64": (lambda n: pa.array(n, pa.uint64()), LONG),
    "float16": (lambda n: pa.array(n, pa.float16()), packed("e")),
    "float": (lambda n: pa.array(n, pa.float32()), packed("f")),
    "double": (lambda n: pa.array(n, pa.float64()), packed("d")),
    "string": (lambda n: pa.array([f"{k:03}" for k in n]), lambda k: f"{k:03}".encode()),
    "binary": (lambda n: pa.array([bytes([k, 0xFF]) for k in n]), lambda k: bytes([k, 0xFF])),
    "fixed": (lambda n: pa.array([bytes([k]) for k in n], pa.binary(1)), lambda k: bytes([k])),
    "date": (lambda n: pa.array([day(k) for k in n]), INTEGER),
    "time_ms": (lambda n: pa.array(n, pa.int32()).cast(pa.time32("ms")), INTEGER),
    "time_us": (lambda n: pa.array(n, pa.int64()).cast(pa.time64("us")), LONG),
    "timestamp_ms": (lambda n: pa.array(n, pa.timestamp("ms")), LONG),
    "timestamp_us": (lambda n: pa.array(n, pa.timestamp("us")), LONG),
    "timestamp_ns": (lambda n: pa.array(n, pa.timestamp("ns")), LONG),
    "timestamp_utc": (lambda n: pa.array(n, pa.timestamp("us", "UTC")), LONG),
    "decimal": (lambda n: pa.array([decimal.Decimal(k) for k in n], pa.decimal128(5, 1)), None),
    "wide_decimal": (lambda n: pa.array([decimal.Decimal(k) for k in n], pa.decimal128(30, 1)), None),
    "uuid": (lambda n: pa.array([uuid_bytes(k) for k in n], pa.uuid()), uuid_bytes),
}


def big_endian(path, chunk=0):
    """Bytes of a DECIMAL with one digit of scale, as long as the file has them."""
    width = len(Footer(path).column(0, chunk)[12][1][5][1])
    return lambda value: (value * 10).to_bytes(width, "big", signed=True)


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


def test_only_the_row_groups_that_are_wrong(connection, tmp_path):
    """Row numbers are those of the file; rows are in the order of file, row group, column."""
    paths = []
    for name in ("b", "a"):
        path = tmp_path / f"{name}.parquet"
        table = pa.table({"i": range(10), "s": [f"v{k}" for k in range(10)]})
        pq.write_table(table, path, row_group_size=4)
        paths.append(path)
    footer = Footer(paths[1])
    footer.set(2, 0, max_value=LONG(8))
    footer.set(1, 1, min_value=b"v5")
    footer.set(1, 0, min_value=LONG(7))
    footer.write(paths[1])
    found = audit(connection, paths)
    names = ("file_name", "row_group_id", "column_name", "statistic", "first_offending_value", "first_offending_row")
    assert seen(found, *names) == [
        (str(paths[1]), 1, "i", "min", "4", 4),
        (str(paths[1]), 1, "s", "min", "v4", 4),
        (str(paths[1]), 2, "i", "max", "9", 9),
    ]
    assert audit(connection, paths, columns=["s"]) == [found[1]]
    assert audit(connection, str(tmp_path / "*.parquet")) == found
    with pytest.raises(duckdb.Error, match="column 'z' is in none of the files"):
        audit(connection, paths, columns=["z"])


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
    """DuckDB prints such a bound as a BLOB; so does a text look that has a backslash in it."""
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


NESTED = [
    {"s": {"a": 5, "b": [3, 4]}, "m": [("k", 7)], "l": [[1], [2, None]]},
    {"s": None, "m": None, "l": None},
    {"s": {"a": None, "b": []}, "m": [], "l": [[], None]},
    {"s": {"a": 1, "b": [None, 9]}, "m": [("j", 2), ("z", None)], "l": [[8]]},
]
NESTED_TYPE = pa.struct(
    [
        ("s", pa.struct([("a", pa.int64()), ("b", pa.list_(pa.int64()))])),
        ("m", pa.map_(pa.string(), pa.int64())),
        ("l", pa.list_(pa.list_(pa.int64()))),
    ]
)


def test_nested_leaves(connection, tmp_path):
    path = write(tmp_path / "a.parquet", pa.array(NESTED, NESTED_TYPE))
    assert audit(connection, path) == []
    footer = Footer(path)
    footer.set(0, 0, min_value=LONG(4), null_count=0)
    footer.set(0, 1, max_value=LONG(8))
    footer.set(0, 2, min_value=b"k")
    footer.set(0, 3, min_value=LONG(3), null_count=1)
    footer.set(0, 4, max_value=LONG(7))
    footer.write(path)
    found = audit(connection, path)
    assert seen(found, "column_name", "statistic", "first_offending_value", "first_offending_row") == [
        ("x.s.a", "null_count", None, 1),
        ("x.s.a", "min", "1", 3),
        ("x.s.b.element", "max", "9", 3),
        ("x.m.key", "min", "j", 3),
        ("x.m.value", "null_count", None, None),
        ("x.m.value", "min", "2", 3),
        ("x.l.element.element", "max", "8", 3),
    ]


def test_times_in_utc_beside_nested_ones(connection, tmp_path):
    """The values of one are compared as TIME; those of the other have no order and stay as they are."""
    path = tmp_path / "a.parquet"
    connection.execute(f"COPY (SELECT '09:00:00+00'::TIMETZ AS t, ['10:00:00+00'::TIMETZ, NULL] AS l) TO '{path}'")
    footer = Footer(path)
    footer.set(0, 0, min_value=LONG(10 * 3600 * 10**6), min=None)
    footer.set(0, 1, null_count=0)
    footer.write(path)
    assert seen(audit(connection, path), "column_name", "statistic", "first_offending_value") == [
        ("t", "min", "09:00:00"),
        ("l.element", "null_count", None),
    ]


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


@pytest.mark.host_minimum("1.5.0")
def test_geometry(connection, tmp_path):
    path = tmp_path / "a.parquet"
    points = ["POINT (1 2)", "POINT (3 4)", "LINESTRING (0 0, 5 1)", "POINT Z (1 1 7)", None]
    rows = ", ".join("(NULL)" if point is None else f"('{point}')" for point in points)
    connection.execute(
        f"COPY (SELECT x::GEOMETRY AS x FROM (VALUES {rows}) t(x)) TO '{path}' (GEOPARQUET_VERSION 'NONE')"
    )
    assert audit(connection, path) == []
    changes = {
        "x": ({"xmin": 1.0}, None, "LINESTRING (0 0, 5 1)", 2),
        "y": ({"ymax": 3.5}, None, "POINT (3 4)", 1),
        "z": ({"zmax": 6.0, "zmin": 1.0}, None, "POINT Z (1 1 7)", 3),
        "around": ({"xmin": 4.0, "xmax": 0.5}, None, "POINT (1 2)", 0),
        "types": ({}, [1, 1001], "LINESTRING (0 0, 5 1)", 2),
    }
    for name, (ordinates, types, value, row) in changes.items():
        footer = Footer(path)
        footer.set_box(0, 0, types, **ordinates)
        footer.write(tmp_path / f"{name}_wrong.parquet")
        found = audit(connection, tmp_path / f"{name}_wrong.parquet")
        assert [(f["statistic"], f["first_offending_row"]) for f in found] == [
            ("geo_types" if types else "bbox", row)
        ], name
        assert found[0]["first_offending_value"].replace(" ", "") == value.replace(" ", ""), name
        assert "loses rows" in found[0]["effect"]
    for name, ordinates, types in (
        ("wide", {"xmin": -9.0, "xmax": 9.0}, None),
        ("open", {"xmin": float("nan")}, None),
        # Around the antimeridian, with nothing in its gap; a line goes over it.
        ("around_right", {"xmin": 4.5, "xmax": 3.5}, None),
        ("silent", {}, []),
    ):
        footer = Footer(path)
        footer.set_box(0, 0, types, **ordinates)
        footer.write(tmp_path / f"{name}.parquet")
        assert audit(connection, tmp_path / f"{name}.parquet") == [], name
    footer = Footer(path)
    footer.set_box(0, 0, None, xmin=6.0, xmax=-1.0)
    footer.write(tmp_path / "gap.parquet")
    assert seen(audit(connection, tmp_path / "gap.parquet"), "statistic", "first_offending_row") == [("bbox", 0)]


def uneven_file(path, sizes, first=0):
    with pq.ParquetWriter(path, pa.schema([("i", pa.int64())])) as writer:
        for size in sizes:
            writer.write_table(pa.table({"i": pa.array(range(first, first + size), pa.int64())}))
            first += size
    return path


def test_row_groups_of_any_size(connection, tmp_path):
    sizes = [(3, 1, 4), (5,), (2, 0, 2, 6, 1), (4, 4, 4), (4, 4, 1), (1, 2, 3, 4, 5, 6), (7, 9)]
    files = [uneven_file(tmp_path / f"{number}.parquet", size) for number, size in enumerate(sizes)]
    assert audit(connection, files) == []
    expected = []
    for path, groups in zip(files, sizes, strict=True):
        last = len(groups) - 1
        edit(path, last, 0, max_value=LONG(sum(groups) - 2))
        expected.append((str(path), last, str(sum(groups) - 1), sum(groups) - 1))
    names = ("file_name", "row_group_id", "first_offending_value", "first_offending_row")
    assert sorted(seen(audit(connection, files), *names)) == expected


@pytest.mark.parametrize("sizes", [[3] * 5000, [2 + number % 3 for number in range(5000)]], ids=["even", "uneven"])
def test_many_row_groups(connection, tmp_path, sizes):
    path = uneven_file(tmp_path / "a.parquet", sizes)
    edit(path, 4321, 0, min_value=LONG(10**9))
    first = sum(sizes[:4321])
    assert seen(audit(connection, path), "row_group_id", "true_value", "first_offending_row") == [
        (4321, str(first), first)
    ]


def test_two_thousand_columns(connection, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({f"c{number}": [number, None] for number in range(2000)}), path)
    assert audit(connection, path) == []
    footer = Footer(path)
    for number in range(2000):
        footer.set(0, number, min_value=LONG(9999))
    footer.write(tmp_path / "b.parquet")
    found = audit(connection, tmp_path / "b.parquet")
    assert seen(found, "column_name", "first_offending_value") == [(f"c{k}", str(k)) for k in range(2000)]


def test_odd_names(connection, tmp_path):
    names = ["file_row_number", "Filename", "a.b", 'q"q', "it's", "colstats_row_number", "colstats_file_name"]
    names += ["row_group_id", "stats", "file_name", "leaf_value", "", " "]
    path = tmp_path / "o'dd [1].parquet"
    pq.write_table(pa.table([pa.array([3, 1, 2, 5])] * len(names), names=names), path, row_group_size=3)
    other = tmp_path / "plain.parquet"
    other.write_bytes(path.read_bytes())
    assert audit(connection, [path, other]) == []
    footer = Footer(path)
    for number in range(len(names)):
        footer.set(0, number, max_value=LONG(2))
        footer.set(1, number, min_value=LONG(6))
    footer.write(path)
    found = audit(connection, [other, path])
    assert len(found) == 2 * len(names)
    wrong = {(f["row_group_id"], f["statistic"], f["first_offending_value"], f["first_offending_row"]) for f in found}
    assert wrong == {(0, "max", "3", 0), (1, "min", "5", 3)}
    assert {finding["file_name"] for finding in found} == {str(path)}


def test_nothing_to_audit(connection, tmp_path):
    empty = write(tmp_path / "rows.parquet", pa.array([], pa.int32()))
    no_groups = uneven_file(tmp_path / "groups.parquet", [])
    assert audit(connection, [empty, no_groups]) == []
    assert audit(connection, empty, columns=["x"]) == []


def test_files_that_cannot_be_read(connection, tmp_path):
    whole = write(tmp_path / "whole.parquet", pa.array(range(1000)), compression="snappy")
    content = bytearray(whole.read_bytes())
    (tmp_path / "cut.parquet").write_bytes(content[:-30])
    content[100:400] = bytes(300)
    (tmp_path / "blotted.parquet").write_bytes(content)
    (tmp_path / "text.parquet").write_text("no Parquet")
    for name in ("cut", "blotted", "text", "absent"):
        with pytest.raises(duckdb.Error, match=rf"parquet_stats_audit: .*{name}\.parquet"):
            audit(connection, [whole, tmp_path / f"{name}.parquet"])
    with pytest.raises(duckdb.Error, match="files must not be NULL"):
        connection.execute("FROM parquet_stats_audit(NULL)").fetchall()


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


# What DuckDB itself writes wrong, by the column of test_all_types: more levels than entries for a NULL array (pyarrow
# refuses such a file), one NULL too many for a NULL struct in a list (1.5), and the last member of an ENUM as its exact
# maximum (before 1.5).
WRITTEN_WRONG = {
    **dict.fromkeys(("fixed_int_array", "fixed_varchar_array", "fixed_nested_int_array"), {"num_values", "null_count"}),
    **dict.fromkeys(("fixed_nested_varchar_array", "fixed_struct_array"), {"num_values", "null_count"}),
    **dict.fromkeys(("struct_of_fixed_array", "fixed_array_of_int_list"), {"num_values", "null_count"}),
    "array_of_structs": {"null_count"},
    "medium_enum": {"max_is_exact"},
}


def test_every_type_as_duckdb_writes_it(connection, tmp_path):
    columns = [row[0] for row in connection.execute("DESCRIBE FROM test_all_types()").fetchall()]
    wrong = {}
    audited = 0
    for name in columns:
        path = tmp_path / f"{name}.parquet"
        try:
            connection.execute(f'COPY (SELECT "{name}" AS x FROM test_all_types()) TO \'{path}\'')
        except duckdb.Error:
            continue  # a type that has no place in Parquet
        audited += 1
        if found := {finding["statistic"] for finding in audit(connection, path)}:
            wrong[name] = found
    assert audited >= 50
    assert {name: found for name, found in wrong.items() if not found <= WRITTEN_WRONG.get(name, set())} == {}
    assert "num_values" in wrong["fixed_int_array"]


# Truly wrong footers of public files, each looked at by hand.
KNOWN = {
    # parquet-mr 1.8 ordered fixed-length decimals as signed bytes: `WHERE value = 1` finds nothing in DuckDB.
    "fixed_length_decimal.parquet": [("value", "deprecated_min", "2.00", "1.00")],
    "fixed_length_decimal_legacy.parquet": [("value", "deprecated_min", "2.00", "1.00")],
    # parquet-cpp 1.5 did not count the NULL list: two of the entries are NULL, as pyarrow counts today.
    "list_columns.parquet": [("utf8_list.element", "null_count", "1", "2")],
}


def corpus_files():
    folders = [CORPUS / "parquet-testing", CORPUS / "geoparquet", CORPUS / "vega-datasets"]
    files = sorted(path for folder in folders for path in folder.glob("*.parquet"))
    return [path for path in files if path.name != "large_string_map.brotli.parquet"]


def test_public_files(connection, shared_directory):
    audited = 0
    for path in corpus_files():
        try:
            connection.execute(f"SELECT bit_xor(hash(COLUMNS(*))) FROM read_parquet('{path}')").fetchall()
        except duckdb.Error:
            with pytest.raises(duckdb.Error, match=f"parquet_stats_audit: .*{path.name}"):
                audit(connection, path)
            continue
        found = audit(connection, path)
        assert seen(found, "column_name", "statistic", "footer_value", "true_value") == KNOWN.get(path.name, []), path
        audited += 1
    assert audited >= 60


def test_rows_that_a_public_file_loses(connection, shared_directory):
    source = CORPUS / "parquet-testing" / "fixed_length_decimal.parquet"
    lost = connection.execute(f"SELECT count(*) FROM '{source}' WHERE value = 1").fetchall()
    there = connection.execute(f"SELECT count(*) FILTER (value = 1) FROM '{source}'").fetchall()
    assert (lost, there) == ([(0,)], [(1,)])
