"""Catalogues of other versions of DuckLake, imitated by changing the tables of one that 1.5.5 made.

DuckLake itself may not read such a catalogue any more; our functions read its tables alone. What they find must not
change. A catalogue of 0.3 lacks tables and columns; 1.1 has more of them, and other names in the tables of inlined rows.
"""

import pytest
from lakes import lake_in, write_files

FUNCTIONS = (
    "ducklake_column_stats", "ducklake_table_column_stats", "ducklake_file_variant_stats", "ducklake_stats_audit",
    "ducklake_stats_repair",
)  # fmt: skip
# Additions of 1.1.
ADDED = (
    "ALTER TABLE {}.ducklake_data_file ADD COLUMN row_group_count BIGINT",
    "ALTER TABLE {}.ducklake_delete_file ADD COLUMN row_group_count BIGINT",
    "CREATE TABLE {}.ducklake_view_column_tag(view_id BIGINT, column_name VARCHAR, begin_snapshot BIGINT,"
    " end_snapshot BIGINT, key VARCHAR, value VARCHAR)",
    "UPDATE {}.ducklake_metadata SET value = '1.1' WHERE key = 'version'",
)
# What 0.3 did not have yet.
ABSENT_TABLES = (
    "ducklake_file_variant_stats", "ducklake_macro", "ducklake_macro_impl", "ducklake_macro_parameters",
    "ducklake_sort_info", "ducklake_sort_expression",
)  # fmt: skip
ABSENT_COLUMNS = (
    ("ducklake_column", "default_value_type"), ("ducklake_column", "default_value_dialect"),
    ("ducklake_schema_versions", "table_id"), ("ducklake_data_file", "partial_max"),
    ("ducklake_delete_file", "partial_max"),
)  # fmt: skip


@pytest.fixture
def mixed_lake(connection, load_packaged, tmp_path):
    """Files, inlined rows of two versions of a table, deleted rows, added files, a VARIANT, and statistics that are
    wrong and absent."""
    load_packaged(connection, "ducklake")
    lake = lake_in(connection, tmp_path)
    lake.set_option("parquet_row_group_size", "2048")
    pattern = write_files(connection, tmp_path / "added", ["SELECT i::DOUBLE AS d, i AS i FROM range(100) s(i)"])
    return lake.run([
        "CREATE TABLE lake.files AS SELECT CASE WHEN i < 10 THEN 'nan'::DOUBLE ELSE i END AS d, {'a': i} AS s"
        " FROM range(10000) s(i)",
        "DELETE FROM lake.files WHERE d BETWEEN 100 AND 200",
        "CREATE TABLE lake.variants AS SELECT {'a': i}::VARIANT AS v FROM range(100) s(i)",
        "CREATE TABLE lake.inlined (i INTEGER, j INTEGER)",
        "INSERT INTO lake.inlined SELECT i, i FROM range(50) s(i)",
        "INSERT INTO lake.inlined VALUES (100, 1000), (200, 2000)",
        "ALTER TABLE lake.inlined ADD COLUMN later INTEGER DEFAULT 7",
        "INSERT INTO lake.inlined VALUES (-100, NULL, 8)",
        "DELETE FROM lake.inlined WHERE i = 100",
        "CREATE TABLE lake.added (i BIGINT, d DOUBLE)",
        f"CALL ducklake_add_data_files('lake', 'added', '{pattern}')",
    ])  # fmt: skip


def everything(lake):
    return {function: lake.rows(function) for function in FUNCTIONS}


def inlined_tables(lake):
    return [name for (name,) in lake.execute(f"SELECT table_name FROM {lake.metadata}.ducklake_inlined_data_tables")]


def test_the_lake_has_something_of_everything(mixed_lake):
    found = everything(mixed_lake)
    assert all(found.values())
    severities = {row["severity"] for row in found["ducklake_stats_audit"]}
    assert {"wrong", "missing"} <= severities
    row = next(row for row in found["ducklake_table_column_stats"] if row["column_name"] == "i" and row["table_name"] == "inlined")
    assert (row["min_value"], row["max_value"]) == ("-100", "200")


def test_additions_of_1_1(mixed_lake):
    before = everything(mixed_lake)
    mixed_lake.run(statement.format(mixed_lake.metadata) for statement in ADDED)
    assert everything(mixed_lake) == before


def test_names_in_inlined_tables_of_1_1(mixed_lake):
    """1.1 puts a prefix before the names of the three columns that DuckLake keeps to itself."""
    before = everything(mixed_lake)
    tables = inlined_tables(mixed_lake)
    assert len(tables) >= 2
    for table in tables:
        for name in ("row_id", "begin_snapshot", "end_snapshot"):
            mixed_lake.execute(f"ALTER TABLE {mixed_lake.metadata}.{table} RENAME COLUMN {name} TO _ducklake_{name}")
    assert everything(mixed_lake) == before


def test_tables_and_columns_that_0_3_lacks(mixed_lake):
    before = everything(mixed_lake)
    metadata = mixed_lake.metadata
    mixed_lake.run(f"DROP TABLE {metadata}.{table}" for table in ABSENT_TABLES)
    for table, column in ABSENT_COLUMNS:
        # A table with a key cannot be altered, so it is made anew.
        mixed_lake.run([
            f"CREATE TABLE {metadata}.remade AS SELECT * EXCLUDE ({column}) FROM {metadata}.{table}",
            f"DROP TABLE {metadata}.{table}",
            f"ALTER TABLE {metadata}.remade RENAME TO {table}",
        ])  # fmt: skip
    mixed_lake.execute(f"UPDATE {metadata}.ducklake_metadata SET value = '0.3' WHERE key = 'version'")
    assert everything(mixed_lake) == before


def test_inlined_rows_of_an_unknown_schema_version(mixed_lake):
    """DuckLake before 1.1 may have written no row of `ducklake_schema_versions` for a table of inlined rows, and reads
    them all the same. Bounds without these rows would be wrong, and so would be a repair."""
    before = everything(mixed_lake)
    mixed_lake.execute(f"DELETE FROM {mixed_lake.metadata}.ducklake_schema_versions")
    mixed_lake.attach_again()
    assert mixed_lake.value("SELECT count(*) FROM lake.inlined WHERE i NOT BETWEEN 0 AND 50") == 2
    assert everything(mixed_lake) == before
    mixed_lake.repair()
    assert mixed_lake.value("SELECT count(*) FROM lake.inlined WHERE i NOT BETWEEN 0 AND 50") == 2


@pytest.mark.parametrize("table", ["ducklake_data_file", "ducklake_file_column_stats", "ducklake_table_column_stats"])
def test_a_table_that_cannot_be_done_without(mixed_lake, table):
    """The error names it. `ducklake_column_stats` needs no statistics of the catalogue."""
    mixed_lake.execute(f"DROP TABLE {mixed_lake.metadata}.{table}")
    with pytest.raises(Exception, match=f"ducklake_stats_audit: .*{table}"):
        mixed_lake.audit()
    if table.endswith("_stats"):
        assert mixed_lake.rows("ducklake_column_stats")
