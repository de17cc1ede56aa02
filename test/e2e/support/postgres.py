"""A PostgreSQL server for tests: a private one on a socket in a temporary folder, gone afterwards."""

import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

PROGRAMS = ("initdb", "pg_ctl", "createdb")
PLACES = ("/usr/local/bin", "/usr/lib/postgresql/*/bin")
# The server refuses to run as root; a package of it brings the first of these users.
USERS = ("postgres", "nobody")
# Strings are ordered by their bytes, as DuckLake's bounds must be.
INITDB_OPTIONS = ("--locale=C", "--encoding=UTF8", "--auth=trust", "--username=lake", "--no-sync")
# Nobody else's sockets or ports are met, and nothing is kept.
SERVER_OPTIONS = "-c listen_addresses='' -c fsync=off -c full_page_writes=off"


def server_programs():
    """The folder that holds all of PROGRAMS, or None. Debian puts them beside each other, out of PATH."""
    found = [shutil.which(program) for program in PROGRAMS]
    folders = [Path(program).resolve().parent for program in found if program]
    folders += [folder for place in PLACES for folder in sorted(Path("/").glob(place.lstrip("/")), reverse=True)]
    return next((folder for folder in folders if all((folder / program).exists() for program in PROGRAMS)), None)


def server_user():
    """Whose process the server is: None means our own."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((user for user in USERS if user in known), None)


class ServerError(Exception):
    """The server could not be started; the text is what it said."""


@contextmanager
def postgres_server(programs):
    """Starts a server; yields the connection string without a database name, and stops the server in the end."""
    user = server_user()
    # Not below the test's own folder, which only its owner may enter and whose path is too long for a socket.
    folder = Path(tempfile.mkdtemp(prefix="colstats_postgres_"))
    data = folder / "data"
    try:
        if user:
            shutil.chown(folder, user)
        run(user, programs / "initdb", "--pgdata", data, *INITDB_OPTIONS)
        options = f"{SERVER_OPTIONS} -k {folder}"
        run(user, programs / "pg_ctl", "start", "--wait", "--pgdata", data, "--log", folder / "log", "-o", options)
        try:
            yield f"host={folder} user=lake"
        finally:
            run(user, programs / "pg_ctl", "stop", "--wait", "--mode", "immediate", "--pgdata", data)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(user, *command):
    # pg_ctl leaves the server behind, which would keep a pipe open.
    with tempfile.TemporaryFile() as output:
        result = subprocess.run(
            [str(part) for part in command], user=user, cwd="/", stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, timeout=120, check=False, env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        )  # fmt: skip
        if result.returncode != 0:
            output.seek(0)
            raise ServerError(f"{command[0]}: {output.read().decode(errors='replace')}")


def create_database(programs, server, name):
    """A new database; gives its connection string."""
    host = server.split()[0].removeprefix("host=")
    run(server_user(), programs / "createdb", "--host", host, "--username", "lake", name)
    return f"dbname={name} {server}"
