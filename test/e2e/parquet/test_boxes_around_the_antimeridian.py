"""parquet_stats_audit: boxes with `xmin > xmax`, which go around the antimeridian and have a gap."""

import math

import pytest
from footer_audit import audit, offences
from parquet_footer import Footer

pytestmark = pytest.mark.host_minimum("1.5.0")

BOX = {"xmin": 170.0, "xmax": -170.0, "ymin": -10.0, "ymax": 10.0}


def audited(connection, tmp_path, geometries, **box):
    """The findings for a file of these geometries whose footer has this box."""
    path = tmp_path / "a.parquet"
    rows = ", ".join("(NULL)" if geometry is None else f"('{geometry}')" for geometry in geometries)
    connection.execute(
        f"COPY (SELECT x::GEOMETRY AS x FROM (VALUES {rows}) t(x)) TO '{path}' (GEOPARQUET_VERSION 'NONE')"
    )
    footer = Footer(path)
    footer.set_box(0, 0, None, **(BOX | box))
    footer.write(path)
    return offences(audit(connection, path))


@pytest.mark.parametrize(
    "geometry",
    [
        "POINT (0 0)",
        "MULTIPOINT (175 0, 0 0, -175 0)",
        "LINESTRING (175 0, 169.9999999999 0, -175 0)",
        "POLYGON ((175 0, -175 0, -175 5, 175 5, 175 0), (175 0, 0 0, -175 0, 175 0))",
        "MULTILINESTRING ((175 0, 176 0), (-175 0, 0 0, -176 0))",
        "MULTIPOLYGON (((175 0, -175 0, -175 5, 175 0)), ((175 0, -175 0, -169 5, 175 0)))",
        "GEOMETRYCOLLECTION (POINT (175 0), POINT EMPTY, GEOMETRYCOLLECTION (POINT (1e-300 0)), POINT (-175 0))",
        "LINESTRING ZM (175 0 1 2, 5 0 1 2, -175 0 1 2)",
    ],
)
def test_a_vertex_in_the_gap(connection, tmp_path, geometry):
    ((statistic, _, value, row),) = audited(connection, tmp_path, ["POINT (175 0)", None, "POINT (-175 0)", geometry])
    assert (statistic, row) == ("bbox", 3)
    assert value.replace(" ", "") == geometry.replace(" ", "")


@pytest.mark.parametrize(
    "geometries",
    [
        ["POINT (175 0)", "POINT (-175 0)"],
        ["POINT (170 0)", "MULTIPOINT (-170 0, 170 0)"],
        # Its vertices are no gap's: a line goes over the antimeridian.
        ["LINESTRING (175 0, -175 0)"],
        ["LINESTRING Z (175 0 0, -175 1 0)"],
        ["POINT EMPTY", "POLYGON EMPTY", "MULTIPOINT (175 0, EMPTY)"],
        ["POINT (nan nan)", None, "POINT (175 0)"],
        ["POINT (190 0)"],
    ],
)
def test_nothing_in_the_gap(connection, tmp_path, geometries):
    assert audited(connection, tmp_path, geometries) == []


def test_a_box_without_an_inside(connection, tmp_path):
    everywhere = {"xmin": math.inf, "xmax": -math.inf}
    ((statistic, _, _, row),) = audited(connection, tmp_path, [None, "POINT (0 0)"], **everywhere)
    assert (statistic, row) == ("bbox", 1)


def test_a_latitude_out_of_a_box_with_a_gap(connection, tmp_path):
    ((statistic, _, _, row),) = audited(connection, tmp_path, ["POINT (175 0)", "POINT (175 20)"])
    assert (statistic, row) == ("bbox", 1)
