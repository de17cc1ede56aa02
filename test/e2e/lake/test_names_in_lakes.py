"""Names of lakes, schemas, tables and columns: in quotes, in another case, and twice."""

import pytest
from file_rows import quoted_identifier
from lakes import Lake, add_file, lake_in, lost_rows, sick_table

LAKE_NAMES = ("my lake", "la.ke", 'l"q', "o'k", "Ünï", "select")
SCHEMA, TABLE, COLUMN = 'sch.e"ma é', "t a.b\" 'ü", "d .\"'ü"


@pytest.mark.parametrize("name", LAKE_NAMES)
def test_names_that_need_quotes(connection, catalogues, tmp_path, name):
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


@pytest.mark.parametrize("asked", ["lake", "LAKE", "LaKe"])
def test_the_name_in_another_case(ducklake, tmp_path, asked):
    lake = lake_in(ducklake, tmp_path, name="LaKe")
    sick_table(lake)
    ours = Lake(ducklake, lake.catalogue, lake.data_path, asked)
    assert len(ours.audit(table_name="T")) == 2
    ours.run(ours.repair_statements())
    lake.attach_again()
    assert lost_rows(lake) == 0


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


def test_one_table_name_in_two_schemas_and_two_lakes(ducklake, tmp_path):
    lake = lake_in(ducklake, tmp_path)
    (tmp_path / "other").mkdir()
    other = lake_in(ducklake, tmp_path / "other", name="other")
    sick_table(lake)
    lake.execute("CREATE SCHEMA lake.second")
    sick_table(lake, "lake.second.t")
    sick_table(other, "other.t")
    assert [len(lake.audit(**options)) for options in ({}, {"schema_name": "second"}, {"table_name": "t"})] == [4, 2, 4]
    lake.run(lake.repair_statements(schema_name="second")).attach_again()
    assert [lost_rows(lake), lost_rows(lake, "lake.second.t"), lost_rows(other, "other.t")] == [10, 0, 10]
    lake.repair()
    assert [lost_rows(lake), lost_rows(lake, "lake.second.t"), lost_rows(other, "other.t")] == [0, 0, 10]


@pytest.mark.parametrize("inlined", [True, False])
def test_names_that_differ_in_the_case_of_other_letters(inlining_lake, tmp_path, inlined):
    """DuckDB takes only ASCII letters of either case for the same."""
    inlining_lake.execute('CREATE TABLE lake.t("É" INTEGER, "é" INTEGER)')
    if inlined:
        inlining_lake.execute("INSERT INTO lake.t VALUES (1, 1000)")
    else:
        add_file(inlining_lake, tmp_path / "a.parquet", 'SELECT 1::INTEGER AS "É", 1000::INTEGER AS "é"')
    rows = {row["column_name"]: row["max_value"] for row in inlining_lake.rows("ducklake_table_column_stats")}
    assert rows == {"É": "1", "é": "1000"}
    inlining_lake.run(inlining_lake.repair_statements(include=["wrong", "missing", "loose", "harmless"]))
    inlining_lake.attach_again()
    assert inlining_lake.execute('SELECT max("É"), min("é"), count(*) FROM lake.t WHERE "É" = 1') == [(1, 1000, 1)]


def test_tables_whose_names_differ_in_the_case_of_other_letters(inlining_lake):
    inlining_lake.execute('CREATE TABLE lake."ÄA"(i INTEGER)')
    inlining_lake.execute('CREATE TABLE lake."äA"(i INTEGER)')
    assert [row["table_name"] for row in inlining_lake.rows("ducklake_table_column_stats", table_name="äa")] == ["äA"]
