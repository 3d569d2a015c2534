"""Imports from request to result: asked for, ended, stopped. Callers send the tasks."""

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
from benchmarks.imports.services.announcing import import_ended
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from benchmarks.sets.services.importing import About, ImportRefusedError
from concord.bounds import Number
from concord.formats import FormatError, Limits, Problem, ReadOptions, check_files
from core import audit
from core.audit.actors import current_actor

# Of the options, for pages and the API; readers bound the names.
MAX_SYSTEMS, REFERENCES = 100, Number(1, 100)
MAX_DESCRIPTION = 20_000


@dataclass(frozen=True)
class Given:
    """What an import is asked for with, besides its files, their format and the set's name.

    options: what the format takes. add: keep what the set holds. about: what is said of the set;
    None leaves what was said of the version before.
    """

    options: ReadOptions = field(default_factory=ReadOptions)
    add: bool = False
    about: About | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, kept: dict[str, Any]) -> Given:
        """As `to_json` gave it."""
        options = dict(kept["options"], systems=tuple(kept["options"]["systems"]))
        about = None if kept["about"] is None else About(**kept["about"])
        return cls(ReadOptions(**options), kept["add"], about)


def request(
    name: str,
    format: str,
    judgments: Sequence[Path],
    given: Given,
    *,
    pairs: Path | None = None,
    by: User,
    at: datetime,
) -> SetImport:
    """An import, queued; what can be told of it at once is refused at once.

    Without `judgments` the set's next version is the latest one with other `pairs`. Raises
    RoleNeededError for a name whose next version is not theirs to make, FormatError for files that
    are not of the format, too large or no UTF-8, and ImportRefusedError where there is no set to
    add to, or for pairs to be added.
    """
    access.check_new_version(by, name)
    if given.add and judgments and pairs is not None:
        raise ImportRefusedError(
            "A set that is added to keeps its minimal pairs: give it other ones by themselves."
        )
    if (given.add or not judgments) and not JudgmentSet.objects.filter(name=name).exists():
        raise ImportRefusedError(f"There is no set {name} to add to: import its judgments first.")
    limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES)
    if judgments:
        check_files(judgments, format, "judgments", given.options, limits)
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
            given=given.to_json(),
            files=files,
            bytes_total=sum(file["bytes"] for file in files),
            created_at=at,
            sent_at=at,
        )
        spool.keep(set_import, paths)
        audit.record(
            by,
            "set.import asked for",
            set_import,
            after={"name": name, "format": format, "files": files, "add": given.add},
        )
    return set_import


def complete(set_import: SetImport, made: JudgmentSet, *, at: datetime) -> bool:
    """End it with the version it made, in whose transaction this is called; False when it is
    stopped or another's, and the version must not be."""
    ended = set_import.complete(at=at, judgment_set=made, bytes_read=F("bytes_total"))
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
    """End it with a reason that a person can read, and what the files' faults are."""
    with transaction.atomic():
        stored = [asdict(fault) for fault in faults]
        if set_import.fail(reason, at=at, problem=problem, faults=stored):
            _end(set_import, at=at)


def refuse_file(set_import: SetImport, error: FormatError, *, at: datetime) -> None:
    """End it with the faults of its files, each with file, line and field."""
    faults = [
        Problem(Path(one.file).name, one.line, one.field, one.message) for one in error.problems
    ]
    reason = str(FormatError(faults, error.total))
    fail(set_import, reason, problem="file-refused", faults=faults, at=at)


def cancel(set_import: SetImport, *, at: datetime) -> bool:
    """Stop one that has not ended; nothing of it is kept."""
    with transaction.atomic():
        stopped = set_import.cancel(at=at)
        if stopped:
            spool.drop(set_import)
            audit.record(None, "set.import stopped", set_import)
    return stopped


def _end(set_import: SetImport, *, at: datetime) -> None:
    spool.drop(set_import)
    set_import.refresh_from_db()
    import_ended(set_import, at=at)
