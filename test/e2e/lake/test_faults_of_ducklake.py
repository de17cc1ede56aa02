"""W1-W4, W6 and W7 of docs/ducklake.md: rows that DuckLake 1.5.5 writes wrong, and ours right.

Each situation is built twice. On every host: a file that COPY wrote, for our rows alone. Where the real DuckLake is
packaged: in a lake, where its own row is shown to be wrong, its queries are shown to lose rows, and our rows, put into
its catalogue, bring them back.
"""

import json

import pytest
from ducklake_rows import catalogue_rows, our_rows
from file_rows import bounds, column_rows, counts, sql_literal

METADATA = "__ducklake_metadata_lake"
# Row groups of 2,048 rows; the interesting one is the first of five.
NAN_FIRST = "SELECT CASE WHEN i < 10 THEN 'nan'::DOUBLE ELSE i END AS d FROM range(10000) numbers(i)"
NULL_FIRST = """SELECT CASE WHEN i >= 2048 THEN i::INTEGER END AS i,
                       CASE WHEN i < 2048 THEN repeat('é', 200) || i ELSE 'x' || i END AS x
                FROM range(10000) numbers(i)"""
LONG_TEXTS = """SELECT CASE WHEN i >= 2048 THEN i::INTEGER END AS i, repeat('é', 200) || i AS x
                FROM range(4096) numbers(i)"""
POINTS = "SELECT unnest(['POINT(0.12345674 1)', 'POINT(5.7654321 6)'])::GEOMETRY AS g"
TINY_FLOATS = "SELECT (-1e-30)::FLOAT AS f"
NULL_STRUCT = "SELECT unnest([[{'a': 1, 'b': 'x'}, NULL], [], NULL])::STRUCT(a INTEGER, b VARCHAR)[] AS l"
# 400 bytes of text cut to 256, and the last of its 128 characters raised.
RAISED_TEXT = "é" * 127 + "ê"


@pytest.fixture
def rows_of_copy(connection, tmp_path):
    """Our rows of a file that COPY writes from a query."""

    def rows(query):
        path = str(tmp_path / "copy.parquet")
        connection.execute(f"COPY ({query}) TO {sql_literal(path)} (FORMAT parquet, ROW_GROUP_SIZE 2048)")
        return column_rows(connection, path)

    return rows


@pytest.fixture
def table_of(lake):
    """Creates table t of the lake from a query, in files; gives DuckLake's rows and ours by column name."""
    lake.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
    lake.execute("CALL lake.set_option('parquet_row_group_size', '2048')")

    def rows(query, *inserts):
        lake.execute(f"CREATE TABLE lake.t AS {query}")
        for insert in inserts:
            lake.execute(insert)
        return both_rows(lake)

    return rows


def both_rows(lake):
    """DuckLake's rows and ours by (file number, column name)."""
    ours = our_rows(lake, "t")
    names = {row["column_id"]: row["column_name"] for row in ours}
    first = ours[0]["data_file_id"]
    theirs = {(row["data_file_id"] - first, names[row["column_id"]]): row for row in catalogue_rows(lake, "t")}
    return theirs, {(row["data_file_id"] - first, row["column_name"]): row for row in ours}


def put_right(lake, tmp_path):
    """Writes our rows over DuckLake's, merges them into its table-wide row, and attaches the lake again."""
    orders = {"INTEGER": int, "DOUBLE": float, "FLOAT": float, "VARCHAR": str.encode}
    ours = our_rows(lake, "t")
    for row in ours:
        place = f"data_file_id = {row['data_file_id']} AND column_id = {row['column_id']}"
        set_bounds(lake, "ducklake_file_column_stats", place, [row], orders[row["column_type"]])
    for column_id, column_type in {(row["column_id"], row["column_type"]) for row in ours}:
        rows = [row for row in ours if row["column_id"] == column_id]
        set_bounds(lake, "ducklake_table_column_stats", f"column_id = {column_id}", rows, orders[column_type])
    lake.execute("DETACH lake")
    catalogue = sql_literal(f"ducklake:{tmp_path}/catalogue.ducklake")
    lake.execute(f"ATTACH {catalogue} AS lake (DATA_PATH {sql_literal(f'{tmp_path}/data/')})")


