"""docs/hive-metastore.md, statement by statement, against a PostgreSQL with the tables of a Hive metastore."""

import json
import re
from pathlib import Path

import pytest

from file_rows import rows_of, sql_literal
from packaged_extension import packaged_extension_path

RECIPE = Path(__file__).resolve().parents[3] / "docs" / "hive-metastore.md"
SEQUENCE = "org.apache.hadoop.hive.metastore.model.{}ColumnStatistics"
VERSIONS = ("3.x", "4.0", "4.1")

# What the recipe touches, with the types and constraints of Hive's own scripts for PostgreSQL (hive-schema-3.1.0 and
# 4.1.0 to 4.3.0). Columns of DBS, TBLS and PARTITIONS that have nothing to do with it are left out.
TABLES = """
CREATE TABLE "DBS" ("DB_ID" bigint PRIMARY KEY, "NAME" varchar(128), "CTLG_NAME" varchar(256) NOT NULL,
                    UNIQUE ("NAME", "CTLG_NAME"));
CREATE TABLE "TBLS" ("TBL_ID" bigint PRIMARY KEY, "DB_ID" bigint REFERENCES "DBS", "TBL_NAME" varchar(256),
                     UNIQUE ("DB_ID", "TBL_NAME"));
CREATE TABLE "PARTITIONS" ("PART_ID" bigint PRIMARY KEY, "PART_NAME" varchar(767),
                           "TBL_ID" bigint REFERENCES "TBLS", UNIQUE ("TBL_ID", "PART_NAME"));
CREATE TABLE "TABLE_PARAMS" ("TBL_ID" bigint NOT NULL REFERENCES "TBLS", "PARAM_KEY" varchar(256) NOT NULL,
                             "PARAM_VALUE" text, PRIMARY KEY ("TBL_ID", "PARAM_KEY"));
CREATE TABLE "PARTITION_PARAMS" ("PART_ID" bigint NOT NULL REFERENCES "PARTITIONS", "PARAM_KEY" varchar(256) NOT NULL,
                                 "PARAM_VALUE" varchar(4000), PRIMARY KEY ("PART_ID", "PARAM_KEY"));
CREATE TABLE "SEQUENCE_TABLE" ("SEQUENCE_NAME" varchar(255) PRIMARY KEY, "NEXT_VAL" bigint NOT NULL);
INSERT INTO "DBS" VALUES (1, 'default', 'hive'), (2, 'sales', 'hive'), (3, 'sales', 'spark');
INSERT INTO "TBLS" VALUES (10, 1, 'orders'), (11, 2, 'orders'), (12, 3, 'orders'), (13, 2, 'other');
INSERT INTO "PARTITIONS" VALUES (100, 'day=1', 11), (101, 'day=a%2Fb', 11), (102, 'day=1', 12);
"""
STATISTICS = """
 "LONG_LOW_VALUE" bigint, "LONG_HIGH_VALUE" bigint, "DOUBLE_LOW_VALUE" double precision,
 "DOUBLE_HIGH_VALUE" double precision, "BIG_DECIMAL_LOW_VALUE" varchar(4000), "BIG_DECIMAL_HIGH_VALUE" varchar(4000),
 "NUM_NULLS" bigint NOT NULL, "NUM_DISTINCTS" bigint, "BIT_VECTOR" bytea, "AVG_COL_LEN" double precision,
 "MAX_COL_LEN" bigint, "NUM_TRUES" bigint, "NUM_FALSES" bigint, "LAST_ANALYZED" bigint NOT NULL"""
OWNERS = {"TAB_COL_STATS": ("TBL_ID", "TBLS"), "PART_COL_STATS": ("PART_ID", "PARTITIONS")}


def statistics_table(name, version):
    """The statement that creates TAB_COL_STATS or PART_COL_STATS in a version of Hive."""
    (owner, owner_table), is_partition = OWNERS[name], name == "PART_COL_STATS"
    columns = ['"CS_ID" bigint PRIMARY KEY']
    if version != "4.1":
        columns += ['"CAT_NAME" varchar(256)', '"DB_NAME" varchar(128) NOT NULL', '"TABLE_NAME" varchar(256) NOT NULL']
        columns += ['"PARTITION_NAME" varchar(767) NOT NULL'] if is_partition else []
    columns += ['"COLUMN_NAME" varchar(767) NOT NULL', '"COLUMN_TYPE" varchar(128) NOT NULL']
    columns += [f'"{owner}" bigint NOT NULL REFERENCES "{owner_table}"', STATISTICS]
    if version != "3.x":
        columns += ['"ENGINE" varchar(128) NOT NULL', '"HISTOGRAM" bytea']
    return f'CREATE TABLE "{name}" ({", ".join(columns)})'


