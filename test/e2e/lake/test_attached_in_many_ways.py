"""Lakes that are attached or used in odd ways, beside those of test_names_and_arguments.py and test_catalogue_databases.py."""

from pathlib import Path

import duckdb
import pytest
from lakes import Lake, encrypted_lake_in, lake_in

FUNCTIONS = (
    "ducklake_column_stats", "ducklake_table_column_stats", "ducklake_file_variant_stats", "ducklake_stats_audit",
    "ducklake_stats_repair",
)  # fmt: skip
# Ten rows with NaN in the first of several row groups: W1, the illness by which the tests see that a repair works.
NAN_FIRST = "CASE WHEN i < 10 THEN 'nan'::DOUBLE ELSE i END"
ROWS = 10000


@pytest.fixture
def ducklake(connection, load_packaged):
    """The connection, with DuckLake loaded and no lake attached."""
    load_packaged(connection, "ducklake")
    return connection


def sick_table(lake, table="lake.t"):
    lake.set_option("parquet_row_group_size", "2048")
    lake.execute(f"CREATE TABLE {table} AS SELECT {NAN_FIRST} AS d FROM range({ROWS}) s(i)")
    assert lost_rows(lake, table) == 10


def lost_rows(lake, table="lake.t"):
    return 10 - lake.value(f"SELECT count(*) FROM {table} WHERE d > 20000")


def counts(lake, **options):
    return {function: len(lake.rows(function, **options)) for function in FUNCTIONS}


NOTHING = dict.fromkeys(FUNCTIONS, 0)


def test_a_table_whose_rows_are_all_deleted(ducklake, tmp_path):
    lake = lake_in(ducklake, tmp_path)
    sick_table(lake)
    lake.execute("DELETE FROM lake.t")
    lake.repair()
    lake.execute("INSERT INTO lake.t VALUES (1), ('nan')")
    assert lake.value("SELECT count(*) FROM lake.t WHERE d > 5") == 1
    assert lake.findings("wrong", "missing") == set()


def test_dropped_tables_and_views_have_no_rows(ducklake, tmp_path):
    lake = lake_in(ducklake, tmp_path)
    sick_table(lake)
    lake.execute("CREATE VIEW lake.v AS FROM lake.t")
    lake.execute("COMMENT ON TABLE lake.t IS 'a ''comment'''")
    assert {row["table_name"] for row in lake.rows("ducklake_column_stats")} == {"t"}
    lake.execute("DROP VIEW lake.v")
    lake.execute("DROP TABLE lake.t")
    assert counts(lake) == NOTHING


@pytest.mark.parametrize("asked", ["lake", "LAKE", "LaKe"])
def test_the_name_in_another_case(ducklake, tmp_path, asked):
    lake = lake_in(ducklake, tmp_path, name="LaKe")
    sick_table(lake)
    ours = Lake(ducklake, lake.catalogue, lake.data_path, asked)
    assert len(ours.audit(table_name="T")) == 2
    ours.run(ours.repair_statements())
    lake.attach_again()
    assert lost_rows(lake) == 0


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


def test_a_lake_attached_for_reading(connect, load_packaged, tmp_path):
    writer = connect()
    load_packaged(writer, "ducklake")
    sick_table(lake_in(writer, tmp_path))
    writer.close()
    reader = connect()
    load_packaged(reader, "ducklake")
    lake = lake_in(reader, tmp_path, attach_options=", READ_ONLY")
    assert len(lake.audit()) == 2
    with pytest.raises(duckdb.Error, match="read-only"):
        lake.run(lake.repair_statements())


def test_a_lake_in_an_older_state(ducklake, tmp_path):
    lake = lake_in(ducklake, tmp_path)
    lake.set_option("data_inlining_row_limit", "0")
    lake.run(["CREATE TABLE lake.t (i INTEGER)", "INSERT INTO lake.t VALUES (1)", "INSERT INTO lake.t VALUES (5)"])
    bounds = [row["max_value"] for row in lake.rows("ducklake_column_stats", snapshot=2)]
    assert bounds == ["1"]
    lake.execute("DETACH lake")
    Lake(ducklake, lake.catalogue, lake.data_path, attach_options=", SNAPSHOT_VERSION 2").attach()
    assert [row["max_value"] for row in lake.rows("ducklake_column_stats")][0] == "1"
    assert lake.audit() == []


