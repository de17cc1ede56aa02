"""Public reports of wrong statistics in other software, each tried here as its smallest input. A test cites its report."""

import struct

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_rows import bounds, column_rows, counts, rows_of, sql_literal
from lakes import lake_in
from parquet_footer import edit


def audit(connection, path, statistic=None):
    rows = rows_of(connection, f"FROM parquet_stats_audit({sql_literal(path)})")
    return [row for row in rows if statistic in (None, row["statistic"])]


def copied(connection, folder, query, **options):
    path = folder / "file.parquet"
    options = "".join(f", {name} {value}" for name, value in options.items())
    connection.execute(f"COPY ({query}) TO {sql_literal(path)} (FORMAT parquet{options})")
    return path


def test_enums_in_parquet(connection, tmp_path):
    """duckdb/duckdb 22548, 22676: the writer takes all members of the type for the values."""
    connection.execute("CREATE TYPE mood AS ENUM ('joy', 'ok', 'happy')")
    path = copied(connection, tmp_path, "SELECT 'joy'::mood AS m FROM range(10)")
    row = column_rows(connection, str(path))["m"]
    assert (*counts(row), *bounds(row)) == (10, 0, "joy", "joy")


def test_a_file_without_statistics(connection, tmp_path):
    """duckdb/duckdb 21477: MIN and MAX over such a file end the database on some hosts."""
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"i": [3, 1, 2], "s": ["b", None, "a"]}), path, write_statistics=False)
    rows = column_rows(connection, str(path))
    assert [(*counts(row), *bounds(row)) for row in rows.values()] == [(3, 0, "1", "3"), (2, 1, "a", "b")]
    assert audit(connection, path) == []


def test_lists_behind_a_filter(connection):
    """duckdb/duckdb 3298: MIN of lists looked at rows that a filter had taken out."""
    connection.execute("CREATE TABLE lists AS SELECT [i, i + 10] AS l FROM range(6) t(i)")
    rows = rows_of(connection, "SELECT unnest(column_stats(l), recursive := true) FROM lists WHERE l[1] > 2")
    assert [(row["min_value"], row["max_value"], row["value_count"]) for row in rows] == [("3", "15", 6)]
    rows = rows_of(connection, "SELECT unnest(column_stats(l) FILTER (l[1] < 2), recursive := true) FROM lists")
    assert [(row["min_value"], row["max_value"], row["value_count"]) for row in rows] == [("0", "11", 4)]


def test_nulls_of_an_outer_join(connection):
    """duckdb/duckdb 20371: columns of NOT NULL that an outer join fills with NULL."""
    connection.execute("CREATE TABLE a(i INTEGER NOT NULL); INSERT INTO a VALUES (1), (2), (3)")
    connection.execute("CREATE TABLE b(i INTEGER NOT NULL, s STRUCT(x INTEGER) NOT NULL); INSERT INTO b VALUES (2, {'x': 7})")
    rows = rows_of(connection, "FROM query_column_stats('SELECT b.* FROM a LEFT JOIN b USING (i)')")
    assert [(*counts(row), *bounds(row)) for row in rows] == [(1, 2, "2", "2"), (1, 2, "7", "7")]


def test_uuids_behind_filters_over_row_groups(connection):
    """duckdb/duckdb 23294: filters that no row group satisfies together."""
    connection.execute(
        "CREATE TABLE t AS SELECT printf('%08x-0000-4000-8000-000000000000', i * 16)::UUID AS u, i // 122880 AS g FROM range(300000) r(i)"
    )
    query = "SELECT u FROM t WHERE u < ''00000030-0000-0000-0000-000000000000'' AND g = 2"
    (row,) = rows_of(connection, f"FROM query_column_stats('{query}')")
    assert (*counts(row), *bounds(row)) == (0, 0, None, None)


def test_signed_and_unsigned_under_one_name(connection, tmp_path):
    """ClickHouse/ClickHouse 118376: the bounds of one were taken for those of the other."""
    files = []
    for number, (kind, values) in enumerate(((pa.int32(), [-1, 5]), (pa.uint32(), [4294967295, 7]))):
        files.append(str(tmp_path / f"{number}.parquet"))
        pq.write_table(pa.table({"i": pa.array(values, kind)}), files[-1])
    for options in ("", ", union_by_name := true"):
        rows = rows_of(connection, f"FROM file_column_stats({sql_literal(files)}{options})")
        assert [bounds(row) for row in rows] == [("-1", "5"), ("7", "4294967295")]


def test_unsigned_bounds_in_signed_order(connection, tmp_path):
    """pola-rs/polars 15323: minimum above maximum for UInt64."""
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"u": pa.array([0, 1 << 63], pa.uint64())}), path)
    low, high = struct.pack("<Q", 1 << 63), struct.pack("<Q", 0)
    edit(path, 0, 0, min_value=low, max_value=high, min=low, max=high)
    assert {row["statistic"] for row in audit(connection, path)} >= {"min", "max"}
    assert bounds(column_rows(connection, str(path))["u"]) == ("0", str(1 << 63))


