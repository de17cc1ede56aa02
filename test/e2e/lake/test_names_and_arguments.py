"""Odd names, absent things and wrong arguments of the DuckLake functions, on the real DuckLake."""

from pathlib import Path

import re
import duckdb
import pytest
from file_rows import quoted_identifier, sql_literal
from lakes import lake_in, write_files

FUNCTIONS = (
    "ducklake_column_stats", "ducklake_table_column_stats", "ducklake_file_variant_stats", "ducklake_stats_audit",
    "ducklake_stats_repair",
)  # fmt: skip
LAKE_NAMES = ("my lake", "la.ke", 'l"q', "o'k", "Ünï", "select")
SCHEMA, TABLE, COLUMN = 'sch.e"ma é', "t a.b\" 'ü", "d .\"'ü"


@pytest.fixture
def files_lake(connection, catalogues, tmp_path):
    """An empty lake that puts every insert into files."""
    lake = lake_in(connection, tmp_path, catalogues("duckdb"))
    lake.set_option("data_inlining_row_limit", "0")
    lake.set_option("parquet_row_group_size", "2048")
    return lake


@pytest.mark.parametrize("name", LAKE_NAMES)
def test_odd_names(connection, catalogues, tmp_path, name):
    folder = tmp_path / "fol der's"
    folder.mkdir()
    lake = lake_in(connection, folder, catalogues("duckdb"), name)
    lake.set_option("data_inlining_row_limit", "0")
    lake.set_option("parquet_row_group_size", "2048")
    schema = f"{quoted_identifier(name)}.{quoted_identifier(SCHEMA)}"
    table, column = f"{schema}.{quoted_identifier(TABLE)}", quoted_identifier(COLUMN)
    lake.run([
        f"CREATE SCHEMA {schema}",
        f"""CREATE TABLE {table} AS SELECT CASE WHEN i < 10 THEN 'nan'::DOUBLE ELSE i END AS {column},
            {{'a.b': i, 'c"d': {{'''': i}}}} AS "S" FROM range(10000) s(i)""",
    ])  # fmt: skip
    rows = lake.rows("ducklake_column_stats", schema_name=SCHEMA.upper().replace("É", "é"), table_name=TABLE)
    assert [(row["schema_name"], row["table_name"], row["column_name"]) for row in rows] == [
        (SCHEMA, TABLE, '"d .""\'ü"'), (SCHEMA, TABLE, 'S."a.b"'), (SCHEMA, TABLE, 'S."c""d".\''),
    ]  # fmt: skip
    lost = f"SELECT count(*) FROM {table} WHERE {column} > 20000"
    assert lake.value(lost) == 0
    lake.repair()
    assert lake.value(lost) == 10
    assert lake.findings("wrong", "missing") == set()


def test_two_tables_whose_names_differ_by_schema(files_lake):
    files_lake.run([
        "CREATE SCHEMA lake.a", "CREATE SCHEMA lake.b",
        "CREATE TABLE lake.a.t AS SELECT 1 AS x", "CREATE TABLE lake.b.t AS SELECT 2 AS x, 'y' AS y",
    ])  # fmt: skip
    of_b = files_lake.rows("ducklake_column_stats", schema_name="B", table_name="T")
    found = [(row["schema_name"], row["column_name"], row["min_value"]) for row in of_b]
    assert found == [("b", "x", "2"), ("b", "y", "y")]
    assert len(files_lake.rows("ducklake_column_stats", table_name="t")) == 3
    assert len(files_lake.rows("ducklake_table_column_stats", schema_name="a")) == 1


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_tables_and_no_files(files_lake, function):
    assert files_lake.rows(function) == []
    files_lake.execute("CREATE TABLE lake.t (i INTEGER, s VARCHAR, g GEOMETRY, v VARIANT, l INTEGER[])")
    rows = files_lake.rows(function)
    if function == "ducklake_table_column_stats":
        assert {(row["contains_null"], row["min_value"], row["max_value"]) for row in rows} <= {(False, None, None)}
    else:
        assert rows == []


