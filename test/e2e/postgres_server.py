"""A PostgreSQL of our own for one test session, from whatever PostgreSQL is installed (Debian: `postgresql`).

It listens on a socket in a folder of its own and nowhere else. PostgreSQL does not run as root, so a test run of root
starts it as another user of the machine.
"""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

USER = "hive"
DATABASE = "postgres"
START_SECONDS = 60
# Debian's package makes the first one; the second one is on every Linux.
UNPRIVILEGED_USERS = ("postgres", "nobody")


def server_program(name):
    """The path of `initdb` or `postgres`: from PATH or from Debian's folders, the newest version first; or None."""
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: [int(n) for n in folder.parent.name.split(".")]
    )
    path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, reversed(folders)), "/usr/local/bin"])
    return shutil.which(name, path=path)


def other_user():
    """Whom to run as: nobody else, unless we are root."""
    if os.geteuid() != 0:
        return None
    for name in UNPRIVILEGED_USERS:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("PostgreSQL does not run as root, and there is no other user to run it as")


@contextlib.contextmanager
def running_postgres():
    """Runs a fresh server; gives the connection string of its database."""
    user = other_user()
    # Not pytest's folder, which only its owner may enter.
    folder = Path(tempfile.mkdtemp(prefix="colstats-postgres-"))
    try:
        run_as = {"cwd": folder}
        if user:
            os.chown(folder, user.pw_uid, user.pw_gid)
            run_as |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        make = [server_program("initdb"), "-D", folder / "data", "-U", USER, "--auth=trust", "--no-sync"]
        subprocess.run([*make, "--encoding=UTF8", "--locale=C"], check=True, capture_output=True, **run_as)
        serve = [server_program("postgres"), "-D", folder / "data", "-k", folder, "-c", "listen_addresses=", "-F"]
        with open(folder / "log", "wb") as log:
            server = subprocess.Popen(serve, stdout=log, stderr=subprocess.STDOUT, **run_as)
        try:
            wait_until_ready(server, folder)
            yield f"host={folder} dbname={DATABASE} user={USER}"
        finally:
            # SIGINT asks for a fast shutdown.
            server.send_signal(2)
            server.wait(timeout=START_SECONDS)
    finally:
        shutil.rmtree(folder)


def wait_until_ready(server, folder):
    """The last line of `postmaster.pid` says when connections are taken."""
    status = folder / "data" / "postmaster.pid"
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        if status.is_file() and status.read_text().rstrip().endswith("ready"):
            return
        time.sleep(0.05)
    raise RuntimeError(f"PostgreSQL did not start: {(folder / 'log').read_text()}")