def test_a_data_file_that_is_gone(ducklake, tmp_path):
    lake = lake_in(ducklake, tmp_path)
    sick_table(lake)
    lake.execute("CREATE TABLE lake.whole AS SELECT i FROM range(100) s(i)")
    (row,) = lake.rows("ducklake_column_stats", table_name="t")
    file = Path(row["file_name"])
    for damage in (file.unlink, lambda: file.write_bytes(b"PAR1 not any more"), lambda: file.write_bytes(b"")):
        damage()
        for function in FUNCTIONS:
            if function in ("ducklake_stats_audit", "ducklake_stats_repair"):
                (row,) = lake.rows(function)
                assert file.name in (row.get("effect") or row["purpose"])
            else:
                with pytest.raises(duckdb.Error, match=file.name):
                    lake.rows(function)
            lake.rows(function, table_name="whole")


@pytest.fixture
def encrypted_lake(ducklake, tmp_path):
    lake = encrypted_lake_in(ducklake, tmp_path)
    lake.set_option("data_inlining_row_limit", "0")
    return lake


def test_renamed_columns_of_an_encrypted_lake(encrypted_lake):
    """The footers cannot be asked for field ids, and the names in the files are old ones."""
    encrypted_lake.run([
        "CREATE TABLE lake.t AS SELECT i::INTEGER AS a, 1000 + i::INTEGER AS b FROM range(100) s(i)",
        "ALTER TABLE lake.t RENAME a TO x", "ALTER TABLE lake.t RENAME b TO a", "ALTER TABLE lake.t RENAME x TO b",
        "CREATE TABLE lake.again AS SELECT i::INTEGER AS a, 1000 + i::INTEGER AS b FROM range(100) s(i)",
        "ALTER TABLE lake.again DROP COLUMN b", "ALTER TABLE lake.again ADD COLUMN b INTEGER DEFAULT 5",
        "INSERT INTO lake.again VALUES (100, 2000)",
    ])  # fmt: skip
    assert encrypted_lake.audit() == []
    encrypted_lake.repair()
    assert encrypted_lake.execute("SELECT min(a), max(a), min(b), max(b) FROM lake.t") == [(1000, 1099, 0, 99)]
    assert encrypted_lake.value("SELECT count(*) FROM lake.t WHERE a > 500") == 100
    assert encrypted_lake.value("SELECT count(*) FROM lake.again WHERE b = 5") == 100


def test_changed_parts_of_an_encrypted_lake(encrypted_lake):
    """Of a column of which a part was renamed, dropped or added nothing is said; the others are judged as ever."""
    encrypted_lake.run([
        """CREATE TABLE lake.t AS SELECT i AS a, {'p': i, 'q': -i, 'n': {'x': i, 'y': 'k' || i}} AS s, [{'u': i}] AS l,
           MAP {i: {'v': i}} AS m, {'only': i} AS o, {'n': {'x': i, 'y': 'k' || i}, 'l': [{'u': i}], 'z': MAP {i: {'v': i}}}
           AS same FROM range(100) r(i)""",
        "ALTER TABLE lake.t RENAME s.p TO x", "ALTER TABLE lake.t RENAME s.q TO p", "ALTER TABLE lake.t RENAME s.x TO q",
        "ALTER TABLE lake.t RENAME l.element.u TO w", "ALTER TABLE lake.t RENAME m.value.v TO w",
        "ALTER TABLE lake.t ADD COLUMN o.other INTEGER", "ALTER TABLE lake.t DROP COLUMN o.only",
        "ALTER TABLE lake.t ADD COLUMN late STRUCT(g INTEGER)",
        """INSERT INTO lake.t SELECT i, {'q': i, 'p': -i, 'n': {'x': i, 'y': 'k'}}, [{'w': i}], MAP {i: {'w': i}}, {'other': 5},
           {'n': {'x': i, 'y': 'k'}, 'l': [{'u': i}], 'z': MAP {i: {'v': i}}}, {'g': 6} FROM range(1000, 1100) r(i)""",
    ])  # fmt: skip

    def bounds(first, last, text):
        leaves = ("same.n.x", "same.l.element.u", "same.z.key", "same.z.value.v")
        return {column: (first, last) for column in ("a", *leaves)} | {"same.n.y": text}

    def bounds_of_files():
        bounds = {}
        for row in encrypted_lake.rows("ducklake_column_stats"):
            bounds.setdefault(row["data_file_id"], {})[row["column_name"]] = (row["min_value"], row["max_value"])
        return [bounds[file] for file in sorted(bounds)]

    new = bounds("1000", "1099", ("k", "k")) | {"late.g": ("6", "6")}
    assert bounds_of_files() == [bounds("0", "99", ("k0", "k99")), new]
    assert encrypted_lake.audit() == []
    encrypted_lake.run(["DELETE FROM lake.t WHERE a < 70", "CALL ducklake_rewrite_data_files('lake', delete_threshold => 0.1)"])
    assert bounds_of_files() == [new, bounds("70", "99", ("k70", "k99"))]
    # DuckLake takes the rewritten rows alone for the table, and older snapshots have more.
    assert {row["data_file_id"] for row in encrypted_lake.audit()} == {None}
    encrypted_lake.repair()
    # Of the map nobody reads the bounds.
    assert {severity for severity, *_ in encrypted_lake.findings()} <= {"harmless"}
    assert encrypted_lake.value("SELECT count(*) FROM lake.t WHERE same.n.x > 80") == 119


