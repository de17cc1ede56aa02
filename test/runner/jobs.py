"""Run one part of the tests as a process and count what it reports.

A part that breaks instead of reporting (a crash, a time-out, no test found) counts as a failure: silence never
passes for success.
"""

import os
import re
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

CLOSING_LINE = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?(?: \(.*\))?$", re.MULTILINE)
CARGO_LINE = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;", re.MULTILINE)


@dataclass(frozen=True)
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    @property
    def total(self):
        return self.passed + self.failed + self.skipped


@dataclass(frozen=True)
class Job:
    """One stage on one host. `reader` turns output (and the JUnit file, for pytest) into counts."""

    stage: str
    host: str
    command: tuple
    reader: str
    environment: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    job: Job
    counts: Counts
    seconds: float
    output: str
    problem: str = ""


def count_closing_line(output):
    """Counts of the last line of the form `N passed, N failed, N skipped`, or None."""
    lines = CLOSING_LINE.findall(output)
    return Counts(*(int(number or 0) for number in lines[-1])) if lines else None


def count_cargo(output):
    """Counts over all test programs that `cargo test` ran, or None when none reported."""
    lines = CARGO_LINE.findall(output)
    return sum((Counts(*map(int, line)) for line in lines), Counts()) if lines else None


def count_junit(text):
    """Counts of a pytest report; an error while collecting or setting up is a failure. None when unreadable."""
    try:
        suites = ElementTree.fromstring(text).iter("testsuite")
    except ElementTree.ParseError:
        return None
    counts = Counts()
    for suite in suites:
        number = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
        failed = number["failures"] + number["errors"]
        counts += Counts(number["tests"] - failed - number["skipped"], failed, number["skipped"])
    return counts


def judge(counts, exit_code):
    """Final counts and, when the part broke instead of reporting, what is wrong with it."""
    if counts is None:
        return Counts(failed=1), f"ended with {exit_code} and reported no tests"
    if counts.total == 0:
        return Counts(failed=1), "ran no test"
    if exit_code != 0 and counts.failed == 0:
        return counts + Counts(failed=1), f"ended with {exit_code} though no test failed"
    return counts, ""


def run_process(command, environment, timeout):
    """Exit code and output; the whole process group ends with a time-out."""
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = process.communicate(timeout=timeout)[0]
        return process.returncode, output.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        output = process.communicate()[0]
        return -1, output.decode("utf-8", "replace") + f"\nended after {timeout} s without a result\n"


def run_job(job, timeout):
    """Run one job to its outcome."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="colstats-job-") as directory:
        report = Path(directory) / "report.xml"
        command = list(job.command)
        if job.reader == "junit":
            command.append(f"--junitxml={report}")
        try:
            exit_code, output = run_process(command, job.environment, timeout)
        except OSError as error:
            exit_code, output = -1, f"{command[0]}: {error}"
        if job.reader == "junit":
            counts = count_junit(report.read_text(encoding="utf-8")) if report.exists() else None
        else:
            counts = count_cargo(output) if job.reader == "cargo" else count_closing_line(output)
    counts, problem = judge(counts, exit_code)
    return Outcome(job, counts, time.monotonic() - started, output, problem)