def test_bad_bounds_of_strings(connection, tmp_path):
    """apache/datafusion 1433: = found nothing, LIKE did."""
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"direction": ["Two Way", "One Way"] * 50}), path)
    edit(path, 0, 0, max_value=b"Two", max=b"Two")
    (row,) = audit(connection, path, "max")
    assert (row["footer_value"], row["true_value"], row["first_offending_row"]) == ("Two", "Two Way", 0)


def test_deprecated_bounds_compared_as_bytes(connection, tmp_path):
    """hardwood-hq/hardwood 205: old writers compared signed numbers as unsigned bytes."""
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"i": pa.array([-10, 5], pa.int32())}), path)
    low, high = struct.pack("<i", 5), struct.pack("<i", -10)
    edit(path, 0, 0, min_value=None, max_value=None, min=low, max=high)
    assert {row["statistic"] for row in audit(connection, path)} == {"deprecated_min", "deprecated_max"}


def test_zeros_of_both_signs(connection, tmp_path):
    """apache/parquet-format 348: a minimum of 0.0 stands for -0.0, too."""
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"d": [-0.0, 0.0]}), path)
    for low, high in ((0.0, -0.0), (-0.0, 0.0), (0.0, 0.0)):
        edit(path, 0, 0, min_value=struct.pack("<d", low), max_value=struct.pack("<d", high))
        assert audit(connection, path) == []
    assert bounds(column_rows(connection, str(path))["d"]) == ("-0.0", "0.0")


@pytest.mark.parametrize("values", [[float("nan"), 1.0, 2.0], [float("nan")], [float("nan"), None]])
def test_nan_beside_bounds(connection, tmp_path, values):
    """NVIDIA/cudf 22817, apache/arrow-rs 264: bounds leave NaN out, and a reader must be told so."""
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"d": values}), path)
    row = column_rows(connection, str(path))["d"]
    numbers = [value for value in values if value is not None and value == value]
    expected = (str(min(numbers)), str(max(numbers))) if numbers else (None, None)
    assert bounds(row) == expected and row["contains_nan"] is True
    assert row["value_count"] == sum(value is not None for value in values)


def test_a_row_group_without_bounds(connection, tmp_path):
    """apache/datafusion 25226, trinodb/trino 19052: bounds of the other row groups were taken for those of the file."""
    path = copied(connection, tmp_path, "SELECT CASE WHEN i < 2048 THEN 'm' ELSE repeat('é', 300) END AS s FROM range(4096) t(i)", ROW_GROUP_SIZE=2048)
    edit(path, 1, 0, min_value=None, max_value=None, min=None, max=None)
    low, high = bounds(column_rows(connection, str(path))["s"])
    assert low == "m" and high.encode() > ("é" * 100).encode()
    assert audit(connection, path) == []


def test_row_groups_of_nulls_alone(connection, tmp_path):
    """apache/spark 57030, databendlabs/databend 16756: a part without a value adds nothing, and says so."""
    path = copied(connection, tmp_path, "SELECT CASE WHEN i >= 2048 THEN i END AS i, NULL::DATE AS d FROM range(4096) t(i)", ROW_GROUP_SIZE=2048)
    rows = column_rows(connection, str(path))
    assert (*counts(rows["i"]), *bounds(rows["i"])) == (2048, 2048, "2048", "4095")
    assert (*counts(rows["d"]), *bounds(rows["d"])) == (0, 4096, None, None)
    assert audit(connection, path) == []


def test_a_count_of_nulls_that_is_not_there(connection, tmp_path):
    """apache/parquet-java 3640: absent is not zero."""
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"i": [1, None]}), path)
    edit(path, 0, 0, null_count=None)
    assert counts(column_rows(connection, str(path))["i"]) == (1, 1) and audit(connection, path) == []
    edit(path, 0, 0, null_count=0)
    (row,) = audit(connection, path)
    assert (row["statistic"], row["footer_value"], row["true_value"]) == ("null_count", "0", "1")


def test_partitions_say_what_the_whole_table_says(connection, tmp_path):
    """prestodb/presto 22202: counts of NULL in a partitioned table differed from those of the same rows in one piece."""
    connection.execute("CREATE TABLE t AS SELECT i % 3 AS k, CASE WHEN i % 7 <> 0 THEN i END AS v, 'x' || i AS s FROM range(1000) r(i)")
    connection.execute(f"COPY t TO {sql_literal(tmp_path / 'p')} (FORMAT parquet, PARTITION_BY (k))")
    files = sql_literal(str(tmp_path / "p" / "*" / "*.parquet"))
    columns = "m.num_nulls, m.num_distincts, m.low_value, m.high_value, m.max_col_len"
    merged = f"SELECT column_name, {columns} FROM (SELECT column_name, hive_column_stats_merge(s) AS m FROM hive_column_stats({files}) AS s GROUP BY 1) ORDER BY 1"
    whole = f"SELECT column_name, {columns.replace('m.', '')} FROM hive_query_column_stats('SELECT v, s FROM t') ORDER BY 1"
    assert connection.execute(merged).fetchall() == connection.execute(whole).fetchall()


