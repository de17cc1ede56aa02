"""DuckLake catalogues of other versions, in other places, and damaged ones.

DuckLake 1.1 and 0.3 cannot be had as packages: their catalogues are imitated by what they have more or less.
"""

import duckdb
import pytest
from file_rows import sql_literal
from lakes import Lake, encrypted_lake_in, lake_in, write_files

FUNCTIONS = (
    "ducklake_column_stats", "ducklake_table_column_stats", "ducklake_file_variant_stats", "ducklake_stats_audit",
    "ducklake_stats_repair",
)  # fmt: skip
# What DuckLake 1.1 has more than 1.0.
TO_1_1 = (
    "ALTER TABLE {}.ducklake_data_file ADD COLUMN row_group_count BIGINT",
    "ALTER TABLE {}.ducklake_delete_file ADD COLUMN row_group_count BIGINT",
    "CREATE TABLE {}.ducklake_view_column_tag (view_id BIGINT, column_name VARCHAR, begin_snapshot BIGINT, "
    "end_snapshot BIGINT, key VARCHAR, value VARCHAR)",
)
# What DuckLake 0.3 has less.
TO_0_3 = (
    "DROP TABLE {}.ducklake_file_variant_stats",
    "DROP TABLE {}.ducklake_macro",
    "DROP TABLE {}.ducklake_macro_impl",
    "DROP TABLE {}.ducklake_macro_parameters",
    "DROP TABLE {}.ducklake_sort_info",
    "DROP TABLE {}.ducklake_sort_expression",
    "ALTER TABLE {}.ducklake_data_file DROP COLUMN partial_max",
    "ALTER TABLE {}.ducklake_schema_versions DROP COLUMN table_id",
)
WRONG_LAKE = (
    "CREATE TABLE lake.t AS SELECT i AS k, CASE WHEN i < 10 THEN 'nan'::DOUBLE ELSE i END AS d FROM range(10000) s(i)",
    "INSERT INTO lake.t VALUES (10000, 1.5), (10001, NULL)",
    "ALTER TABLE lake.t ADD COLUMN later VARCHAR DEFAULT 'before'",
    "INSERT INTO lake.t VALUES (10002, 2, 'after')",
    "DELETE FROM lake.t WHERE k = 5000",
    "CREATE TABLE lake.added (d DOUBLE)",
)
BLAMED = {
    ("wrong", "t", "d", "contains_nan", "file"),
    ("missing", "added", "d", "contains_nan", "file"),
}
LOST = "SELECT count(*) FROM lake.t WHERE d > 20000"


@pytest.fixture
def wrong_lake(connection, catalogues, tmp_path):
    lake = lake_in(connection, tmp_path, catalogues("duckdb"))
    return filled(lake, tmp_path)


def filled(lake, folder):
    """Files, inlined rows, a delete, a column that is younger than the file, an added file."""
    lake.set_option("data_inlining_row_limit", "10")
    lake.set_option("parquet_row_group_size", "2048")
    lake.run(WRONG_LAKE)
    pattern = write_files(lake.connection, folder / "added", ["SELECT i / 2 AS d FROM range(100) s(i)"])
    lake.execute(f"CALL ducklake_add_data_files('lake', 'added', {sql_literal(pattern)})")
    return lake


def serious(lake, **options):
    return {
        (row["severity"], row["table_name"], row["column_name"], row["statistic"],
         "table" if row["data_file_id"] is None else "file")
        for row in lake.audit(**options) if row["severity"] in ("wrong", "missing")
    }  # fmt: skip


def all_rows(lake, **options):
    """What the three functions that compute say."""
    return [lake.rows(function, **options) for function in FUNCTIONS[:3]]


@pytest.mark.parametrize("changes", [TO_1_1, TO_0_3], ids=["1.1", "0.3"])
def test_another_version(wrong_lake, changes):
    before = all_rows(wrong_lake)
    assert serious(wrong_lake) == BLAMED
    for change in changes:
        wrong_lake.execute(change.format(wrong_lake.metadata))
    assert all_rows(wrong_lake) == before
    assert serious(wrong_lake) == BLAMED
    wrong_lake.run(wrong_lake.repair_statements())
    assert serious(wrong_lake) == set()
    assert wrong_lake.repair_statements() == []


def test_columns_in_another_order(wrong_lake):
    """The repair names the columns it writes."""
    metadata = wrong_lake.metadata
    table = f"{metadata}.ducklake_file_column_stats"
    wrong_lake.execute(f"DELETE FROM {table} WHERE column_id = 1 AND min_value = '0'")
    wrong_lake.execute(f"ALTER TABLE {table} RENAME TO old_stats")
    wrong_lake.execute(f"""CREATE TABLE {table} AS SELECT extra_stats, 7 AS unknown_column, * EXCLUDE (extra_stats)
                           FROM {metadata}.old_stats""")
    wrong_lake.execute(f"DROP TABLE {metadata}.old_stats")
    assert ("missing", "t", "k", "row", "file") in serious(wrong_lake)
    wrong_lake.run(wrong_lake.repair_statements())
    assert serious(wrong_lake) == set()
    stored = f"SELECT min_value, max_value, value_count FROM {table} WHERE column_id = 1 AND max_value = '9999'"
    assert wrong_lake.execute(stored) == [("0", "9999", 10000)]


