"""Hive's column statistics: bit vectors byte for byte, rows per type and partition, merges, descriptions."""

import base64
import json
import math

import duckdb
import pytest

from file_rows import quoted_identifier, rows_of, sql_literal

STATISTICS = (
    "column_type, long_low_value, long_high_value, double_low_value, double_high_value, big_decimal_low_value,"
    " big_decimal_high_value, num_nulls, num_distincts, bit_vector, avg_col_len, max_col_len, num_trues, num_falses,"
    " low_value, high_value, value_count"
)


def query_rows(connection, query, **options):
    """Rows of hive_query_column_stats by column name."""
    given = "".join(f", {name} := {sql_literal(value)}" for name, value in options.items())
    rows = rows_of(connection, f"FROM hive_query_column_stats({sql_literal(query)}{given})")
    return {row["column_name"]: row for row in rows}


def file_rows(connection, files, **options):
    given = "".join(f", {name} := {sql_literal(value)}" for name, value in options.items())
    return rows_of(connection, f"FROM hive_column_stats({sql_literal(str(files))}{given})")


# ------------------------------------------------------------------------------------------ golden bit vectors


def expressions(case):
    """SQL texts of the values of a golden case, as one SELECT of column x."""
    values, kind = case["values"] if "values" in case else case["values_hex"], case["type"]
    if isinstance(values, dict):
        start, stop = values["range"]
        value = "i"
        if "prefix" in values:
            value = f"{sql_literal(values['prefix'])} || i::VARCHAR"
        if "times" in values:
            value = f"i::DOUBLE * {values['times']}::DOUBLE"
        select = f"SELECT {cast(value, kind)} AS x FROM range({start}, {stop}) AS t(i)"
        select = f"{select}, range({values['repeat']})" if "repeat" in values else select
        if "then" in values:
            select += "".join(f" UNION ALL SELECT {literal(value, kind)}" for value in values["then"])
        return select
    if not values:
        return f"SELECT NULL::{SQL_TYPES[kind]} AS x"
    return "SELECT unnest([" + ", ".join(literal(value, kind) for value in values) + "]) AS x"


SQL_TYPES = {
    "long": "BIGINT", "double": "DOUBLE", "string": "VARCHAR", "date": "DATE", "timestamp": "TIMESTAMP",
    "decimal": "DECIMAL(38,10)", "binary": "BLOB", "bool": "BOOLEAN",
}  # fmt: skip


def cast(expression, kind):
    if kind == "date":
        return f"DATE '1970-01-01' + ({expression})::INTEGER"
    if kind == "timestamp":
        return f"make_timestamp(({expression})::BIGINT * 1000000)"
    return f"({expression})::{SQL_TYPES[kind]}"


def literal(value, kind):
    if kind in ("date", "timestamp"):
        return cast(str(value), kind)
    if kind == "binary":
        return f"from_hex({sql_literal(value)})"
    if kind == "decimal":
        return f"{sql_literal(str(value))}::{decimal_type(str(value))}"
    # Older parsers end a text at its NUL character.
    text = " || chr(0) || ".join(sql_literal(part) for part in str(value).split("\0"))
    return f"({text})::{SQL_TYPES[kind]}"


def decimal_type(text):
    """A decimal that holds the text and the others of its case."""
    scale = len(text.split(".")[1]) if "." in text else 0
    return f"DECIMAL(38,{scale})"


@pytest.fixture(scope="module")
def golden(shared_directory):
    path = shared_directory / "golden" / "hive_hll.json"
    if not path.is_file():
        pytest.skip(f"{path} is missing")
    return {case["name"]: case for case in json.loads(path.read_text(encoding="utf-8"))}


def sketch_of(connection, case):
    if case["type"] == "decimal" and isinstance(case["values"], list):
        # Each value with a type of its own: a common one would not hold them all.
        parts = [f"SELECT hive_bit_vector({literal(value, 'decimal')}, {case['p']}) AS b" for value in case["values"]]
        statement = f"SELECT hive_bit_vector_merge(b) FROM ({' UNION ALL '.join(parts)})"
    else:
        statement = f"SELECT hive_bit_vector(x, {case['p']}) FROM ({expressions(case)})"
    return connection.execute(statement).fetchone()[0]


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