def test_nulls_of_a_partition_column(connection, tmp_path):
    """apache/hive 6410: the NULLs of a partition column were never counted."""
    connection.execute(f"COPY (SELECT 1 AS i, NULL::INTEGER AS k) TO {sql_literal(tmp_path / 'p')} (FORMAT parquet, PARTITION_BY (k))")
    rows = column_rows(connection, next(str(path) for path in (tmp_path / "p").glob("*/*.parquet")))
    assert (*counts(rows["k"]), *bounds(rows["k"])) == (0, 1, None, None)


def test_the_same_statistics_twice(connection):
    """apache/doris 14279: a second ANALYZE added to the first."""
    connection.execute("CREATE TABLE t AS SELECT i FROM range(1000) r(i)")
    statement = "SELECT * EXCLUDE (last_analyzed) FROM hive_table_column_stats('t')"
    assert connection.execute(statement).fetchall() == connection.execute(statement).fetchall()


def test_an_empty_table(connection):
    """apache/spark 18292: statistics of no rows are zeros, and not absent."""
    connection.execute("CREATE TABLE t(i INTEGER, s VARCHAR)")
    rows = rows_of(connection, "FROM table_column_stats('t')")
    assert [(row["column_name"], *counts(row), *bounds(row)) for row in rows] == [("i", 0, 0, None, None), ("s", 0, 0, None, None)]
    rows = rows_of(connection, "FROM hive_table_column_stats('t')")
    assert [(row["num_nulls"], row["num_distincts"]) for row in rows] == [(0, 0), (0, 0)]


def test_huge_numbers_in_many_parts(connection):
    """duckdb/duckdb 24081: what is right for each part overflowed when the parts were put together."""
    connection.execute("SET threads = 4")
    statement = (
        "SELECT unnest(column_stats(CASE WHEN i % 2 = 0 THEN '-170141183460469231731687303715884105728'::HUGEINT"
        " ELSE 170141183460469231731687303715884105727::HUGEINT END), recursive := true) FROM range(500000) t(i)"
    )
    (row,) = rows_of(connection, statement)
    assert bounds(row) == ("-170141183460469231731687303715884105728", "170141183460469231731687303715884105727")


@pytest.fixture
def lake(connection, load_packaged, tmp_path):
    load_packaged(connection, "ducklake")
    lake = lake_in(connection, tmp_path)
    lake.set_option("data_inlining_row_limit", "0")
    return lake


def test_columns_of_two_tables_with_one_id(lake):
    """duckdb/ducklake 867: bounds that are NULL were taken from the table beside."""
    lake.execute("CREATE TABLE lake.first AS SELECT unnest([1, 2]) AS id, unnest(['1.5', '3.2']) AS field")
    lake.execute("CREATE TABLE lake.second AS SELECT 1 AS id, 'curve' AS field")
    second = f"(SELECT table_id FROM {lake.metadata}.ducklake_table WHERE table_name = 'second')"
    for table in ("ducklake_file_column_stats", "ducklake_table_column_stats"):
        lake.execute(f"UPDATE {lake.metadata}.{table} SET min_value = NULL, max_value = NULL WHERE table_id = {second} AND column_id = 2")
    assert {(row["table_name"], row["column_name"], row["severity"]) for row in lake.audit()} == {("second", "field", "missing")}
    lake.repair()
    assert lake.value("SELECT count(*) FROM lake.second WHERE field = 'curve'") == 1 and lake.audit() == []


def test_decimals_of_many_digits_over_row_groups(lake):
    """duckdb/duckdb 23504: the bounds of a file fell to those of its most frequent value."""
    lake.execute(
        "CREATE TABLE lake.t AS SELECT CASE WHEN i < 299990 THEN 5::DECIMAL(38,10) ELSE (i - 299995)::DECIMAL(38,10) END AS d"
        " FROM range(300000) r(i)"
    )
    lake.repair()
    query = "SELECT count(*) FROM lake.t WHERE d = -5"
    assert lake.value(query) == 1 and lake.findings("wrong", "missing") == set()
    assert [(row["min_value"], row["max_value"]) for row in lake.rows("ducklake_column_stats")] == [("-5.0000000000", "5.0000000000")]


def test_a_filter_of_many_kinds_is_an_error_for_no_host(connection, tmp_path):
    """duckdb/duckdb 23903: ORDER BY with LIMIT over a part of a struct may end the database; our own statements have neither
    over the rows of a file."""
    query = "SELECT struct_pack(b := if(i = 0, 'error', 'complete'), ended_at := i) AS sync_run FROM range(130000) r(i)"
    path = copied(connection, tmp_path, query)
    rows = column_rows(connection, str(path))
    assert bounds(rows["sync_run.b"]) == ("complete", "error") and bounds(rows["sync_run.ended_at"]) == ("0", "129999")
    assert audit(connection, path) == [] and connection.execute("SELECT 42").fetchone() == (42,)
    with pytest.raises(duckdb.Error, match="no query"):
        connection.execute("FROM query_column_stats('DELETE FROM t')")
