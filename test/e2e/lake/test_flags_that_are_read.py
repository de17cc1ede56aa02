"""Which flags and bounds of `ducklake_table_column_stats` change an answer, found by making them wrong; and that the audit
calls wrong what does."""

import pytest
from lakes import lake_in


@pytest.fixture
def lake(connection, load_packaged, tmp_path):
    load_packaged(connection, "ducklake")
    lake = lake_in(connection, tmp_path)
    lake.set_option("data_inlining_row_limit", "0")
    return lake


NULL_FLAG = "contains_null = false"
BOUNDS = "min_value = '1', max_value = '2'"

# `(type, rows, damage, condition of a query, whether its answer changes)`
CASES = [
    *((kind, [value, "NULL"], NULL_FLAG, "c IS NULL", is_read) for kind, value, is_read in [
        ("INTEGER", "1", True), ("DOUBLE", "1.5", True), ("VARCHAR", "'x'", True), ("JSON", "'1'", True),
        ("UUID", "uuid()", True), ("DATE", "DATE '2020-01-01'", True), ("DECIMAL(9,2)", "1.5", True),
        ("TIMESTAMPTZ", "TIMESTAMPTZ '2020-01-01 00:00:00+00'", True), ("BOOLEAN", "true", True), ("BLOB", "'a'::BLOB", False),
        ("HUGEINT", "1", False), ("GEOMETRY", "'POINT(1 2)'::GEOMETRY", True),
    ]),
    ("STRUCT(a INT)", ["{'a': 1}", "NULL"], NULL_FLAG, "c.a IS NULL", True),
    ("STRUCT(a INT)", ["{'a': 1}", "{'a': NULL}"], NULL_FLAG, "c.a IS NOT NULL", True),
    ("STRUCT(a STRUCT(b INT))", ["{'a': {'b': 1}}", "{'a': NULL}"], NULL_FLAG, "c.a.b IS NULL", True),
    ("STRUCT(a BLOB)", ["{'a': 'x'::BLOB}", "NULL"], NULL_FLAG, "c.a IS NULL", False),
    ("STRUCT(a GEOMETRY)", ["{'a': 'POINT(1 2)'::GEOMETRY}", "NULL"], NULL_FLAG, "c.a IS NULL", True),
    ("STRUCT(a INT[])", ["{'a': [1]}", "{'a': [NULL]}"], NULL_FLAG, "c.a[1] IS NULL", False),
    ("INT[]", ["[1]", "[NULL]"], NULL_FLAG, "c[1] IS NULL", False),
    ("STRUCT(a INT)[]", ["[{'a': 1}]", "[{'a': NULL}]"], NULL_FLAG, "c[1].a IS NULL", False),
    ("MAP(INT, INT)", ["MAP {1: 1}", "MAP {1: NULL}"], NULL_FLAG, "c[1] IS NULL", False),
    ("INTEGER", ["5"], BOUNDS, "c > 3", True),
    ("STRUCT(a STRUCT(b INT))", ["{'a': {'b': 5}}"], BOUNDS, "c.a.b > 3", True),
    ("INT[]", ["[5]"], BOUNDS, "c[1] > 3", True),
    ("STRUCT(a INT)[]", ["[{'a': 5}]"], BOUNDS, "c[1].a > 3", True),
    ("STRUCT(a DOUBLE)", ["{'a': 'nan'::DOUBLE}"], BOUNDS + ", contains_nan = false", "c.a > 3", True),
    ("DOUBLE[]", ["['nan'::DOUBLE]"], BOUNDS + ", contains_nan = false", "c[1] > 3", True),
    ("BLOB", ["'z'::BLOB"], "min_value = '61', max_value = '62'", "c = 'z'::BLOB", False),
]  # fmt: skip


@pytest.mark.parametrize("kind, rows, damage, condition, is_read", CASES)
def test_flags_that_are_read(lake, kind, rows, damage, condition, is_read):
    lake.execute(f"CREATE TABLE lake.t(c {kind})")
    lake.execute("INSERT INTO lake.t VALUES " + ", ".join(f"({row})" for row in rows))
    lake.repair()
    query = f"SELECT count(*) FROM lake.t WHERE {condition}"
    right = lake.value(query)
    assert lake.findings("wrong") == set()
    lake.execute(f"UPDATE {lake.metadata}.ducklake_table_column_stats SET {damage}")
    lake.attach_again()
    assert (lake.value(query) != right) == is_read
    assert ("wrong" in {severity for severity, *_ in lake.findings("wrong")}) == is_read
    lake.repair()
    assert lake.value(query) == right and lake.findings("wrong", "missing") == set()


