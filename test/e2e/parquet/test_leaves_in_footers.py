"""parquet_stats_audit: leaves of nested columns, boxes of geometries, many columns, and names that need quotes."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from footer_audit import LONG, audit, seen, write
from parquet_footer import Footer

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


def test_names_of_columns_and_files_that_need_quotes(connection, tmp_path):
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
