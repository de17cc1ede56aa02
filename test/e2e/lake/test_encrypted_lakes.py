"""Lakes whose files are encrypted, each with a key of its own, which the catalogue keeps."""

import pytest
from lakes import NAN_FIRST, encrypted_lake_in, lost_rows


def test_an_encrypted_lake(connection, catalogues, tmp_path):
    """Each file has a key of its own, which the catalogue keeps."""
    lake = encrypted_lake_in(connection, tmp_path, catalogues("duckdb"))
    lake.set_option("data_inlining_row_limit", "0")
    lake.set_option("parquet_row_group_size", "2048")
    lake.execute(f"CREATE TABLE lake.t AS SELECT i AS k, {NAN_FIRST} AS d FROM range(10000) s(i)")
    keys = lake.execute(f"SELECT DISTINCT encryption_key IS NULL FROM {lake.metadata}.ducklake_data_file")
    assert keys == [(False,)]
    rows = {row["column_name"]: row for row in lake.rows("ducklake_column_stats")}
    assert (rows["d"]["min_value"], rows["d"]["max_value"], rows["d"]["contains_nan"]) == ("10.0", "9999.0", True)
    assert (rows["k"]["min_value"], rows["k"]["value_count"]) == ("0", 10000)
    assert lost_rows(lake) == 10
    lake.repair()
    assert lost_rows(lake) == 0
    assert lake.findings("wrong", "missing") == set()


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