def recipe():
    """The recipe's statements: per heading a list of (the text line above the block, SQL)."""
    sections, heading, above = {}, "", ""
    text = RECIPE.read_text(encoding="utf-8")
    for part in re.split(r"^(## [^\n]*|```sql\n.*?```)$", text, flags=re.MULTILINE | re.DOTALL):
        if part.startswith("## "):
            heading = part.removeprefix("## ")
        elif part.startswith("```sql"):
            sql = part.removeprefix("```sql\n").removesuffix("```")
            sections.setdefault(heading, []).append((above, sql))
        else:
            above = (part.strip().splitlines() or [""])[-1]
    return sections


@pytest.fixture(scope="module")
def postgres(postgres_databases):
    if packaged_extension_path("postgres_scanner") is None:
        pytest.skip("DuckDB's postgres extension is not packaged for this host; see scripts/hosts.ini")
    return postgres_databases()


@pytest.fixture
def metastore(connection, load_packaged, postgres, tmp_path):
    """Makes the metastore of a Hive version, and the recipe's settings in the session; gives a function that runs the
    recipe on these files."""
    load_packaged(connection, "postgres_scanner")
    connection.execute(f"ATTACH {sql_literal(postgres)} AS metastore (TYPE postgres)")

    def on_server(statements):
        connection.execute(f"CALL postgres_execute('metastore', {sql_literal(statements)})").fetchall()

    def make(version):
        on_server(
            "DROP SCHEMA public CASCADE; CREATE SCHEMA public;"
            + ";".join([TABLES, *(statistics_table(name, version) for name in OWNERS)])
        )
        connection.execute("CALL pg_clear_cache()").fetchall()
        return Recipe(connection, version, on_server)

    return make


class Recipe:
    """Runs the blocks of the recipe that are meant for one version of Hive."""

    def __init__(self, connection, version, on_server):
        self.connection, self.version, self.on_server = connection, version, on_server
        self.sections = recipe()

    def settings(self, files, database="sales", table="orders"):
        for name, value in (("files", files), ("database", database), ("table", table)):
            self.connection.execute(f"SET VARIABLE hive_{name} = {sql_literal(str(value))}")
        self.run("Statistics")

    def run(self, section):
        """Runs the blocks of a section that are for this version; gives the rows of those that show some."""
        shown = []
        for above, sql in self.sections[section]:
            if above.startswith("Hive ") and not above.startswith(f"Hive {self.version}"):
                continue
            for statement in self.connection.extract_statements(sql):
                rows = self.connection.execute(statement.query).fetchall()
                shown += [rows] if statement.query.lstrip().upper().startswith("SELECT") else []
        return shown

    def run_block(self, section, above):
        [sql] = [sql for line, sql in self.sections[section] if line.startswith(above)]
        for statement in self.connection.extract_statements(sql):
            self.connection.execute(statement.query).fetchall()

    def rows(self, table):
        """What the server holds, its bytes spelled by the server itself."""
        question = f'SELECT s.*, encode(s."BIT_VECTOR", \'hex\') AS hex FROM "{table}" AS s ORDER BY "CS_ID"'
        return rows_of(self.connection, f"FROM postgres_query('metastore', {sql_literal(question)})")

    def accurate(self, table, owner):
        """COLUMN_STATS_ACCURATE of a table or partition."""
        column = {"TABLE_PARAMS": "TBL_ID", "PARTITION_PARAMS": "PART_ID"}[table]
        where = f'"{column}" = {owner} AND "PARAM_KEY" = \'COLUMN_STATS_ACCURATE\''
        question = f'SELECT "PARAM_VALUE" FROM metastore."{table}" WHERE {where}'
        [(value,)] = self.connection.execute(question).fetchall()
        return json.loads(value)


def write(connection, path, query):
    path.parent.mkdir(parents=True, exist_ok=True)
    connection.execute(f"COPY ({query}) TO {sql_literal(str(path))} (FORMAT parquet)").fetchall()
    return path


