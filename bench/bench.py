#!/usr/bin/env python3
"""Measure colstats against a bare scan and against DuckDB's own statements; prints Markdown tables.

    make bench                          12 million rows, on the hosts marked in scripts/hosts.ini
    make bench BENCH_ARGS="--quick"     1 million rows, 300 small files
    make bench BENCH_ARGS="--hosts 2.0.1 --runs 9"

Figures are medians; the statements of a table run in turns. Files are made once, under build/bench.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "scripts"))

from hosts import HostError, default_host, load_hosts, select_hosts  # noqa: E402

BENCH = REPOSITORY / "bench"
MINIMUM_RUNS = 5
FULL = {"rows": 12_000_000, "small_files": 3_000}
QUICK = {"rows": 1_000_000, "small_files": 300}


def run_python(python, script, arguments):
    """Standard output of one of the scripts beside this one; progress and errors go to the terminal."""
    command = [str(python), str(BENCH / script), *map(str, arguments)]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"error: {script} failed on {python}; its message is above")
    return result.stdout


def format_table(group):
    """One group as Markdown: seconds, and ratios to the scan floor (its first statement) and to DuckDB's own
    aggregates."""
    seconds = group["seconds"]
    floor = next(iter(seconds.values()))
    own = next(median for label, median in seconds.items() if label.startswith("DuckDB "))
    head = ["| statement | seconds | x floor | x DuckDB |", "| --- | ---: | ---: | ---: |"]
    lines = [f"### {group['title']}", "", *head]
    for label, median in seconds.items():
        known = median is not None
        figures = f"{median:.3f} | {median / floor:.2f} | {median / own:.2f}" if known else "n/a | n/a | n/a"
        lines.append(f"| {label} | {figures} |")
    return "\n".join([*lines, ""])


def processor_name():
    """What the operating system calls the processor, for the heading of the figures."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown processor"
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extension", type=Path, default=REPOSITORY / "build/release/colstats.duckdb_extension")
    parser.add_argument("--hosts", default="", help="versions (default: those marked benchmark in scripts/hosts.ini)")
    parser.add_argument("--runs", type=int, default=MINIMUM_RUNS, help="measured runs of each statement (%(default)s)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="DuckDB threads (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="a twelfth of the rows, a tenth of the small files")
    options = parser.parse_args()
    if options.runs < MINIMUM_RUNS:
        parser.error(f"a median needs at least {MINIMUM_RUNS} runs")
    return options


def main():
    options = parse_options()
    hosts = load_hosts()
    chosen = select_hosts(hosts, options.hosts) if options.hosts else [host for host in hosts if host.benchmark]
    size = QUICK if options.quick else FULL
    directory = REPOSITORY / "build" / "bench" / f"{size['rows']}"
    dataset = ["--directory", directory, "--rows", size["rows"], "--small-files", size["small_files"]]
    print(run_python(default_host(hosts).python, "dataset.py", dataset), end="", flush=True)
    for host in chosen:
        measured = run_python(host.python, "measure.py", [
            *dataset, "--extension", options.extension, "--runs", options.runs, "--threads", options.threads,
        ])
        print(f"## DuckDB {host.version}, {options.threads} threads, {processor_name()},"
              f" {datetime.date.today().isoformat()}, medians of {options.runs}\n")
        for group in json.loads(measured):
            print(format_table(group), flush=True)


if __name__ == "__main__":
    try:
        main()
    except HostError as error:
        sys.exit(f"error: {error}")
