"""The `_sql` twins: the same statement in the caller's own session and transaction."""

import threading
import time

import duckdb
import pytest
from file_rows import bounds, file_call, rows_of, sql_literal

SUBJECTS = {"table": "t", "query": "SELECT * FROM t WHERE i % 3 > 0"}


def twin(kind, subject, options=None):
    """`FROM query(..._sql(...))`; a dictionary of options becomes the STRUCT."""
    arguments = sql_literal(subject) + ("" if options is None else ", " + sql_literal(options))
    return f"FROM query({kind}_column_stats_sql({arguments}))"


def function(kind, subject, options=None):
    named = "".join(f", {name} := {sql_literal(value)}" for name, value in (options or {}).items())
    return f"FROM {kind}_column_stats({sql_literal(subject)}{named})"


@pytest.fixture
def filled(connection):
    connection.execute(
        """CREATE TABLE t AS SELECT i, i / 7 AS d, repeat('é', i::INTEGER % 9) AS s, {'l': [i, NULL], 'b': i % 2 = 0} AS n
           FROM range(5000) r(i)"""
    )
    return connection


@pytest.mark.parametrize("kind", SUBJECTS)
@pytest.mark.parametrize(
    "options", [None, {}, {"columns": ["s", "N"]}, {"columns": ["s"], "max_bound_bytes": 3}, {"max_bound_bytes": 1}]
)
def test_the_rows_are_those_of_the_table_function(filled, kind, options):
    if options == {}:
        # SQL has no STRUCT without fields on older hosts; NULL stands for no options too.
        statement = f"FROM query({kind}_column_stats_sql({sql_literal(SUBJECTS[kind])}, NULL))"
    else:
        statement = twin(kind, SUBJECTS[kind], options)
    rows = rows_of(filled, statement)
    assert rows == rows_of(filled, function(kind, SUBJECTS[kind], options))
    assert rows


def test_the_rows_are_those_of_file_column_stats(filled, tmp_path):
    for format_name in ("parquet", "csv", "json"):
        path = str(tmp_path / f"data.{format_name}")
        filled.execute(f"COPY t TO {sql_literal(path)}")
        for options in ({}, {"columns": ["d"], "table_id": 7, "first_data_file_id": 3}):
            rows = rows_of(filled, twin("file", path, options or None))
            assert rows == rows_of(filled, f"FROM {file_call(path, **options)}")
    both = [str(tmp_path / name) for name in ("data.csv", "data.parquet")]
    assert len(rows_of(filled, f"FROM query(file_column_stats_sql({sql_literal(both[:1])}))")) > 3


def test_columns_of_the_twin(filled):
    """Names and types as the table function declares them."""
    for kind, subject in SUBJECTS.items():
        described = [filled.execute(f"DESCRIBE {call(kind, subject)}").fetchall() for call in (twin, function)]
        assert [row[:2] for row in described[0]] == [row[:2] for row in described[1]]


def test_temporary_tables_and_views(connection):
    connection.execute("CREATE TEMPORARY TABLE hidden AS SELECT 42 AS x; CREATE TEMPORARY VIEW seen AS SELECT x + 1 AS y FROM hidden")
    with pytest.raises(duckdb.Error, match="hidden does not exist"):
        connection.execute(function("table", "hidden"))
    for statement in (twin("table", "hidden"), twin("table", "temp.main.hidden"), twin("query", "SELECT y - 1 FROM seen")):
        (row,) = rows_of(connection, statement)
        assert bounds(row) == ("42", "42")


def test_an_open_transaction(connect, tmp_path):
    connection = connect(tmp_path / "a.db")
    other = connection.cursor()
    connection.execute("CREATE TABLE t AS SELECT 1 AS x; BEGIN; INSERT INTO t VALUES (2), (3); CREATE TABLE u AS SELECT 9 AS x")
    assert bounds(rows_of(connection, twin("table", "t"))[0]) == ("1", "3"), "rows that are not committed"
    assert bounds(rows_of(connection, twin("query", "FROM t, u"))[1]) == ("9", "9"), "a table that is not committed"
    assert bounds(rows_of(connection, function("table", "t"))[0]) == ("1", "1"), "the table function sees what is committed"
    with pytest.raises(duckdb.Error, match="u does not exist"):
        connection.cursor().execute(twin("table", "u"))
    assert bounds(rows_of(other, twin("table", "t"))[0]) == ("1", "1")
    connection.execute("ROLLBACK")
    assert bounds(rows_of(connection, twin("table", "t"))[0]) == ("1", "1")


def test_a_transaction_sees_its_snapshot(connect, tmp_path):
    connection = connect(tmp_path / "a.db")
    connection.execute("CREATE TABLE t AS SELECT 1 AS x; BEGIN; FROM t")
    connection.cursor().execute("INSERT INTO t VALUES (2)")
    assert bounds(rows_of(connection, twin("table", "t"))[0]) == ("1", "1")
    connection.execute("COMMIT")
    assert bounds(rows_of(connection, twin("table", "t"))[0]) == ("1", "2")


