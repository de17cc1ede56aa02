#!/usr/bin/env python3
"""Open DuckDB's command line with colstats loaded."""

import argparse
import os
import sys
from pathlib import Path

from hosts import CONFIGURE, environment_python
from packaged_extension import load_statement


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extension", required=True, type=Path)
    options = parser.parse_args()
    python = environment_python(CONFIGURE / "cli")
    load = load_statement(options.extension.resolve())
    os.execv(python, [str(python), "-m", "duckdb_cli", "-unsigned", "-cmd", load])


if __name__ == "__main__":
    sys.exit(main())
