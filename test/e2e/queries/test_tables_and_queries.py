"""`table_column_stats` and `query_column_stats`: anything that DuckDB can select from, and nothing else."""

import duckdb
import pytest
from file_rows import COLUMN_NAMES, bounds, counts, rows_of, sql_literal
from host_version import HOST_VERSION

# A nested table: the numbers count all nodes in pre-order.
NESTED = """
    CREATE TABLE nested AS SELECT i AS a, {'x': i, 'y': {'z': i::VARCHAR, 'w': [i / 2]}} AS s,
        MAP {'k' || i: [NULL, DATE '2024-01-01' + i::INTEGER]} AS m, array_value(i, -i) AS v, i % 2 = 0 AS b
    FROM range(10) r(i)
"""
NESTED_NUMBERS = {
    "a": 1, "s.x": 3, "s.y.z": 5, "s.y.w.element": 7, "m.key": 9, "m.value.element": 11, "v.element": 13, "b": 14,
}  # fmt: skip


def call(function, subject, **options):
    arguments = [sql_literal(subject), *(f"{name} := {sql_literal(value)}" for name, value in options.items())]
    return f"FROM {function}({', '.join(arguments)})"


def table_rows(connection, table, **options):
    return rows_of(connection, call("table_column_stats", table, **options))


def query_rows(connection, query, **options):
    return rows_of(connection, call("query_column_stats", query, **options))


def by_name(rows):
    assert len({row["column_name"] for row in rows}) == len(rows)
    return {row["column_name"]: row for row in rows}


def error_of(connection, statement):
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(statement).fetchall()
    assert connection.execute("SELECT 42").fetchone() == (42,)
    return str(caught.value)


def test_columns_of_the_result(connection):
    connection.execute("CREATE TABLE t AS SELECT 1.5 AS x UNION ALL SELECT NULL")
    (row,) = table_rows(connection, "t")
    assert tuple(row) == COLUMN_NAMES
    values = (0, None, 1, None, 1, 1, "1.5", "1.5", None, None, None, "x", "DECIMAL(2,1)")
    assert tuple(row.values()) == values


def test_nested_columns_are_numbered_in_pre_order(connection):
    connection.execute(NESTED)
    rows = table_rows(connection, "nested")
    assert {row["column_name"]: row["column_id"] for row in rows} == NESTED_NUMBERS
    assert [row["column_id"] for row in rows] == sorted(NESTED_NUMBERS.values())
    found = by_name(rows)
    assert bounds(found["s.y.w.element"]) == ("0.0", "4.5")
    assert (counts(found["m.value.element"]), counts(found["v.element"])) == ((10, 10), (20, 0))
    some = table_rows(connection, "nested", columns=["B", "s"])
    assert some == [row for row in rows if row["column_name"].split(".")[0] in ("s", "b")], "numbers of the whole table"


def test_rows_are_those_of_the_aggregate(connection):
    """Column by column, for all types."""
    connection.execute("CREATE TABLE every AS FROM test_all_types()")
    leaves = []
    for (name, *_) in connection.execute("DESCRIBE every").fetchall():
        leaves += connection.execute(f'SELECT column_stats("{name}") FROM every').fetchone()[0]
    rows = table_rows(connection, "every")
    assert rows == query_rows(connection, "FROM test_all_types()")
    assert len(rows) == len(leaves) > 50
    for row, leaf in zip(rows, leaves):
        assert all(row[name] == leaf[name] for name in leaf if name not in ("path", "type")), (row, leaf)
        assert (row["column_type"], row["column_name"].endswith(leaf["path"])) == (leaf["type"], True)


def test_tables_without_rows(connection):
    """Every type; the rows are there, with counts of zero, under the same numbers and types as with rows."""
    connection.execute("CREATE TABLE every AS FROM test_all_types(); CREATE TABLE none AS FROM every LIMIT 0")
    full, empty = table_rows(connection, "every"), table_rows(connection, "none")
    same = ("column_id", "column_name", "column_type", "contains_nan")
    assert [[row[name] for name in same[:3]] for row in full] == [[row[name] for name in same[:3]] for row in empty]
    for row in empty:
        assert counts(row) == (0, 0)
        assert bounds(row) == (None, None)
        assert row["contains_nan"] == (False if row["column_type"] in ("FLOAT", "DOUBLE") else None)
    assert query_rows(connection, "FROM every WHERE false") == empty


