#!/usr/bin/env python3
"""Make the virtual environments under configure/: one per host, one for the command line shell.

An environment carries a stamp of what was asked for. It is left alone while the stamp fits and rebuilt from
nothing when it does not, so a changed pin never meets leftovers of the old one.
"""

import argparse
import contextlib
import os
import shutil
import subprocess
import sys

from hosts import CONFIGURE, SCRIPTS, HostError, default_host, environment_python, load_hosts, select_hosts

STAMP = "colstats-requirements"


class EnvironmentFailure(Exception):
    """An environment that could not be made; the message says what to do."""


def stamp_text(requirements):
    """What makes an environment out of date: its requirements and the Python it was made with."""
    version = ".".join(map(str, sys.version_info[:3]))
    return "\n".join([f"python {version}", *requirements, ""])


def read_requirements(path):
    """The lines of a requirements file without comments."""
    lines = (line.split("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]


def is_current(directory, requirements):
    stamp = directory / STAMP
    if not environment_python(directory).exists() or not stamp.exists():
        return False
    return stamp.read_text(encoding="utf-8") == stamp_text(requirements)


def run_step(command, advice):
    """Run one step, silent unless it fails."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode != 0:
        raise EnvironmentFailure(f"{result.stdout.strip()}\n{advice}")


def make_environment(directory, requirements):
    """Create or refresh one environment; the stamp is written last, so a broken attempt is never trusted."""
    if is_current(directory, requirements):
        return False
    print(f"making {directory.relative_to(CONFIGURE.parent)}: {' '.join(requirements)}", flush=True)
    shutil.rmtree(directory, ignore_errors=True)
    directory.parent.mkdir(parents=True, exist_ok=True)
    run_step(
        [sys.executable, "-m", "venv", str(directory)],
        "Could not make a virtual environment. On Debian and Ubuntu install the package python3-venv.",
    )
    run_step(
        [str(environment_python(directory)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--only-binary", ":all:", *requirements],
        f"Could not install {' '.join(requirements)}. This needs the network once and a Python for which these"
        f" versions have wheels (this is {sys.version.split()[0]}); choose another with `make PYTHON=python3.11`.",
    )
    (directory / STAMP).write_text(stamp_text(requirements), encoding="utf-8")
    return True


def link_default(host):
    """Keep configure/venv, the name DuckDB's extension tooling knows, pointing at the default host.

    An environment that somebody put there by hand is used as it is, as that tooling does.
    """
    link = CONFIGURE / "venv"
    if link.is_symlink():
        link.unlink()
    if link.exists() and not (link / STAMP).exists():
        return
    try:
        link.symlink_to(host.directory.relative_to(CONFIGURE), target_is_directory=True)
    except OSError:
        # No right to make links (Windows): a second environment of the same content.
        make_environment(link, host_requirements(host))


def host_requirements(host):
    return [*host.requirements, *read_requirements(SCRIPTS / "requirements-test.txt")]


def make_hosts(names):
    """The named hosts, and always the default one, which runs the tests of the tooling itself."""
    hosts = load_hosts()
    chosen = {host.version: host for host in [default_host(hosts), *select_hosts(hosts, names)]}
    for host in chosen.values():
        make_environment(host.directory, host_requirements(host))
    link_default(default_host(hosts))


def make_cli():
    make_environment(CONFIGURE / "cli", read_requirements(SCRIPTS / "requirements-cli.txt"))


@contextlib.contextmanager
def exclusive():
    """One process at a time: two `make` runs in one tree must not build the same environment."""
    CONFIGURE.mkdir(exist_ok=True)
    try:
        import fcntl
    except ImportError:
        yield
        return
    with open(CONFIGURE / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("hosts", "default", "cli"), help="which environments to make")
    parser.add_argument("names", nargs="*", help="with `hosts`: versions to restrict to")
    options = parser.parse_args()
    with exclusive():
        if options.what == "cli":
            make_cli()
        elif options.what == "default":
            make_hosts(default_host(load_hosts()).version)
        else:
            make_hosts(" ".join(options.names))


if __name__ == "__main__":
    # Environments must not inherit the settings of one that happens to be active.
    os.environ.pop("PYTHONHOME", None)
    os.environ.pop("VIRTUAL_ENV", None)
    try:
        main()
    except (EnvironmentFailure, HostError) as error:
        sys.exit(f"error: {error}")
