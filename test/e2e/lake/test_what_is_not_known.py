"""Lakes of which a part cannot be read, is changed while it is read, or looks like another part: nothing is claimed that is
not known."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest
from file_rows import sql_literal
from lakes import lake_in


@pytest.fixture
def lake(connection, load_packaged, tmp_path):
    load_packaged(connection, "ducklake")
    return lake_in(connection, tmp_path)


def add_file(lake, path, query, table="t"):
    lake.execute(f"COPY ({query}) TO {sql_literal(path)}")
    lake.execute(f"CALL ducklake_add_data_files('lake', {sql_literal(table)}, {sql_literal(path)})")


def test_rows_that_are_flushed_meanwhile(lake):
    """Inlined rows move into a file between the list of the files and the scan."""
    lake.execute("CREATE TABLE lake.t(i BIGINT)")
    is_over = threading.Event()
    committed = [-1]

    def write(cursor):
        while not is_over.is_set():
            number = committed[0] + 1
            cursor.execute(f"INSERT INTO lake.t VALUES ({number})").fetchall()
            committed[0] = number
            cursor.execute("CALL ducklake_flush_inlined_data('lake')").fetchall()

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write, lake.connection.cursor())
        try:
            for _ in range(12):
                before = committed[0]
                rows = lake.rows("ducklake_table_column_stats")
                assert before < 0 or int(rows[0]["max_value"]) >= before
                lake.rows("ducklake_stats_audit")
        finally:
            is_over.set()
        writer.result()


@pytest.mark.parametrize("table", ["ducklake_inlined_data_tables", "ducklake_delete_file", "ducklake_name_mapping"])
def test_a_table_of_the_catalogue_that_cannot_be_read(lake, table):
    """It must not be taken for one that is not there: bounds without its rows would be too narrow."""
    lake.execute("CREATE TABLE lake.t AS FROM range(100) s(i)")
    lake.execute("INSERT INTO lake.t VALUES (1000)")
    lake.run([
        f"ALTER TABLE {lake.metadata}.{table} RENAME TO moved",
        f"CREATE TABLE {lake.metadata}.absent(x INTEGER)",
        f"CREATE VIEW {lake.metadata}.{table} AS FROM {lake.metadata}.absent",
        f"DROP TABLE {lake.metadata}.absent",
    ])  # fmt: skip
    for function in ("ducklake_table_column_stats", "ducklake_stats_audit", "ducklake_stats_repair"):
        with pytest.raises(duckdb.Error, match=f"{function}: the DuckLake catalogue could not be read"):
            lake.rows(function)


def test_a_name_mapping_that_is_gone(lake, tmp_path):
    lake.execute("CREATE TABLE lake.t(i BIGINT)")
    add_file(lake, tmp_path / "a.parquet", "SELECT i FROM range(1, 50) s(i)")
    lake.execute(f"DELETE FROM {lake.metadata}.ducklake_name_mapping")
    message = "a.parquet.*table 't' is read by name mapping 0.*no row"
    for function in ("ducklake_column_stats", "ducklake_table_column_stats"):
        with pytest.raises(duckdb.Error, match=message):
            lake.rows(function)
    (step,) = lake.rows("ducklake_stats_repair")
    assert re.search(message, step["purpose"], re.DOTALL) and lake.execute(step["statement"])


@pytest.mark.parametrize("inlined", [True, False])
def test_names_that_differ_in_the_case_of_other_letters(lake, tmp_path, inlined):
    """DuckDB takes only ASCII letters of either case for the same."""
    lake.execute('CREATE TABLE lake.t("É" INTEGER, "é" INTEGER)')
    if inlined:
        lake.execute("INSERT INTO lake.t VALUES (1, 1000)")
    else:
        add_file(lake, tmp_path / "a.parquet", 'SELECT 1::INTEGER AS "É", 1000::INTEGER AS "é"')
    rows = {row["column_name"]: row["max_value"] for row in lake.rows("ducklake_table_column_stats")}
    assert rows == {"É": "1", "é": "1000"}
    lake.run(lake.repair_statements(include=["wrong", "missing", "loose", "harmless"]))
    lake.attach_again()
    assert lake.execute('SELECT max("É"), min("é"), count(*) FROM lake.t WHERE "É" = 1') == [(1, 1000, 1)]


def test_tables_whose_names_differ_in_the_case_of_other_letters(lake):
    lake.execute('CREATE TABLE lake."ÄA"(i INTEGER)')
    lake.execute('CREATE TABLE lake."äA"(i INTEGER)')
    assert [row["table_name"] for row in lake.rows("ducklake_table_column_stats", table_name="äa")] == ["äA"]


def test_texts_with_nul(lake):
    lake.set_option("data_inlining_row_limit", "0")
    lake.execute("CREATE TABLE lake.t(s VARCHAR)")
    lake.execute("INSERT INTO lake.t VALUES ('a' || chr(0) || 'b'), ('a' || chr(0) || 'c')")
    assert lake.findings("wrong") == set()
    lake.execute(f"UPDATE {lake.metadata}.ducklake_file_column_stats SET max_value = 'a' || chr(0), min_value = 'b' || chr(0)")
    assert [finding for finding in audit(lake) if finding[0] == "wrong"] == [("wrong", "min_value")]
    lake.repair()
    assert lake.findings("wrong", "missing") == set()


def audit(lake):
    return lake.execute("SELECT severity, statistic FROM ducklake_stats_audit('lake')")


def test_macros_of_the_user(lake, tmp_path):
    """Functions of the same names as those that composed statements call."""
    lake.set_option("data_inlining_row_limit", "0")
    lake.execute("CREATE TABLE lake.t(f FLOAT, s VARCHAR)")
    lake.execute("INSERT INTO lake.t VALUES (-1e-30, 'a'), (1e30, 'b')")
    file = tmp_path / "a.parquet"
    lake.execute(f"COPY (SELECT 1 AS i) TO {sql_literal(file)}")

    def answers():
        files = lake.execute(f"FROM file_column_stats({sql_literal(file)})")
        return lake.rows("ducklake_column_stats"), lake.rows("ducklake_stats_audit"), files

    expected = answers()
    for macro in ("contains(a, b) AS false", "nextafter(a, b) AS a", "encode(a) AS 'x'::BLOB", "sum(a) AS 7",
                  "split_part(a, b, c) AS a", "generate_subscripts(a, b) AS 1",
                  "string_split(a, b) AS ['x']"):  # fmt: skip
        lake.execute(f"CREATE MACRO {macro}")
    assert answers() == expected


def test_a_collation_of_the_database(lake, tmp_path):
    """Files and bounds that differ in case only are not the same."""
    lake.set_option("data_inlining_row_limit", "0")
    lake.execute("SET GLOBAL default_collation = 'nocase'")
    lake.execute("CREATE TABLE lake.t(s VARCHAR)")
    add_file(lake, tmp_path / "A.parquet", "SELECT 'A' AS s")
    add_file(lake, tmp_path / "a.parquet", "SELECT unnest(['b', 'c']) AS s")
    rows = [(row["value_count"], row["min_value"], row["max_value"]) for row in lake.rows("ducklake_column_stats")]
    assert rows == [(1, "A", "A"), (2, "b", "c")]
    lake.execute(f"UPDATE {lake.metadata}.ducklake_file_column_stats SET min_value = 'a' WHERE min_value = 'A'")
    assert ("wrong", "min_value") in audit(lake)
