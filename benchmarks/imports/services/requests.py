"""The life of an import: requested, completed, failed, stopped. Callers send the tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from benchmarks.imports.models import SetImport
from benchmarks.imports.services import spool
from benchmarks.imports.services.announcing import announce_import_end
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from benchmarks.sets.services.importing import ImportRefusedError, SetInfo
from concord.bounds import Number
from concord.formats import FormatError, Limits, Problem, ReadOptions, check_files
from core import audit
from core.audit.actors import current_actor

# Limits of options, for the form and the API.
MAX_SYSTEMS, REFERENCES = 100, Number(1, 100)
MAX_DESCRIPTION = 20_000


@dataclass(frozen=True)
class ImportParameters:
    """Parameters of an import, besides its files, their format and the set's name.

    options: options of the format. add: whether to add to the set's candidates. about: title and
    description of the set; None takes those of the previous version.
    """

    options: ReadOptions = field(default_factory=ReadOptions)
    add: bool = False
    about: SetInfo | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ImportParameters:
        """The inverse of `to_json`."""
        options = dict(values["options"], systems=tuple(values["options"]["systems"]))
        about = None if values["about"] is None else SetInfo(**values["about"])
        return cls(ReadOptions(**options), values["add"], about)


def request(
    name: str,
    format: str,
    judgments: Sequence[Path],
    parameters: ImportParameters,
    *,
    pairs: Path | None = None,
    by: User,
    at: datetime,
) -> SetImport:
    """Store an import, queued.

    Without `judgments`, the set's next version is the latest one with other `pairs`. Raises
    RoleNeededError if the account may not make the next version, FormatError for files that are in
    another format, too large or not UTF-8, and ImportRefusedError if there is no set to add to, or
    for pairs together with `add`.
    """
    access.check_new_version(by, name)
    if parameters.add and judgments and pairs is not None:
        raise ImportRefusedError(
            "Candidates and minimal pairs cannot be added to a set in one import. Import the pairs "
            "on their own."
        )
    if (parameters.add or not judgments) and not JudgmentSet.objects.filter(name=name).exists():
        raise ImportRefusedError(f"There is no set {name} to add to: import its judgments first.")
    limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES)
    if judgments:
        check_files(judgments, format, "judgments", parameters.options, limits)
    paths = list(judgments)
    if pairs is not None:
        check_files([pairs], format, "pairs", limits=limits)
        paths.append(pairs)
    files = [
        {"name": path.name, "bytes": path.stat().st_size, "pairs": path is pairs} for path in paths
    ]
    with transaction.atomic():
        set_import = SetImport.objects.create(
            by=by,
            actor=asdict(current_actor(by)),
            name=name,
            format=format,
            parameters=parameters.to_json(),
            files=files,
            bytes_total=sum(file["bytes"] for file in files),
            created_at=at,
            sent_at=at,
        )
        spool.store(set_import, paths)
        audit.record(
            by,
            "set.import asked for",
            set_import,
            after={"name": name, "format": format, "files": files, "add": parameters.add},
        )
    return set_import


def complete(set_import: SetImport, judgment_set: JudgmentSet, *, at: datetime) -> bool:
    """Complete the import with its version. Call it in the transaction that makes the version.

    Returns False if the import was stopped or belongs to another worker; then roll back.
    """
    ended = set_import.complete(at=at, judgment_set=judgment_set, bytes_read=F("bytes_total"))
    if ended:
        _end(set_import, at=at)
    return ended


def fail(
    set_import: SetImport,
    reason: str,
    *,
    problem: str = "",
    faults: Sequence[Problem] = (),
    at: datetime,
) -> None:
    """End the import with a reason and the faults of its files."""
    with transaction.atomic():
        stored = [asdict(fault) for fault in faults]
        if set_import.fail(reason, at=at, problem=problem, faults=stored):
            _end(set_import, at=at)


def refuse_file(set_import: SetImport, error: FormatError, *, at: datetime) -> None:
    """End the import with the faults of its files, each with file, line and field."""
    faults = [
        Problem(Path(fault.file).name, fault.line, fault.field, fault.message)
        for fault in error.problems
    ]
    reason = str(FormatError(faults, error.total))
    fail(set_import, reason, problem="file-refused", faults=faults, at=at)


def cancel(set_import: SetImport, *, at: datetime) -> bool:
    """Stop an import that has not ended. Nothing is imported."""
    with transaction.atomic():
        stopped = set_import.cancel(at=at)
        if stopped:
            spool.delete(set_import)
            audit.record(None, "set.import stopped", set_import)
    return stopped


def _end(set_import: SetImport, *, at: datetime) -> None:
    spool.delete(set_import)
    set_import.refresh_from_db()
    announce_import_end(set_import, at=at)
