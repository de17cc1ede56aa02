"""An environment is trusted only while its stamp says what is asked for."""

import environment
import pytest
from environment import STAMP, EnvironmentFailure, is_current, make_environment, read_requirements, stamp_text


@pytest.fixture
def recorded_steps(monkeypatch, tmp_path):
    """Make environments without pip: each step is recorded and leaves an interpreter behind."""
    steps = []

    def run_step(command, advice):
        steps.append(command)
        python = environment.environment_python(tmp_path / "configure" / "x")
        python.parent.mkdir(parents=True, exist_ok=True)
        python.touch()

    monkeypatch.setattr(environment, "run_step", run_step)
    monkeypatch.setattr(environment, "CONFIGURE", tmp_path / "configure")
    return steps


def test_made_once_and_again_when_requirements_change(recorded_steps, tmp_path):
    directory = tmp_path / "configure" / "x"
    assert make_environment(directory, ["a==1"])
    assert not make_environment(directory, ["a==1"])
    assert len(recorded_steps) == 2
    (directory / "left over").touch()
    assert make_environment(directory, ["a==2"])
    assert recorded_steps[-1][-1] == "a==2"
    assert not (directory / "left over").exists()


def test_a_broken_attempt_is_not_trusted(monkeypatch, recorded_steps, tmp_path):
    directory = tmp_path / "configure" / "x"

    def fail(command, advice):
        raise EnvironmentFailure(advice)

    monkeypatch.setattr(environment, "run_step", fail)
    with pytest.raises(EnvironmentFailure, match="python3-venv"):
        make_environment(directory, ["a==1"])
    assert not is_current(directory, ["a==1"])


def test_another_python_makes_it_stale(monkeypatch, recorded_steps, tmp_path):
    directory = tmp_path / "configure" / "x"
    make_environment(directory, ["a==1"])
    (directory / STAMP).write_text(stamp_text(["a==1"]).replace("python ", "python 0"), encoding="utf-8")
    assert not is_current(directory, ["a==1"])


def test_requirements_without_comments(tmp_path):
    (tmp_path / "r.txt").write_text("# why\na==1  # reason\n\nb==2\n", encoding="utf-8")
    assert read_requirements(tmp_path / "r.txt") == ["a==1", "b==2"]


def test_failing_step_shows_output_and_advice():
    with pytest.raises(EnvironmentFailure, match="what to do"):
        environment.run_step(["python3", "-c", "raise SystemExit(3)"], "what to do")