def test_settings_of_the_session(connection):
    connection.execute("CREATE SCHEMA s; CREATE TABLE s.t AS SELECT 5 AS x; SET schema = 's'; SET VARIABLE chosen = 7")
    connection.execute("SET TimeZone = 'Asia/Tokyo'")
    assert bounds(rows_of(connection, twin("table", "t"))[0]) == ("5", "5")
    assert bounds(rows_of(connection, twin("query", "SELECT getvariable('chosen') AS x"))[0]) == ("7", "7")
    query = "SELECT '2024-01-01'::TIMESTAMPTZ AS t, '2024-01-01'::TIMESTAMPTZ::VARCHAR AS s"
    zoned, text = rows_of(connection, twin("query", query))
    assert bounds(zoned) == ("2023-12-31 15:00:00+00",) * 2, "the session says what the text means, bounds are in UTC"
    assert bounds(text) == ("2024-01-01 00:00:00+09",) * 2
    with pytest.raises(duckdb.Error):
        connection.execute(function("table", "t"))


def test_results_can_be_used_like_any_other(filled):
    filled.execute("CREATE TEMPORARY TABLE kept AS SELECT column_name, max_value FROM query(table_column_stats_sql('t'))")
    assert filled.execute("SELECT max_value FROM kept WHERE column_name = 'i'").fetchone() == ("4999",)
    joined = "SELECT count(*) FROM query(table_column_stats_sql('t')) a JOIN query(query_column_stats_sql('FROM t')) b USING (column_id)"
    assert filled.execute(joined).fetchone() == (5,)


def test_the_text_is_one_statement_without_side_effects(filled):
    for kind, subject in SUBJECTS.items():
        text = filled.execute(f"SELECT {kind}_column_stats_sql({sql_literal(subject)})").fetchone()[0]
        assert len(filled.extract_statements(text)) == 1
        assert rows_of(filled, text) == rows_of(filled, function(kind, subject))
    names = filled.execute("SELECT table_column_stats_sql(name) FROM (VALUES ('a'), ('b.c')) AS v(name)").fetchall()
    assert ['"a"' in names[0][0], '"b"."c"' in names[1][0]] == [True, True], "a text for every row"


@pytest.mark.parametrize(
    "call, part",
    [
        ("table_column_stats_sql(NULL)", "must not be NULL"),
        ("table_column_stats_sql('t', 5)", "must be a STRUCT"),
        ("table_column_stats_sql('t', ['columns'])", "must be a STRUCT"),
        ("table_column_stats_sql('t', {'no_such_option': 1})", "the options are columns, max_bound_bytes"),
        ("table_column_stats_sql('t', {'columns': 5})", "columns"),
        ("table_column_stats_sql('t', {'max_bound_bytes': 'x'})", "max_bound_bytes"),
        ("table_column_stats_sql('t', {'max_bound_bytes': -1})", "between 1 and"),
        ("query_column_stats_sql('')", "the query is empty"),
        ("file_column_stats_sql('/no/such/file.parquet')", "no file matches"),
    ],
)
def test_wrong_arguments(connection, call, part):
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(f"SELECT {call}")
    assert part in str(caught.value)


@pytest.mark.parametrize("kind", SUBJECTS)
def test_options_in_any_case(filled, kind):
    """As the names of named arguments."""
    given = rows_of(filled, f"FROM {kind}_column_stats({sql_literal(SUBJECTS[kind])}, Columns := ['i'])")
    text = f"{kind}_column_stats_sql({sql_literal(SUBJECTS[kind])}, {{'Columns': ['i'], 'MAX_bound_bytes': 5}})"
    assert rows_of(filled, f"FROM query({text})") == given and len(given) == 1


# Rows without end, computed and not stored.
ENDLESS = "SELECT i, sqrt(i) AS d, i::VARCHAR AS s FROM range(1000000000000) r(i)"


@pytest.mark.parametrize(
    "statement",
    [
        f"SELECT column_stats(COLUMNS(*)) FROM ({ENDLESS})",
        f"SELECT column_stats_read(column_stats_state(COLUMNS(*))) FROM ({ENDLESS})",
        f"SELECT i % 1000, column_stats(s) FROM ({ENDLESS}) GROUP BY 1",
        twin("query", ENDLESS),
        twin("table", "endless"),
    ],
)
def test_an_interrupt_ends_it_within_a_second(connection, statement):
    connection.execute(f"CREATE VIEW endless AS {ENDLESS}")
    interrupted_at = []

    def interrupt():
        interrupted_at.append(time.monotonic())
        connection.interrupt()

    timer = threading.Timer(1.5, interrupt)
    timer.start()
    try:
        with pytest.raises(duckdb.Error, match="(?i)interrupt"):
            connection.execute(statement).fetchall()
    finally:
        timer.join()
    assert interrupted_at, "it ended by itself"
    assert time.monotonic() - interrupted_at[0] < 1
    assert connection.execute("SELECT 42").fetchone() == (42,)


@pytest.mark.parametrize("function", ["table_column_stats", "hive_table_column_stats"])
def test_tables_of_the_session_are_pointed_out(connection, function):
    connection.execute("CREATE TEMPORARY TABLE basket AS SELECT 3 AS apples")
    with pytest.raises(duckdb.Error, match=rf"FROM query\({function}_sql"):
        connection.execute(f"FROM {function}('basket')").fetchall()