# `(type, rows, an expression of the leaf)`. Of these no bound of a table is read.
UNREAD_BOUNDS = [
    ("HUGEINT", ["5", "7", "NULL"], "c"),
    ("UHUGEINT", ["5", "7", "NULL"], "c"),
    ("STRUCT(a HUGEINT)", ["{'a': 5}", "{'a': 7}", "NULL"], "c.a"),
    ("HUGEINT[]", ["[5]", "[7]", "NULL"], "c[1]"),
    ("MAP(INT, INT)", ["MAP {5: 5}", "MAP {7: 7}", "NULL"], "c[7]"),
    ("MAP(INT, INT)", ["MAP {5: 5}", "MAP {7: 7}", "NULL"], "map_keys(c)[1]"),
    ("MAP(INT, INT)", ["MAP {5: 5}", "MAP {7: 7}", "NULL"], "map_entries(c)[1].value"),
    ("MAP(INT, STRUCT(a INT))", ["MAP {5: {'a': 5}}", "MAP {7: {'a': 7}}", "NULL"], "c[7].a"),
    ("MAP(INT, INT[])", ["MAP {5: [5]}", "MAP {7: [7]}", "NULL"], "c[7][1]"),
    ("MAP(INT, INT)[]", ["[MAP {5: 5}]", "[MAP {7: 7}]", "NULL"], "c[1][7]"),
    ("STRUCT(m MAP(INT, INT))", ["{'m': MAP {5: 5}}", "{'m': MAP {7: 7}}", "NULL"], "map_keys(c.m)[1]"),
    ("MAP(INT, DOUBLE)", ["MAP {5: 'nan'::DOUBLE}", "MAP {5: 7}", "NULL"], "c[5]"),
]
QUERIES = [
    *(f"SELECT count(*) FROM lake.t WHERE {{leaf}} {condition}" for condition in [
        "= 5", "= 7", "<> 5", "> 3", "> 6", "< 6", "IN (5, 7)", "BETWEEN 4 AND 8", "IS NULL", "IS NOT NULL"
    ]),
    "SELECT min({leaf}), max({leaf}), count({leaf}), count(*) FROM lake.t",
    "SELECT min({leaf}) FROM lake.t", "SELECT max({leaf}) FROM lake.t",
    "SELECT DISTINCT {leaf} FROM lake.t ORDER BY ALL",
    "SELECT count(*) FROM lake.t a JOIN lake.t b ON a.{leaf} = b.{leaf}",
]  # fmt: skip
WRONG_BOUNDS = ["min_value = '1', max_value = '2'", "min_value = '6', max_value = '6'", "min_value = '100', max_value = '200'"]


@pytest.mark.parametrize("kind, rows, leaf", UNREAD_BOUNDS)
def test_bounds_of_tables_that_nobody_reads(lake, kind, rows, leaf):
    lake.execute(f"CREATE TABLE lake.t(c {kind})")
    for row in rows:
        lake.execute(f"INSERT INTO lake.t VALUES ({row})")
    lake.repair()
    queries = [query.replace("a.{leaf} = b.{leaf}", "{a} = {b}") for query in QUERIES]
    texts = {"leaf": leaf, "a": leaf.replace("c", "a.c", 1), "b": leaf.replace("c", "b.c", 1)}
    if "(" in leaf:
        texts |= {side: leaf.replace("(c", f"({side}.c") for side in ("a", "b")}
    answers = [str(lake.execute(query.format(**texts))) for query in queries]
    damages = [bounds + ", contains_nan = false" for bounds in WRONG_BOUNDS] if "DOUBLE" in kind else WRONG_BOUNDS
    for damage in damages:
        lake.execute(f"UPDATE {lake.metadata}.ducklake_table_column_stats SET {damage}")
        lake.attach_again()
        assert [str(lake.execute(query.format(**texts))) for query in queries] == answers
        assert {severity for severity, _, _, place in lake.findings() if place == "table"} == {"harmless"}


@pytest.mark.parametrize("xmin, xmax", [("170.0", "-170.0"), ("175.0", "-175.0")])
def test_a_box_that_goes_round_the_back_of_the_earth(lake, xmin, xmax):
    """Parquet has such boxes. DuckLake's reader takes the corners as they are, and finds nothing in the box."""
    points = ", ".join(f"('POINT({x} 0)'::GEOMETRY)" for x in (-175, 175))
    lake.execute(f"CREATE TABLE lake.t AS SELECT g FROM (VALUES {points}) rows(g)")
    lake.repair()
    query = "SELECT count(*) FROM lake.t WHERE g && 'LINESTRING(174 -1, 176 1)'::GEOMETRY"
    assert lake.value(query) == 1
    for corner, value in (("xmin", xmin), ("xmax", xmax)):
        lake.execute(f"""UPDATE {lake.metadata}.ducklake_table_column_stats SET extra_stats =
                         regexp_replace(extra_stats, '"{corner}": ?[^,]*', '"{corner}": {value}')""")
    lake.attach_again()
    assert lake.value(query) == 0
    assert lake.findings("wrong") == {("wrong", "g", "extra_stats", "table")}
    lake.repair()
    assert lake.value(query) == 1 and lake.audit() == []