def test_golden_additions(connection, golden):
    cases = [case for case in golden.values() if case["kind"] == "add"]
    assert len(cases) > 50
    wrong, left_out = [], []
    for case in cases:
        try:
            blob = sketch_of(connection, case)
        except (duckdb.Error, KeyError, TypeError, IndexError) as error:
            left_out.append(f"{case['name']}: {error}")
            continue
        if base64.b64encode(blob).decode() != case["base64"]:
            wrong.append(case["name"])
        estimate = connection.execute("SELECT hive_bit_vector_estimate(?::BLOB)", [blob]).fetchone()[0]
        if estimate != case["estimate"]:
            wrong.append(f"{case['name']}: {estimate} instead of {case['estimate']}")
    assert not wrong and not left_out, (wrong, left_out)


def test_golden_merges(connection, golden):
    cases = [case for case in golden.values() if case["kind"] == "merge"]
    assert cases
    for case in cases:
        blobs = [base64.b64decode(golden[case[side]]["base64"]) for side in ("receiver", "other")]
        merged = connection.execute(
            "SELECT hive_bit_vector_merge(b) FROM (SELECT unnest([?::BLOB, ?::BLOB]) AS b)", blobs
        ).fetchone()[0]
        if golden[case["receiver"]]["p"] > golden[case["other"]]["p"]:
            continue  # Hive refuses this one; the aggregate takes the smaller precision.
        assert base64.b64encode(merged).decode() == case["base64"], case["name"]


# ------------------------------------------------------------------------------------------ values per type


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


@pytest.mark.parametrize("count", [0, 1, 2, 50, 100, 153, 1000, 20_000, 300_000, 1_000_000])
def test_number_of_distinct_values(connection, count):
    query = f"SELECT i AS n, 'v' || i AS s, i * 0.5::DOUBLE AS d FROM range({count}) AS t(i)"
    for precision, standard_error in ((10, 0.0325), (14, 0.0081)):
        for row in query_rows(connection, query, bit_vector_precision=precision).values():
            allowed = 0 if count <= 100 else 4.5 * standard_error * count
            assert abs(row["num_distincts"] - count) <= allowed, row["column_name"]


# ------------------------------------------------------------------------------------------ tables and twins


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


# ------------------------------------------------------------------------------------------ files and partitions


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
    """Hive keeps nothing of them. Without being asked for they are left out; else it is said why there is no row."""
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


# ------------------------------------------------------------------------------------------ descriptions, sketches


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


@pytest.mark.parametrize("blob", ["FM", "garbage", "HLL", ""])
def test_blobs_that_are_none_are_errors(connection, blob):
    for function in ("hive_bit_vector_merge(b)", "hive_histogram_quantile(b, 0.5)"):
        if function.startswith("hive_bit_vector") and not blob:
            continue
        with pytest.raises(duckdb.Error):
            connection.execute(f"SELECT {function} FROM (SELECT encode(?) AS b)", [blob]).fetchall()
    assert quoted_identifier("a") == '"a"'


def test_rows_of_different_columns_do_not_merge(connection):
    rows = "FROM hive_query_column_stats('SELECT 1 AS a, 2 AS b') AS s"
    with pytest.raises(duckdb.Error, match="columns 'a' and 'b' do not merge; GROUP BY column_name"):
        connection.execute(f"SELECT hive_column_stats_merge(s) {rows}").fetchall()
    merged = connection.execute(f"SELECT column_name, hive_column_stats_merge(s).long_low_value {rows} GROUP BY ALL ORDER BY ALL")
    assert merged.fetchall() == [("a", 1), ("b", 2)]
    with pytest.raises(duckdb.Error, match="hive_column_stats_merge: the argument must be a row"):
        connection.execute("SELECT hive_column_stats_merge({'a': 1})").fetchall()