def set_bounds(lake, table, place, rows, order):
    lower = min((row["min_value"] for row in rows), key=order)
    upper = max((row["max_value"] for row in rows), key=order)
    flags = [row["contains_nan"] for row in rows]
    has_nan = None if None in flags else any(flags)
    lake.execute(f"""UPDATE {METADATA}.{table} SET min_value = {sql_literal(lower)}, max_value = {sql_literal(upper)},
                     contains_nan = {sql_literal(has_nan)} WHERE {place}""")


def single_value(lake, query):
    return lake.execute(query).fetchone()[0]


def test_w1_nan_in_an_early_row_group(rows_of_copy):
    row = rows_of_copy(NAN_FIRST)["d"]
    assert row["contains_nan"] is True
    assert bounds(row) == ("10.0", "9999.0")
    assert counts(row) == (10000, 0)


def test_w1_ducklake_keeps_the_flag_of_the_last_row_group(lake, table_of, tmp_path):
    theirs, ours = table_of(NAN_FIRST)
    assert theirs[0, "d"]["contains_nan"] is False
    assert ours[0, "d"]["contains_nan"] is True
    assert single_value(lake, "SELECT count(*) FROM lake.t WHERE d > 20000") == 0
    put_right(lake, tmp_path)
    assert single_value(lake, "SELECT count(*) FROM lake.t WHERE d > 20000") == 10


@pytest.mark.host_minimum("1.5.0")
def test_w2_box_is_rounded_outward(rows_of_copy):
    statistics = json.loads(rows_of_copy(POINTS)["g"]["extra_stats"], parse_int=float_only)
    box = statistics["bbox"]
    assert box["xmin"] <= 0.12345674 and box["xmax"] >= 5.7654321
    assert box["xmin"] == pytest.approx(0.12345674, abs=1e-6) and box["xmax"] == pytest.approx(5.7654321, abs=1e-6)
    assert (box["ymin"], box["ymax"], box["zmin"], box["mmax"]) == (1.0, 6.0, None, None)
    assert statistics["types"] == ["point"]


def float_only(text):
    raise AssertionError(f"DuckLake reads {text} as 0.0: a decimal point is missing")


def test_w2_ducklake_rounds_the_box_to_nearest(lake, table_of):
    theirs, ours = table_of(POINTS)
    assert json.loads(theirs[0, "g"]["extra_stats"])["bbox"]["xmin"] > 0.12345674
    assert json.loads(ours[0, "g"]["extra_stats"])["bbox"]["xmin"] <= 0.12345674
    beside = "g && 'LINESTRING(0 0, 0.1234568 2)'::GEOMETRY"
    assert single_value(lake, f"SELECT count(*) FROM lake.t WHERE {beside}") == 0
    our_box = sql_literal(ours[0, "g"]["extra_stats"])
    lake.execute(f"UPDATE {METADATA}.ducklake_table_column_stats SET extra_stats = {our_box}")
    lake.execute("CREATE TABLE lake.refreshes_the_cache AS SELECT 1 AS i")
    assert single_value(lake, f"SELECT count(*) FROM lake.t WHERE {beside}") == 1


def test_w3_one_row_group_without_bounds(rows_of_copy):
    rows = rows_of_copy(NULL_FIRST)
    assert bounds(rows["i"]) == ("2048", "9999")
    assert counts(rows["i"]) == (7952, 2048)
    assert bounds(rows["x"]) == ("x2048", RAISED_TEXT)


def test_w3_ducklake_has_no_bounds_for_the_file(table_of):
    theirs, ours = table_of(NULL_FIRST)
    assert bounds(theirs[0, "i"]) == bounds(theirs[0, "x"]) == (None, None)
    assert bounds(ours[0, "i"]) == ("2048", "9999")
    assert bounds(ours[0, "x"]) == ("x2048", RAISED_TEXT)