def test_a_part_that_an_added_file_lacks(lake, tmp_path):
    lake.execute("CREATE TABLE lake.t(s STRUCT(a INT, c INT))")
    lake.execute("INSERT INTO lake.t VALUES ({'a': 1, 'c': 9})")
    lake.execute(f"COPY (SELECT {{'a': 5::INT}} AS s) TO '{tmp_path}/g.parquet'")
    lake.execute(f"CALL ducklake_add_data_files('lake', 't', '{tmp_path}/g.parquet', allow_missing => true)")
    lake.attach_again()
    assert lake.findings("wrong") == {("wrong", "s.c", "contains_null", "table")}
    lake.repair()
    assert lake.value("SELECT count(*) FROM lake.t WHERE s.c IS NULL") == 1


@pytest.mark.parametrize("rows, has_null", [("(NULL)", True), ("({'a': 1})", False), ("({'a': 1}), (NULL)", True)])
@pytest.mark.parametrize("limit", ["0", "100"])
def test_a_default_of_a_part(lake, rows, has_null, limit):
    """It stands only where there is a struct."""
    lake.set_option("data_inlining_row_limit", limit)
    lake.execute("CREATE TABLE lake.t(s STRUCT(a INT))")
    lake.execute(f"INSERT INTO lake.t VALUES {rows}")
    lake.execute("ALTER TABLE lake.t ADD COLUMN s.c INTEGER DEFAULT 5")
    found = {row["column_name"]: row for row in lake.rows("ducklake_table_column_stats")}
    assert found["s.c"]["contains_null"] == has_null == lake.value("SELECT bool_or(s.c IS NULL) FROM lake.t")
    count = lake.value("SELECT count(s.c) FROM lake.t")
    assert found["s.c"]["min_value"] == (str(lake.value("SELECT min(s.c) FROM lake.t")) if count else None)


def test_an_orphan_does_not_stand_for_a_row(lake):
    """Rows with the id of another table belong to nobody: the absent row is inserted beside them."""
    lake.run(["CREATE TABLE lake.a(i INTEGER)", "CREATE TABLE lake.b(i INTEGER)"])
    lake.set_option("data_inlining_row_limit", "0")
    lake.execute("INSERT INTO lake.a VALUES (1)")
    (a, b) = [number for (number,) in lake.execute(f"SELECT table_id FROM {lake.metadata}.ducklake_table ORDER BY table_name")]
    lake.execute(f"UPDATE {lake.metadata}.ducklake_file_column_stats SET table_id = {b}")
    lake.repair()
    assert lake.value(f"SELECT count(*) FROM {lake.metadata}.ducklake_file_column_stats WHERE table_id = {a}") == 1
    assert lake.findings("wrong", "missing") == set()


@pytest.mark.parametrize("damage", [
    "INSERT INTO {stats} FROM {stats} WHERE column_id = 1",
    "INSERT INTO {stats} SELECT * REPLACE (NULL AS min_value, 7 AS column_size_bytes) FROM {stats}",
    "DELETE FROM {stats} WHERE column_id = 1",
])  # fmt: skip
def test_sizes_are_kept(lake, damage):
    """Rows that are twice there, or not at all, are written whole."""
    lake.execute("CREATE TABLE lake.t AS SELECT i, 'x' || i AS s FROM range(1000) t(i)")
    stats = f"{lake.metadata}.ducklake_file_column_stats"
    before = lake.execute(f"FROM {stats} ORDER BY ALL")
    assert all(row[3] > 0 for row in before)
    lake.execute(damage.format(stats=stats))
    lake.repair()
    assert lake.execute(f"FROM {stats} ORDER BY ALL") == before and lake.audit() == []


@pytest.mark.parametrize("limit", ["0", "100"])
def test_a_part_of_a_struct_that_is_younger_than_the_rows(lake, limit):
    """Where the struct itself is absent, so are its parts, whatever their defaults."""
    lake.set_option("data_inlining_row_limit", limit)
    lake.execute("CREATE TABLE lake.t(i INTEGER)")
    lake.execute("INSERT INTO lake.t VALUES (1)")
    lake.execute("ALTER TABLE lake.t ADD COLUMN s STRUCT(a INTEGER)")
    lake.execute("ALTER TABLE lake.t ADD COLUMN s.c INTEGER DEFAULT 5")
    found = {row["column_name"]: row for row in lake.rows("ducklake_table_column_stats")}
    assert lake.execute("SELECT s FROM lake.t") == [(None,)]
    assert (found["s.c"]["contains_null"], found["s.c"]["min_value"]) == (True, None)
