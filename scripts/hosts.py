#!/usr/bin/env python3
"""The DuckDB versions colstats is tested with, read from hosts.ini, and where their environments lie.

Everything that needs a host (Makefile, test runner, benchmark) asks here, so that adding a DuckDB version
is one section in hosts.ini.
"""

import argparse
import configparser
import os
import sys
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
REPOSITORY = SCRIPTS.parent
HOSTS_FILE = SCRIPTS / "hosts.ini"
CONFIGURE = REPOSITORY / "configure"
ROLES = ("default", "supported", "refusing")


class HostError(Exception):
    """A host list or a host name that cannot be used; the message says what to change."""


@dataclass(frozen=True)
class Host:
    """One DuckDB version with the packages its environment holds."""

    version: str
    role: str
    packages: tuple
    benchmark: bool

    @property
    def is_supported(self):
        return self.role != "refusing"

    @property
    def directory(self):
        return CONFIGURE / "hosts" / self.version

    @property
    def python(self):
        return environment_python(self.directory)

    @property
    def requirements(self):
        return [f"duckdb=={self.version}", *self.packages]


def environment_python(directory):
    """The interpreter of a virtual environment: its place differs on Windows only."""
    return directory / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def parse_hosts(text):
    """Hosts in the order of the file."""
    parser = configparser.ConfigParser()
    parser.read_string(text)
    hosts = []
    for version in parser.sections():
        section = parser[version]
        unknown = set(section) - {"role", "packages", "benchmark"}
        if unknown:
            raise HostError(f"host {version}: unknown key {', '.join(sorted(unknown))}; see the head of hosts.ini")
        role = section.get("role", "")
        if role not in ROLES:
            raise HostError(f"host {version}: role is {role!r}, must be one of {', '.join(ROLES)}")
        packages = tuple(section.get("packages", "").split())
        hosts.append(Host(version, role, packages, section.getboolean("benchmark", fallback=False)))
    if [host.role for host in hosts].count("default") != 1:
        raise HostError("exactly one host must have role = default")
    return hosts


def load_hosts():
    return parse_hosts(HOSTS_FILE.read_text(encoding="utf-8"))


def default_host(hosts):
    return next(host for host in hosts if host.role == "default")


def select_hosts(hosts, names):
    """The named hosts (separated by blanks or commas), or all of them when nothing is named."""
    wanted = names.replace(",", " ").split()
    known = {host.version: host for host in hosts}
    for name in wanted:
        if name not in known:
            raise HostError(f"no host {name!r}; known hosts are {', '.join(known)} (scripts/hosts.ini)")
    return [known[name] for name in known if name in wanted or not wanted]


def main():
    parser = argparse.ArgumentParser(description="Print the hosts of hosts.ini, one a line.")
    parser.add_argument("--role", choices=ROLES, help="only hosts with this role")
    parser.add_argument("--python", action="store_true", help="print interpreters instead of versions")
    options = parser.parse_args()
    for host in load_hosts():
        if options.role in (None, host.role):
            print(host.python if options.python else host.version)


if __name__ == "__main__":
    try:
        main()
    except HostError as error:
        sys.exit(f"error: {error}")
