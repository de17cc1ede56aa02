"""`ducklake_stats_audit` and `ducklake_stats_repair` on the real DuckLake: its queries are wrong before, right after.

W1 to W6 are the faults of docs/ducklake.md. The situations run on each kind of catalogue.
"""

from dataclasses import dataclass

import pytest
from lakes import lake_in, write_files

ROWS_PER_GROUP = 2048


@dataclass(frozen=True)
class Situation:
    """A lake that DuckLake makes and whose queries are wrong: `{query: (before, after)}`, and who is to blame."""

    statements: tuple
    queries: dict
    blamed: set


SITUATIONS = {
    "W1, NaN in an early row group": Situation(
        ("CREATE TABLE lake.t AS SELECT CASE WHEN i < 10 THEN 'nan'::DOUBLE ELSE i END AS d FROM range(10000) s(i)",),
        {
            "SELECT count(*) FROM lake.t WHERE d > 20000": (0, 10),
            "SELECT count(*) FROM lake.t WHERE d >= 10000": (0, 10),
            "SELECT isnan(max(d)) FROM lake.t": (False, True),
        },
        {("wrong", "d", "contains_nan", "file"), ("wrong", "d", "contains_nan", "table")},
    ),
    "W2, box of a geometry": Situation(
        ("CREATE TABLE lake.t AS SELECT unnest(['POINT(0.12345674 1)', 'POINT(5.7654321 6)'])::GEOMETRY AS g",),
        {
            "SELECT count(*) FROM lake.t WHERE g && 'LINESTRING(0 0, 0.1234568 2)'::GEOMETRY": (0, 1),
            "SELECT count(*) FROM lake.t WHERE g && 'LINESTRING(5.7654320 0, 9 9)'::GEOMETRY": (1, 1),
        },
        {("wrong", "g", "extra_stats", "table")},
    ),
    "W3 and W4, bounds that are absent": Situation(
        (
            "CREATE TABLE lake.t AS SELECT CASE WHEN i >= 2048 THEN i::INTEGER END AS i, repeat('é', 200) || i AS x "
            "FROM range(4096) s(i)",
            "INSERT INTO lake.t VALUES (50, 'abc')",
        ),
        {
            "SELECT count(*) FROM lake.t WHERE x > 'b'": (0, 4096),
            "SELECT min(i) FROM lake.t": (50, 50),
            "SELECT max(i) FROM lake.t": (50, 4095),
            "SELECT count(*) FROM lake.t WHERE i > 100": (0, 2048),
        },
        {("wrong", "i", "max_value", "table"), ("wrong", "x", "max_value", "table")},
    ),
    "W6, float whose text has an exponent": Situation(
        ("CREATE TABLE lake.t AS SELECT (-1e-30)::FLOAT AS f", "INSERT INTO lake.t VALUES (5), (6)"),
        {
            "SELECT count(*) FROM lake.t WHERE f = (-1e-30)::FLOAT": (0, 1),
            "SELECT count(*) FROM lake.t WHERE f = 5": (1, 1),
            "SELECT min(f) = (-1e-30)::FLOAT FROM lake.t": (True, True),
        },
        {("wrong", "f", "min_value", "file"), ("wrong", "f", "max_value", "file")},
    ),
}

HEALTHY_COLUMNS = """
    i % 2 = 0 AS flag, (i % 100)::TINYINT AS tiny, i::SMALLINT AS small, i::INTEGER AS number, i::BIGINT AS big,
    abs(i)::UINTEGER AS natural, i / 8 AS real, (i / 8)::FLOAT AS single, (i / 4)::DECIMAL(9, 2) AS price,
    'text ' || i AS word, DATE '2020-01-01' + i::INTEGER AS day, TIME '00:00:00' + to_seconds(abs(i)) AS hour,
    to_timestamp(i)::TIMESTAMP AS moment, to_timestamp(-i) AS instant, md5(i::VARCHAR)::UUID AS id,
    CASE WHEN i % 3 > 0 THEN i END AS sometimes, {'x': i, 'y': {'z': 'z' || i}} AS pair, [i, NULL, -i] AS list,
    MAP {'key' || i: i} AS map"""


def numbers(start, stop):
    return f"SELECT {HEALTHY_COLUMNS} FROM range({start}, {stop}) s(i)"


