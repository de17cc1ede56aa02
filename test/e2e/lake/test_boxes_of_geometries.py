"""The box of a GEOMETRY in the row of a table: what DuckLake makes of its text, what the audit says, and what the
repair leaves."""

import json

import pytest
from file_rows import sql_literal

POINTS = ("POINT(175 5)", "POINT(-175 -5)", "POINT(1 1)")
QUERIES = [
    f"SELECT count(*) FROM lake.t WHERE g && '{area}'::GEOMETRY"
    for area in ("LINESTRING(-1 -1, 2 2)", "LINESTRING(170 -1, 180 6)", "LINESTRING(-180 -10, 180 10)", "LINESTRING(5 0, 6 2)")
]
ALL = ["wrong", "missing", "loose", "harmless"]
CORNERS = ("xmin", "xmax", "ymin", "ymax")


def answers(lake):
    return [lake.value(query) for query in QUERIES]


def true_answers(lake):
    """Those of the same rows without a lake."""
    lake.execute("CREATE OR REPLACE TABLE memory.main.copied AS FROM lake.t")
    return [lake.value(query.replace("lake.t", "memory.main.copied")) for query in QUERIES]


def inserted(lake, *geometries):
    """A table with these geometries, each in a file of its own."""
    lake.execute("CREATE TABLE lake.t (g GEOMETRY)")
    for geometry in geometries:
        lake.execute(f"INSERT INTO lake.t VALUES ({sql_literal(geometry)})")
    return lake


def stored(lake):
    return lake.value(f"SELECT extra_stats FROM {lake.metadata}.ducklake_table_column_stats")


def store(lake, text):
    lake.execute(f"UPDATE {lake.metadata}.ducklake_table_column_stats SET extra_stats = {sql_literal(text)}")
    lake.attach_again()


def severities(lake):
    return [row["severity"] for row in lake.audit() if row["data_file_id"] is None]


def with_corner(text, corner, value):
    """The text with another value of a corner; without the corner where `value` is `...`."""
    box = json.loads(text)
    box["bbox"][corner] = value
    if value is ...:
        del box["bbox"][corner]
    return json.dumps(box)


def is_cured(lake, right):
    """Whether the default repair makes the answers right and leaves nothing for the widest one."""
    lake.repair()
    assert answers(lake) == right
    lake.repair(include=ALL)
    assert answers(lake) == right
    return lake.audit() == []


def test_a_box_that_lacks_a_corner_finds_nothing(files_lake):
    lake = inserted(files_lake, *POINTS)
    right, healthy = answers(lake), stored(lake)
    assert right == [1, 1, 3, 0]
    for corner in CORNERS:
        for value in (None, ..., "x", "-200.0", True):
            store(lake, with_corner(healthy, corner, value))
            assert answers(lake) == [0, 0, 0, 0], (corner, value)
            assert severities(lake) == ["wrong"], (corner, value)
            assert is_cured(lake, right)
    untyped = {"bbox": {**json.loads(healthy)["bbox"], "ymax": None}}
    store(lake, json.dumps(untyped))
    assert answers(lake) == [0, 0, 0, 0]
    assert severities(lake) == ["wrong"]


def test_a_narrow_box_without_types_loses_rows(files_lake):
    lake = inserted(files_lake, *POINTS)
    box = json.loads(with_corner(stored(lake), "xmin", 100.0))["bbox"]
    for types in ({}, {"types": None}):
        store(lake, json.dumps({"bbox": box} | types))
        assert answers(lake)[0] == 0
        assert severities(lake) == ["wrong"]
        assert is_cured(lake, [1, 1, 3, 0])


def test_of_a_name_that_stands_twice_ducklake_takes_the_first(files_lake):
    lake = inserted(files_lake, *POINTS)
    healthy = stored(lake)
    doubled = healthy.replace('"xmin": -175.000000', '"xmin": 100.0, "xmin": -175.0')
    box = json.dumps(json.loads(with_corner(healthy, "xmin", 100.0))["bbox"])
    for text in (doubled, f'{{"bbox": {box}, {healthy[1:]}'):
        store(lake, text)
        assert answers(lake) == [0, 1, 3, 0]
        assert severities(lake) == ["wrong"]
        assert is_cured(lake, [1, 1, 3, 0])


@pytest.mark.parametrize("text", ["", "[]", "null", "not json", '{"bbox": {"xmin": 1e999}}', "{} x"])
def test_a_text_that_is_no_object_makes_queries_fail(files_lake, text):
    import duckdb

    lake = inserted(files_lake, *POINTS)
    store(lake, text)
    with pytest.raises(duckdb.InvalidInputException, match="geo stats JSON"):
        answers(lake)
    assert severities(lake) == ["wrong"]
    assert is_cured(lake, [1, 1, 3, 0])


@pytest.mark.parametrize("text", [None, "{}", '{"bbox": null, "types": ["point"]}', '{"bbox": {}, "types": ["point"]}'])
def test_without_a_box_nothing_is_lost_until_two_inserts_later(files_lake, text):
    lake = inserted(files_lake, *POINTS)
    store(lake, text)
    assert answers(lake) == [1, 1, 3, 0]
    assert severities(lake) == ["missing"]
    for _ in range(2):
        lake.execute("INSERT INTO lake.t VALUES ('POINT(3 3)')")
        lake.attach_again()
    assert answers(lake) == [0, 0, 5, 0]
    assert severities(lake) == ["wrong"]
    assert is_cured(lake, [1, 1, 5, 0])


@pytest.mark.parametrize(
    "geometries",
    [
        ["POINT(nan 1)"],
        ["POINT(1 1)", "POINT(nan 1)"],
        ["POINT(1 1)", "POINT(inf 1)"],
        ["POINT(-inf 1)", "POINT(1 1)"],
        ["POINT(1 1)", "LINESTRING(1 1, nan nan)"],
        ["POINT(1 1)", "GEOMETRYCOLLECTION(POINT EMPTY, MULTIPOINT(7 7, 1 nan))"],
    ],
)
def test_a_geometry_that_no_box_holds(files_lake, geometries):
    """DuckLake leaves what is infinite or NaN out of the box of a file, and then out of the table's."""
    lake = inserted(files_lake, *geometries)
    right = true_answers(lake)
    is_lost = answers(lake) != right
    assert (severities(lake) == ["wrong"]) if is_lost else "wrong" not in severities(lake)
    assert is_lost == (len(geometries) > 1)
    assert is_cured(lake, right)
    (row,) = lake.rows("ducklake_table_column_stats")
    corners = json.loads(row["extra_stats"])["bbox"]
    assert corners is None
    store(lake, row["extra_stats"])
    assert answers(lake) == right


@pytest.mark.parametrize(
    "geometries",
    [
        ["POINT EMPTY"],
        ["POINT EMPTY", "POINT(1 1)"],
        ["POINT(nan nan)", "MULTIPOINT(EMPTY, 2 2)"],
        ["POINT Z(1 1 inf)", "POINT Z(1 1 nan)", "POINT(2 2)"],
        ["LINESTRING EMPTY", None],
    ],
)
def test_empty_geometries_need_no_box(files_lake, geometries):
    lake = inserted(files_lake, *[geometry or "POINT EMPTY" for geometry in geometries])
    right = true_answers(lake)
    assert answers(lake) == right
    assert "wrong" not in severities(lake)
    assert is_cured(lake, right)