@pytest.mark.parametrize(
    "name",
    ["t", "T", " t ", '"t"', "main.t", "memory.main.t", 'memory."main".t', '"main" . "t"', "main. t", '"my.schema"."a ""table"" b"', '"we;rd -- "', "v", "s.v"],
)
def test_names(connection, name):
    connection.execute(
        """CREATE TABLE t AS SELECT 7 AS x; CREATE VIEW v AS FROM t; CREATE SCHEMA s; CREATE VIEW s.v AS FROM t;
           CREATE SCHEMA "my.schema"; CREATE TABLE "my.schema"."a ""table"" b" AS FROM t; CREATE TABLE "we;rd -- " AS FROM t"""
    )
    (row,) = table_rows(connection, name)
    assert (row["column_name"], bounds(row)) == ("x", ("7", "7"))


def test_names_of_columns(connection):
    names = ["a.b", 'say "x"', "select", "source", "stats", "names", "filename", "é 🦆", "a'b", "column_stats", "(.*)", "*"]
    columns = ", ".join('{0} AS "{1}"'.format(index, name.replace('"', '""')) for index, name in enumerate(names))
    connection.execute(f"CREATE TABLE named AS SELECT {columns}")
    rows = table_rows(connection, "named")
    assert [bounds(row) for row in rows] == [(str(index),) * 2 for index in range(len(names))]
    assert [row["column_name"] for row in rows[:3]] == ['"a.b"', '"say ""x"""', "select"]
    for index, name in enumerate(names):
        (row,) = table_rows(connection, "named", columns=[name])
        assert (row["column_id"], bounds(row)) == (index + 1, (str(index),) * 2)


@pytest.mark.parametrize(
    "name, part",
    [("nope", "nope"), ("", "not a table name"), ("a.b.c.d", "not a table name"), ('"a', "not a table name"),
     ('"t"x', "not a table name"), ('t""', "not a table name"), ('""t', "not a table name"), ('ma"in".t', "double quotes"),
     ("t; DROP TABLE t", "does not exist"), ("(SELECT 1)", "does not exist"), (None, "must not be NULL")],
)  # fmt: skip
def test_names_that_are_none(connection, name, part):
    connection.execute("CREATE TABLE t AS SELECT 1 AS x")
    assert part in error_of(connection, call("table_column_stats", name))
    assert len(table_rows(connection, "t")) == 1


def test_attached_databases(connect, tmp_path):
    connection = connect(tmp_path / "first.db")
    connection.execute(f"ATTACH {sql_literal(tmp_path / 'other.db')} AS \"the other\"")
    connection.execute('CREATE SCHEMA "the other".s; CREATE TABLE "the other".s.t AS SELECT i FROM range(5) r(i)')
    (row,) = table_rows(connection, '"the other".s.t')
    assert (counts(row), bounds(row)) == ((5, 0), ("0", "4"))
    connection.execute("USE \"the other\".s")
    assert "does not exist" in error_of(connection, call("table_column_stats", "t")), "a session of its own"
    connection.execute(f"ATTACH {sql_literal(tmp_path / 'empty.db')} AS third; USE first; DETACH \"the other\"")
    assert "the other" in error_of(connection, call("table_column_stats", '"the other".s.t'))


def test_tables_of_ducklake(lake):
    lake.execute("CREATE TABLE lake.t AS SELECT i, {'d': i / 2} AS s FROM range(1000) r(i)")
    lake.execute("INSERT INTO lake.t VALUES (-1, {'d': 'nan'}); DELETE FROM lake.t WHERE i = 999")
    found = by_name(table_rows(lake, "lake.t"))
    assert (bounds(found["i"]), counts(found["i"])) == (("-1", "998"), (1000, 0))
    assert (bounds(found["s.d"]), found["s.d"]["contains_nan"]) == (("0.0", "499.0"), True)


def test_tables_of_sqlite(connection, load_packaged, tmp_path):
    load_packaged(connection, "sqlite_scanner")
    connection.execute(f"ATTACH {sql_literal(tmp_path / 'a.sqlite')} AS lite (TYPE sqlite)")
    connection.execute("CREATE TABLE lite.t (i BIGINT, s VARCHAR); INSERT INTO lite.t VALUES (3, 'x'), (NULL, 'y')")
    found = by_name(table_rows(connection, "lite.t"))
    assert (bounds(found["i"]), counts(found["i"]), bounds(found["s"])) == (("3", "3"), (1, 1), ("x", "y"))


