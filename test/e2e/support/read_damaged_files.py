"""Read damaged files in a process of its own: `read_damaged_files.py EXTENSION FILE...`.

Prints one JSON line per file, so that after a crash the last line tells which file was next:
`{"file": ..., "outcome": "error" | "right" | "wrong", "detail": ...}`. A file may be read all the same, where DuckDB
reads it in full: then the rows must be right.
"""

import json
import sys
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from file_rows import file_rows, sql_literal  # noqa: E402
from leaf_truth import plain_session, problems_of_file  # noqa: E402
from packaged_extension import load_statement  # noqa: E402


def outcome_of(connection, file):
    try:
        rows = file_rows(connection, file)
    except duckdb.Error as error:
        return {"outcome": "error", "detail": str(error)}
    try:
        problems = problems_of_file(connection, f"read_parquet({sql_literal(file)})", rows)
    except duckdb.Error as error:
        problems = [f"rows came out of a file that DuckDB does not read: {error}"]
    return {"outcome": "wrong" if problems else "right", "detail": problems}


def main():
    extension, *files = sys.argv[1:]
    for file in files:
        connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
        connection.execute(load_statement(extension))
        plain_session(connection)
        result = outcome_of(connection, file)
        # The session must be of use afterwards.
        result["next_query"] = connection.execute("SELECT 42").fetchone()[0]
        print(json.dumps({"file": file, **result}), flush=True)


if __name__ == "__main__":
    main()
