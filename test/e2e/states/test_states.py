"""States: kept, merged and read they give what `column_stats` gives for all rows.

What damaged and forged states do is in `test_forged_states.py`, what many and large ones do in `test_states_at_scale.py`.
"""

import json
import threading
from pathlib import Path

import duckdb
import pytest
from file_rows import quoted_identifier
from host_version import HOST_VERSION, version_tuple

GOLDEN = Path(__file__).parent / "golden_states"

# Every type that DuckDB can make, eleven rows of each, so that all groups of a split have rows and NULLs.
EVERY_TYPE = "SELECT all_types.*, number FROM test_all_types() all_types, range(11) numbers(number)"

# Values that are hard to order, to cut or to count; `number` splits them.
HARD_COLUMNS = {
    "integers": "(hash(number) >> 1)::BIGINT - (1::BIGINT << 62)",
    "nan": "CASE number % 5 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN '-inf'::DOUBLE WHEN 2 THEN -0.0 ELSE number END",
    "zeros": "CASE number % 2 WHEN 0 THEN 0.0::FLOAT ELSE '-0.0'::FLOAT END",
    "texts": "repeat('é', 127) || chr(number::INTEGER % 1000 + 1000) || number",
    "nulls": "CASE WHEN number % 97 = 0 THEN number::DECIMAL(18, 3) END",
    "bytes": "unhex('FF00' || lpad(number::VARCHAR, 6, '0'))",
    "lists": "CASE number % 4 WHEN 0 THEN NULL WHEN 1 THEN [] ELSE [number, NULL, -number] END",
    "maps": "MAP {'k' || number % 3: {'d': number / 7, 't': [DATE '2000-01-01' + (number % 9000)::INTEGER]}}",
    "uuids": "md5(number::VARCHAR)::UUID",
    "unions": "CASE WHEN number % 3 = 0 THEN union_value(n := number) ELSE union_value(n := NULL::BIGINT) END",
    "enums": "CASE number % 3 WHEN 0 THEN 'low' WHEN 1 THEN 'high' END::ENUM('high', 'mid', 'low')",
    "arrays": "array_value(number, -number, NULL)",
    "intervals": "to_hours((number % 100)::INTEGER)",
    "empty": "NULL::TIMESTAMPTZ",
}


def one(connection, query, parameters=None):
    return connection.execute(query, parameters).fetchone()[0]


def merged(expression, source, split):
    """A query: the statistics of `expression` from one state for each value of `split`."""
    return (
        "SELECT column_stats_read(column_stats_merge(state)) FROM"
        f" (SELECT column_stats_state({expression}) AS state FROM ({source}) GROUP BY {split})"
    )


@pytest.mark.parametrize("split", ["number", "number % 3", "hash(number) % 7", "number * 0"])
def test_the_law_for_every_type(connection, split):
    columns = [row[0] for row in connection.execute("DESCRIBE FROM test_all_types()").fetchall()]
    assert len(columns) > 40
    for column in map(quoted_identifier, columns):
        whole = one(connection, f"SELECT column_stats({column}) FROM ({EVERY_TYPE})")
        assert whole or column == quoted_identifier("empty_struct"), column
        assert one(connection, merged(column, EVERY_TYPE, split)) == whole, column


@pytest.mark.parametrize("column", HARD_COLUMNS)
def test_the_law_for_hard_values(connection, column):
    source = f"SELECT number, {HARD_COLUMNS[column]} AS x FROM range(30000) numbers(number)"
    whole = one(connection, f"SELECT column_stats(x) FROM ({source})")
    assert sum(leaf["value_count"] + leaf["null_count"] for leaf in whole) >= 30000
    for split in ("number * 0", "number % 2", "hash(number) % 1000", "number"):
        assert one(connection, merged("x", source, split)) == whole, split


def test_merges_of_merges_and_states_from_another_database(connect, tmp_path):
    writer = connect(tmp_path / "states.db")
    source = f"SELECT number, {HARD_COLUMNS['maps']} AS x FROM range(20000) numbers(number)"
    writer.execute(f"CREATE TABLE data AS {source}")
    writer.execute("CREATE TABLE night AS SELECT number % 64 AS part, column_stats_state(x) AS state FROM data GROUP BY 1")
    writer.execute("CREATE TABLE week AS SELECT column_stats_merge(state) AS state FROM night GROUP BY part // 7")
    whole = one(writer, "SELECT column_stats(x) FROM data")
    state = one(writer, "SELECT column_stats_merge(state) FROM week")
    assert state == one(writer, "SELECT column_stats_state(x) FROM data"), "a state depends on the rows alone"
    assert one(connect(), "SELECT column_stats_read(?::BLOB)", [state]) == whole


@pytest.mark.parametrize("limit", [1, 3, 300])
def test_bound_length_is_kept_in_the_state(connection, limit):
    source = f"SELECT number, {HARD_COLUMNS['texts']} AS x FROM range(1000) numbers(number)"
    whole = one(connection, f"SELECT column_stats(x, {limit}) FROM ({source})")
    assert one(connection, merged(f"x, {limit}", source, "number % 10")) == whole
    assert len(whole[0]["min_value"].encode()) <= limit


