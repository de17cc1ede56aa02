"""Another process that uses a lake: runs statements, each to its end.

    run_statements.py '{"load": [paths of extensions], "statements": ["ATTACH ...", ...]}'

A catalogue that another process has locked is tried again, as SQLite asks its users to do.
"""

import contextlib
import json
import sys
import time

import duckdb
from packaged_extension import load_statement

ATTEMPTS = 200
PAUSE_SECONDS = 0.05


def run(connection, statement):
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return connection.execute(statement).fetchall()
        except duckdb.Error as error:
            if "database is locked" not in str(error) or attempt == ATTEMPTS:
                raise
            with contextlib.suppress(duckdb.TransactionException):
                connection.execute("ROLLBACK")
            time.sleep(PAUSE_SECONDS)


def main():
    task = json.loads(sys.argv[1])
    connection = duckdb.connect()
    for path in task["load"]:
        connection.execute(load_statement(path))
    for statement in task["statements"]:
        run(connection, statement)
    print("done")


main()