@pytest.mark.parametrize("table", ["ducklake_snapshot", "ducklake_data_file", "ducklake_table", "ducklake_schema",
                                   "ducklake_column"])  # fmt: skip
def test_a_needed_table_is_missing(wrong_lake, table):
    wrong_lake.execute(f"ALTER TABLE {wrong_lake.metadata}.{table} RENAME TO somewhere_else")
    for function in FUNCTIONS:
        with pytest.raises(duckdb.Error, match=rf"{function}.*{table}"):
            wrong_lake.rows(function)


@pytest.mark.parametrize("table", ["ducklake_file_column_stats", "ducklake_table_column_stats"])
def test_the_statistics_are_missing(wrong_lake, table):
    wrong_lake.execute(f"ALTER TABLE {wrong_lake.metadata}.{table} RENAME TO somewhere_else")
    assert len(wrong_lake.rows("ducklake_column_stats")) > 0
    for function in ("ducklake_stats_audit", "ducklake_stats_repair"):
        with pytest.raises(duckdb.Error, match=rf"{function}.*{table}"):
            wrong_lake.rows(function)


def test_a_catalogue_in_a_schema_of_its_own(connection, catalogues, tmp_path):
    lake = Lake(connection, catalogues("duckdb"), f"{tmp_path}/data/", attach_options=", METADATA_SCHEMA 'own schema'")
    filled(lake.attach(), tmp_path)
    options = {"metadata_schema": "own schema"}
    assert serious(lake, **options) == BLAMED
    with pytest.raises(duckdb.Error, match="ducklake_stats_audit.*metadata_schema"):
        lake.audit()
    assert lake.value(LOST) == 0
    lake.run(lake.repair_statements(**options))
    lake.attach_again()
    assert lake.value(LOST) == 10
    assert serious(lake, **options) == set()


def test_a_catalogue_of_another_name(connection, catalogues, tmp_path):
    lake = Lake(connection, catalogues("duckdb"), f"{tmp_path}/data/", attach_options=", METADATA_CATALOG 'own.name'")
    filled(lake.attach(), tmp_path)
    options = {"metadata_catalog": "own.name"}
    assert serious(lake, **options) == BLAMED
    with pytest.raises(duckdb.Error, match="ducklake_stats_audit.*metadata_catalog"):
        lake.audit()
    lake.run(lake.repair_statements(**options))
    lake.attach_again()
    assert lake.value(LOST) == 10
    assert serious(lake, **options) == set()


def test_a_relative_data_path(connection, catalogues, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lake = Lake(connection, catalogues("duckdb"), "data/").attach()
    filled(lake, tmp_path)
    assert serious(lake) == BLAMED
    lake.repair()
    assert serious(lake) == set()
    assert lake.value(LOST) == 10


def test_an_encrypted_lake(connection, catalogues, tmp_path):
    """Each file has a key of its own, which the catalogue keeps."""
    lake = encrypted_lake_in(connection, tmp_path, catalogues("duckdb"))
    lake.set_option("data_inlining_row_limit", "0")
    lake.set_option("parquet_row_group_size", "2048")
    lake.run(WRONG_LAKE[:1])
    keys = lake.execute(f"SELECT DISTINCT encryption_key IS NULL FROM {lake.metadata}.ducklake_data_file")
    assert keys == [(False,)]
    rows = {row["column_name"]: row for row in lake.rows("ducklake_column_stats")}
    assert (rows["d"]["min_value"], rows["d"]["max_value"], rows["d"]["contains_nan"]) == ("10.0", "9999.0", True)
    assert (rows["k"]["min_value"], rows["k"]["value_count"]) == ("0", 10000)
    assert lake.value(LOST) == 0
    lake.repair()
    assert lake.value(LOST) == 10
    assert serious(lake) == set()


def test_an_encrypted_lake_with_swapped_names(connection, catalogues, tmp_path):
    """Only the reader sees the field ids of an encrypted file, and those of whole columns alone. Parts of a nested column
    go by their names, and only while none of them ever changed."""
    lake = encrypted_lake_in(connection, tmp_path, catalogues("duckdb"))
    lake.set_option("data_inlining_row_limit", "0")
    lake.run([
        "CREATE TABLE lake.t AS SELECT i AS a, i + 1000 AS b, {'p': i, 'q': -i} AS s, {'u': i} AS v FROM range(100) s(i)",
        "ALTER TABLE lake.t RENAME a TO x", "ALTER TABLE lake.t RENAME b TO a", "ALTER TABLE lake.t RENAME x TO b",
        "ALTER TABLE lake.t RENAME s.p TO r",
    ])  # fmt: skip
    bounds = {row["column_name"]: (row["min_value"], row["max_value"]) for row in lake.rows("ducklake_column_stats")}
    assert bounds == {"b": ("0", "99"), "a": ("1000", "1099"), "v.u": ("0", "99")}
    assert lake.audit() == []