def test_options(connection):
    connection.execute("CREATE TABLE t AS SELECT repeat('ab', 300) AS s, repeat('cd', 300)::BLOB AS b, 1 AS i")
    found = by_name(table_rows(connection, "t"))
    assert [len(bound) for bound in bounds(found["s"])] == [256, 256]
    found = by_name(table_rows(connection, "t", max_bound_bytes=3, columns=["s", "b"]))
    assert (bounds(found["s"]), bounds(found["b"])) == (("aba", "abb"), ("636463", "636464"))
    assert set(found) == {"s", "b"}
    assert len(table_rows(connection, "t", columns=["s", "S"])) == 1
    for options, part in (
        ({"columns": ["nope"]}, "nope"),
        ({"columns": []}, "empty list"),
        ({"columns": [None]}, "columns must not hold NULL"),
        ({"max_bound_bytes": 0}, "must lie between 1 and 2147483647"),
        ({"max_bound_bytes": 2**31}, "must lie between 1 and 2147483647"),
        ({"no_such_option": 1}, "no_such_option"),
    ):
        for function, subject in (("table_column_stats", "t"), ("query_column_stats", "FROM t")):
            assert part in error_of(connection, call(function, subject, **options))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT x FROM t",
        "FROM t",
        "TABLE t",
        "WITH u AS (FROM t) SELECT * FROM u",
        "WITH RECURSIVE u AS (SELECT 1 AS x UNION SELECT x + 1 FROM u WHERE x < 3) FROM u",
        "VALUES (1), (2), (3)",
        "(SELECT 1 AS x UNION ALL SELECT 2) UNION ALL (SELECT 3)",
        "SELECT x FROM t ORDER BY x DESC LIMIT 3",
        "SELECT unnest([1, 2, 3]) AS x",
        "SELECT x FROM t;",
        "SELECT x FROM t ; ;\n",
        "SELECT x FROM t -- all of it",
        "SELECT x FROM t -- all of it;",
        "SELECT x FROM t /* ; */",
        "-- first\nSELECT x\n\tFROM t\n",
        "SELECT x FROM t WHERE ';' <> '--'",
    ],
)
def test_queries(connection, query):
    connection.execute("CREATE TABLE t AS SELECT unnest([1, 2, 3]) AS x")
    (row,) = query_rows(connection, query)
    assert (bounds(row), counts(row), row["column_type"]) == (("1", "3"), (3, 0), "INTEGER")


def test_queries_with_equal_or_no_names(connection):
    rows = query_rows(connection, "SELECT a, a, 1 + 1, a AS A FROM (SELECT 5 AS a)")
    assert [bounds(row)[0] for row in rows] == ["5", "5", "2", "5"]
    assert len({row["column_name"].lower() for row in rows}) == 4
    assert [row["column_id"] for row in rows] == [1, 2, 3, 4]


REFUSED = [
    "SELECT 1 AS x; SELECT 2 AS x",
    "SELECT 1) ; DROP TABLE t; SELECT (1",
    "SELECT 1 AS x) WHERE (x = 2",
    "DROP TABLE t",
    "CREATE TABLE u AS SELECT 1",
    "INSERT INTO t VALUES (4) RETURNING x",
    "DELETE FROM t",
    "UPDATE t SET x = 1 RETURNING x",
    "COPY t TO 'nope.csv'",
    "ATTACH ':memory:' AS u",
    "SET threads = 1",
    "PRAGMA version",
    "EXPLAIN SELECT 1",
    "BEGIN",
    "CHECKPOINT",
    "CALL pragma_version()",
    "SELECT $1",
    "SELECT ?",
    "SELECT nope FROM t",
    "SELECT 1 /* not closed",
    "SELECT 'not closed",
    "no sql at all",
    "",
    " ; ",
    None,
]


@pytest.mark.parametrize("query", REFUSED)
def test_what_is_not_one_select_is_refused(connection, query):
    connection.execute("CREATE TABLE t AS SELECT unnest([1, 2, 3]) AS x")
    settings = "SELECT value FROM duckdb_settings() WHERE name = 'threads'"
    before = connection.execute(settings).fetchall()
    for kind in ("query_column_stats", "hive_query_column_stats"):
        error_of(connection, call(kind, query))
        error_of(connection, f"FROM query({kind}_sql({sql_literal(query)}))")
    assert connection.execute("SELECT sum(x), count(*) FROM t").fetchone() == (6, 3)
    assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("t",)]
    assert connection.execute(settings).fetchall() == before


