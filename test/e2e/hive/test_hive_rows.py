"""Hive's column statistics of queries, tables and files: a row per column, with Hive's meanings for each type."""

import json

import duckdb
import pytest
from file_rows import rows_of, sql_literal
from hive_rows import STATISTICS, file_rows, query_rows


def test_enumerations_are_bounded_by_their_texts(connection):
    """Their order in Hive is that of the texts, not the declared one; members that do not occur do not count."""
    connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok', 'a', 'happy')")
    query = "SELECT unnest(['ok', 'sad', NULL, 'happy', 'ok'])::mood AS m"
    row = query_rows(connection, query)["m"]
    assert (row["low_value"], row["high_value"], row["num_distincts"]) == ("happy", "sad", 3)
    assert (row["max_col_len"], row["avg_col_len"], row["num_nulls"]) == (5, 2.4, 1)
    merged = connection.execute(
        "SELECT hive_column_stats_merge(s) FROM (FROM hive_query_column_stats('SELECT ''ok''::mood AS m')"
        " UNION ALL FROM hive_query_column_stats('SELECT ''a''::mood AS m')) AS s"
    ).fetchall()[0][0]
    assert (merged["low_value"], merged["high_value"], merged["num_distincts"]) == ("a", "ok", 2)
    assert query_rows(connection, "SELECT NULL::mood AS m")["m"]["low_value"] is None


def test_row_of_every_type(connection):
    rows = query_rows(
        connection,
        """SELECT i::TINYINT AS tiny, (i * 1000)::UBIGINT AS unsigned, (i / 4)::FLOAT AS real, i::DECIMAL(9,2) AS price,
        'n' || i AS name, ('\\x0' || i)::BLOB AS bytes, i > 1 AS flag, DATE '1969-12-31' + i::INTEGER AS day,
        TIMESTAMP '1969-12-31 23:59:59.5' + INTERVAL (i) SECOND AS moment, i::HUGEINT AS huge,
        TIMESTAMPTZ '1970-01-01 00:00:00+00' AS zoned, TIME '00:00:01' AS clock, {'a': i} AS nested
        FROM range(4) AS t(i)""",
    )
    assert "nested" not in rows
    expected = {
        "tiny": ("tinyint", 0, 3), "day": ("date", -1, 2), "moment": ("timestamp", -1, 2),
        "zoned": ("timestamp with local time zone", 0, 0), "clock": ("bigint", 1_000_000, 1_000_000),
    }  # fmt: skip
    for name, values in expected.items():
        row = rows[name]
        assert (row["column_type"], row["long_low_value"], row["long_high_value"]) == values
    assert (rows["real"]["double_low_value"], rows["real"]["double_high_value"]) == (0.0, 0.75)
    assert rows["price"]["column_type"] == "decimal(9,2)"
    assert rows["price"]["big_decimal_high_value"] == "3"
    assert rows["price"]["high_value"] == "3.00"
    assert rows["unsigned"]["column_type"] == "decimal(20,0)"
    assert rows["unsigned"]["big_decimal_high_value"] == "3000"
    assert rows["huge"]["column_type"] == "decimal(38,0)"
    name = rows["name"]
    assert (name["avg_col_len"], name["max_col_len"], name["num_distincts"]) == (2.0, 2, 4)
    assert (name["low_value"], name["high_value"], name["long_low_value"]) == ("n0", "n3", None)
    blob = rows["bytes"]
    assert (blob["max_col_len"], blob["num_distincts"], blob["bit_vector"], blob["low_value"]) == (1, None, None, None)
    flag = rows["flag"]
    assert (flag["num_trues"], flag["num_falses"], flag["num_distincts"], flag["bit_vector"]) == (2, 2, None, None)
    for row in rows.values():
        assert (row["num_nulls"], row["value_count"]) == (0, 4)
        assert row["cat_name"] == "hive" and row["db_name"] == "default" and row["engine"] == "hive"
        parsed = json.loads(row["statistics_obj"])
        assert (parsed["colName"], parsed["colType"]) == (row["column_name"], row["column_type"])
        (data,) = parsed["statsData"].values()
        assert data["numNulls"] == 0
        assert ("bitVectors" in data) == (row["bit_vector"] is not None)


def test_all_null_and_no_rows(connection):
    query = "SELECT NULL::INTEGER AS i, NULL::VARCHAR AS s, NULL::BOOLEAN AS b FROM range({})"
    rows = query_rows(connection, query.format(3))
    assert (rows["i"]["num_nulls"], rows["i"]["num_distincts"], rows["i"]["value_count"]) == (3, 1, 0)
    assert rows["i"]["bit_vector"] == bytes.fromhex("484C4CA00100")
    assert rows["i"]["long_low_value"] is None
    assert (rows["s"]["avg_col_len"], rows["s"]["max_col_len"]) == (0.0, 0)
    assert (rows["b"]["num_trues"], rows["b"]["num_falses"], rows["b"]["num_distincts"]) == (0, 0, None)
    rows = query_rows(connection, query.format(0))
    assert (rows["i"]["num_nulls"], rows["i"]["num_distincts"], rows["i"]["bit_vector"]) == (0, 0, None)
    assert (rows["s"]["avg_col_len"], rows["s"]["max_col_len"], rows["s"]["value_count"]) == (0.0, 0, 0)
    assert rows["i"]["column_type"] == "int"


