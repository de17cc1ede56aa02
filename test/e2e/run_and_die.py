"""Runs statements on a lake and then dies without closing anything, as in a power cut.

    run_and_die.py '{"load": [paths of extensions], "attach": "ATTACH ...", "statements": [...]}'

A catalogue that another process has locked is tried again, as SQLite asks its users to do.
"""

import contextlib
import json
import os
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
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    for path in task["load"]:
        connection.execute(load_statement(path))
    run(connection, task["attach"])
    for statement in task["statements"]:
        run(connection, statement)
    sys.stdout.write("died")
    sys.stdout.flush()
    os._exit(0)


main()
