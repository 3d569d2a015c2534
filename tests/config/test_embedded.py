"""The embedded servers are private and shared, and stop with their last user."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import redis
from django.conf import settings

from config.embedded import EmbeddedError, ServerPaths
from config.embedded.servers import check_answers
from tests.processes import living
from tests.waiting import wait_for

JOIN = """
import sys, time
from pathlib import Path
from config import embedded
embedded.ensure(embedded.ServerPaths(Path(sys.argv[1])))
print("joined", flush=True)
time.sleep(float(sys.argv[2]))
"""


def joiner(var: Path, seconds: float = 1200.0) -> subprocess.Popen[str]:
    """A process that joins the servers under `var` and stays for `seconds`."""
    process = subprocess.Popen(
        [sys.executable, "-c", JOIN, str(var), str(seconds)],
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:  # what the keeper tells the user comes first
        if line.strip() == "joined":
            return process
    raise AssertionError(process.communicate()[1])


def servers_of(var: Path) -> list[psutil.Process]:
    """The supervisor, PostgreSQL and Redis processes of `var`."""
    folders = (str(var), str(ServerPaths(var).home))
    servers = ("config.embedded", "postgres", "redis-server")
    return [
        process
        for process, line in living()
        if any(folder in line for folder in folders) and any(name in line for name in servers)
    ]


@pytest.fixture
def var(tmp_path: Path) -> Iterator[Path]:
    # pytest's own folder is closed to others, as a home folder may be.
    folder = tmp_path / "var"
    yield folder
    subprocess.run(["rm", "-rf", str(ServerPaths(folder).home)], check=True)


def test_servers_are_shared_and_stop_with_the_last_user(var):
    first = joiner(var)
    count = len(servers_of(var))
    assert count >= 3
    second = joiner(var)
    assert len(servers_of(var)) == count, "a second user must join, not start others"
    first.kill()
    time.sleep(1)
    assert len(servers_of(var)) == count
    second.kill()  # SIGKILL gives it no chance to stop anything itself
    wait_for(lambda: not servers_of(var))


def test_data_survive_a_restart(var):
    paths = ServerPaths(var)
    with_servers = joiner(var)
    with psycopg.connect(paths.database_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (n int)")
    with_servers.kill()
    wait_for(lambda: not servers_of(var))
    again = joiner(var)
    with psycopg.connect(paths.database_url) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
    again.kill()
    wait_for(lambda: not servers_of(var))


def test_servers_die_with_a_killed_keeper_and_come_again(var):
    user = joiner(var)
    (keeper,) = [p for p in servers_of(var) if "config.embedded" in " ".join(p.cmdline())]
    keeper.kill()
    wait_for(lambda: not servers_of(var))
    again = joiner(var)
    assert len(servers_of(var)) >= 3
    for process in (user, again):
        process.kill()
    wait_for(lambda: not servers_of(var))


def process_of(var: Path, name: str) -> psutil.Process:
    """The main process of a server: PostgreSQL's others are its children."""
    ours = [process for process in servers_of(var) if process.name() == name]
    return min(ours, key=lambda process: process.create_time())


def answers(paths: ServerPaths) -> bool:
    try:
        check_answers(paths)
    except (psycopg.OperationalError, redis.exceptions.RedisError):
        return False
    return True