def test_groups(connection):
    """Many groups at once, each with its own rows; one column has no value at all."""
    connection.execute("CREATE TABLE t AS SELECT i % 100 AS g, CASE WHEN i % 100 > 0 THEN i END AS x FROM range(50000) r(i)")
    mistaken = one(
        connection,
        """SELECT count(*) FROM (
             SELECT g, column_stats(x)[1] AS s, column_stats_read(column_stats_state(x))[1] AS r,
                    min(x)::VARCHAR AS low, max(x)::VARCHAR AS high, count(x) AS present, count(*) - count(x) AS absent
             FROM t GROUP BY g)
           WHERE s IS DISTINCT FROM r OR s.min_value IS DISTINCT FROM low OR s.max_value IS DISTINCT FROM high
              OR s.value_count <> present OR s.null_count <> absent""",
    )
    assert mistaken == 0


def test_groups_without_rows(connection):
    empty = "SELECT column_stats_state(i) FILTER (i > 9) AS state FROM range(5) r(i)"
    assert one(connection, "SELECT column_stats(i) FROM range(0) r(i)") == []
    assert one(connection, f"SELECT column_stats_read(state) FROM ({empty})") == []
    other = "SELECT column_stats_state('a')"
    both = one(connection, f"SELECT column_stats_read(column_stats_merge(state)) FROM ({empty} UNION ALL {other})")
    assert [leaf["type"] for leaf in both] == ["VARCHAR"], "a state without rows has no type"


def test_null_states(connection):
    assert one(connection, "SELECT column_stats_read(NULL)") is None
    assert one(connection, "SELECT column_stats_read(column_stats_merge(s)) FROM (SELECT NULL::BLOB AS s)") == []
    with_null = "SELECT unnest([NULL, s, NULL, s]) AS s FROM (SELECT column_stats_state(7) AS s)"
    assert one(connection, f"SELECT column_stats_read(column_stats_merge(s)) FROM ({with_null})")[0]["value_count"] == 2


@pytest.mark.parametrize(
    "left, right, names",
    [
        ("1::BIGINT", "1::INTEGER", ("BIGINT", "INTEGER")),
        ("1.5::DECIMAL(5, 2)", "1.5::DECIMAL(5, 1)", ("DECIMAL(5,2)", "DECIMAL(5,1)")),
        ("{'a': 1}", "{'b': 1}", ('STRUCT("a" INTEGER)', 'STRUCT("b" INTEGER)')),
        ("['a']", "MAP {'a': 1}", ("VARCHAR[]", "MAP(VARCHAR, INTEGER)")),
        ("'a'::ENUM('a', 'b')", "'a'::ENUM('b', 'a')", ("ENUM('a', 'b')", "ENUM('b', 'a')")),
    ],
)
def test_states_of_different_types_do_not_merge(connection, left, right, names):
    states = f"SELECT column_stats_state({left}) AS s UNION ALL SELECT column_stats_state({right})"
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(f"SELECT column_stats_merge(s) FROM ({states})")
    assert all(name in str(caught.value) for name in names), str(caught.value)
    assert one(connection, "SELECT 42") == 42


def test_types_too_deep_for_a_state(connection):
    deep = "[" * 120 + "1" + "]" * 120
    assert one(connection, f"SELECT column_stats({deep})")[0]["value_count"] == 1
    with pytest.raises(duckdb.Error, match="100 levels deep"):
        connection.execute(f"SELECT column_stats_state({deep})")


def test_filter_and_distinct(connection):
    filtered, distinct, state = connection.execute(
        "SELECT column_stats(i) FILTER (i % 10 = 3), column_stats(DISTINCT i % 7),"
        " column_stats_read(column_stats_state(i) FILTER (i % 10 = 3)) FROM range(10000) r(i)"
    ).fetchone()
    assert (filtered[0]["value_count"], filtered[0]["min_value"], filtered[0]["max_value"]) == (1000, "3", "9993")
    assert state == filtered
    assert (distinct[0]["value_count"], distinct[0]["max_value"]) == (7, "6")


# DuckDB before 2.0 hands a C aggregate one pointer where it says that there are many, when the frame is the whole
# partition or ORDER BY stands inside: it crashes with every such aggregate.
MANY_POINTERS = pytest.mark.host_minimum("2.0.0")


@pytest.mark.parametrize(
    "frame",
    [
        "ORDER BY i ROWS BETWEEN 40 PRECEDING AND 2 FOLLOWING",
        "ORDER BY i ROWS BETWEEN 3000 PRECEDING AND 1 PRECEDING",
        "ORDER BY i RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
        "PARTITION BY i % 7 ORDER BY i DESC ROWS BETWEEN 9 PRECEDING AND 9 FOLLOWING EXCLUDE CURRENT ROW",
        pytest.param("", marks=MANY_POINTERS),
        pytest.param("PARTITION BY i % 7", marks=MANY_POINTERS),
        pytest.param("PARTITION BY i % 1500", marks=MANY_POINTERS),
    ],
)
def test_windows(connection, frame):
    """Frames are made of parts that are combined again and again: combining must not consume them."""
    mistaken = one(
        connection,
        f"""SELECT count(*) FROM (
              SELECT column_stats(x) OVER w AS s, column_stats_read(column_stats_state(x) OVER w) AS r,
                     min(x) OVER w AS low, max(x) OVER w AS high, count(x) OVER w AS present
              FROM (SELECT i, CASE WHEN i % 11 > 0 THEN hash(i) % 1000 END AS x FROM range(5000) t(i))
              WINDOW w AS ({frame}))
            WHERE s IS DISTINCT FROM r OR s[1].min_value IS DISTINCT FROM low::VARCHAR
               OR s[1].max_value IS DISTINCT FROM high::VARCHAR OR coalesce(s[1].value_count, 0) <> present""",
    )
    assert mistaken == 0