def test_inlined_rows_alone(files_lake):
    files_lake.set_option("data_inlining_row_limit", "10")
    files_lake.execute("CREATE TABLE lake.t (i INTEGER, d DOUBLE, s VARCHAR, p STRUCT(a INTEGER, b VARCHAR[]))")
    files_lake.execute("INSERT INTO lake.t VALUES (3, 'nan', 'é', {'a': 1, 'b': ['x']}), (-1, 2.5, NULL, NULL)")
    assert files_lake.value(f"SELECT count(*) FROM {files_lake.metadata}.ducklake_data_file") == 0
    assert files_lake.rows("ducklake_column_stats") == []
    rows = {row["column_name"]: row for row in files_lake.rows("ducklake_table_column_stats")}
    found = {name: (row["contains_null"], row["contains_nan"], row["min_value"], row["max_value"])
             for name, row in rows.items()}  # fmt: skip
    assert found == {
        "i": (False, None, "-1", "3"), "d": (False, True, "2.5", "2.5"), "s": (True, None, "é", "é"),
        "p.a": (True, None, "1", "1"), "p.b.element": (True, None, "x", "x"),
    }  # fmt: skip
    assert files_lake.findings("wrong", "missing") == set()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_wrong_arguments(files_lake, function):
    files_lake.execute("ATTACH ':memory:' AS plain")
    files_lake.execute("CREATE TABLE lake.t AS SELECT 1 AS i")
    wrong = {
        "'plain'": f"{function}: database 'plain' is not a DuckLake",
        "'nowhere'": f"{function}: no database 'nowhere' is attached",
        "NULL": f"{function}: lake must not be NULL",
        "'lake', table_name := 'absent'": f"{function}: lake 'lake' has no table 'absent' at",
        "'lake', schema_name := 'absent', table_name := 't'": f"{function}: lake 'lake' has no table 't' in schema 'absent' at",
        "'lake', table_name := NULL": f"{function}: table_name must not be NULL",
        "'lake', nonsense := 1": f'Invalid named parameter "nonsense" for function {function}',
    }
    for arguments, message in wrong.items():
        with pytest.raises(duckdb.Error) as raised:
            files_lake.execute(f"FROM {function}({arguments})")
        assert message in str(raised.value), arguments


def test_wrong_options(files_lake):
    files_lake.execute("CREATE TABLE lake.t AS SELECT 1 AS i")
    wrong = {
        "ducklake_column_stats('lake', snapshot := 99)": "snapshot 99 is not in the catalogue, which has 0 to",
        "ducklake_column_stats('lake', snapshot := -1)": "snapshot -1 is not in the catalogue",
        "ducklake_table_column_stats('lake', max_bound_bytes := 0)": "max_bound_bytes must lie between",
        "ducklake_stats_repair('lake', include := ['bad'])": "severity 'bad' is not known; use 'wrong', 'missing'",
        "ducklake_stats_repair('lake', include := [NULL])": "include",
    }
    for call, message in wrong.items():
        with pytest.raises(duckdb.Error) as raised:
            files_lake.execute(f"FROM {call}")
        assert message in str(raised.value), call
    assert files_lake.repair_statements(include=["WRONG", "Missing"]) == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_data_file_is_missing(files_lake, function):
    files_lake.run(["CREATE TABLE lake.first AS SELECT 1 AS i", "CREATE TABLE lake.t AS SELECT 1 AS i"])
    ((name,),) = files_lake.execute("SELECT data_file FROM ducklake_list_files('lake', 't')")
    Path(name).unlink()
    message = f"data file 1 of table 't' is missing: '{name}'"
    if function in ("ducklake_stats_audit", "ducklake_stats_repair"):
        (row,) = files_lake.rows(function)
        assert message in (row.get("effect") or row["purpose"])
    else:
        with pytest.raises(duckdb.Error, match=re.escape(f"{function}: {message}")):
            files_lake.rows(function)
    # The rest of the lake can still be looked at.
    files_lake.rows(function, table_name="first")


