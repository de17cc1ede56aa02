"""Every stage reaches every host it should, and the last line tells the whole."""

import pytest
import run_all
from hosts import Host, HostError
from jobs import Counts, Job, Outcome

HOSTS = [Host("2.0.1", "default", (), True), Host("1.2.2", "refusing", (), False)]


@pytest.fixture
def build_directory(monkeypatch, tmp_path):
    platforms = {"2.0.1": "linux_amd64", "1.2.2": "linux_amd64_gcc4"}
    monkeypatch.setattr(run_all, "host_platform", lambda host: platforms[host.version])
    (tmp_path / "linux_amd64_gcc4").mkdir()
    (tmp_path / "linux_amd64_gcc4" / run_all.EXTENSION_FILE).touch()
    return tmp_path


def test_all_stages_on_all_hosts(monkeypatch, build_directory):
    monkeypatch.setattr(run_all, "SHARED", build_directory)
    (build_directory / "cases").mkdir()
    (build_directory / "cases" / "run_cases.py").touch()
    jobs, notes = run_all.plan_jobs(run_all.STAGES, HOSTS, build_directory)
    planned = [(job.stage, job.host) for job in jobs if job.stage not in ("cargo", "runner")]
    assert planned == [("sql", "2.0.1"), ("e2e", "2.0.1"), ("e2e", "1.2.2"), ("cases", "2.0.1")]
    assert [job.stage for job in jobs[:2]] == ["cargo", "runner"]
    assert notes == []
    assert jobs[3].command[-1] == str(build_directory / run_all.EXTENSION_FILE)
    assert jobs[4].command[-1] == str(build_directory / "linux_amd64_gcc4" / run_all.EXTENSION_FILE)


def test_absent_cases_are_said_to_be_skipped(monkeypatch, build_directory):
    monkeypatch.setattr(run_all, "SHARED", build_directory / "absent")
    jobs, notes = run_all.plan_jobs(["cases"], HOSTS, build_directory)
    assert jobs == []
    assert "skipped" in notes[0]


def test_stages_by_name():
    assert run_all.select_stages("e2e, sql") == ["sql", "e2e"]
    assert run_all.select_stages("") == list(run_all.STAGES)
    with pytest.raises(HostError, match="stages are cargo"):
        run_all.select_stages("sqll")


@pytest.mark.parametrize(
    ("counts", "last_line", "exit_code"),
    [
        ([Counts(2, 0, 0), Counts(1, 0, 0)], "3 passed, 0 failed", 0),
        ([Counts(2, 0, 4), Counts(1, 1, 0)], "3 passed, 1 failed, 4 skipped", 1),
        ([Counts(0, 0, 4)], "0 passed, 0 failed, 4 skipped", 1),
        ([], "0 passed, 0 failed", 1),
    ],
)
def test_last_line_and_exit_code(capsys, counts, last_line, exit_code):
    outcomes = [Outcome(Job("sql", "2.0.1", (), "closing line"), each, 1.0, "") for each in counts]
    assert run_all.print_summary(outcomes, []) == exit_code
    assert capsys.readouterr().out.splitlines()[-1] == last_line
