"""Where the embedded servers keep their data, sockets and logs, and which account runs PostgreSQL.

PostgreSQL refuses to run as root. Started as root, Concord gives it a system account of its own
and, where that account could not reach the checkout (a home folder closed to others, say), a
folder of its own under /var/lib/concord. No folder of the user's is ever opened to others.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

ACCOUNT = "concord"
# sun_path holds 108 bytes with its final NUL; PostgreSQL adds "/.s.PGSQL.5432.lock".
LONGEST_SOCKET_FOLDER = 107 - len("/.s.PGSQL.5432.lock")


class PathError(RuntimeError):
    """The embedded servers have nowhere to live; the message says what to do."""


@dataclass(frozen=True)
class ServerPaths:
    """Folders of one embedded set of servers. Nothing is created until `prepare()`."""

    var: Path

    @property
    def home(self) -> Path:
        """The folder that holds data and logs; `var` itself unless its parents are closed."""
        if os.geteuid() == 0 and not _open_to_others(self.var):
            return Path("/var/lib/concord") / self.digest
        return self.var

    @property
    def digest(self) -> str:
        return hashlib.sha256(str(self.var.resolve()).encode()).hexdigest()[:12]

    @property
    def postgres_data(self) -> Path:
        return self.home / "postgres"

    @property
    def redis_data(self) -> Path:
        return self.home / "redis"

    @property
    def logs(self) -> Path:
        return self.var / "log"

    @property
    def locks(self) -> Path:
        return self.var / "lock"

    @property
    def postgres_sockets(self) -> Path:
        return self._sockets("pg")

    @property
    def redis_socket(self) -> Path:
        return self._sockets("redis") / "redis.sock"

    def _sockets(self, name: str) -> Path:
        """A folder for a socket, below `home` unless that path is too long for the kernel."""
        near = self.home / "run" / name
        if len(os.fsencode(near)) <= LONGEST_SOCKET_FOLDER:
            return near
        return Path(tempfile.gettempdir()) / f"concord-{os.geteuid()}-{self.digest}" / name

    @property
    def database_url(self) -> str:
        return f"postgresql://concord@/concord?host={self.postgres_sockets}"

    @property
    def broker_url(self) -> str:
        return f"redis+socket://{self.redis_socket}"

    def prepare(self) -> pwd.struct_passwd | None:
        """Make the folders, closed to all but their owner.

        Returns the account that PostgreSQL is to run as: None for the account of this process,
        a system account where this process is root. Raises PathError when there is none to be
        had or a folder belongs to somebody else.
        """
        account = _account() if os.geteuid() == 0 else None
        if self.home != self.var and not self.home.exists():
            print(
                f"{self.var} lies in a folder closed to other accounts, which PostgreSQL's could "
                f"not enter: the data is kept in {self.home}."
            )
        for folder in (self.var, self.home, self.logs, self.locks, self.home / "run"):
            folder.mkdir(parents=True, exist_ok=True)
        for folder in (self.redis_data, self.redis_socket.parent):
            _private(folder, None)
        for folder in (self.postgres_data, self.postgres_sockets):
            _private(folder, account)
        return account

    def binaries(self, installed: Path, account: pwd.struct_passwd | None) -> Path:
        """`installed`, or a copy of it where `account` cannot reach the original.

        `installed` lies in a package of site-packages; the libraries its programs load lie in the
        folder `<package>.libs` beside that package, and are found by the relative path.
        """
        if account is None or _open_to_others(installed):
            return installed
        package = installed.parent
        libraries = package.with_name(f"{package.name}.libs")
        copy = Path("/var/lib/concord") / self.digest / "programs"
        if not copy.exists():
            half = copy.with_name(copy.name + ".part")
            shutil.rmtree(half, ignore_errors=True)
            shutil.copytree(installed, half / package.name / installed.name, symlinks=True)
            if libraries.exists():
                shutil.copytree(libraries, half / libraries.name, symlinks=True)
            half.rename(copy)
        return copy / package.name / installed.name


def _open_to_others(path: Path) -> bool:
    """Whether an account that owns nothing here can reach `path`: every parent lets it pass."""
    path = path.resolve()
    for folder in (path, *path.parents):
        with contextlib.suppress(FileNotFoundError):
            if not folder.stat().st_mode & stat.S_IXOTH:
                return False
    return True


def _private(folder: Path, owner: pwd.struct_passwd | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    uid = os.geteuid() if owner is None else owner.pw_uid
    if os.geteuid() == 0:
        os.chown(folder, uid, 0 if owner is None else owner.pw_gid)
    elif folder.stat().st_uid != uid:
        raise PathError(f"{folder} belongs to another account: remove it, or set DATABASE_URL.")
    folder.chmod(0o700)


def _account() -> pwd.struct_passwd:
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(ACCOUNT)
    useradd = shutil.which("useradd") or "/usr/sbin/useradd"
    command = [useradd, "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise PathError(
            "PostgreSQL does not run as root, and the system account 'concord' for it could not "
            f"be made ({error}). Start Concord as an ordinary user, or set DATABASE_URL."
        ) from error
    print(f"Running as root: made the system account '{ACCOUNT}', which runs PostgreSQL.")
    return pwd.getpwnam(ACCOUNT)