QUERY = """
    SELECT i AS "Id", 'n' || i AS name, (i * 0.25)::DECIMAL(9,2) AS price, i % 2 = 0 AS paid, i / 2 AS weight,
           DATE '2020-01-01' + i::INTEGER AS day_sold, 'ab'::BLOB AS raw
    FROM range({first}, {end}) t(i)
"""


def assert_same(stored, computed, version):
    """Every column that the metastore has in this version holds what the function gave."""
    for row in stored:
        [expected] = [c for c in computed if all(c[key] == row[key.upper()] for key in key_of(row))]
        for name in row:
            if name in ("CS_ID", "hex"):
                continue
            assert row[name] == expected[name.lower()], (name, row["COLUMN_NAME"])
        blob = expected["bit_vector"]
        assert row["hex"] == (None if blob is None else bytes(blob).hex())
    assert len(stored) == len(computed)
    if version == "4.1":
        assert not {"CAT_NAME", "DB_NAME", "TABLE_NAME", "PARTITION_NAME"} & set(stored[0])
    if version == "3.x":
        assert not {"ENGINE", "HISTOGRAM"} & set(stored[0])


def key_of(row):
    return ("column_name", "tbl_id" if "TBL_ID" in row else "part_id")


def computed_rows(connection):
    return rows_of(connection, "FROM new_rows")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_table(metastore, connection, tmp_path, version):
    recipe = metastore(version)
    recipe.on_server(f"INSERT INTO \"SEQUENCE_TABLE\" VALUES ('{SEQUENCE.format('MTable')}', 41)")
    recipe.settings(write(connection, tmp_path / "a.parquet", QUERY.format(first=0, end=9)))
    recipe.run("A table")
    stored = recipe.rows("TAB_COL_STATS")
    assert_same(stored, computed_rows(connection), version)
    by_name = {row["COLUMN_NAME"]: row for row in stored}
    assert list(by_name) == ["id", "name", "price", "paid", "weight", "day_sold", "raw"]
    assert [row["CS_ID"] for row in stored] == list(range(41, 48))
    assert {row["TBL_ID"] for row in stored} == {11}
    assert (by_name["id"]["LONG_LOW_VALUE"], by_name["id"]["LONG_HIGH_VALUE"]) == (0, 8)
    assert by_name["price"]["BIG_DECIMAL_HIGH_VALUE"] == "2"
    assert (by_name["paid"]["NUM_TRUES"], by_name["paid"]["NUM_FALSES"]) == (5, 4)
    assert by_name["weight"]["DOUBLE_HIGH_VALUE"] == 4.0
    assert by_name["name"]["hex"].startswith("484c4c")
    assert sequence(connection, "MTable") == 48

    # Once more, with other files: rows are replaced, ids are new, nobody else's rows are touched.
    if version != "3.x":
        recipe.on_server(other_engine(version))
    recipe.settings(write(connection, tmp_path / "b.parquet", QUERY.format(first=0, end=20)))
    recipe.run("A table")
    stored = [row for row in recipe.rows("TAB_COL_STATS") if row.get("ENGINE") != "impala"]
    assert_same(stored, computed_rows(connection), version)
    assert [row["CS_ID"] for row in stored] == list(range(48, 55))
    if version != "3.x":
        assert [row["CS_ID"] for row in recipe.rows("TAB_COL_STATS") if row["ENGINE"] == "impala"] == [7]


def other_engine(version):
    """A row of another engine for a column that the recipe replaces."""
    names = {} if version == "4.1" else {"DB_NAME": "'sales'", "TABLE_NAME": "'orders'"}
    values = {"CS_ID": "7", "COLUMN_NAME": "'id'", "COLUMN_TYPE": "'bigint'", "TBL_ID": "11", "NUM_NULLS": "3",
              "LAST_ANALYZED": "1", "ENGINE": "'impala'", **names}  # fmt: skip
    columns = ", ".join(f'"{name}"' for name in values)
    return f'INSERT INTO "TAB_COL_STATS" ({columns}) VALUES ({", ".join(values.values())})'


def sequence(connection, kind):
    question = 'SELECT "NEXT_VAL" FROM metastore."SEQUENCE_TABLE" WHERE "SEQUENCE_NAME" = ?'
    return connection.execute(question, [SEQUENCE.format(kind)]).fetchall()[0][0]


