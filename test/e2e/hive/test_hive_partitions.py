"""Hive's column statistics of partitions, and how rows merge into those of the table."""

import math

import duckdb
import pytest
from file_rows import rows_of, sql_literal
from hive_rows import STATISTICS, file_rows


@pytest.fixture
def partitioned(connection, tmp_path):
    """Partitions of p (one is NULL) and q (one has escapes), with p in one of the files too."""
    root = tmp_path / "t"
    for number, directory in enumerate(["p=1/q=a%2Fb", "p=2/q=x y", "p=__HIVE_DEFAULT_PARTITION__/q=c"]):
        (root / directory).mkdir(parents=True)
        for part in range(2):
            start = number * 1000 + part * 100
            own = ", 7 AS p" if number == 1 else ""
            connection.execute(
                f"COPY (SELECT i AS v, CASE WHEN i % 4 > 0 THEN 'n' || i END AS s, i / 8 AS d, i::DECIMAL(9,2) AS c,"
                f" i % 3 = 0 AS b, DATE '2020-01-01' + (i % 50)::INTEGER AS day{own}"
                f" FROM range({start}, {start + 200}) t(i)) TO '{root}/{directory}/f{part}.parquet'"
            )
    (root / "p=3/q=empty").mkdir(parents=True)
    connection.execute(f"COPY (SELECT 1 AS v, 's' AS s LIMIT 0) TO '{root}/p=3/q=empty/f.parquet'")
    return root


def test_partitions(connection, partitioned):
    rows = file_rows(connection, partitioned / "**" / "*.parquet")
    names = {row["partition_name"] for row in rows}
    assert names == {"p=1/q=a%2Fb", "p=2/q=x y", "p=__HIVE_DEFAULT_PARTITION__/q=c", "p=3/q=empty"}
    assert len(rows) == 4 * 6 and {row["column_name"] for row in rows} == {"v", "s", "d", "c", "b", "day"}
    by_key = {(row["partition_name"], row["column_name"]): row for row in rows}
    first = by_key["p=1/q=a%2Fb", "v"]
    assert (first["long_low_value"], first["long_high_value"], first["value_count"]) == (0, 299, 400)
    empty = by_key["p=3/q=empty", "v"]
    assert (empty["num_nulls"], empty["num_distincts"], empty["bit_vector"]) == (0, 0, None)
    assert empty["file_name"].endswith("p=3/q=empty/f.parquet") and first["file_name"] is None
    assert len(file_rows(connection, partitioned / "**" / "*.parquet", partitions=False)) == 7
    with pytest.raises(duckdb.Error, match="partition column"):
        file_rows(connection, partitioned / "**" / "*.parquet", columns=["p"])


def test_partitions_can_be_demanded(connection, tmp_path):
    connection.execute(f"COPY (SELECT 1 AS v) TO '{tmp_path}/f.parquet'")
    with pytest.raises(duckdb.Error, match="no partition directory"):
        file_rows(connection, tmp_path / "f.parquet", partitions=True)
    with pytest.raises(duckdb.Error, match="'auto', true or false"):
        file_rows(connection, tmp_path / "f.parquet", partitions="yes")


def test_merged_partitions_are_one_pass(connection, partitioned):
    files = sql_literal(str(partitioned / "**" / "*.parquet"))
    merged = rows_of(
        connection,
        f"SELECT s.column_name, unnest(hive_column_stats_merge(s)) FROM hive_column_stats({files}) AS s GROUP BY 1",
    )
    merged = {row["column_name"]: row for row in merged}
    whole = {row["column_name"]: row for row in file_rows(connection, partitioned / "**" / "*.parquet", partitions=False)}
    names = [name.strip() for name in STATISTICS.split(",")]
    for column in merged:
        got = {name: merged[column][name] for name in names}
        want = {name: whole[column][name] for name in names}
        if want["avg_col_len"] is not None:
            assert math.isclose(got.pop("avg_col_len"), want.pop("avg_col_len"))
        assert got == want, column
        assert merged[column]["partition_name"] is None


def test_merge_of_averages(connection):
    rows = "(VALUES ('string', 1.0, 10, 0), ('string', 4.0, 15, 5)) r(column_type, avg_col_len, value_count, num_nulls)"
    merge = "SELECT (hive_column_stats_merge(r{})).avg_col_len FROM {}"
    rows = f"(SELECT column_type, avg_col_len::DOUBLE AS avg_col_len, value_count, num_nulls FROM {rows})"
    assert connection.execute(merge.format("", rows + " AS r")).fetchone() == (3.0,)
    assert connection.execute(merge.format(", 'hive'", rows + " AS r")).fetchone() == (4.0,)
    impala = ", {'null_length': 'impala'}"
    assert connection.execute(merge.format(impala, rows + " AS r")).fetchone() == (2.8,)
    with pytest.raises(duckdb.Error, match="must be a row"):
        connection.execute("SELECT hive_column_stats_merge(1)")


def test_rows_of_different_columns_do_not_merge(connection):
    rows = "FROM hive_query_column_stats('SELECT 1 AS a, 2 AS b') AS s"
    with pytest.raises(duckdb.Error, match="columns 'a' and 'b' do not merge; GROUP BY column_name"):
        connection.execute(f"SELECT hive_column_stats_merge(s) {rows}").fetchall()
    merged = connection.execute(f"SELECT column_name, hive_column_stats_merge(s).long_low_value {rows} GROUP BY ALL ORDER BY ALL")
    assert merged.fetchall() == [("a", 1), ("b", 2)]
    with pytest.raises(duckdb.Error, match="hive_column_stats_merge: the argument must be a row"):
        connection.execute("SELECT hive_column_stats_merge({'a': 1})").fetchall()
