#!/usr/bin/env python3
"""Run sqllogictest files over the installed duckdb package.

    python test/runner/sqllogic.py --extension build/release/colstats.duckdb_extension [PATH ...]

PATH is a file or a folder (default: test/sql). Each file runs in a process of its own with a time limit, so that
a crash or a hang is the failure of one file. Every file found must be reported; the closing line counts them.
The dialect is described in dialect.py.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
OUTCOMES = ("passed", "failed", "skipped")


def find_files(paths):
    """All test files under the given paths, each once, in a stable order."""
    found = set()
    for path in map(Path, paths):
        if path.is_dir():
            found.update(file.resolve() for file in path.glob("**/*.test"))
        elif path.is_file():
            found.add(path.resolve())
        else:
            sys.exit(f"error: {path} is neither a file nor a folder")
    return sorted(found)


def run_commands(file, extension, test_directory):
    """Run one file in this process; returns outcome, message and the number of checks made."""
    # Imported here: only the worker's process needs duckdb.
    from dialect import DialectError, parse
    from session import Failure, Session, Skip

    session = None
    try:
        commands = parse(file.read_text(encoding="utf-8"))
        session = Session(extension, test_directory)
        for command in commands:
            session.run(command)
        if session.checks == 0:
            return "failed", "the file holds no statement and no query", 0
        return "passed", "", session.checks
    except (DialectError, Failure) as failure:
        return "failed", str(failure), session.checks if session else 0
    except Skip as skip:
        return "skipped", str(skip), session.checks
    finally:
        if session:
            session.close()


def work(file, extension, report):
    """The worker's side: the report is a file, as standard output belongs to whatever the extension prints."""
    with tempfile.TemporaryDirectory(prefix="colstats-sql-") as test_directory:
        outcome, message, checks = run_commands(file, extension, test_directory)
    Path(report).write_text(json.dumps([outcome, message, checks]), encoding="utf-8")


def run_file(file, extension, timeout):
    """Run one file in a process of its own."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="colstats-report-") as directory:
        report = Path(directory) / "report.json"
        command = [sys.executable, __file__, "--extension", extension, "--work", str(file), "--report", str(report)]
        worker = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            output = worker.communicate(timeout=timeout)[0].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            end_process_group(worker)
            return "failed", f"no end after {timeout} s", 0, time.monotonic() - started
        seconds = time.monotonic() - started
        if worker.returncode != 0 or not report.exists():
            return "failed", f"the process ended with {worker.returncode}\n{output.strip()}", 0, seconds
        outcome, message, checks = json.loads(report.read_text(encoding="utf-8"))
        if outcome == "failed" and output.strip():
            message = f"{message}\n---- output\n{output.strip()}"
        return outcome, message, checks, seconds


def end_process_group(worker):
    """End a worker together with all it started."""
    if hasattr(os, "killpg"):
        os.killpg(worker.pid, signal.SIGKILL)
    else:
        worker.kill()
    worker.communicate()


def report_file(file, result):
    outcome, message, checks, seconds = result
    name = file.relative_to(REPOSITORY) if file.is_relative_to(REPOSITORY) else file
    if outcome == "passed":
        print(f"passed  {name} ({checks} checks, {seconds:.1f} s)", flush=True)
    else:
        indented = message.replace("\n", "\n    ")
        print(f"{outcome:7} {name}: {indented}", flush=True)


def run_files(files, extension, workers, timeout):
    """Run all files and count the outcomes."""
    counts = dict.fromkeys(OUTCOMES, 0)
    with ThreadPoolExecutor(workers) as pool:
        results = pool.map(lambda file: run_file(file, extension, timeout), files)
        for file, result in zip(files, results):
            report_file(file, result)
            counts[result[0]] += 1
    missing = len(files) - sum(counts.values())
    if missing:
        print(f"failed  {missing} of {len(files)} files were found but not reported")
        counts["failed"] += missing
    return counts


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=[str(REPOSITORY / "test" / "sql")])
    parser.add_argument("--extension", required=True, help="the built colstats.duckdb_extension")
    parser.add_argument("--workers", type=int, default=2, help="files run at the same time (%(default)s)")
    parser.add_argument("--timeout", type=float, default=300, help="seconds a file may take (%(default)s)")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--report", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = parse_options()
    extension = str(Path(options.extension).resolve())
    if options.work:
        work(options.work, extension, options.report)
        return 0
    if not Path(extension).is_file():
        sys.exit(f"error: {options.extension} is missing; `make release` builds it")
    files = find_files(options.paths)
    if not files:
        sys.exit(f"error: no .test file under {' '.join(options.paths)}")
    counts = run_files(files, extension, options.workers, options.timeout)
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