@pytest.mark.slow
def test_killed_servers_are_started_again_with_their_data(var):
    paths = ServerPaths(var)
    user = joiner(var)
    queue = redis.Redis(unix_socket_path=str(paths.redis_socket))
    queue.rpush("waiting", "a task")
    time.sleep(1.5)  # Redis writes every second
    with psycopg.connect(paths.database_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS n")
        busy = psycopg.connect(paths.database_url, autocommit=True)
        session = psutil.Process(busy.info.backend_pid)
        session.suspend()  # a session that does not notice the death of its server
        process_of(var, "postgres").kill()
        process_of(var, "redis-server").kill()
        second = joiner(var, 0)  # who joins waits until the servers answer
        assert second.wait(60) == 0
    assert answers(paths)
    assert not session.is_running(), "no session of the killed server may work beside the new one"
    with psycopg.connect(paths.database_url) as connection:
        assert connection.execute("SELECT n FROM kept").fetchone() == (1,)
    assert queue.lrange("waiting", 0, -1) == [b"a task"]
    for _ in range(3):  # deaths in a row only lengthen the pause
        before = process_of(var, "redis-server")
        before.kill()
        before.wait()
        wait_for(lambda: answers(paths))
    user.kill()
    wait_for(lambda: not servers_of(var))


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_servers_on_a_full_disk_come_again_when_there_is_space(var):
    paths = ServerPaths(var)
    paths.home.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=400m,mode=755", "tmpfs", str(paths.home)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        user = joiner(var)
        filling = paths.home / "filling"
        with filling.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
            while True:
                file.write(bytes(1 << 20))
        process_of(var, "postgres").kill()
        log = paths.logs / "keeper.log"
        wait_for(lambda: log.exists() and log.read_text().count("PostgreSQL ended") >= 3)
        filling.unlink()
        second = joiner(var, 0)  # who joins waits until the servers answer
        assert second.wait(60) == 0
        assert answers(paths)
        user.kill()
        wait_for(lambda: not servers_of(var))
    finally:
        subprocess.run(["umount", str(paths.home)], check=True)


def test_other_accounts_cannot_reach_the_servers(var):
    user = joiner(var)
    try:
        paths = ServerPaths(var)
        for folder in (paths.postgres_sockets, paths.redis_socket.parent, paths.postgres_data):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        for process in servers_of(var):
            listening = [c for c in process.net_connections("inet") if c.status == "LISTEN"]
            assert listening == []
    finally:
        user.kill()
        wait_for(lambda: not servers_of(var))


def test_no_folder_of_the_users_is_opened_to_others(var, tmp_path):
    before = {folder: folder.stat().st_mode for folder in (tmp_path, *tmp_path.parents)}
    user = joiner(var)
    user.kill()
    wait_for(lambda: not servers_of(var))
    assert {folder: folder.stat().st_mode for folder in before} == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another account run PostgreSQL")
def test_as_root_a_closed_home_keeps_its_data_elsewhere_under_an_account_of_its_own(var, tmp_path):
    closed = tmp_path / "home"
    closed.mkdir(mode=0o700)
    paths = ServerPaths(closed / "var")
    assert paths.home.parent == Path("/var/lib/concord")
    user = joiner(closed / "var")
    try:
        owner = [p.username() for p in servers_of(paths.home) if p.name() == "postgres"]
        assert set(owner) == {"concord"}
    finally:
        user.kill()
        wait_for(lambda: not servers_of(paths.home))
        subprocess.run(["rm", "-rf", str(paths.home)], check=True)


def test_a_long_path_gets_its_sockets_elsewhere(tmp_path):
    paths = ServerPaths(tmp_path / ("long" * 30) / "var")
    assert len(os.fsencode(paths.redis_socket)) < 107


def test_servers_that_cannot_start_are_one_clear_error(var):
    paths = ServerPaths(var)
    paths.home.mkdir(parents=True, exist_ok=True)
    paths.postgres_data.write_text("in the way")
    result = subprocess.run(
        [sys.executable, "-c", JOIN, str(var), "0"],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert EmbeddedError.__name__ in result.stderr
    assert str(paths.postgres_data) in result.stderr
    assert servers_of(var) == []
    paths.postgres_data.unlink()


def test_ctrl_c_in_the_terminal_does_not_reach_the_servers(var):
    user = joiner(var)
    assert {os.getsid(p.pid) for p in servers_of(var)}.isdisjoint({os.getsid(user.pid)})
    user.send_signal(signal.SIGINT)
    wait_for(lambda: not servers_of(var))