def test_pivots(connection):
    """DuckDB makes one SELECT of a PIVOT with its values listed. Without them it is several statements, which neither
    a subquery nor DuckDB's query() can run: the error says what to do."""
    connection.execute("CREATE TABLE sales AS FROM (VALUES ('a', 2020, 1), ('a', 2021, 2), ('b', 2020, 3)) t(n, y, x)")
    rows = rows_of(connection, "FROM query_column_stats('PIVOT sales ON y IN (2020, 2021) USING sum(x) GROUP BY n')")
    assert [(row["column_name"], row["max_value"]) for row in rows] == [("n", "b"), ("2020", "3"), ("2021", "2")]
    message = error_of(connection, "FROM query_column_stats('PIVOT sales ON y USING sum(x) GROUP BY n')")
    assert "PIVOT" in message and "IN (1, 2)" in message
    rows = rows_of(connection, "FROM query_column_stats('UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b')")
    assert [row["column_name"] for row in rows] == ["name", "value"]


def test_wide_tables(connection):
    columns = ", ".join(f"i + {index} AS c{index}" for index in range(1500))
    connection.execute(f"CREATE TABLE wide AS SELECT {columns} FROM range(3) r(i)")
    rows = table_rows(connection, "wide")
    assert [bounds(row) for row in rows] == [(str(index), str(index + 2)) for index in range(1500)]


FUNCTIONS = {
    "column_stats": ("aggregate", [["ANY"], ["ANY", "BIGINT"]]),
    "column_stats_state": ("aggregate", [["ANY"], ["ANY", "BIGINT"]]),
    "column_stats_merge": ("aggregate", [["BLOB"]]),
    "column_stats_read": ("scalar", [["BLOB"]]),
    "table_column_stats": ("table", [["VARCHAR", "ANY", "ANY"]]),
    "query_column_stats": ("table", [["VARCHAR", "ANY", "ANY"]]),
    "table_column_stats_sql": ("scalar", [["VARCHAR"], ["VARCHAR", "ANY"]]),
    "query_column_stats_sql": ("scalar", [["VARCHAR"], ["VARCHAR", "ANY"]]),
    "file_column_stats_sql": ("scalar", [["ANY"], ["ANY", "ANY"]]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_listed(connection, name):
    kind, overloads = FUNCTIONS[name]
    found = connection.execute(
        "SELECT function_type, parameter_types FROM duckdb_functions() WHERE function_name = ? ORDER BY len(parameter_types)",
        [name],
    ).fetchall()
    assert [row[0] for row in found] == [kind] * len(overloads)
    if kind == "table":
        # The named parameters come in no certain order.
        assert [sorted(row[1]) for row in found] == [sorted(types) for types in overloads]
    else:
        assert [row[1] for row in found] == overloads


@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_calls_are_answered_with_the_candidates(connection, name):
    kind, overloads = FUNCTIONS[name]
    for arguments in ("", "{'a': 1}, {'a': 1}, {'a': 1}"):
        prefix = "FROM" if kind == "table" else "SELECT"
        message = error_of(connection, f"{prefix} {name}({arguments})")
        assert "No function matches" in message and "Candidate functions" in message
        assert f"{name}({', '.join(overloads[0][:1])}" in message


@pytest.mark.skipif(HOST_VERSION < (1, 4, 0), reason="older DuckDB spells the call out differently")
def test_calls_with_the_wrong_type(connection):
    assert "column_stats_merge(BLOB)" in error_of(connection, "SELECT column_stats_merge(42)")
    assert "column_stats_read(BLOB)" in error_of(connection, "SELECT column_stats_read([1])")
    assert "table_column_stats(VARCHAR" in error_of(connection, "FROM table_column_stats(42)")


FIRST_SINCE_2 = -(1 << 63) + 2


@pytest.mark.parametrize("function, kind, first_before_2", [
    ("make_timestamp_ns", "TIMESTAMP_NS", -9_223_286_400_000_000_000),
    ("make_timestamp", "TIMESTAMP", -9_223_372_022_400_000_000),
    ("make_timestamp", "TIMESTAMPTZ", -9_223_372_022_400_000_000),
])  # fmt: skip
def test_the_first_and_the_last_moments(connection, function, kind, first_before_2):
    """DuckDB 2.0 reaches a part of one more day. Where the host has a text for a moment, the bound is that text."""
    is_before_2 = duckdb.__version__ < "2"
    for number in (FIRST_SINCE_2, FIRST_SINCE_2 + 1, first_before_2 - 1, first_before_2, 0, (1 << 63) - 2):
        query = f"SELECT {function}({number}::BIGINT)::{kind} AS t"
        try:
            ((text,),) = connection.execute(f"SELECT t::VARCHAR FROM ({query})").fetchall()
        except duckdb.Error:
            assert is_before_2 or kind == "TIMESTAMPTZ"
            continue
        rows = connection.execute("SELECT min_value, max_value FROM query_column_stats(?)", [query]).fetchall()
        assert rows == [(text, text)], number
