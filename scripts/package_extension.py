#!/usr/bin/env python3
"""Lay out build/<type>/ from what cargo built: the stamped extension, where DuckDB's tooling looks for it.

    build/<type>/colstats.duckdb_extension                      for the platform of this build
    build/<type>/extension/colstats/colstats.duckdb_extension   the same, for DuckDB's own test runner
    build/<type>/<platform>/colstats.duckdb_extension           for each further platform the library fits

One library, several footers: DuckDB 1.2 packages for Python call the same Linux `linux_amd64_gcc4`, and they
must get as far as colstats' own refusal.
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from hosts import REPOSITORY
from stamp_extension import Metadata, StampError, stamp

EXTENSION = "colstats"
BUILD_TYPES = ("debug", "release")
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "i686": "i686", "i586": "i686"}
SYSTEMS = {"linux": "linux", "darwin": "osx", "windows": "windows", "freebsd": "freebsd"}
# Same machine code, other name: what DuckDB up to 1.2 calls this platform in its Python packages.
TWINS = {"linux_amd64": ["linux_amd64_gcc4"], "linux_arm64": ["linux_arm64_gcc4"]}


def platform_of_target(target):
    """DuckDB's name for a Rust target, such as linux_amd64 for x86_64-unknown-linux-gnu."""
    architecture, *rest = target.split("-")
    system = next((SYSTEMS[part] for part in rest if part in SYSTEMS), None)
    if architecture not in ARCHITECTURES or system is None:
        raise StampError(f"no DuckDB platform is known for {target}; name it with DUCKDB_PLATFORM=...")
    postfix = ""
    if "musl" in rest[-1]:
        postfix = "_musl"
    elif system == "windows" and rest[-1] == "gnu":
        postfix = "_mingw"
    return f"{system}_{ARCHITECTURES[architecture]}{postfix}"


def command_output(command, directory=None):
    """Standard output of a cargo or rustc call; its own message goes to the user when it fails."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=directory).stdout
    except FileNotFoundError as error:
        raise StampError(f"{command[0]} is not installed or not on PATH") from error
    except subprocess.CalledProcessError as error:
        raise StampError(f"`{' '.join(command)}` failed") from error


def rust_host():
    lines = command_output(["rustc", "-vV"]).splitlines()
    return next(line.split(": ")[1] for line in lines if line.startswith("host: "))


def library_name(target):
    if "windows" in target:
        return f"{EXTENSION}.dll"
    return f"lib{EXTENSION}.dylib" if "darwin" in target else f"lib{EXTENSION}.so"


def package_facts(repository):
    """Version and target directory, as cargo sees them (workspace, environment and configuration included)."""
    cargo = os.environ.get("CARGO", "cargo")
    text = command_output([cargo, "metadata", "--no-deps", "--format-version", "1", "--locked"], repository)
    facts = json.loads(text)
    version = next(package["version"] for package in facts["packages"] if package["name"] == EXTENSION)
    return version, Path(facts["target_directory"])


def write_layout(library, build_directory, metadata):
    """All files that one library yields; returns them."""
    name = f"{EXTENSION}.duckdb_extension"
    files = {
        build_directory / name: metadata,
        build_directory / "extension" / EXTENSION / name: metadata,
    }
    for twin in TWINS.get(metadata.platform, []):
        files[build_directory / twin / name] = replace(metadata, platform=twin)
    for path, contents in files.items():
        stamp(library, path, contents)
    return list(files)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build_type", choices=BUILD_TYPES)
    options = parser.parse_args()
    chosen_target = os.environ.get("CARGO_BUILD_TARGET", "")
    target = chosen_target or rust_host()
    version, target_directory = package_facts(REPOSITORY)
    library = target_directory / chosen_target / options.build_type / library_name(target)
    if not library.exists():
        raise StampError(f"{library} is missing; `make {options.build_type}` builds it")
    platform = os.environ.get("DUCKDB_PLATFORM") or platform_of_target(target)
    metadata = Metadata(platform, f"v{version}")
    for path in write_layout(library, REPOSITORY / "build" / options.build_type, metadata):
        print(path.relative_to(REPOSITORY))


if __name__ == "__main__":
    try:
        main()
    except (StampError, OSError) as error:
        sys.exit(f"error: {error}")
