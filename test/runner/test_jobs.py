"""Counting is right, and whatever breaks counts as failed."""

import sys

import pytest
from jobs import Counts, Job, count_cargo, count_closing_line, count_junit, judge, run_job


def python_job(program, reader="closing line"):
    return Job("stage", "host", (sys.executable, "-c", program), reader)


def test_closing_lines():
    assert count_closing_line("3 passed, 1 failed\n") == Counts(3, 1, 0)
    assert count_closing_line("x\n3 passed, 0 failed, 2 skipped (4 loose)\n") == Counts(3, 0, 2)
    assert count_closing_line("1 passed, 1 failed\n2 passed, 0 failed\n") == Counts(2, 0, 0)
    assert count_closing_line("all is well\n") is None


def test_cargo_lines_are_added_up():
    output = """
test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
"""
    assert count_cargo(output) == Counts(15, 2, 1)
    assert count_cargo("error: could not compile") is None


def test_junit_reports():
    text = '<testsuites><testsuite tests="10" failures="1" errors="2" skipped="3"/></testsuites>'
    assert count_junit(text) == Counts(4, 3, 3)
    assert count_junit("") is None


@pytest.mark.parametrize(
    ("counts", "exit_code", "expected"),
    [
        (Counts(1, 0, 0), 0, Counts(1, 0, 0)),
        (Counts(1, 2, 0), 1, Counts(1, 2, 0)),
        (None, 0, Counts(0, 1, 0)),
        (Counts(), 0, Counts(0, 1, 0)),
        (Counts(5, 0, 0), 139, Counts(5, 1, 0)),
    ],
)
def test_breakage_counts_as_failed(counts, exit_code, expected):
    judged, problem = judge(counts, exit_code)
    assert judged == expected
    assert bool(problem) == (judged != counts)


def test_a_job_that_reports():
    outcome = run_job(python_job("print('2 passed, 0 failed')"), 60)
    assert (outcome.counts, outcome.problem) == (Counts(2, 0, 0), "")


@pytest.mark.parametrize("reader", ["closing line", "cargo", "junit"])
def test_a_job_that_dies(reader):
    outcome = run_job(python_job("import os; print('2 passed', flush=True); os.abort()", reader), 60)
    assert outcome.counts == Counts(0, 1, 0)
    assert "reported no tests" in outcome.problem


def test_a_job_that_hangs():
    outcome = run_job(python_job("import time; time.sleep(60)"), 0.5)
    assert outcome.counts == Counts(0, 1, 0)
    assert "without a result" in outcome.output


def test_a_program_that_is_missing():
    outcome = run_job(Job("stage", "host", ("/no/such/program",), "cargo"), 60)
    assert outcome.counts == Counts(0, 1, 0)
    assert "/no/such/program" in outcome.output
