"""Many groups, little memory, large values, and values that are strange."""

import threading
import time
from contextlib import contextmanager

import duckdb
import pytest

GROUPS = 300_000
# Two rows for each group, far apart, so that all states live at the same time.
ROWS = f"""
    SELECT i % {GROUPS} AS g, i AS n, i / 3 AS d, i::VARCHAR AS s, {{'n': i, 's': i::VARCHAR}} AS t
    FROM range({2 * GROUPS}) r(i)
"""


def one(connection, query, parameters=None):
    return connection.execute(query, parameters).fetchone()[0]


def mistaken_groups(connection, result):
    """How many groups have other statistics than DuckDB's own aggregates, or wrong counts."""
    return one(
        connection,
        f"""SELECT count(*) FROM (
              SELECT g, {result("n")}[1] AS n, {result("s")}[1] AS s, {result("t")}[1] AS t,
                     min(n)::VARCHAR AS low, max(n)::VARCHAR AS high, min(s) AS first, max(s) AS last
              FROM ({ROWS}) GROUP BY g)
            WHERE n.value_count <> 2 OR n.min_value <> low OR n.max_value <> high OR s.min_value <> first
               OR s.max_value <> last OR t.min_value <> low OR t.path <> 'n' OR n.null_count <> 0""",
    )


def aggregate(column):
    return f"column_stats({column})"


def state(column):
    return f"column_stats_read(column_stats_state({column}))"


@pytest.mark.parametrize("result", [aggregate, state])
def test_many_groups(connection, result):
    started = time.monotonic()
    assert mistaken_groups(connection, result) == 0
    assert time.monotonic() - started < 120
    assert one(connection, "SELECT 42") == 42


@contextmanager
def spilling_into(directory):
    """The body must make DuckDB write temporary files there."""
    seen, done = threading.Event(), threading.Event()

    def watch():
        while not done.wait(0.01):
            if directory.is_dir() and any(directory.iterdir()):
                seen.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    assert seen.is_set(), "nothing was spilled: the test needs more data or less memory"


@pytest.mark.parametrize("result", [aggregate, state])
def test_hash_tables_that_spill(connect, tmp_path, result):
    """DuckDB moves states to disk and back bitwise, and combines them when the rows do not fit."""
    connection = connect(
        tmp_path / "a.db", memory_limit="200MB", temp_directory=str(tmp_path / "spill"), threads="4",
        preserve_insertion_order="false",
    )  # fmt: skip
    keys = "SELECT i, repeat('x', 400) || i % 400000 AS key FROM range(800000) r(i)"
    with spilling_into(tmp_path / "spill"):
        mistaken = one(
            connection,
            f"""SELECT count(*) FROM (
                  SELECT key, {result("i")}[1] AS s, min(i)::VARCHAR AS low, max(i)::VARCHAR AS high
                  FROM ({keys}) GROUP BY key)
                WHERE s.value_count <> 2 OR s.min_value <> low OR s.max_value <> high""",
        )
    assert mistaken == 0


@pytest.mark.parametrize("limit", [256, 2**31 - 1])
def test_texts_of_16_megabytes(connection, limit):
    connection.execute("CREATE TABLE t AS SELECT repeat(chr(97 + i::INTEGER), 16 * 1024 * 1024) AS s FROM range(3) r(i)")
    leaf = one(connection, f"SELECT column_stats(s, {limit}) FROM t")[0]
    if limit == 256:
        assert (leaf["min_value"], leaf["max_value"]) == ("a" * 256, "c" * 255 + "d")
    else:
        assert (len(leaf["min_value"]), leaf["max_value"]) == (16 << 20, "c" * (16 << 20))
    kept = one(connection, f"SELECT column_stats_read(column_stats_merge(s)) FROM (SELECT column_stats_state(s, {limit}) AS s FROM t GROUP BY s)")
    assert kept == [leaf]
    blob = one(connection, f"SELECT column_stats(s::BLOB, {limit}) FROM t")[0]
    assert len(blob["max_value"]) == 2 * min(limit, 16 << 20)


# Signalling, negative and with all bits set: as bytes of a Parquet or Arrow column they are all NaN.
NAN_BITS = (0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF, 0x7FF8DEADBEEF0001)


def test_nan_payloads(connection):
    numpy = pytest.importorskip("numpy")
    values = numpy.concatenate([numpy.array(NAN_BITS, dtype="uint64").view("float64"), numpy.array([1.5, -2.5])])
    data = {"x": values, "f": numpy.array([0x7F800001, 0xFFC00000, 0x7FFFFFFF, 0, 0, 0, 0x3FC00000], "uint32").view("float32")}
    connection.register("data", arrow_table(data))
    for column, low, high, count in (("x", "-2.5", "1.5", 7), ("f", "0.0", "1.5", 7)):
        for query in (f"column_stats({column})", f"column_stats_read(column_stats_state({column}))"):
            leaf = one(connection, f"SELECT {query} FROM data")[0]
            assert (leaf["min_value"], leaf["max_value"], leaf["contains_nan"]) == (low, high, True)
            assert leaf["value_count"] == count
    only_nan = one(connection, "SELECT column_stats(x) FROM data WHERE isnan(x)")[0]
    assert (only_nan["value_count"], only_nan["min_value"], only_nan["contains_nan"]) == (5, None, True)


def arrow_table(columns):
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()})


def test_bytes_that_are_no_text(connection):
    """DuckDB refuses the cast of such a BLOB to VARCHAR; as BLOB they are bytes like others."""
    with pytest.raises(duckdb.Error):
        connection.execute("SELECT column_stats(decode('\\xFF\\xFE'::BLOB))")
    leaf = one(connection, "SELECT column_stats(x) FROM (VALUES ('\\xFF\\xFE'::BLOB), ('\\x00'::BLOB), (''::BLOB)) AS t(x)")[0]
    assert (leaf["min_value"], leaf["max_value"]) == ("", "FFFE")
    assert one(connection, "SELECT 42") == 42


def test_text_that_is_no_utf8(connection):
    """Arrow tables may carry it into a VARCHAR column unchecked: what is not text stays out of a bound."""
    pyarrow = pytest.importorskip("pyarrow")
    values = pyarrow.array([b"ab\xffcd", b"ab", b"\xfe"], pyarrow.binary()).view(pyarrow.string())
    connection.register("data", pyarrow.table({"x": values}))
    try:
        leaf = one(connection, "SELECT column_stats(x) FROM data")[0]
    except (duckdb.Error, UnicodeError):
        return  # This DuckDB checks what it takes from Arrow.
    assert leaf["value_count"] == 3
    assert leaf["min_value"] == "ab"
    assert leaf["max_value"] is None, "nothing is known to be above the byte FE"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT column_stats(x, CASE WHEN x = 150000 THEN NULL ELSE 10 END) FROM range(200000) r(x) GROUP BY x",
        "SELECT column_stats_state(x, CASE WHEN x = 150000 THEN 0 ELSE 10 END) FROM range(200000) r(x) GROUP BY x",
        "SELECT column_stats(x), error('stop') FROM range(200000) r(x) GROUP BY x % 1000",
        "SELECT column_stats(CASE WHEN x = 150000 THEN error('stop')::BIGINT ELSE x END) FROM range(200000) r(x) GROUP BY x % 999",
    ],
)
def test_errors_in_the_middle(connection, query):
    """What was accumulated is freed by DuckDB's destructors; valgrind's verdict is in docs/memory.md."""
    for _ in range(3):
        with pytest.raises(duckdb.Error):
            connection.execute(query).fetchall()
    assert one(connection, "SELECT column_stats(42)")[0]["min_value"] == "42"
