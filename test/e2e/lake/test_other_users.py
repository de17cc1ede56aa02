"""Repairs of a DuckLake that has other users: what they do between its audit, its statements and the next ATTACH."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from lakes import lake_in
from packaged_extension import packaged_extension_path
from sick_lake import BEFORE, RIGHT, TABLES, answers, make_sick

SUPPORT = Path(__file__).parents[1] / "support"
# What a concurrent writer adds: outside all bounds, so that statistics that do not know of it are wrong.
WRITES = {
    "nan": "INSERT INTO lake.nan VALUES (30000, 30), (-30000, -30)",
    "text": "INSERT INTO lake.text VALUES (30000, 'zzz'), (-30000, '')",
    "point": "INSERT INTO lake.point VALUES ('POINT(-90 -90)'), ('POINT(90 90)')",
    "twice": "INSERT INTO lake.twice VALUES (30000, 30000), (-30000, -30000)",
    "added": "INSERT INTO lake.added VALUES ('nan'), (-30000)",
}
# By table: a query that only complete statistics answer, without and with the rows above.
AFTER_WRITES = {
    "nan": ("SELECT count(*) FROM lake.nan WHERE d > 20000 OR d < -20000", 10, 12),
    "text": ("SELECT count(*) FROM lake.text WHERE i > 4000 OR i < 2000", 96, 98),
    "point": ("SELECT count(*) FROM lake.point WHERE g && 'LINESTRING(-91 -91, 0.1234568 2)'::GEOMETRY", 1, 2),
    "twice": ("SELECT count(*) FROM lake.twice WHERE v < 5 OR v > 195", 9, 11),
    "added": ("SELECT count(*) FROM lake.added WHERE d > 2.5 OR d < 0", 499, 501),
}


def row_counts(lake):
    """Counted without the help of statistics."""
    lake.execute("PRAGMA disable_optimizer")
    counts = {table: lake.value(f"SELECT count(*) FROM lake.{table}") for table in TABLES}
    lake.execute("PRAGMA enable_optimizer")
    return counts


def assert_right_after(lake, written):
    """Every row is there and found. `written` are the tables that got WRITES."""
    for table, (query, without, with_rows) in AFTER_WRITES.items():
        assert (query, lake.value(query)) == (query, with_rows if table in written else without)
    unchanged = {query: right for query, right in RIGHT.items() if not any(f"lake.{t}" in query for t in written)}
    assert {query: lake.value(query) for query in unchanged} == unchanged


def repair_until_clean(lake):
    """A first repair may have found the lake changed meanwhile; the second one has nothing in its way."""
    lake.repair()
    assert lake.findings("wrong", "missing") == set()
    assert lake.repair_statements() == []


@pytest.fixture
def sick_lake(connection, load_packaged, tmp_path):
    load_packaged(connection, "ducklake")
    return make_sick(lake_in(connection, tmp_path), tmp_path)


def test_the_lake_is_sick_and_gets_well(sick_lake):
    """What the other tests stand on."""
    assert answers(sick_lake) == BEFORE
    assert len(sick_lake.repair_statements()) >= 8
    sick_lake.repair()
    assert answers(sick_lake) == RIGHT
    assert_right_after(sick_lake, ())
    assert sick_lake.repair_statements() == []


@pytest.mark.parametrize("table", WRITES)
def test_rows_inserted_after_the_repair_was_written(sick_lake, table):
    """The statements were made for a lake that has grown since: what they say about it is not taken for true."""
    statements = sick_lake.repair_statements()
    sick_lake.execute(WRITES[table])
    stored = f"FROM {sick_lake.metadata}.ducklake_table_column_stats ORDER BY ALL"
    of_tables = sick_lake.execute(stored)
    sick_lake.run(statements)
    # Files never change, so theirs are repaired; those of tables are for the repair that comes next.
    assert sick_lake.execute(stored) == of_tables
    assert {place for *_, place in sick_lake.findings("wrong")} == {"table"}
    sick_lake.attach_again()
    repair_until_clean(sick_lake)
    assert_right_after(sick_lake, (table,))


@pytest.mark.parametrize("table", WRITES)
def test_an_insert_without_attaching_again(sick_lake, table):
    """DuckLake merges an insert into the table's statistics of its memory, which are those before the repair: the
    audit says so, and another repair puts it right."""
    sick_lake.run(sick_lake.repair_statements())
    sick_lake.execute(WRITES[table])
    sick_lake.attach_again()
    repair_until_clean(sick_lake)
    assert_right_after(sick_lake, (table,))


def test_files_that_vanish_before_the_repair_runs(sick_lake):
    """Compaction and expiry between the audit and the repair: no statistics of files that are gone are left behind."""
    statements = sick_lake.repair_statements()
    sick_lake.run([
        "DELETE FROM lake.twice WHERE v % 2 = 0",
        "CALL ducklake_rewrite_data_files('lake', 'twice', delete_threshold => 0.01)",
        "CALL ducklake_merge_adjacent_files('lake')",
    ])  # fmt: skip
    # The rows of these calls hold moments with a time zone, which Python cannot fetch without a package more.
    snapshots = sick_lake.execute(f"SELECT snapshot_id FROM {sick_lake.metadata}.ducklake_snapshot ORDER BY ALL")
    older = [snapshot for (snapshot,) in snapshots[:-1]]
    sick_lake.execute(f"SELECT count(*) FROM ducklake_expire_snapshots('lake', versions => {older})")
    sick_lake.execute("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
    files, ours = (f"{sick_lake.metadata}.ducklake_{name}" for name in ("data_file", "file_column_stats"))
    orphans = f"SELECT count(*) FROM {ours} WHERE data_file_id NOT IN (SELECT data_file_id FROM {files})"
    orphans_before = sick_lake.value(orphans)
    assert sick_lake.value(f"SELECT count(*) FROM {files} WHERE data_file_id = 5") == 0
    sick_lake.run(statements).attach_again()
    assert sick_lake.value(orphans) <= orphans_before
    repair_until_clean(sick_lake)
    assert sick_lake.value("SELECT count(*) FROM lake.twice WHERE v < 5") == 2


def other_process(names, statements):
    """The arguments of Popen for a process that runs statements with these extensions."""
    paths = [str(packaged_extension_path(name)) for name in names]
    task = json.dumps({"load": paths, "statements": statements})
    environment = {**os.environ, "PYTHONPATH": str(SUPPORT.parents[2] / "scripts")}
    return {"args": [sys.executable, str(SUPPORT / "run_statements.py"), task], "env": environment, "text": True}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_another_process_writes_while_repairs_run(connection, catalogues, tmp_path, kind):
    """A catalogue that several processes share. One inserts all the time, the other one repairs again and again."""
    lake = make_sick(lake_in(connection, tmp_path, catalogues(kind)), tmp_path)
    before = row_counts(lake)
    rounds = 6
    attach = f"ATTACH 'ducklake:{lake.catalogue}' AS lake"
    writes = [statement for _ in range(rounds) for statement in WRITES.values()]
    task = other_process(["ducklake", f"{kind}_scanner"], [attach, *writes])
    with subprocess.Popen(**task, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        is_first = True
        while writer.poll() is None or is_first:
            is_first = False
            # Where the other process was first, the repair that comes next looks again.
            for transaction in transactions(patiently(lake, lake.repair_statements)):
                patiently(lake, lambda transaction=transaction: lake.run(transaction))
            lake.execute("DETACH lake")
            patiently(lake, lake.attach)
        assert writer.communicate() == ("done\n", "")
    assert row_counts(lake) == {table: count + 2 * rounds for table, count in before.items()}
    lake.attach_again()
    repair_until_clean(lake)
    for query, without, with_rows in AFTER_WRITES.values():
        assert (query, lake.value(query)) == (query, without + (with_rows - without) * rounds)


def transactions(statements):
    """The statements, those between BEGIN and COMMIT as one."""
    found = []
    for statement in statements:
        if found and found[-1][0] == "BEGIN;" and found[-1][-1] != "COMMIT;":
            found[-1].append(statement)
        else:
            found.append([statement])
    return found


def patiently(lake, action):
    """What met the other process's transaction is run again."""
    for _ in range(200):
        try:
            return action()
        except duckdb.Error as error:
            assert any(word in str(error) for word in ("locked", "serialize", "conflict", "deadlock")), error
            with contextlib.suppress(duckdb.TransactionException):
                lake.execute("ROLLBACK")
            time.sleep(0.05)
    raise AssertionError("the catalogue stayed locked")