@pytest.mark.parametrize("version", VERSIONS)
def test_partitions(metastore, connection, tmp_path, version):
    recipe = metastore(version)
    for name, first in (("day=1", 0), ("day=a%2Fb", 5), ("day=3", 9)):
        write(connection, tmp_path / name / "a.parquet", QUERY.format(first=first, end=first + 4))
    recipe.settings(tmp_path / "*" / "*.parquet")
    assert recipe.run("Partitions") == [[("day=3",)]]
    stored = recipe.rows("PART_COL_STATS")
    assert_same(stored, computed_rows(connection), version)
    # The sequence did not exist: the metastore had not written statistics yet.
    assert [row["CS_ID"] for row in stored] == list(range(1, 15)) and sequence(connection, "MPartition") == 15
    ends = {row["PART_ID"]: row["LONG_LOW_VALUE"] for row in stored if row["COLUMN_NAME"] == "id"}
    assert ends == {100: 0, 101: 5}
    assert recipe.rows("TAB_COL_STATS") == []
    assert recipe.run("Partitions") == [[("day=3",)]]
    assert [row["CS_ID"] for row in recipe.rows("PART_COL_STATS")] == list(range(15, 29))


@pytest.mark.parametrize("version", VERSIONS)
def test_statistics_are_called_accurate(metastore, connection, tmp_path, version):
    recipe = metastore(version)
    known = {"BASIC_STATS": "true", "COLUMN_STATS": {"gone": "true", "id": "true"}}
    recipe.on_server(
        f"INSERT INTO \"TABLE_PARAMS\" VALUES (11, 'COLUMN_STATS_ACCURATE', '{json.dumps(known)}'),"
        " (11, 'numRows', '9'), (10, 'COLUMN_STATS_ACCURATE', '{}')"
    )
    query = "SELECT i AS id, 'x' AS \"Say \"\"Hi\"\"\", 'nan'::DOUBLE AS measured FROM range(3) t(i)"
    recipe.settings(write(connection, tmp_path / "a.parquet", query))
    recipe.run("A table")
    recipe.run_block("COLUMN_STATS_ACCURATE", "After the section \"A table\"")
    says = {"BASIC_STATS": "true", "COLUMN_STATS": {"gone": "true", "id": "true", 'say "hi"': "true"}}
    assert recipe.accurate("TABLE_PARAMS", 11) == says and recipe.accurate("TABLE_PARAMS", 10) == {}
    other = 'SELECT "PARAM_VALUE" FROM metastore."TABLE_PARAMS" WHERE "PARAM_KEY" <> \'COLUMN_STATS_ACCURATE\''
    assert connection.execute(other).fetchall() == [("9",)]
    recipe.run_block("COLUMN_STATS_ACCURATE", "To take it back")
    assert recipe.accurate("TABLE_PARAMS", 11) == {"BASIC_STATS": "true"}

    for name in ("day=1", "day=a%2Fb"):
        write(connection, tmp_path / "parts" / name / "a.parquet", "SELECT 1 AS id")
    recipe.settings(tmp_path / "parts" / "*" / "*.parquet")
    recipe.run("Partitions")
    recipe.run_block("COLUMN_STATS_ACCURATE", "After the section \"Partitions\"")
    for owner in (100, 101):
        assert recipe.accurate("PARTITION_PARAMS", owner) == {"COLUMN_STATS": {"id": "true"}}


def test_histograms_and_notes(metastore, connection, tmp_path):
    """The statistics of another call go the same way."""
    recipe = metastore("4.1")
    path = write(connection, tmp_path / "a.parquet", "SELECT i AS id, 'inf'::DOUBLE AS far FROM range(100) t(i)")
    recipe.settings(path)
    [notes] = recipe.run("Statistics")
    assert [name for _, name, _ in notes] == ["far"]
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE statistics AS FROM hive_column_stats(getvariable('hive_files'),"
        " db_name := 'sales', table_name := 'orders', histogram := true)"
    ).fetchall()
    recipe.run("A table")
    histogram = {row["COLUMN_NAME"]: row["HISTOGRAM"] for row in recipe.rows("TAB_COL_STATS")}["id"]
    median = connection.execute("SELECT hive_histogram_quantile(?::BLOB, 0.5)", [histogram]).fetchall()[0][0]
    assert 40 <= median <= 60
