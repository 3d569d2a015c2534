"""Work on a claimed import: read and check its files, then write the version."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from benchmarks.imports.models import SetImport
from benchmarks.imports.services import requests, spool
from benchmarks.imports.services.parameters import (
    ImportParameters,
    pair_format,
    pair_options,
    reader_options,
    with_texts,
)
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import carrying
from benchmarks.sets.services import access, importing
from concord.formats import (
    FormatError,
    JudgmentFile,
    Limits,
    PairFile,
    has_pairs,
    read_judgments,
    read_pairs,
)
from concord.formats.faulty_rows import with_cells
from core.audit.actors import Actor, acting_as
from core.jobs.kinds import JobKind
from core.jobs.performing import StoppedError
from core.refusals import RefusedError

# Interval of heartbeats, which store the progress and notice that the import was stopped.
BEAT_SECONDS = 1.0


def _import(set_import: SetImport) -> list[MetricRun]:
    """Import the files. Returns the metric runs whose tasks the caller must send: those of the
    previous version, if its candidates are in the new one."""
    with acting_as(Actor(**set_import.actor)):
        with spool.on_disk(set_import) as paths:
            try:
                judgments, pairs = _read(set_import, paths)
            except FormatError as error:
                sent = ImportParameters.from_json(set_import.parameters)
                format, sheet = sent.format(set_import.format), sent.options.sheet
                raise with_cells(error, paths, format, sheet, _limits()) from error
        return _write(set_import, judgments, pairs)


def _fail(set_import: SetImport, reason: str, refusal: Exception | None) -> None:
    if isinstance(refusal, FormatError):
        requests.refuse_file(set_import, refusal, at=now())
    elif isinstance(refusal, RefusedError):
        requests.fail(set_import, str(refusal), problem=refusal.code, at=now())
    else:
        requests.fail(set_import, reason, at=now())


def _read(
    set_import: SetImport, paths: Sequence[Path]
) -> tuple[JudgmentFile | None, PairFile | None]:
    """The checked records. Raises FormatError and StoppedError."""
    limits = _limits()
    progress = _Progress(set_import)
    parameters = ImportParameters.from_json(set_import.parameters)
    format = parameters.format(set_import.format)
    options = reader_options(parameters.options, format)
    files = list(zip(set_import.files, paths, strict=True))
    texts = next((path for file, path in files if file.get("texts")), None)
    options = with_texts(options, texts)
    judgment_paths = [path for file, path in files if not file["pairs"] and path != texts]
    judgments = pairs = None
    if judgment_paths:
        judgments = read_judgments(judgment_paths, format, options, limits, progress.update)
        size = sum(file["bytes"] for file, _ in files if not file["pairs"])
        progress.finish_files(judgments.report.read, size)
    pair_paths = [path for file, path in files if file["pairs"]]
    if pair_paths or has_pairs(judgment_paths, format):
        format = pair_format(format)
        options = pair_options(parameters.options, format)
        on_progress = progress.update if pair_paths else None
        pairs = read_pairs(pair_paths or judgment_paths, format, options, limits, on_progress)
    if pair_paths:
        assert pairs is not None
        size = sum(file["bytes"] for file, _ in files if file["pairs"])
        progress.finish_files(pairs.report.read, size)
    return judgments, pairs


def _limits() -> Limits:
    return Limits(max_bytes=settings.UPLOAD_MAX_BYTES)


def _write(
    set_import: SetImport, judgments: JudgmentFile | None, pairs: PairFile | None
) -> list[MetricRun]:
    """Write the version and complete the import in one transaction; the metric runs to start."""
    parameters = ImportParameters.from_json(set_import.parameters)
    name, at = set_import.name, now()
    runs: list[MetricRun] = []
    with transaction.atomic():
        importing.lock_name(name)
        access.check_new_version(set_import.by, name)  # the name may be taken since the request
        if judgments is None:
            assert pairs is not None
            judgment_set = importing.import_pairs(name, pairs, owner=set_import.by, at=at)
        elif parameters.add:
            judgment_set = importing.add_systems(name, judgments, at=at)
        else:
            judgment_set = importing.import_judgments(
                name, judgments, pairs, info=parameters.about, owner=set_import.by, at=at
            )
        if judgments is None or parameters.add:  # it has the previous version's candidates
            runs = carrying.carry_runs(judgment_set, at=at)
        if not requests.complete(set_import, judgment_set, at=now()):
            raise StoppedError
    return runs


class _Progress:
    """Stores the progress of reading, at most once a second."""

    def __init__(self, set_import: SetImport) -> None:
        self._import = set_import
        self._rows = self._bytes = 0
        self._last_beat = time.monotonic()

    def update(self, rows: int, bytes_read: int) -> None:
        """Raises StoppedError if the import was stopped or belongs to another worker."""
        if time.monotonic() - self._last_beat >= BEAT_SECONDS:
            self._beat(self._rows + rows, self._bytes + bytes_read)

    def finish_files(self, rows: int, bytes_read: int) -> None:
        """Count the files of one kind as read. Raises StoppedError as `update` does."""
        self._rows, self._bytes = self._rows + rows, self._bytes + bytes_read
        self._beat(self._rows, self._bytes)

    def _beat(self, rows: int, bytes_read: int) -> None:
        self._last_beat = time.monotonic()
        if not self._import.advance(at=now(), rows=rows, bytes_read=bytes_read):
            raise StoppedError


SET_IMPORTS = JobKind(
    SetImport,
    _import,
    expected_errors=(FormatError, RefusedError),
    fail=_fail,
    stop=lambda set_import, _, at: requests.cancel(set_import, at=at),
)
