"""Folders of the embedded servers, and the system account that runs PostgreSQL.

PostgreSQL refuses to run as root. If Concord is started as root, it creates a system account for
PostgreSQL. If this account cannot reach the checkout, for example in a private home folder, the
data are stored under /var/lib/concord. Permissions of existing folders are never widened.
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
# sun_path has 108 bytes including its final NUL; PostgreSQL appends "/.s.PGSQL.5432.lock".
MAX_SOCKET_FOLDER_BYTES = 107 - len("/.s.PGSQL.5432.lock")


class PathError(RuntimeError):
    """The folders or the account cannot be created; the message says what to do."""


@dataclass(frozen=True)
class ServerPaths:
    """The folders of the embedded servers. `prepare()` creates them."""

    var: Path

    @property
    def home(self) -> Path:
        """The folder with data and logs: `var`, unless other accounts cannot reach it."""
        if os.geteuid() == 0 and not _is_reachable(self.var):
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
        """A folder for a socket, in `home` unless that path is too long for the kernel."""
        folder = self.home / "run" / name
        if len(os.fsencode(folder)) <= MAX_SOCKET_FOLDER_BYTES:
            return folder
        return Path(tempfile.gettempdir()) / f"concord-{os.geteuid()}-{self.digest}" / name

    @property
    def database_url(self) -> str:
        return f"postgresql://concord@/concord?host={self.postgres_sockets}"

    @property
    def broker_url(self) -> str:
        return f"redis+socket://{self.redis_socket}"

    def prepare(self) -> pwd.struct_passwd | None:
        """Create the folders, accessible to their owner only.

        Returns the account for PostgreSQL: None for the account of this process, or a system
        account if this process is root. Raises PathError if the account cannot be created or a
        folder belongs to another account.
        """
        account = _system_account() if os.geteuid() == 0 else None
        if self.home != self.var and not self.home.exists():
            print(
                f"Other accounts cannot reach {self.var}, so PostgreSQL's account cannot either. "
                f"The data are stored in {self.home}."
            )
        for folder in (self.var, self.home, self.logs, self.locks, self.home / "run"):
            folder.mkdir(parents=True, exist_ok=True)
        for folder in (self.redis_data, self.redis_socket.parent):
            _make_private(folder, None)
        for folder in (self.postgres_data, self.postgres_sockets):
            _make_private(folder, account)
        return account

    def binaries(self, installed: Path, account: pwd.struct_passwd | None) -> Path:
        """The folder `installed`, or a copy of it if `account` cannot reach the original.

        `installed` is in a package of site-packages. Its programs load libraries from the folder
        `<package>.libs` beside the package, by a relative path.
        """
        if account is None or _is_reachable(installed):
            return installed
        package = installed.parent
        libraries = package.with_name(f"{package.name}.libs")
        copy = Path("/var/lib/concord") / self.digest / "programs"
        if not copy.exists():
            unfinished = copy.with_name(copy.name + ".part")
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(installed, unfinished / package.name / installed.name, symlinks=True)
            if libraries.exists():
                shutil.copytree(libraries, unfinished / libraries.name, symlinks=True)
            unfinished.rename(copy)
        return copy / package.name / installed.name


def _is_reachable(path: Path) -> bool:
    """Whether all accounts can reach `path`: each of its parents can be entered."""
    path = path.resolve()
    for folder in (path, *path.parents):
        with contextlib.suppress(FileNotFoundError):
            if not folder.stat().st_mode & stat.S_IXOTH:
                return False
    return True


def _make_private(folder: Path, owner: pwd.struct_passwd | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    uid = os.geteuid() if owner is None else owner.pw_uid
    if os.geteuid() == 0:
        os.chown(folder, uid, 0 if owner is None else owner.pw_gid)
    elif folder.stat().st_uid != uid:
        raise PathError(f"{folder} belongs to another account. Remove it, or set DATABASE_URL.")
    folder.chmod(0o700)


def _system_account() -> pwd.struct_passwd:
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(ACCOUNT)
    useradd = shutil.which("useradd") or "/usr/sbin/useradd"
    command = [useradd, "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise PathError(
            "PostgreSQL does not run as root, and its system account 'concord' could not be "
            f"created ({error}). Start Concord as an ordinary user, or set DATABASE_URL."
        ) from error
    print(f"Running as root: created the system account '{ACCOUNT}', which runs PostgreSQL.")
    return pwd.getpwnam(ACCOUNT)
