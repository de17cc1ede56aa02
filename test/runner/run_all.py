#!/usr/bin/env python3
"""Run every test of colstats; this is what `make test` calls, after the build.

    run_all.py [--build-type release] [--hosts "2.0.1 1.5.5"] [--stages "sql e2e"]

Stages: cargo (Rust tests), runner (the tests of this tooling), sql (sqllogictest files), e2e (pytest over
test/e2e), cases (../shared/cases, when it is there). The last three run once per host; on a host that colstats
must refuse only e2e runs. The last line is the total; anything that broke counts as failed.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jobs import Counts, Job, Outcome, run_job

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))

from hosts import HostError, default_host, load_hosts, select_hosts  # noqa: E402

STAGES = ("cargo", "runner", "sql", "e2e", "cases")
SHARED = REPOSITORY.parent / "shared"
EXTENSION_FILE = "colstats.duckdb_extension"
# Hosts run two at a time: the machines this runs on have two cores.
JOBS_AT_A_TIME = 2


def select_stages(names):
    """The named stages in their fixed order, or all."""
    wanted = names.replace(",", " ").split()
    unknown = [name for name in wanted if name not in STAGES]
    if unknown:
        raise HostError(f"no stage {unknown[0]!r}; stages are {', '.join(STAGES)}")
    return [stage for stage in STAGES if stage in wanted or not wanted]


def host_platform(host):
    """The platform string this host's package was built with; it must match the extension's footer exactly."""
    question = "import duckdb; print(duckdb.execute('PRAGMA platform').fetchone()[0])"
    result = subprocess.run([host.python, "-c", question], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise HostError(f"host {host.version} does not run ({result.stderr.strip()}); `make configure` makes it")
    return result.stdout.strip()


def extension_for(host, build_directory):
    """The stamped file for a host: one of its own platform when there is one, else the main one."""
    own = build_directory / host_platform(host) / EXTENSION_FILE
    return own if own.exists() else build_directory / EXTENSION_FILE


def pytest_command(python, *arguments):
    return (str(python), "-m", "pytest", "-p", "no:cacheprovider", "--tb=short", "-q", *map(str, arguments))


def shared_environment():
    """Where tests find the recorded rows and public files; absent from a bare clone."""
    return {"COLSTATS_SHARED": str(SHARED)} if SHARED.is_dir() else {}


def cargo_job():
    cargo = os.environ.get("CARGO", "cargo")
    manifest = str(REPOSITORY / "Cargo.toml")
    command = (cargo, "test", "--workspace", "--locked", "--no-fail-fast", "--manifest-path", manifest)
    return Job("cargo", "-", command, "cargo")


def runner_job(host):
    command = pytest_command(host.python, REPOSITORY / "test" / "runner", REPOSITORY / "scripts")
    return Job("runner", host.version, command, "junit")


def host_job(stage, host, extension):
    """A stage that runs once per host."""
    python = str(host.python)
    if stage == "sql":
        runner = str(REPOSITORY / "test" / "runner" / "sqllogic.py")
        command = (python, runner, "--extension", str(extension), "--workers", "1")
        return Job(stage, host.version, command, "closing line", shared_environment())
    if stage == "e2e":
        command = pytest_command(python, "-rs", REPOSITORY / "test" / "e2e", "--extension", extension)
        return Job(stage, host.version, command, "junit", shared_environment())
    wrapper = str(REPOSITORY / "test" / "runner" / "handed_cases.py")
    command = (python, wrapper, str(SHARED / "cases" / "run_cases.py"), "-j", "1")
    return Job(stage, host.version, command, "closing line", {"COLSTATS_EXT": str(extension)})


def plan_jobs(stages, hosts, build_directory):
    """Jobs in order, and notes on what is left out and why."""
    jobs, notes = [], []
    if "cargo" in stages:
        jobs.append(cargo_job())
    if "runner" in stages:
        jobs.append(runner_job(default_host(load_hosts())))
    per_host = [stage for stage in stages if stage in ("sql", "e2e", "cases")]
    if "cases" in per_host and not (SHARED / "cases" / "run_cases.py").exists():
        notes.append("cases: skipped, there is no ../shared/cases beside this repository")
        per_host.remove("cases")
    extensions = {host.version: extension_for(host, build_directory) for host in hosts} if per_host else {}
    for stage in per_host:
        for host in hosts:
            if host.is_supported or stage == "e2e":
                jobs.append(host_job(stage, host, extensions[host.version]))
    return jobs, notes


def run_jobs(jobs, timeout, verbose):
    """Outcomes in the order of the jobs. cargo goes first and alone: it uses every core by itself."""
    outcomes = []
    alone = [job for job in jobs if job.stage == "cargo"]
    together = [job for job in jobs if job.stage != "cargo"]
    for group, workers in ((alone, 1), (together, JOBS_AT_A_TIME)):
        with ThreadPoolExecutor(workers) as pool:
            for outcome in pool.map(lambda job: run_job(job, timeout), group):
                print_outcome(outcome, verbose)
                outcomes.append(outcome)
    return outcomes


def print_outcome(outcome, verbose):
    """One line for a part that passed; its whole output too when it did not."""
    job, counts = outcome.job, outcome.counts
    print(f"{job.stage} {job.host}: {counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped"
          f" ({outcome.seconds:.0f} s){': ' + outcome.problem if outcome.problem else ''}", flush=True)
    if counts.failed or verbose:
        print(f"  $ {' '.join(job.command)}")
        print("".join(f"  | {line}\n" for line in outcome.output.splitlines()), flush=True)


def print_summary(outcomes, notes):
    """The table and, as the last line, the total."""
    print(f"\n{'stage':8} {'host':7} {'passed':>7} {'failed':>7} {'skipped':>8} {'seconds':>8}")
    for outcome in outcomes:
        counts = outcome.counts
        print(f"{outcome.job.stage:8} {outcome.job.host:7} {counts.passed:7} {counts.failed:7} {counts.skipped:8}"
              f" {outcome.seconds:8.0f}  {outcome.problem}".rstrip())
    for note in notes:
        print(note)
    total = sum((outcome.counts for outcome in outcomes), Counts())
    skipped = f", {total.skipped} skipped" if total.skipped else ""
    print(f"\n{total.passed} passed, {total.failed} failed{skipped}", flush=True)
    return 1 if total.failed or total.passed == 0 else 0


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-type", choices=("release", "debug"), default="release")
    parser.add_argument("--hosts", default="", help="versions from scripts/hosts.ini (default: all)")
    parser.add_argument("--stages", default="", help=f"of {', '.join(STAGES)} (default: all)")
    parser.add_argument("--timeout", type=float, default=2400, help="seconds for one part (%(default)s)")
    parser.add_argument("--verbose", action="store_true", help="show the output of parts that passed, too")
    return parser.parse_args()


def main():
    options = parse_options()
    try:
        stages = select_stages(options.stages)
        hosts = select_hosts(load_hosts(), options.hosts)
        jobs, notes = plan_jobs(stages, hosts, REPOSITORY / "build" / options.build_type)
    except HostError as error:
        # Reported as a failed test, so that whoever reads the last line sees it.
        broken = Outcome(Job("plan", "-", (), "closing line"), Counts(failed=1), 0, "", str(error))
        return print_summary([broken], [])
    return print_summary(run_jobs(jobs, options.timeout, options.verbose), notes)


if __name__ == "__main__":
    sys.exit(main())