def test_w4_long_texts_have_bounds(rows_of_copy):
    rows = rows_of_copy(LONG_TEXTS)
    assert bounds(rows["x"]) == ("é" * 128, RAISED_TEXT)
    assert bounds(rows["i"]) == ("2048", "4095")


def test_w4_ducklake_takes_unknown_bounds_for_none(lake, table_of, tmp_path):
    """After the second insert the table-wide bounds are those of its one row."""
    theirs, ours = table_of(LONG_TEXTS, "INSERT INTO lake.t VALUES (1, 'abc')")
    assert bounds(theirs[0, "x"]) == (None, None)
    assert bounds(ours[0, "x"]) == ("é" * 128, RAISED_TEXT)
    assert bounds(ours[1, "x"]) == ("abc", "abc")
    queries = {"count(*) FROM lake.t WHERE x > 'b'": (0, 4096), "count(*) FROM lake.t WHERE i > 100": (0, 2048),
               "max(i) FROM lake.t": (1, 4095)}  # fmt: skip
    assert {query: single_value(lake, f"SELECT {query}") for query in queries} == {q: v[0] for q, v in queries.items()}
    put_right(lake, tmp_path)
    assert {query: single_value(lake, f"SELECT {query}") for query in queries} == {q: v[1] for q, v in queries.items()}


def test_w6_float_bounds_with_an_exponent_are_wider(connection, rows_of_copy):
    lower, upper = bounds(rows_of_copy(TINY_FLOATS)["f"])
    # DuckLake casts a bound to FLOAT and compares it with the constant as DOUBLE.
    constant = "(-1e-30)::DOUBLE"
    holds = f"SELECT {sql_literal(lower)}::FLOAT < {constant} AND {sql_literal(upper)}::FLOAT > {constant}"
    assert connection.execute(holds).fetchone() == (True,)
    # One step, not more.
    lower_next, upper_next = f"{sql_literal(lower)}::FLOAT, 0::FLOAT", f"{sql_literal(upper)}::FLOAT, -1::FLOAT"
    between = f"SELECT nextafter({lower_next}), nextafter({upper_next})"
    exact = connection.execute("SELECT (-1e-30)::FLOAT").fetchone()[0]
    assert connection.execute(between).fetchone() == (exact, exact)


def test_w6_floats_without_an_exponent_stay_exact(rows_of_copy):
    assert bounds(rows_of_copy("SELECT unnest([0.1, 1234.5])::FLOAT AS f")["f"]) == ("0.1", "1234.5")
    assert bounds(rows_of_copy("SELECT unnest(['-inf', 'inf'])::FLOAT AS f")["f"]) == ("-inf", "inf")


def test_w6_ducklake_prunes_the_file_that_holds_the_value(lake, table_of, tmp_path):
    insert = "INSERT INTO lake.t VALUES (5), (6)"
    theirs, ours = table_of(TINY_FLOATS, insert)
    assert bounds(theirs[0, "f"]) == ("-1e-30", "-1e-30")
    assert bounds(ours[0, "f"]) == ("-1.0000001e-30", "-9.999999e-31")
    query = "SELECT count(*) FROM lake.t WHERE f = (-1e-30)::FLOAT"
    assert single_value(lake, query) == 0
    put_right(lake, tmp_path)
    assert single_value(lake, query) == 1


def test_w7_null_struct_in_a_list(rows_of_copy):
    rows = rows_of_copy(NULL_STRUCT)
    # One value; a NULL struct, an empty list and a NULL list count one entry each.
    assert counts(rows["l.element.a"]) == counts(rows["l.element.b"]) == (1, 3)
    assert bounds(rows["l.element.a"]) == ("1", "1")
    assert bounds(rows["l.element.b"]) == ("x", "x")


def test_w7_ducklake_counts_one_null_too_many(table_of):
    theirs, ours = table_of(NULL_STRUCT)
    for name in ("l.element.a", "l.element.b"):
        assert counts(theirs[0, name]) == (0, 4)
        assert counts(ours[0, name]) == (1, 3)
