"""Columns as DESCRIBE FORMATTED of Hive shows them, with quantiles of histograms and frequent values."""

import pytest
from hive_rows import query_rows


def test_description(connection, tmp_path):
    connection.execute("CREATE TABLE t AS SELECT i AS a, 's' || i AS s, make_timestamp(i * 500000) AS m FROM range(10) r(i)")
    rows = connection.execute("FROM describe_column_stats('t', 'a')").fetchall()
    assert rows == [
        ("col_name", "a"), ("data_type", "bigint"), ("min", "0"), ("max", "9"), ("num_nulls", "0"),
        ("distinct_count", "10"), ("avg_col_len", ""), ("max_col_len", ""), ("num_trues", ""), ("num_falses", ""),
        ("bit_vector", "HL"), ("comment", ""),
        ("COLUMN_STATS_ACCURATE", '{\\"BASIC_STATS\\":\\"true\\",\\"COLUMN_STATS\\":{\\"a\\":\\"true\\"}}'),
    ]  # fmt: skip
    rows = dict(connection.execute("FROM describe_column_stats('t', 's')").fetchall())
    assert (rows["min"], rows["max"], rows["avg_col_len"], rows["max_col_len"]) == ("", "", "2.0", "2")
    rows = dict(connection.execute("FROM describe_column_stats('t', 'm')").fetchall())
    assert (rows["min"], rows["max"]) == ("1970-01-01 00:00:00", "1970-01-01 00:00:04")
    connection.execute(f"COPY t TO '{tmp_path}/t.parquet'")
    call = f"FROM describe_file_column_stats('{tmp_path}/t.parquet', 'a', histogram := true)"
    rows = dict(connection.execute(call).fetchall())
    assert rows["histogram"] == "Q1: 2, Q2: 5, Q3: 7"


def test_description_as_in_hive(connection):
    """The table and the output of Hive's own test stats_histogram.q."""
    day = "TIMESTAMP '2020-11-0{}'"
    days = [2] * 8 + [3, 4, 5, 6, 7]
    connection.execute("CREATE TABLE h (b INTEGER, c DOUBLE, d FLOAT, f TIMESTAMP, g DATE)")
    c = [1.1, 2.1, 2.1, 3.1, 3.1, 4.1, 5.1, 6.1, 6.1, None, None, None, 9.1, 100.1, 101.1]
    d = [12.2, None, None, 13.2, 14.2, None, 15.2, 16.2, 17.2, 20.2, 50.2, 55.2, 57.2, 1000.2, 2000.2]
    for row in range(15):
        moment = day.format(days[row]) if row < 13 else None
        values = ", ".join("NULL" if x is None else str(x) for x in (days[row] if row < 13 else None, c[row], d[row]))
        moments = f"{moment}, {moment}::DATE" if moment else "NULL, NULL"
        connection.execute(f"INSERT INTO h VALUES ({values}, {moments})")
    expected = {
        "b": ("2", "7", "2", "6", "Q1: 2, Q2: 2, Q3: 4"),
        "c": ("1.1", "101.1", "3", "9", "Q1: 3.1, Q2: 5.1, Q3: 9.1"),
        "d": ("12.199999809265137", "2000.199951171875", "3", "12", "Q1: 15.2, Q2: 20.2, Q3: 57.2"),
        "f": (
            "2020-11-02 00:00:00", "2020-11-07 00:00:00", "2", "6",
            "Q1: 2020-11-02 00:00:00, Q2: 2020-11-02 00:00:00, Q3: 2020-11-04 00:00:00",
        ),
        "g": ("2020-11-02", "2020-11-07", "2", "6", "Q1: 2020-11-02, Q2: 2020-11-02, Q3: 2020-11-04"),
    }  # fmt: skip
    for column, values in expected.items():
        rows = dict(connection.execute(f"FROM describe_column_stats('h', '{column}', histogram := true)").fetchall())
        assert tuple(rows[n] for n in ("min", "max", "num_nulls", "distinct_count", "histogram")) == values


def test_histogram_is_read_by_apache_datasketches(connection):
    datasketches = pytest.importorskip("datasketches")
    query = "SELECT i AS n, DATE '1970-01-01' + (i % 1000)::INTEGER AS d, 'x' AS s FROM range(100000) t(i)"
    rows = query_rows(connection, query, histogram=True)
    assert rows["s"]["histogram"] is None
    sketch = datasketches.kll_floats_sketch.deserialize(rows["n"]["histogram"])
    assert (sketch.n, sketch.k, sketch.get_min_value(), sketch.get_max_value()) == (100_000, 200, 0.0, 99_999.0)
    for rank in (0.01, 0.25, 0.5, 0.75, 0.99):
        assert abs(sketch.get_quantile(rank) - rank * 100_000) < 2_700
        ours = connection.execute("SELECT hive_histogram_quantile(?::BLOB, ?)", [rows["n"]["histogram"], rank]).fetchone()
        assert abs(ours[0] - rank * 100_000) < 2_700
    sketch = datasketches.kll_floats_sketch.deserialize(rows["d"]["histogram"])
    assert sketch.get_max_value() == 999 * 86_400
    # The other way round: a sketch of Apache's is read here.
    theirs = datasketches.kll_floats_sketch(200)
    for value in range(1000):
        theirs.update(value)
    median = connection.execute("SELECT hive_histogram_quantile(?::BLOB, 0.5)", [theirs.serialize()]).fetchone()[0]
    assert abs(median - 500) < 40


def test_frequent_values_have_true_bounds(connection):
    connection.execute("SELECT setseed(0.5)")
    connection.execute("CREATE TABLE z AS SELECT (1 / (random() + 1e-5))::INTEGER AS v FROM range(300000)")
    truth = dict(connection.execute("SELECT v::VARCHAR, count(*) FROM z GROUP BY 1").fetchall())
    found = connection.execute("SELECT unnest(frequent_items(v, 10), recursive := true) FROM z").fetchall()
    assert len(found) == 10
    for value, count, error in found:
        assert count - error <= truth[value] <= count
    assert [value for value, _, _ in found[:3]] == sorted(truth, key=truth.get, reverse=True)[:3]
    row = query_rows(connection, "SELECT * FROM z", top_k=3)["v"]
    assert len(row["top_k"]) == 3
    exact = connection.execute("SELECT frequent_items(x, 2) FROM (SELECT unnest(['a', 'b', 'a', NULL]) AS x)").fetchone()[0]
    assert exact == [{"value": "a", "count": 2, "error": 0}, {"value": "b", "count": 1, "error": 0}]
