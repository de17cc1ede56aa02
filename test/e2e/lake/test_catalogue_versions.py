"""Tables of inlined rows in catalogues of other versions of DuckLake, imitated by changing one that 1.5.5 made.

DuckLake itself may not read such a catalogue any more; our functions read its tables alone, and what they find must not
change. The other tables of 0.3 and 1.1 are imitated in test_catalogue_databases.py.
"""

import pytest
from lakes import lake_in, write_files

FUNCTIONS = (
    "ducklake_column_stats", "ducklake_table_column_stats", "ducklake_file_variant_stats", "ducklake_stats_audit",
    "ducklake_stats_repair",
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


def test_names_in_inlined_tables_of_1_1(mixed_lake):
    """1.1 puts a prefix before the names of the three columns that DuckLake keeps to itself."""
    before = everything(mixed_lake)
    tables = inlined_tables(mixed_lake)
    assert len(tables) >= 2
    for table in tables:
        for name in ("row_id", "begin_snapshot", "end_snapshot"):
            mixed_lake.execute(f"ALTER TABLE {mixed_lake.metadata}.{table} RENAME COLUMN {name} TO _ducklake_{name}")
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