def test_a_file_with_fewer_rows_than_the_catalogue_says(files_lake):
    """A file that was put in the place of another."""
    files_lake.execute("CREATE TABLE lake.t AS SELECT i FROM range(10) s(i)")
    ((name,),) = files_lake.execute("SELECT data_file FROM ducklake_list_files('lake', 't')")
    no_rows = "SELECT 1::BIGINT AS i WHERE false"
    files_lake.execute(f"COPY ({no_rows}) TO {sql_literal(name)} (FORMAT parquet, FIELD_IDS {{i: 1}})")
    (row,) = files_lake.audit()
    assert row["severity"] == "unreadable" and "has no rows, but the catalogue says 10" in row["effect"]


def test_older_snapshots(files_lake):
    files_lake.run([
        "CREATE TABLE lake.t AS SELECT 1 AS i, 'a' AS s",
        "ALTER TABLE lake.t DROP COLUMN s",
        "INSERT INTO lake.t VALUES (2)",
        "CREATE TABLE lake.u AS SELECT 3 AS z",
        "DROP TABLE lake.u",
    ])  # fmt: skip
    first = files_lake.value(f"SELECT max(snapshot_id) FROM {files_lake.metadata}.ducklake_snapshot") - 4

    def files(snapshot):
        rows = files_lake.rows("ducklake_column_stats", snapshot=snapshot)
        return [(row["table_name"], row["column_name"], row["min_value"]) for row in rows]

    assert [files(first + number) for number in range(5)] == [
        [("t", "i", "1"), ("t", "s", "a")],
        [("t", "i", "1")],
        [("t", "i", "1"), ("t", "i", "2")],
        [("t", "i", "1"), ("t", "i", "2"), ("u", "z", "3")],
        [("t", "i", "1"), ("t", "i", "2")],
    ]
    assert files(0) == []
    of_table = files_lake.rows("ducklake_table_column_stats", snapshot=first + 2)
    assert [(row["column_name"], row["min_value"], row["max_value"]) for row in of_table] == [("i", "1", "2")]


def test_one_file_in_two_tables_and_twice_in_one(files_lake, tmp_path):
    queries = ["SELECT i::DOUBLE AS d, i AS k FROM range(1000) s(i)"]
    pattern = write_files(files_lake.connection, tmp_path / "added", queries)
    added = f"CALL ducklake_add_data_files('lake', '{{}}', {sql_literal(pattern)})"
    files_lake.run([
        "CREATE TABLE lake.a (d DOUBLE, k BIGINT)", "CREATE TABLE lake.b (k BIGINT, d DOUBLE)",
        added.format("a"), added.format("b"), added.format("a"),
    ])  # fmt: skip
    rows = files_lake.rows("ducklake_column_stats")
    assert len({(row["data_file_id"], row["column_id"]) for row in rows}) == len(rows) == 6
    for row in rows:
        expected = ("0.0", "999.0", False) if row["column_name"] == "d" else ("0", "999", None)
        assert (row["min_value"], row["max_value"], row["contains_nan"]) == expected
        order = "dk" if row["table_name"] == "a" else "kd"
        assert (row["value_count"], row["column_id"]) == (1000, 1 + order.index(row["column_name"]))
    assert {row["data_file_id"] for row in files_lake.audit()} == {row["data_file_id"] for row in rows}
    files_lake.repair()
    assert files_lake.audit() == []
    assert files_lake.value("SELECT count(*) FROM lake.a WHERE d > 500") == 998
    assert files_lake.value("SELECT count(*) FROM lake.b WHERE d > 500") == 499
    assert files_lake.files_read("SELECT count(*) FROM lake.b WHERE d = 999 AND k >= 0") == 1
