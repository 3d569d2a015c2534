"""Doing a claimed import: its files read and checked, then a version written, whole or not."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from benchmarks.imports.models import SetImport
from benchmarks.imports.services import requests, spool
from benchmarks.imports.services.requests import Given
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import carrying
from benchmarks.sets.services import access, importing
from benchmarks.sets.services.access import RoleNeededError
from benchmarks.sets.services.importing import ImportRefusedError
from concord.formats import FormatError, JudgmentFile, Limits, PairFile, read_judgments, read_pairs
from core.audit.actors import Actor, acting_as
from core.jobs import performing
from core.jobs.performing import StoppedError

# Between two looks at the database: is it still wanted, and how far are we?
BEAT_SECONDS = 1.0


REFUSED: dict[type[Exception], str] = {
    ImportRefusedError: "import-refused",
    RoleNeededError: "role-needed",
}


def perform(pk: int) -> list[MetricRun]:
    """Do an import unless another worker holds it or it has ended.

    Gives the metric runs whose work is to be sent: those of the version before, where its
    candidates were kept.
    """
    set_import = SetImport.claim(pk, at=now(), rows=0, bytes_read=0)
    asked: list[MetricRun] = []
    if set_import is None:
        return asked

    def work() -> None:
        with acting_as(Actor(**set_import.actor)):
            with spool.on_disk(set_import) as paths:
                judgments, pairs = _read(set_import, paths)
            asked.extend(_write(set_import, judgments, pairs))

    def fail(reason: str, refusal: Exception | None) -> None:
        if isinstance(refusal, FormatError):
            requests.refuse_file(set_import, refusal, at=now())
        elif refusal is not None:
            problem = next(name for kind, name in REFUSED.items() if isinstance(refusal, kind))
            requests.fail(set_import, str(refusal), problem=problem, at=now())
        else:
            requests.fail(set_import, reason, at=now())

    performing.perform(set_import, work, expected_errors=(FormatError, *REFUSED), fail=fail)
    return asked


def _read(
    set_import: SetImport, paths: Sequence[Path]
) -> tuple[JudgmentFile | None, PairFile | None]:
    """The checked records. FormatError; StoppedError."""
    limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES)
    progress = _Progress(set_import)
    given = Given.of(set_import.given)
    told = list(zip(set_import.files, paths, strict=True))
    files = [path for file, path in told if not file["pairs"]]
    judgments = pairs = None
    if files:
        judgments = read_judgments(files, set_import.format, given.options, limits, progress.look)
        read = judgments.report.read
        progress.file_done(read, sum(f["bytes"] for f, _ in told if not f["pairs"]))
    if files != paths:
        rest = [path for file, path in told if file["pairs"]]
        pairs = read_pairs(rest, set_import.format, limits=limits, on_progress=progress.look)
        progress.file_done(pairs.report.read, sum(f["bytes"] for f, _ in told if f["pairs"]))
    return judgments, pairs


def _write(
    set_import: SetImport, judgments: JudgmentFile | None, pairs: PairFile | None
) -> list[MetricRun]:
    """The version, and the end of the import, in one transaction."""
    given, name, at = Given.of(set_import.given), set_import.name, now()
    asked: list[MetricRun] = []
    with transaction.atomic():
        importing.lock_name(name)
        access.check_new_version(set_import.by, name)  # another may have taken it meanwhile
        if judgments is None:
            assert pairs is not None
            made = importing.import_pairs(name, pairs, at=at)
        elif given.add:
            made = importing.add_systems(name, judgments, at=at)
        else:
            made = importing.import_judgments(
                name, judgments, pairs, about=given.about, owner=set_import.by, at=at
            )
        if judgments is None or given.add:  # the candidates there were are in it
            asked = carrying.carry_runs(made, at=at)
        if not requests.complete(set_import, made, at=now()):
            raise StoppedError
    return asked


class _Progress:
    """Writes down how far the reading is, once a second, and sees there whether it is wanted."""

    def __init__(self, set_import: SetImport) -> None:
        self._import = set_import
        self._rows = self._bytes = 0
        self._beaten = time.monotonic()

    def look(self, rows: int, bytes_read: int) -> None:
        """Raises StoppedError where the import is stopped or another's."""
        if time.monotonic() - self._beaten >= BEAT_SECONDS:
            self._beat(self._rows + rows, self._bytes + bytes_read)

    def file_done(self, rows: int, bytes_read: int) -> None:
        """Files of one kind are read to their ends. Raises StoppedError likewise."""
        self._rows, self._bytes = self._rows + rows, self._bytes + bytes_read
        self._beat(self._rows, self._bytes)

    def _beat(self, rows: int, bytes_read: int) -> None:
        self._beaten = time.monotonic()
        if not self._import.advance(at=now(), rows=rows, bytes_read=bytes_read):
            raise StoppedError
