"""The repair of a DuckLake while others write, when its process is killed, and in parts."""

import shutil
import subprocess
import sys

import duckdb
import pytest
from file_rows import sql_literal
from lakes import lake_in, write_files
from packaged_extension import load_statement, packaged_extension_path

# The repair has every kind of statement: rows of files with one or several wrong statistics, rows that are
# absent or there twice, and rows of tables.
STATEMENTS = (
    "CREATE TABLE lake.nan_rows AS SELECT CASE WHEN i < 10 THEN 'nan'::DOUBLE ELSE i END AS d FROM range(10000) s(i)",
    "CREATE TABLE lake.texts AS SELECT CASE WHEN i >= 2048 THEN i::INTEGER END AS i, repeat('é', 200) || i AS x "
    "FROM range(4096) s(i)",
    "INSERT INTO lake.texts VALUES (50, 'abc')",
    "CREATE TABLE lake.floats AS SELECT (-1e-30)::FLOAT AS f",
    "INSERT INTO lake.floats VALUES (5), (6)",
    "CREATE TABLE lake.numbers AS SELECT i, i % 7 AS seven FROM range(500) s(i)",
    "INSERT INTO lake.numbers SELECT i, i % 7 FROM range(500, 1000) s(i)",
    "CREATE TABLE lake.added (d DOUBLE)",
)
TRUTH = {
    "SELECT count(*) FROM lake.nan_rows WHERE d > 20000": 10,
    "SELECT isnan(max(d)) FROM lake.nan_rows": True,
    "SELECT count(*) FROM lake.texts WHERE x > 'b'": 4096,
    "SELECT count(*) FROM lake.texts WHERE i > 100": 2048,
    "SELECT max(i) FROM lake.texts": 4095,
    "SELECT count(*) FROM lake.floats WHERE f = (-1e-30)::FLOAT": 1,
    "SELECT count(*) FROM lake.numbers WHERE i > 700": 299,
    "SELECT list(i ORDER BY i) FROM (SELECT i FROM lake.numbers ORDER BY i DESC LIMIT 2)": [998, 999],
    "SELECT count(*) FROM lake.added WHERE d > 1.5": 1499,
}


def build_lake(connection, folder):
    lake = lake_in(connection, folder)
    lake.set_option("data_inlining_row_limit", "0")
    lake.set_option("parquet_row_group_size", "2048")
    lake.run(STATEMENTS)
    queries = [f"SELECT {k} + i / 1000 AS d FROM range(1000) s(i)" for k in range(3)]
    pattern = sql_literal(write_files(connection, folder / "added", queries))
    lake.execute(f"CALL ducklake_add_data_files('lake', 'added', {pattern})")
    files = f"{lake.metadata}.ducklake_file_column_stats"
    of_numbers = f"table_id = (SELECT table_id FROM {lake.metadata}.ducklake_table WHERE table_name = 'numbers')"
    lake.execute(f"INSERT INTO {files} SELECT * FROM {files} WHERE {of_numbers} AND max_value = '999'")
    lake.execute(f"DELETE FROM {files} WHERE {of_numbers} AND max_value = '499'")
    return lake


@pytest.fixture
def damaged_lake(connection, load_packaged, tmp_path):
    load_packaged(connection, "ducklake")
    return build_lake(connection, tmp_path)


def answers(lake):
    return {query: lake.value(query) for query in TRUTH}


def statistics(lake):
    tables = (f"{lake.metadata}.ducklake_{kind}_column_stats" for kind in ("file", "table"))
    return [lake.execute(f"FROM {table} ORDER BY ALL") for table in tables]


def test_every_kind_of_statement(damaged_lake):
    assert answers(damaged_lake) != TRUTH
    statements = damaged_lake.repair_statements()
    for beginning in ("BEGIN", "DELETE", "INSERT", "UPDATE", "COMMIT"):
        assert any(statement.startswith(beginning) for statement in statements), beginning
    of_tables = ["ducklake_table_column_stats AS s" in statement for statement in statements]
    assert any(of_tables) and of_tables == sorted(of_tables), "rows of files come first, those of tables last"
    damaged_lake.repair()
    assert answers(damaged_lake) == TRUTH
    assert damaged_lake.findings("wrong", "missing") == set()