def test_a_part_of_an_encrypted_lake_that_was_dropped_and_added_again(encrypted_lake):
    """A file of after the change has the names of before it: it may be an older one, rewritten. Nothing is claimed."""
    encrypted_lake.run([
        "CREATE TABLE lake.t AS SELECT {'p': i, 'q': i} AS s FROM range(10) r(i)",
        "ALTER TABLE lake.t DROP COLUMN s.q", "ALTER TABLE lake.t ADD COLUMN s.q BIGINT",
        "INSERT INTO lake.t SELECT {'p': i, 'q': -i} FROM range(10) r(i)",
    ])  # fmt: skip
    assert encrypted_lake.rows("ducklake_column_stats") == [] == encrypted_lake.audit()
    assert encrypted_lake.value("SELECT count(*) FROM lake.t WHERE s.q < -4") == 5
    encrypted_lake.run(["DELETE FROM lake.t WHERE s.p < 5", "CALL ducklake_rewrite_data_files('lake', delete_threshold => 0.1)"])
    assert encrypted_lake.rows("ducklake_column_stats") == []


REPLACED = ["ALTER TABLE lake.t DROP COLUMN s.q", "ALTER TABLE lake.t ADD COLUMN s.q BIGINT", "COMMIT"]
WRITTEN_BETWEEN_SNAPSHOTS = {
    "created": ["BEGIN", "CREATE TABLE lake.t AS SELECT {'p': i, 'q': 1000 + i} AS s FROM range(10) r(i)", *REPLACED],
    "renamed": ["CREATE TABLE lake.t (s STRUCT(p BIGINT, z BIGINT))", "BEGIN", "ALTER TABLE lake.t RENAME s.z TO q",
                "INSERT INTO lake.t SELECT {'p': i, 'q': 1000 + i} FROM range(10) r(i)", *REPLACED],
}  # fmt: skip


@pytest.mark.parametrize("how", WRITTEN_BETWEEN_SNAPSHOTS)
def test_parts_that_a_transaction_replaced_after_its_file(encrypted_lake, how):
    """The file has the names of a moment that no snapshot keeps."""
    encrypted_lake.run(WRITTEN_BETWEEN_SNAPSHOTS[how])
    assert encrypted_lake.execute("SELECT DISTINCT s.q FROM lake.t") == [(None,)]
    for function in ("ducklake_column_stats", "ducklake_table_column_stats", "ducklake_stats_audit"):
        assert encrypted_lake.rows(function) == [], function


def test_a_rewritten_file_with_a_dropped_column_of_the_same_name(encrypted_lake):
    """Only the reader can tell that the file lacks the new column: names and snapshots say that it has it."""
    encrypted_lake.run([
        "CREATE TABLE lake.t AS SELECT i AS a, 1000 + i AS b, {'x': i} AS n, i AS c FROM range(10) r(i)",
        "ALTER TABLE lake.t DROP COLUMN b", "ALTER TABLE lake.t ADD COLUMN b BIGINT DEFAULT 7",
        "ALTER TABLE lake.t DROP COLUMN n", "ALTER TABLE lake.t ADD COLUMN n STRUCT(x BIGINT)",
        "ALTER TABLE lake.t ADD COLUMN late STRUCT(y BIGINT)",
        "DELETE FROM lake.t WHERE a = 3", "CALL ducklake_rewrite_data_files('lake', delete_threshold => 0.01)",
    ])  # fmt: skip
    assert encrypted_lake.execute("SELECT DISTINCT b, n, late FROM lake.t") == [(7, None, None)]
    assert {row["column_name"] for row in encrypted_lake.rows("ducklake_column_stats")} == {"a", "c"}
    assert encrypted_lake.audit() == []
    encrypted_lake.run(["INSERT INTO lake.t VALUES (20, 21, 22, {'x': 23}, {'y': 24})"])
    new = [row["column_name"] for row in encrypted_lake.rows("ducklake_column_stats") if row["min_value"] > "19"]
    assert new == ["a", "c", "b", "n.x", "late.y"]
    bounds = {row["column_name"]: (row["min_value"], row["max_value"], row["contains_null"])
              for row in encrypted_lake.rows("ducklake_table_column_stats")}  # fmt: skip
    assert bounds["b"] == ("7", "22", False)
    assert (bounds["n.x"], bounds["late.y"]) == (("23", "23", True), ("24", "24", True))
    assert encrypted_lake.audit() == []
