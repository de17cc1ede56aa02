"""The runner as a whole, on real files: it must be able to fail, and must never lose a file."""

import subprocess
import sys
from pathlib import Path

import pytest

RUNNER = Path(__file__).with_name("sqllogic.py")


@pytest.fixture
def run(tmp_path):
    """Write the given files and run them; returns exit code and output."""
    extension = tmp_path / "colstats.duckdb_extension"
    extension.write_bytes(b"not a library")

    def run_files(*options, **files):
        folder = tmp_path / "sql"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / f"{name}.test").write_text(text, encoding="utf-8")
        command = [sys.executable, str(RUNNER), "--extension", str(extension), *options, str(folder)]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        return result.returncode, result.stdout + result.stderr

    return run_files


def last_line(output):
    return output.rstrip().splitlines()[-1]


def test_counts_passed_failed_and_skipped_files(run):
    code, output = run(
        good="query I\nSELECT 42\n----\n42\n",
        wrong="query I\nSELECT 42\n----\n43\n",
        skipped="require-env COLSTATS_NO_SUCH_VARIABLE\n\nquery I\nSELECT 42\n----\n43\n",
        strange="loop i 0 3\n\nendloop\n",
    )
    assert code == 1
    assert last_line(output) == "1 passed, 2 failed, 1 skipped"
    assert "row 1, column 1 (INTEGER): '42', expected '43'" in output
    assert "unknown directive 'loop'" in output
    assert "COLSTATS_NO_SUCH_VARIABLE: not set" in output


def test_passing_file(run):
    text = """statement ok
CREATE TABLE t AS SELECT NULL AS a, '' AS b, true AS c, 1.5::DOUBLE AS d, 1 AS d

query TTTRI
SELECT * FROM t
----
NULL\t(empty)\ttrue\t1.5\t1

statement error
SELECT error('one ' || 'two')
----
one two

query T
SELECT '__TEST_DIR__' = '' OR '__WORKING_DIRECTORY__' LIKE '%__TEST_DIR__%'
----
false

query T
SELECT current_setting('TimeZone')
----
UTC
"""
    code, output = run(all=text)
    assert code == 0, output
    assert last_line(output) == "1 passed, 0 failed, 0 skipped"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("statement error\nSELECT 1\n----\nx\n", "an error was expected"),
        ("statement error\nSELECT error('a')\n----\nb\n", "another error than expected"),
        ("statement error\nSELECT error('INTERNAL a')\n----\na\n", "never expected"),
        ("statement ok\nSELECT error('a')\n", "Invalid Input Error: a"),
        ("query I\nSELECT 1, 2\n----\n1\n", "2 columns, the query names 1"),
        ("query I\nSELECT 1\n----\n", "1 rows, expected 0"),
        ("query T\nSELECT error('a')\n----\nx\n", "Invalid Input Error: a"),
        ("require colstats\n\nquery I\nSELECT 1\n----\n1\n", "line 1"),
        ("require parqet\n\nquery I\nSELECT 1\n----\n1\n", "require parqet: unknown"),
        ("# nothing\n", "holds no statement"),
    ],
)
def test_failures(run, text, message):
    code, output = run(file=text)
    assert code == 1
    assert last_line(output) == "0 passed, 1 failed, 0 skipped"
    assert message in output


def test_database_files_survive_a_restart(run):
    text = """require parquet

load __TEST_DIR__/a.db

statement ok
CREATE TABLE t AS SELECT 1 AS i

restart

query I
FROM t
----
1

load __TEST_DIR__/a.db readonly

statement error
INSERT INTO t VALUES (2)
----
read-only

load __TEST_DIR__/a.db

statement error
FROM t
----
does not exist

load

statement ok
CREATE TABLE t (i INTEGER)
"""
    code, output = run(file=text)
    assert code == 0, output


def test_environment_variables_are_replaced(run, monkeypatch):
    monkeypatch.setenv("COLSTATS_RUNNER_TEST", "7")
    text = "require-env COLSTATS_RUNNER_TEST 7\n\nquery I\nSELECT ${COLSTATS_RUNNER_TEST}\n----\n7\n"
    code, output = run(file=text)
    assert code == 0, output


def test_a_hanging_file_is_ended(run):
    numbers = "range(10000000)"
    endless = f"query I\nSELECT count(*) FROM {numbers} a, {numbers} b WHERE a.range + b.range = -1\n----\n0\n"
    code, output = run("--timeout", "3", file=endless)
    assert code == 1
    assert "no end after 3.0 s" in output


def test_a_crash_is_the_failure_of_its_file(run, monkeypatch, tmp_path):
    """A stand-in for duckdb that ends the process, found before the real one."""
    (tmp_path / "duckdb.py").write_text("import os\nprint('last words', flush=True)\nos.abort()\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    code, output = run(file="query I\nSELECT 1\n----\n1\n")
    assert code == 1
    assert last_line(output) == "0 passed, 1 failed, 0 skipped"
    assert "the process ended with" in output
    assert "last words" in output


def test_no_file_is_an_error(run):
    code, output = run()
    assert code == 1
    assert "no .test file" in output