def test_listing_changes_nothing(damaged_lake):
    before = statistics(damaged_lake)
    damaged_lake.audit()
    damaged_lake.repair_statements()
    assert statistics(damaged_lake) == before


def test_running_the_same_statements_again_changes_nothing(damaged_lake):
    statements = damaged_lake.repair_statements()
    damaged_lake.run(statements)
    once = statistics(damaged_lake)
    damaged_lake.run(statements)
    assert statistics(damaged_lake) == once


def test_include_chooses_the_severities(damaged_lake):
    damaged_lake.repair(include=["wrong"])
    assert damaged_lake.findings("wrong") == set()
    assert damaged_lake.findings("missing") != set()
    assert answers(damaged_lake) == TRUTH
    damaged_lake.repair(include=["missing"])
    assert damaged_lake.findings("wrong", "missing") == set()


def test_one_table_alone(damaged_lake):
    before = damaged_lake.findings("wrong", table_name="texts")
    assert before != set()
    damaged_lake.repair(table_name="nan_rows")
    assert damaged_lake.findings("wrong", "missing", table_name="nan_rows") == set()
    assert damaged_lake.findings("wrong", table_name="texts") == before


class Writer:
    """Another session that inserts into damaged tables, and counts what was committed."""

    def __init__(self, lake):
        self.cursor = lake.connection.cursor()
        self.committed = 0
        self.refused = 0

    def insert(self):
        number = self.committed + self.refused
        try:
            self.cursor.execute("BEGIN").fetchall()
            self.cursor.execute(f"INSERT INTO lake.numbers VALUES ({10_000 + number}, 3)").fetchall()
            self.cursor.execute(f"INSERT INTO lake.texts VALUES ({10_000 + number}, 'zz')").fetchall()
            self.cursor.execute(f"INSERT INTO lake.nan_rows VALUES ({50_000 + number})").fetchall()
            self.cursor.execute("COMMIT").fetchall()
            self.committed += 1
        except duckdb.Error:
            # A refusal is allowed, as the writer is told of it.
            self.refused += 1
            try:
                self.cursor.execute("ROLLBACK").fetchall()
            except duckdb.Error:
                pass


def check_nothing_is_lost(lake, writer):
    """All rows are there, and one more repair brings every filter back."""
    lake.attach_again()
    assert lake.value("SELECT count(*) FROM lake.numbers") == 1000 + writer.committed
    lake.repair()
    assert lake.findings("wrong", "missing") == set()
    assert lake.repair_statements() == []
    more = {
        "SELECT count(*) FROM lake.numbers WHERE i >= 10000": writer.committed,
        "SELECT count(*) FROM lake.numbers WHERE i < 10000": 1000,
        "SELECT count(*) FROM lake.texts WHERE x > 'b'": 4096 + writer.committed,
        "SELECT count(*) FROM lake.texts WHERE i > 100": 2048 + writer.committed,
        "SELECT count(*) FROM lake.nan_rows WHERE d > 20000": 10 + writer.committed,
        "SELECT count(*) FROM lake.nan_rows WHERE d >= 50000 AND NOT isnan(d)": writer.committed,
    }
    assert {query: lake.value(query) for query in more} == more


def test_a_writer_between_the_statements(damaged_lake):
    writer = Writer(damaged_lake)
    for statement in damaged_lake.repair_statements():
        writer.insert()
        damaged_lake.execute(statement)
    assert writer.committed > 5
    check_nothing_is_lost(damaged_lake, writer)


def test_a_writer_while_a_statement_is_not_committed(damaged_lake):
    """Either side may be refused, but none loses what it was told is committed."""
    writer = Writer(damaged_lake)
    damaged_lake.execute("SET ducklake_max_retry_count = 1")
    statements = damaged_lake.repair_statements()
    is_open = False
    for statement in statements:
        own_transaction = not is_open and statement != "BEGIN;"
        try:
            for part in ("BEGIN", statement) if own_transaction else (statement,):
                damaged_lake.execute(part)
            writer.insert()
            if own_transaction:
                damaged_lake.execute("COMMIT")
        except duckdb.TransactionException:
            damaged_lake.execute("ROLLBACK")
        is_open = statement == "BEGIN;" or (is_open and statement != "COMMIT;")
    assert writer.committed > 0
    check_nothing_is_lost(damaged_lake, writer)