@pytest.fixture(params=["duckdb", "sqlite", "postgres"])
def core_lake(request, connection, catalogues, tmp_path):
    """A lake that puts every insert into files with small row groups."""
    lake = lake_in(connection, tmp_path, catalogues(request.param))
    lake.set_option("data_inlining_row_limit", "0")
    lake.set_option("parquet_row_group_size", str(ROWS_PER_GROUP))
    return lake


def answers(lake, queries):
    return {query: lake.value(query) for query in queries}


def serious(lake):
    return lake.findings("wrong", "missing")


@pytest.mark.parametrize("name", SITUATIONS)
def test_queries_are_right_after_the_repair(core_lake, name):
    situation = SITUATIONS[name]
    core_lake.run(situation.statements)
    before = {query: answer for query, (answer, _) in situation.queries.items()}
    after = {query: answer for query, (_, answer) in situation.queries.items()}
    assert before != after
    assert answers(core_lake, situation.queries) == before
    assert core_lake.findings("wrong") == situation.blamed
    assert core_lake.repair() > 0
    assert answers(core_lake, situation.queries) == after
    assert serious(core_lake) == set()
    assert core_lake.repair_statements() == []


def test_ten_added_files(core_lake, tmp_path):
    """`contains_nan` is NULL after `ducklake_add_data_files`, so `>` leaves no file out."""
    pattern = write_files(
        core_lake.connection, tmp_path / "added",
        [f"SELECT {k} + i / 1000 AS d, 'v' || i AS s FROM range(1000) s(i)" for k in range(10)],
    )  # fmt: skip
    core_lake.execute("CREATE TABLE lake.t (d DOUBLE, s VARCHAR)")
    core_lake.execute(f"CALL ducklake_add_data_files('lake', 't', '{pattern}')")
    queries = {f"SELECT count(*) FROM lake.t WHERE d {condition}": rows
               for condition, rows in {"> 8.5": 1499, "< 1.5": 1500, "= 3.5": 1}.items()}  # fmt: skip
    assert answers(core_lake, queries) == queries
    assert [core_lake.files_read(query) for query in queries] == [10, 2, 1]
    assert core_lake.findings() == {("missing", "d", "contains_nan", "file")}
    core_lake.repair()
    assert answers(core_lake, queries) == queries
    assert [core_lake.files_read(query) for query in queries] == [2, 2, 1]
    assert core_lake.findings() == set()
    assert core_lake.repair_statements() == []


def test_a_healthy_lake_has_no_findings(core_lake):
    core_lake.set_option("data_inlining_row_limit", "10")
    core_lake.run([
        f"CREATE TABLE lake.t AS {numbers(0, 1500)}",
        f"INSERT INTO lake.t {numbers(1500, 1505)}",
        f"INSERT INTO lake.t {numbers(-700, -20)}",
        "INSERT INTO lake.t (number) VALUES (7), (NULL)",
        "DELETE FROM lake.t WHERE number BETWEEN 100 AND 200",
        "UPDATE lake.t SET price = 1.5, word = 'changed' WHERE number BETWEEN 300 AND 400",
        "ALTER TABLE lake.t RENAME word TO renamed",
        "ALTER TABLE lake.t ADD COLUMN later DOUBLE",
        f"INSERT INTO lake.t SELECT *, big / 2 FROM ({numbers(5000, 5100)})",
        "ALTER TABLE lake.t ADD COLUMN filled INTEGER DEFAULT 7",
        "ALTER TABLE lake.t DROP COLUMN small",
        "INSERT INTO lake.t (number, later, filled) VALUES (1, 2.5, NULL)",
        "CREATE SCHEMA lake.second",
        "CREATE TABLE lake.second.t AS SELECT i AS number, 'n' || i AS word FROM range(5) s(i)",
    ])  # fmt: skip
    assert core_lake.execute(f"FROM {core_lake.metadata}.ducklake_inlined_data_tables") != []
    assert core_lake.audit() == []
    assert core_lake.repair_statements() == []


def test_texts_with_nul_characters(files_lake):
    files_lake.execute("CREATE TABLE lake.t(s VARCHAR)")
    files_lake.execute("INSERT INTO lake.t VALUES ('a' || chr(0) || 'b'), ('a' || chr(0) || 'c')")
    assert files_lake.findings("wrong") == set()
    files_lake.execute(f"UPDATE {files_lake.metadata}.ducklake_file_column_stats SET max_value = 'a' || chr(0), min_value = 'b' || chr(0)")
    assert [row["statistic"] for row in files_lake.audit() if row["severity"] == "wrong"] == ["min_value"]
    files_lake.repair()
    assert files_lake.findings("wrong", "missing") == set()
