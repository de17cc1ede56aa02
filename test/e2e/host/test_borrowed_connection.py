"""The borrowed connection is a good guest: it keeps nothing open, obeys the sandbox, sees global settings and secrets,
and the functions work wherever a table function may stand."""

import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest
from file_rows import bounds, column_rows, counts, file_call, file_rows, sql_literal
from packaged_extension import load_statement

NUMBERS = "SELECT i, i / 2 AS d FROM range(10000) numbers(i)"
EXPECTED_BOUNDS = {"i": ("0", "9999"), "d": ("0.0", "4999.5")}


def write_parquet(connection, path, query=NUMBERS):
    connection.execute(f"COPY ({query}) TO {sql_literal(path)} (FORMAT parquet)")
    return str(path)


@pytest.fixture
def numbers_file(connection, tmp_path):
    """10,000 rows of two columns."""
    return write_parquet(connection, tmp_path / "numbers.parquet")


def python_process(program, *arguments, timeout=60):
    """Runs a program in another process; a hang is a failure, not a wait."""
    command = [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


def assert_bounds(connection, path):
    assert {name: bounds(row) for name, row in column_rows(connection, path).items()} == EXPECTED_BOUNDS


WRITER = """
    import duckdb, sys
    connection = duckdb.connect(sys.argv[1])
    connection.execute("CREATE TABLE written_by_another AS SELECT 1 AS i")
"""


def used_connection(connect, database, data, use):
    connection = connect(database)
    connection.execute("CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS i")
    write_parquet(connection, data)
    use(connection)
    return connection


def read_all(connection, data):
    assert len(file_rows(connection, str(data))) == 2


def read_part(connection, data):
    """A result that is left mostly unfetched."""
    assert connection.execute(f"FROM {file_call(str(data))}").fetchone()[0] == 0


def read_with_error(connection, data):
    with pytest.raises(duckdb.Error):
        file_rows(connection, str(data) + ".missing.parquet")


def explain(connection, data):
    connection.execute(f"EXPLAIN FROM {file_call(str(data))}").fetchall()


def read_beside_others(connection, data):
    """Statements of others run all the time, so that the threads of the scheduler have long tasks."""
    is_over = threading.Event()

    def run_statements(cursor):
        while not is_over.is_set():
            cursor.execute("SELECT sum(sqrt(i)) FROM range(2000000) numbers(i)").fetchall()

    with ThreadPoolExecutor(1) as pool:
        others = pool.submit(run_statements, connection.cursor())
        try:
            for _ in range(10):
                read_all(connection, data)
        finally:
            is_over.set()
        others.result()


@pytest.mark.parametrize("use", [read_all, read_part, read_with_error, explain, read_beside_others])
def test_after_close_another_process_can_write(connect, tmp_path, use):
    database, data = tmp_path / "a.db", tmp_path / "a.parquet"
    connection = used_connection(connect, database, data, lambda opened: use(opened, data))
    connection.close()
    finished = python_process(WRITER, database)
    assert finished.returncode == 0, finished.stderr


@pytest.mark.parametrize("use", [read_all, read_part, read_with_error, explain])
def test_reopening_in_the_same_process(connect, tmp_path, use):
    """A reference that is kept makes this hang or fail. Twice, to see that reopening leaves none either."""
    database, data = tmp_path / "a.db", tmp_path / "a.parquet"
    for _ in range(2):
        connection = used_connection(connect, database, data, lambda opened: use(opened, data))
        connection.close()
    connection = connect(database)
    connection.execute("CREATE TABLE after_reopening AS SELECT 2 AS i")
    read_all(connection, data)


def test_process_ends_without_closing(extension_path, numbers_file, tmp_path):
    """With a result half read and the connection open, in a database file; its lock and its log go with the process."""
    program = """
        import sys
        import duckdb
        connection = duckdb.connect(sys.argv[2], config={"allow_unsigned_extensions": "true"})
        connection.execute(sys.argv[1])
        connection.execute("CREATE TABLE t AS SELECT 1 AS i")
        print(connection.execute(sys.argv[3]).fetchone()[0])
    """
    database = tmp_path / "a.db"
    finished = python_process(program, load_statement(extension_path), database, f"FROM {file_call(numbers_file)}")
    assert (finished.returncode, finished.stdout.strip()) == (0, "0"), finished.stderr
    assert python_process(WRITER, database).returncode == 0


def test_external_access_is_obeyed(connection, numbers_file):
    assert_bounds(connection, numbers_file)
    connection.execute("SET enable_external_access = false")
    with pytest.raises(duckdb.Error, match="file_column_stats: ") as caught:
        file_rows(connection, numbers_file)
    assert "disabled" in str(caught.value)
    assert connection.execute("SELECT 42").fetchone() == (42,)


def test_allowed_directories_are_obeyed(connection, numbers_file, tmp_path_factory):
    allowed = tmp_path_factory.mktemp("allowed")
    inside = write_parquet(connection, allowed / "inside.parquet")
    connection.execute(f"SET allowed_directories = [{sql_literal(str(allowed) + '/')}]")
    connection.execute("SET enable_external_access = false")
    assert_bounds(connection, inside)
    with pytest.raises(duckdb.Error, match="file_column_stats: "):
        file_rows(connection, numbers_file)


def test_global_settings_are_seen(connection, tmp_path):
    """`binary_as_string` makes the reader hand over VARCHAR."""
    path = write_parquet(connection, tmp_path / "blob.parquet", "SELECT 'abc'::BLOB AS b")
    assert column_rows(connection, path)["b"]["column_type"] == "BLOB"
    connection.execute("SET GLOBAL binary_as_string = true")
    row = column_rows(connection, path)["b"]
    assert (row["column_type"], *bounds(row)) == ("VARCHAR", "abc", "abc")


def test_zone_of_the_session_does_not_matter(connection, tmp_path):
    """TIMESTAMPTZ bounds are in UTC, whatever zone is set where."""
    path = write_parquet(connection, tmp_path / "zone.parquet", "SELECT '2020-06-01 12:00:00+00'::TIMESTAMPTZ AS z")
    for scope in ("", "GLOBAL"):
        connection.execute(f"SET {scope} TimeZone = 'Asia/Kathmandu'")
        assert bounds(column_rows(connection, path)["z"]) == ("2020-06-01 12:00:00+00",) * 2


def test_temporary_secrets_are_seen(connection):
    """The borrowed connection lists them; no file system with secrets is at hand offline."""
    connection.execute("CREATE TEMPORARY SECRET my_secret (TYPE http, BEARER_TOKEN 'x')")
    query = sql_literal("SELECT name FROM duckdb_secrets()")
    rows = connection.execute(f"SELECT min_value, max_value FROM query_column_stats({query})").fetchall()
    assert rows == [("my_secret", "my_secret")]


def test_keys_of_the_database_are_seen(connection, encrypted_file):
    """A key that the caller registered opens an encrypted file."""
    row = column_rows(connection, encrypted_file, read_options={"encryption_config": {"footer_key": "my_key"}})["i"]
    assert (bounds(row), counts(row)) == (("0", "9"), (10, 0))


def test_four_threads_on_cursors(connection, tmp_path):
    """Each with a file of its own, all at once, over and over."""
    paths = []
    for number in range(4):
        query = f"SELECT i + {number * 100000} AS i FROM range(20000) numbers(i)"
        paths.append(write_parquet(connection, tmp_path / f"{number}.parquet", query))

    def read(number):
        cursor = connection.cursor()
        found = {bounds(column_rows(cursor, paths[number])["i"]) for _ in range(15)}
        cursor.close()
        return found

    with ThreadPoolExecutor(4) as pool:
        answers = [future.result(timeout=60) for future in [pool.submit(read, number) for number in range(4)]]
    assert answers == [{(str(n * 100000), str(n * 100000 + 19999))} for n in range(4)]


def test_one_thread_is_enough(extension_path, tmp_path):
    """The inner statement runs while the only worker waits for it: it must not wait for a free one."""
    program = """
        import sys
        import duckdb
        connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
        connection.execute(sys.argv[1])
        for number in range(3):
            path = f"{sys.argv[2]}/{number}.parquet"
            connection.execute(f"COPY (SELECT i FROM range(100000) numbers(i)) TO '{path}' (FORMAT parquet)")
        call = f"FROM file_column_stats('{sys.argv[2]}/*.parquet')"
        print(connection.execute(f"SELECT sum(value_count) FROM (({call}) UNION ALL ({call}))").fetchone()[0])
    """
    finished = python_process(program, load_statement(extension_path), tmp_path)
    assert (finished.returncode, finished.stdout.strip()) == (0, "600000"), finished.stderr


def test_in_statements_of_all_kinds(connection, numbers_file):
    call = file_call(numbers_file)
    connection.execute(f"CREATE TABLE statistics AS FROM {call}")
    connection.execute(f"INSERT INTO statistics FROM {call}")
    connection.execute(f"CREATE VIEW statistics_view AS FROM {call}")
    assert connection.execute("SELECT count(*), count(DISTINCT column_name) FROM statistics").fetchone() == (4, 2)
    joined = """SELECT s.column_name, v.max_value FROM statistics s JOIN statistics_view v USING (column_name)
                 GROUP BY ALL ORDER BY ALL"""
    assert connection.execute(joined).fetchall() == [("d", "4999.5"), ("i", "9999")]
    selected = f"SELECT (SELECT max(value_count) FROM {call}), exists(FROM {call} WHERE column_name = 'd')"
    assert connection.execute(selected).fetchone() == (10000, True)
    assert connection.execute(f"SELECT column_name FROM {call} LIMIT 1").fetchall() == [("i",)]
    assert connection.execute(f"SELECT column_name FROM {call} ORDER BY column_id DESC").fetchall() == [("d",), ("i",)]
    step = f"SELECT n + 1 FROM r, {call} WHERE n < 3 AND column_id = 1"
    recursive = f"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL {step}) FROM r"
    assert connection.execute(recursive).fetchall() == [(1,), (2,), (3,)]


def test_inside_a_transaction(connection, numbers_file):
    connection.execute("BEGIN")
    connection.execute(f"CREATE TABLE statistics AS FROM {file_call(numbers_file)}")
    assert connection.execute("SELECT count(*) FROM statistics").fetchone() == (2,)
    connection.execute("ROLLBACK")
    assert connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == (0,)


def test_prepared_statement_sees_the_file_as_it_is(connection, tmp_path):
    """Executed again after the file changed on disk, in length, values and columns."""
    path = write_parquet(connection, tmp_path / "a.parquet")
    connection.execute(f"PREPARE statistics AS SELECT column_name, min_value, max_value FROM {file_call(path)}")
    first = [("i", "0", "9999"), ("d", "0.0", "4999.5")]
    assert connection.execute("EXECUTE statistics").fetchall() == first
    assert connection.execute("EXECUTE statistics").fetchall() == first
    write_parquet(connection, path, "SELECT 'new' AS s, 7 AS i UNION ALL SELECT 'row', 8")
    assert connection.execute("EXECUTE statistics").fetchall() == [("s", "new", "row"), ("i", "7", "8")]
    Path(path).unlink()
    with pytest.raises(duckdb.Error, match="no file matches"):
        connection.execute("EXECUTE statistics").fetchall()
    write_parquet(connection, path)
    assert connection.execute("EXECUTE statistics").fetchall() == first


def test_file_as_a_parameter(connection, numbers_file, tmp_path):
    other = write_parquet(connection, tmp_path / "other.parquet", "SELECT 5 AS n")
    statement = "SELECT column_name, max_value FROM file_column_stats(?)"
    assert connection.execute(statement, [other]).fetchall() == [("n", "5")]
    assert connection.execute(statement, [numbers_file]).fetchall() == [("i", "9999"), ("d", "4999.5")]
    connection.execute("PREPARE statistics AS SELECT column_name FROM file_column_stats($1)")
    for path, names in ((other, ["n"]), (numbers_file, ["i", "d"]), (other, ["n"])):
        rows = connection.execute(f"EXECUTE statistics({sql_literal(path)})").fetchall()
        assert [name for (name,) in rows] == names


def test_read_only_database(connect, extension_path, tmp_path):
    database = tmp_path / "a.db"
    writable = connect(database)
    path = write_parquet(writable, tmp_path / "numbers.parquet")
    writable.close()
    read_only = duckdb.connect(str(database), read_only=True, config={"allow_unsigned_extensions": "true"})
    read_only.execute(load_statement(extension_path))
    assert_bounds(read_only, path)
    read_only.close()


def test_explain_and_describe_do_not_scan(connection, tmp_path):
    """Neither a file that is not there nor one that cannot be read is noticed before the rows are asked for."""
    garbage = tmp_path / "garbage.parquet"
    garbage.write_bytes(b"not Parquet")
    for path in (tmp_path / "missing.parquet", garbage):
        call = file_call(str(path))
        assert len(connection.execute(f"DESCRIBE FROM {call}").fetchall()) == 13
        assert "FILE_COLUMN_STATS" in str(connection.execute(f"EXPLAIN FROM {call}").fetchall()).upper()
        connection.execute(f"CREATE OR REPLACE VIEW v AS FROM {call}")
        connection.execute(f"PREPARE p AS FROM {call}")
        with pytest.raises(duckdb.Error, match=path.name):
            connection.execute("FROM v").fetchall()


def test_describe_names_and_types(connection):
    described = connection.execute(f"DESCRIBE FROM {file_call('missing.parquet')}").fetchall()
    expected = [("data_file_id", "BIGINT"), ("table_id", "BIGINT"), ("column_id", "BIGINT"),
                ("column_size_bytes", "BIGINT"), ("value_count", "BIGINT"), ("null_count", "BIGINT"),
                ("min_value", "VARCHAR"), ("max_value", "VARCHAR"), ("contains_nan", "BOOLEAN"),
                ("extra_stats", "VARCHAR"), ("file_name", "VARCHAR"), ("column_name", "VARCHAR"),
                ("column_type", "VARCHAR")]  # fmt: skip
    assert [row[:2] for row in described] == expected


def test_two_databases_in_one_process(connect, tmp_path):
    """Each function runs in the database that it was called in, also after the other was closed."""
    first, second = connect(tmp_path / "first.db"), connect()
    path = write_parquet(first, tmp_path / "blob.parquet", "SELECT 'abc'::BLOB AS b")
    second.execute("SET GLOBAL binary_as_string = true")
    for _ in range(3):
        assert column_rows(first, path)["b"]["column_type"] == "BLOB"
        assert column_rows(second, path)["b"]["column_type"] == "VARCHAR"
    first.close()
    assert column_rows(second, path)["b"]["column_type"] == "VARCHAR"
    third = connect(tmp_path / "first.db")
    assert column_rows(third, path)["b"]["column_type"] == "BLOB"


def test_attached_databases(connection, numbers_file, tmp_path):
    """The function is there whichever database is in use, and its rows can go to any."""
    other = sql_literal(tmp_path / "other.db")
    connection.execute(f"ATTACH {other} AS other")
    connection.execute("USE other")
    assert_bounds(connection, numbers_file)
    connection.execute(f"CREATE TABLE other.statistics AS FROM {file_call(numbers_file)}")
    connection.execute("USE memory")
    connection.execute("DETACH other")
    assert_bounds(connection, numbers_file)
    connection.execute(f"ATTACH {other} AS other (READ_ONLY)")
    assert connection.execute("SELECT count(*) FROM other.statistics").fetchone() == (2,)


def test_macros_of_the_user_named_like_what_is_asked_first(connection, numbers_file):
    for name in ("current_schema", "current_database", "version", "starts_with"):
        connection.execute(f"CREATE MACRO {name}({'a, b' if name == 'starts_with' else ''}) AS 'nothing'")
    assert_bounds(connection, numbers_file)


@pytest.mark.host_minimum("1.5.0")
def test_types_of_the_user_in_read_options(connection, tmp_path):
    """Also with the name of a schema, which older hosts do not take."""
    connection.execute("CREATE SCHEMA s")
    connection.execute("CREATE TYPE s.grade AS ENUM ('b', 'a')")
    path = tmp_path / "a.csv"
    path.write_text("grade\na\nb\n")
    options = "read_options := {'types': {'grade': 's.grade'}}"
    found = connection.execute(f"SELECT min_value, max_value FROM file_column_stats({sql_literal(path)}, {options})")
    assert found.fetchall() == [("b", "a")]
    assert len(connection.execute(f"FROM hive_column_stats({sql_literal(path)}, {options})").fetchall()) == 1
