"""Fixtures of all tests: the embedded servers, the real data, and a worker."""

from __future__ import annotations

import gc
import io
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import hypothesis
import pytest
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core.management import ManagementUtility
from django.core.management.commands import flush
from django.db import connection

from config import embedded
from core.processes import die_with_parent
from tests import documents, few_draws, flushing, longest, real_data, schema, unsafe_writes
from tests.endpoints import Endpoint

# Few examples, the same in each run however slow the machine is. For many new ones, run
# pytest --hypothesis-profile=many
hypothesis.settings.register_profile("few", max_examples=20, derandomize=True, deadline=None)
hypothesis.settings.register_profile("many", max_examples=500, deadline=None)
hypothesis.settings.load_profile("few")


def pytest_configure(config: pytest.Config) -> None:
    # Otherwise every test client reads all static files at its first request.
    settings.WHITENOISE_AUTOREFRESH = True
    # Password hashing is slow on purpose. A hash contains its number of iterations, so that sites
    # started by a test accept these passwords.
    PBKDF2PasswordHasher.iterations = 1
    # After a test with real transactions, Django empties all tables and would create a permission
    # for every model again. Nothing here reads them; jobs read content types.
    flush.emit_post_migrate_signal = _create_content_types
    documents.check_answers()
    few_draws.use()
    if settings.EMBEDDED:
        flush.sql_flush = flushing.delete_rows
        embedded.ensure(settings.EMBEDDED_PATHS)
        unsafe_writes.allow(settings.EMBEDDED_PATHS.database_url)


def _create_content_types(*_: Any, **__: Any) -> None:
    """Create the content types again.

    One that a test creates in a transaction would be cached after the transaction is rolled back.
    """
    from django.apps import apps
    from django.contrib.contenttypes.models import ContentType

    ContentType.objects.clear_cache()
    names = [(model._meta.app_label, model._meta.model_name) for model in apps.get_models()]
    types = [ContentType(app_label=app, model=name) for app, name in names]
    ContentType.objects.bulk_create(types, ignore_conflicts=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folder = Path(__file__).parent
    if gone := longest.missing(folder):
        raise pytest.UsageError(f"tests/longest.py names files that are gone: {', '.join(gone)}")
    items.sort(key=lambda item: longest.rank(item.path, folder))


def pytest_collection_finish() -> None:
    gc.freeze()  # garbage collections need not look at the modules and the test items each time


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = real_data.count_skipped(terminalreporter.stats.get("skipped", []))
    terminalreporter.line(f"Skipped because real data is absent: {skipped}")


@pytest.fixture(scope="session")
def concord_data() -> Path:
    """The folder of real judgment data. Tests that need it are skipped without it."""
    return real_data.path()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A real HTTP server with configurable answers."""
    server = Endpoint()
    yield server
    server.close()


@pytest.fixture
def usual_draws() -> Iterator[None]:
    """Analyses have the site's numbers of draws by default."""
    with few_draws.usual_draws():
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> ExitStack:
    """Fill the test database, which is created next, from a dump of the migrated schema."""
    return schema.from_dump()


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_modify_db_settings: ExitStack, django_db_setup: None, django_db_blocker: Any
) -> None:
    """Let tests with real transactions empty the audit log's table, which a trigger prevents."""
    django_db_modify_db_settings.close()
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER table_stays")


class Worker:
    """A real worker with all its pools on the test database. `kill` sends SIGKILL."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self.environment, self.log = environment, log
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: str) -> None:
        from core.workers.starting import worker_command

        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*worker_command(), *arguments],
                cwd=settings.BASE_DIR,
                env=os.environ | self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=die_with_parent(),  # also when pytest itself is killed
            )

    def kill(self) -> None:
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)  # the supervisor and all its children
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


@pytest.fixture
def database_url(transactional_db: None) -> str:
    """The URL of the test database, for processes that a test starts."""
    url = urlsplit(settings.DATABASE_URL or settings.EMBEDDED_PATHS.database_url)
    return urlunsplit(url._replace(path="/" + settings.DATABASES["default"]["NAME"]))


def shared_settings(database_url: str) -> dict[str, str]:
    """The environment of a process that uses the database and broker of this one."""
    return {
        "DATABASE_URL": database_url,
        "BROKER_URL": settings.CELERY_BROKER_URL,
        "SECRET_KEY": settings.SECRET_KEY,
    }


@pytest.fixture
def worker(database_url: str, tmp_path: Path) -> Iterator[Worker]:
    """A worker that is not started yet, with empty queues. It is stopped after the test."""
    from config.celery import app

    app.control.purge()
    lease = {"SCORING_LEASE_SECONDS": str(settings.SCORING_LEASE_SECONDS)}
    own_worker = Worker(shared_settings(database_url) | lease, tmp_path / "worker.log")
    yield own_worker
    own_worker.stop()
    app.control.purge()


@pytest.fixture
def manage(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a management command in this process, as from the command line."""
    monkeypatch.setenv("COLUMNS", "160")
    for name, value in shared_settings(database_url).items():  # for a worker that it starts
        monkeypatch.setenv(name, value)

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        words = ["manage.py", *map(str, arguments)]
        out, errors, status = io.StringIO(), io.StringIO(), 0
        with redirect_stdout(out), redirect_stderr(errors):
            try:
                ManagementUtility(words).fetch_command(words[1]).run_from_argv(words)
            except SystemExit as end:
                status = int(end.code or 0)
        return subprocess.CompletedProcess(words, status, out.getvalue(), errors.getvalue())

    return run