@MANY_POINTERS
def test_order_by_inside(connection):
    ordered = "SELECT column_stats(i ORDER BY hash(i)), column_stats(i) FROM range(10000) r(i)"
    left, right = connection.execute(ordered).fetchone()
    assert left == right


def test_other_places_of_an_aggregate(connection):
    grouping_sets = connection.execute(
        "SELECT g, column_stats(i)[1].value_count FROM (SELECT i % 2 AS g, i FROM range(10) r(i))"
        " GROUP BY ROLLUP (g) ORDER BY g NULLS LAST"
    ).fetchall()
    assert grouping_sets == [(0, 5), (1, 5), (None, 10)]
    assert one(connection, "SELECT list_aggregate([3, NULL, 1], 'column_stats')")[0]["min_value"] == "1"
    pivoted = connection.execute("PIVOT (SELECT i % 3 AS g, i FROM range(9) r(i)) ON g USING column_stats(i)").fetchone()
    assert [leaves[0]["min_value"] for leaves in pivoted] == ["0", "1", "2"]


def test_all_columns_at_once(connection):
    rows = connection.execute(
        "SELECT unnest(column_stats(COLUMNS(*))[1], recursive := true) FROM (SELECT 'a' AS s)"
    ).fetchall()
    assert rows == [("", "VARCHAR", 1, 0, "a", "a", None, None)]


def test_several_threads_share_nothing(connect):
    """The same states merged by several sessions of one database at once."""
    connection = connect()
    connection.execute("CREATE TABLE s AS SELECT column_stats_state(i) AS s FROM range(200000) r(i) GROUP BY i % 5000")
    expected = one(connection, "SELECT column_stats_read(column_stats_merge(s)) FROM s")
    results = []

    def merge():
        results.append(one(connection.cursor(), "SELECT column_stats_read(column_stats_merge(s)) FROM s"))

    threads = [threading.Thread(target=merge) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert results == [expected] * 8


def golden_states():
    return json.loads((GOLDEN / "index.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("golden", golden_states(), ids=lambda golden: golden["name"])
def test_golden_states(connection, golden):
    """States written long ago read as ever, merge with themselves, and are written again byte by byte."""
    if "bit" in str(golden) and duckdb.__version__ >= "2":
        pytest.skip("DuckDB 2.0 orders BIT in another way: there it is counted without ends")
    state = (GOLDEN / f"{golden['name']}.state").read_bytes()
    assert one(connection, "SELECT column_stats_read(?::BLOB)", [state]) == golden["leaves"]
    twice = one(connection, "SELECT column_stats_read(column_stats_merge(s)) FROM (SELECT unnest([?, ?]::BLOB[]) AS s)", [state, state])
    doubled = [{**leaf, **{name: 2 * leaf[name] for name in ("value_count", "null_count")}} for leaf in golden["leaves"]]
    assert twice == doubled
    if HOST_VERSION >= version_tuple(golden["host_minimum"]):
        assert one(connection, f"SELECT column_stats_state(x) FROM ({golden['query']})") == state


def test_distinct_values_of_a_state(connection):
    """By leaf, from Hive's bit vector of precision 14; a type without one has none."""
    connection.execute("CREATE TABLE t AS SELECT i % 1000 AS i, {'a': i % 10, 'b': [to_days(i::INTEGER)]} AS s, i AS part "
                       "FROM range(5000) t(i)")  # fmt: skip
    (found,) = connection.execute(
        "SELECT column_stats_distincts(column_stats_merge(x)) FROM (SELECT column_stats_state(s) AS x FROM t GROUP BY part % 7)"
    ).fetchone()
    assert [(leaf["path"], leaf["num_distincts"], leaf["bit_vector"] is None) for leaf in found] == [
        ("a", 10, False), ("b.element", None, True)]  # fmt: skip
    estimate, exact = connection.execute(
        "SELECT column_stats_distincts(column_stats_state(i))[1].bit_vector, hive_bit_vector(i, 14) FROM t"
    ).fetchone()
    assert estimate == exact
    assert one(connection, "SELECT column_stats_distincts(column_stats_state(i)) FROM t WHERE false") == []
    assert one(connection, "SELECT column_stats_distincts(NULL)") is None
    with pytest.raises(duckdb.Error, match="column_stats_distincts: .*state"):
        connection.execute("SELECT column_stats_distincts('x'::BLOB)").fetchall()