def test_a_table_that_grew_is_left_for_the_next_repair(damaged_lake):
    """The statement for rows of tables was computed before the insert: it changes nothing."""
    statements = damaged_lake.repair_statements()
    Writer(damaged_lake).insert()
    before = statistics(damaged_lake)[1]
    damaged_lake.run(statements)
    assert statistics(damaged_lake)[1] == before


def test_a_row_that_was_changed_meanwhile_is_left_alone(damaged_lake):
    files = f"{damaged_lake.metadata}.ducklake_file_column_stats"
    statements = damaged_lake.repair_statements()
    damaged_lake.execute(f"UPDATE {files} SET contains_nan = true, min_value = 'mine' WHERE contains_nan IS NOT TRUE")
    damaged_lake.run(statements)
    changed = damaged_lake.value(f"SELECT count(*) FROM {files} WHERE min_value = 'mine'")
    assert changed > 0
    assert damaged_lake.value(f"SELECT count(*) FROM {files} WHERE min_value = 'mine' AND contains_nan") == changed


def test_a_file_that_went_meanwhile_gets_no_row(damaged_lake):
    lake = damaged_lake
    statements = [s for s in lake.repair_statements() if "ducklake_table_column_stats AS s" not in s]
    lake.execute("DROP TABLE lake.numbers")
    expired = lake.value("SELECT count(*) FROM ducklake_expire_snapshots('lake', older_than => now())")
    assert expired > 0
    lake.run(statements)
    orphans = f"""SELECT count(*) FROM {lake.metadata}.ducklake_file_column_stats
                  WHERE data_file_id NOT IN (SELECT data_file_id FROM {lake.metadata}.ducklake_data_file)"""
    assert lake.value(orphans) == 0


# Runs the first statements of the file, one per line, and dies: no commit, no close, no checkpoint.
KILLED = """
import os, sys, duckdb
statements, number = open(sys.argv[1]).read().split("\\0"), int(sys.argv[2])
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
for statement in statements[:number]:
    connection.execute(statement).fetchall()
os._exit(0)
"""


def test_killed_between_any_two_statements(damaged_lake, extension_path, tmp_path):
    lake = damaged_lake
    before = answers(lake)
    statements = lake.repair_statements()
    lake.execute("DETACH lake")
    ducklake = packaged_extension_path("ducklake")
    original = tmp_path / "catalogue.ducklake"
    for number in range(len(statements) + 1):
        copy = tmp_path / f"killed_{number}.ducklake"
        shutil.copy(original, copy)
        attach = f"ATTACH {sql_literal(f'ducklake:{copy}')} AS lake (DATA_PATH {sql_literal(lake.data_path)})"
        opening = [load_statement(ducklake), load_statement(extension_path), attach]
        script = tmp_path / f"statements_{number}"
        script.write_text("\0".join([*opening, *statements]))
        command = [sys.executable, "-c", KILLED, str(script), str(len(opening) + number)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        lake.catalogue = str(copy)
        lake.attach()
        found = answers(lake)
        for query, answer in found.items():
            assert answer in (before[query], TRUTH[query]), (number, query)
        lake.repair()
        assert answers(lake) == TRUTH, number
        assert lake.findings("wrong", "missing") == set()
        lake.execute("DETACH lake")


def test_rows_that_somebody_else_made_one_of(connection, load_packaged, tmp_path):
    """Repeated rows are replaced. A row that is alone again is somebody else's."""
    load_packaged(connection, "ducklake")
    lake = lake_in(connection, tmp_path)
    lake.set_option("data_inlining_row_limit", "0")
    lake.execute("CREATE TABLE lake.t AS FROM range(100) s(i)")
    table = f"{lake.metadata}.ducklake_file_column_stats"
    lake.execute(f"INSERT INTO {table} SELECT * REPLACE ('50' AS min_value) FROM {table}")
    assert lake.findings("wrong") != set()
    statements = lake.repair_statements()
    lake.execute(f"UPDATE {table} SET column_size_bytes = 123 WHERE min_value = '0'")
    lake.execute(f"DELETE FROM {table} WHERE min_value = '50'")
    lake.run(statements)
    assert lake.execute(f"SELECT column_size_bytes, min_value FROM {table}") == [(123, "0")]