def test_lengths_are_characters_and_null_counts_as_hive_or_impala_says(connection):
    query = "SELECT unnest(['é', '三星手机', NULL, NULL]) AS s"
    assert query_rows(connection, query)["s"]["avg_col_len"] == 5 / 4
    assert query_rows(connection, query)["s"]["max_col_len"] == 4
    assert query_rows(connection, query, null_length="impala")["s"]["avg_col_len"] == 5 / 2


def test_nan_and_infinity(connection):
    query = "SELECT unnest(['1.5', 'nan', 'inf', '-2.0']::DOUBLE[]) AS d, unnest(['nan', 'nan', NULL, NULL]::FLOAT[]) AS f"
    rows = query_rows(connection, query)
    assert (rows["d"]["double_low_value"], rows["d"]["double_high_value"]) == (-2.0, 1.5)
    assert rows["d"]["num_distincts"] == 4
    assert "NaN" in rows["d"]["notes"] and "Hive" in rows["d"]["notes"]
    assert (rows["f"]["double_low_value"], rows["f"]["double_high_value"], rows["f"]["num_distincts"]) == (None, None, 1)


def test_table_and_twins_agree(connection):
    connection.execute('CREATE TABLE "Orders" AS SELECT i AS id, \'x\' || i AS "na.me" FROM range(500) AS t(i)')
    by_name = rows_of(connection, f"SELECT {STATISTICS}, table_name FROM hive_table_column_stats('\"Orders\"')")
    assert [row["table_name"] for row in by_name] == ["Orders", "Orders"]
    twin = rows_of(
        connection, f"SELECT {STATISTICS}, table_name FROM query(hive_table_column_stats_sql('\"Orders\"'))"
    ) if duckdb.__version__ >= "1.4" else by_name
    assert twin == by_name
    text = connection.execute("SELECT hive_table_column_stats_sql('Orders', {'top_k': 2})").fetchone()[0]
    rows = rows_of(connection, text)
    assert [row["column_name"] for row in rows] == ["id", "na.me"]
    assert len(rows[0]["top_k"]) == 2
    with pytest.raises(duckdb.Error, match="nosuch"):
        connection.execute("FROM hive_table_column_stats('Orders', columns := ['nosuch'])")
    assert query_rows(connection, "SELECT {'a': 1, 'b': ['x']} AS s", nested=True).keys() == {"s.a", "s.b.element"}


def test_files_are_one_row_per_column(connection, tmp_path):
    connection.execute(f"COPY (SELECT i AS a FROM range(10) t(i)) TO '{tmp_path}/1.parquet'")
    connection.execute(f"COPY (SELECT i AS b, i + 100 AS a FROM range(5) t(i)) TO '{tmp_path}/2.parquet'")
    rows = {row["column_name"]: row for row in file_rows(connection, tmp_path / "*.parquet")}
    assert (rows["a"]["long_low_value"], rows["a"]["long_high_value"], rows["a"]["num_distincts"]) == (0, 104, 15)
    assert (rows["b"]["num_nulls"], rows["b"]["value_count"], rows["b"]["file_name"]) == (10, 5, None)
    (row,) = file_rows(connection, tmp_path / "1.parquet", db_name="sales", table_name="t")
    assert (row["file_name"], row["db_name"], row["table_name"]) == (f"{tmp_path}/1.parquet", "sales", "t")
    text = connection.execute(f"SELECT hive_column_stats_sql('{tmp_path}/1.parquet')").fetchone()[0]
    assert rows_of(connection, text)[0]["num_distincts"] == 10


def test_the_name_of_the_table_is_the_last_part(connection):
    connection.execute('CREATE SCHEMA s; CREATE TABLE s."a.b" AS SELECT 1 AS x')
    for name in ('s."a.b"', 'memory . s . "a.b"'):
        (row,) = rows_of(connection, f"FROM hive_table_column_stats({sql_literal(name)})")
        assert row["table_name"] == "a.b"
    (row,) = rows_of(connection, f"FROM hive_table_column_stats({sql_literal(name)}, table_name := 'other')")
    assert row["table_name"] == "other"
    (row,) = rows_of(connection, f"FROM query(hive_table_column_stats_sql({sql_literal(name)}, {{'DB_name': 'd'}}))")
    assert (row["db_name"], row["table_name"]) == ("d", "a.b")


def test_nested_columns_that_were_asked_for(connection, tmp_path):
    """Hive keeps nothing of them. They are left out unless they are asked for; then the error says why there is no row."""
    connection.execute("CREATE TABLE t AS SELECT 1 AS i, [1, 2] AS l, {'a': 1} AS s")
    connection.execute(f"COPY t TO '{tmp_path}/t.parquet'")
    assert list(query_rows(connection, "FROM t")) == ["i"]
    files = f"'{tmp_path}/t.parquet'"
    for column in ("l", "S"):
        for call in (
            f"hive_table_column_stats('t', columns := ['i', '{column}'])",
            f"hive_query_column_stats('FROM t WHERE false', columns := ['{column}'])",
            f"hive_column_stats({files}, columns := ['{column}'])",
            f"query(hive_table_column_stats_sql('t', {{'columns': ['{column}']}}))",
            f"describe_column_stats('t', '{column}')",
            f"describe_file_column_stats({files}, '{column}')",
        ):
            with pytest.raises(duckdb.Error, match=f"column '{column.lower()}' is nested.*nested := true"):
                connection.execute(f"FROM {call}").fetchall()
    assert list(query_rows(connection, "FROM t", columns=["l", "s"], nested=True)) == ["l.element", "s.a"]
