"""Uploaded files of candidates: store, summarise, add to the study, discard."""

from __future__ import annotations

import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count

from annotation.studies import intake
from annotation.studies.errors import StudyError
from annotation.studies.intake import (
    CandidateInput,
    IntakeError,
    KeyedPairInput,
    KeyedSetInput,
    PairInput,
)
from annotation.studies.models import CandidateImport, Study, StudyCandidate, Upload
from annotation.studies.services import checks
from annotation.studies.services.candidates import (
    add_candidates,
    add_check_pairs,
    add_check_sets,
    add_pairs,
    check_may_add,
)
from annotation.studies.services.units import numbered_texts
from concord.formats import InstanceRecord
from concord.formats.detection import detect_formats
from concord.formats.tables import IGNORED, guess_meanings

UPLOAD_BYTES = 64 * 1024 * 1024
HEAD_BYTES = 10_000
RETENTION = timedelta(days=1)
PAIRS = "pairs"
DISCARDED = "The file was discarded. No candidates were added."
USES = {
    StudyCandidate.Use.RATED.value: "Candidates to rate",
    StudyCandidate.Use.QUALIFICATION.value: "Qualification test (with the correct answers)",
    StudyCandidate.Use.GOLD.value: "Hidden checks (with the correct answers)",
    PAIRS: "Minimal pairs to rate (concord-pairs)",
}
# MOCHA's constituents whose answers are spans of the passage.
SPAN_BASED = frozenset({"drop", "quoref"})
Rows = (
    Sequence[CandidateInput]
    | Sequence[PairInput]
    | Sequence[KeyedPairInput]
    | Sequence[KeyedSetInput]
)


class UploadError(ValueError):
    """A file that cannot be added to the study. The message lists the problems, one per line."""


@dataclass(frozen=True)
class UploadSummary:
    """A summary of an upload: counts, and the first candidates."""

    candidates: int
    pairs: int
    instances: int
    passages: int
    without_score: int
    constituents: list[tuple[str, int]]
    systems: list[tuple[str, int]]
    splits: list[tuple[str, int]]
    first: list[CandidateInput]

    def likely_span_based(self) -> list[str]:
        """The constituents whose answers are known to be spans."""
        return [name for name, _ in self.constituents if name.casefold() in SPAN_BASED]


def store_upload(
    study: Study, name: str, content: bytes, format: str, use: str, *, by: User, at: datetime
) -> Upload:
    """Store a file until its candidates are added.

    An empty format is detected by the content. Deletes the study's uploads that are older than a
    day. Raises UploadError for a file that is empty or too large, and for pairs in a table.
    """
    if not content.strip():
        raise UploadError("The file is empty.")
    if len(content) > UPLOAD_BYTES:
        raise UploadError(
            f"The file has {len(content) / 2**20:.0f} MB; at most {UPLOAD_BYTES // 2**20} MB are "
            "allowed. Split the file and upload the parts one after the other."
        )
    if use not in USES:
        raise UploadError("Choose what the file contains.")
    columns: dict[str, Any] | None = None
    with _on_disk(name, content) as path, _as_upload_errors():
        has_pairs = use == PAIRS or has_check_pairs(study, use) or has_check_sets(study, use)
        format = format or (intake.CONCORD if has_pairs else intake.format_of(path))
        if format != intake.CONCORD:
            if has_pairs:
                raise UploadError(
                    "A table cannot contain pairs. Upload them as concord-pairs JSON Lines."
                )
            columns = {**intake.read_preview(path).to_json(), "meanings": []}
    with transaction.atomic():
        active = CandidateImport.objects.filter(study=study, status__in=CandidateImport.ACTIVE)
        old = study.uploads.filter(created_at__lt=at - RETENTION)
        old.exclude(pk__in=active.filter(upload__isnull=False).values("upload")).delete()
        return Upload.objects.create(
            study=study,
            name=Path(name).name[:200] or "upload",
            format=format,
            use=use,
            content=zlib.compress(content, 1),
            columns=columns,
            made_by=by,
            created_at=at,
        )


def read_content(upload: Upload) -> bytes:
    """The file as it was uploaded."""
    return zlib.decompress(bytes(upload.content))


def preview(upload: Upload, sheet: str | None = None) -> dict[str, Any]:
    """The headings and first rows of a table, of another sheet where one is named.

    Raises UploadError.
    """
    columns: dict[str, Any] = upload.columns or {}
    if "samples" in columns and sheet in (None, columns["sheet"]):
        return columns
    with _on_disk(upload.name, read_content(upload)) as path, _as_upload_errors():
        return {**intake.read_preview(path, sheet).to_json(), "meanings": []}


def choose_columns(
    upload: Upload, meanings: Sequence[str] | None, sheet: str | None = None
) -> None:
    """Assign a meaning to each column of a table; None guesses them by the headings.

    Raises UploadError if the columns give no valid candidates, and while an import is active.
    """
    if active_import(upload):
        raise UploadError("The candidates of this file are being added. Stop the import first.")
    columns = dict(preview(upload, sheet))
    columns["meanings"] = guess_meanings(columns["header"]) if meanings is None else list(meanings)
    _read_table(upload, columns)
    upload.columns = columns
    upload.save(update_fields=["columns"])


def is_table(upload: Upload) -> bool:
    return upload.format != intake.CONCORD


def needs_columns(upload: Upload) -> bool:
    return is_table(upload) and not (upload.columns or {}).get("meanings")


def summarise(upload: Upload) -> UploadSummary:
    """A summary of the upload. Adds nothing. Raises UploadError for an invalid file."""
    if upload.use == PAIRS:
        pairs = _pairs(upload)
        rows = [CandidateInput(pair.key, pair.instance, pair.better) for pair in pairs]
    elif has_check_pairs(upload.study, upload.use):
        pairs = []
        rows = [
            CandidateInput(
                pair.key,
                pair.instance,
                "\n\n".join(pair.texts),
                expected=None if pair.choice is None else checks.CHOICE_VALUES[pair.choice],
                answers=pair.answers,
            )
            for pair in _check_pairs(upload)
        ]
    elif has_check_sets(upload.study, upload.use):
        pairs = []
        rows = [
            CandidateInput(
                one.key,
                one.instance,
                numbered_texts(one.texts),
                expected=one.best,
                answers={"worst": one.worst, **one.answers},
            )
            for one in _check_sets(upload)
        ]
    else:
        pairs = []
        rows = list(_candidates(upload))
    if not rows:
        raise UploadError("The file contains no candidates.")
    instances = {row.instance.key: row.instance for row in rows}
    return UploadSummary(
        candidates=len(rows),
        pairs=len(pairs),
        instances=len(instances),
        passages=len({i.passage for i in instances.values() if i.passage}),
        without_score=sum(row.expected is None for row in rows),
        constituents=_count(row.instance.constituent for row in rows),
        systems=_count(row.system for row in rows),
        splits=_count(row.instance.split for row in rows),
        first=rows[:3],
    )


def check(upload: Upload) -> None:
    """Check the upload without reading the file.

    Raises UploadError for a table without chosen columns, and if collection has begun.
    """
    if needs_columns(upload):
        raise UploadError("Choose the columns of the file first.")
    try:
        check_may_add(upload.study, StudyCandidate.Use.RATED if upload.use == PAIRS else upload.use)
    except StudyError as error:
        raise UploadError(str(error)) from error


def active_import(upload: Upload) -> CandidateImport | None:
    """The queued or running import of the upload."""
    job: CandidateImport | None = upload.imports.filter(status__in=CandidateImport.ACTIVE).first()
    return job


def has_check_pairs(study: Study, use: str) -> bool:
    """Whether a file of this use has pairs with their correct choices."""
    return use in checks.USES and study.current.protocol.unit == "pair"


def has_check_sets(study: Study, use: str) -> bool:
    """Whether a file of this use has sets with their best and worst, as concord-pairs."""
    return use in checks.USES and study.current.protocol.unit == "set"


def rows_of(upload: Upload) -> Rows:
    """The upload's candidates or pairs. Raises UploadError for an invalid file."""
    if upload.use == PAIRS:
        return _pairs(upload)
    if has_check_pairs(upload.study, upload.use):
        return _check_pairs(upload)
    if has_check_sets(upload.study, upload.use):
        return _check_sets(upload)
    return _candidates(upload)


def add(
    upload: Upload,
    rows: Rows,
    span_based: Iterable[str] = (),
    draw_questions: int | None = None,
) -> dict[str, int]:
    """Add the rows of an upload to the study and delete the upload, in the caller's transaction.

    Returns counts, as `add_candidates` does, which explains the options. Scores of candidates to
    rate are ignored. Raises UploadError if the study rejects a candidate or the upload has been
    discarded.
    """
    pairs = [row for row in rows if isinstance(row, PairInput)]
    check_pairs = [row for row in rows if isinstance(row, KeyedPairInput)]
    check_sets = [row for row in rows if isinstance(row, KeyedSetInput)]
    candidates = [row for row in rows if isinstance(row, CandidateInput)]
    try:
        if upload.use == PAIRS:
            counts = {"pairs taken": add_pairs(upload.study, pairs)}
        elif check_pairs:
            counts = add_check_pairs(upload.study, check_pairs, upload.use)
        elif check_sets:
            counts = add_check_sets(upload.study, check_sets, upload.use)
        else:
            if upload.use == StudyCandidate.Use.RATED:
                candidates = [replace(row, expected=None) for row in candidates]
            counts = add_candidates(
                upload.study,
                candidates,
                use=upload.use,
                span_based=span_based,
                draw_questions=draw_questions,
            )
    except StudyError as error:
        raise UploadError(str(error)) from error
    if not Upload.objects.filter(pk=upload.pk).delete()[0]:
        raise UploadError(DISCARDED)
    return counts


def discard(upload: Upload, *, at: datetime) -> None:
    """Delete the upload, and stop the import of its candidates."""
    with transaction.atomic():
        active = active_import(upload)
        if active is not None:
            active.cancel(at=at)
        upload.delete()


def write_pair(study: Study, instance_key: str, better: str, worse: str, phenomenon: str) -> str:
    """Add a minimal pair to an instance of the study. Returns the pair's key.

    Raises UploadError for an unknown instance, for equal or empty answers, and if collection has
    begun.
    """
    instance = study.instances.filter(key=instance_key).first()
    if instance is None:
        raise UploadError(f"The study has no instance “{instance_key[:80]}”.")
    if not better.strip() or not worse.strip() or better.strip() == worse.strip():
        raise UploadError("Write two different answers.")
    used_keys = set(study.candidates.exclude(pair="").values_list("pair", flat=True))
    number = next(n for n in range(1, len(used_keys) + 2) if f"pair-{n}" not in used_keys)
    pair = PairInput(
        f"pair-{number}",
        InstanceRecord.from_row(instance),
        better.strip(),
        worse.strip(),
        phenomenon.strip(),
    )
    try:
        add_pairs(study, [pair])
    except StudyError as error:
        raise UploadError(str(error)) from error
    return pair.key


@dataclass(frozen=True)
class CandidateCounts:
    """Counts of a study's candidates.

    `dropped` has pairs of reason and count. `shared` counts exact duplicates, which share the
    ratings of another candidate.
    """

    rated: int
    shared: int
    dropped: list[tuple[str, int]]
    qualification: int
    gold: int
    pairs: int
    instances: int
    passages: int
    splits: list[tuple[str, int]]
    constituents: list[tuple[str, bool, int]]

    @property
    def has_candidates(self) -> bool:
        return bool(self.rated or self.qualification or self.gold or self.dropped)


def count_candidates(study: Study) -> CandidateCounts:
    """Count the study's candidates; five queries."""
    use = StudyCandidate.Use
    rows = study.candidates.order_by()
    uses = dict(rows.values_list("use").annotate(n=Count("pk")))
    dropped = rows.filter(use=use.DROPPED).values_list("drop_reason").annotate(n=Count("pk"))
    rated = rows.filter(use=use.RATED)
    totals = rated.aggregate(
        shared=Count("same_as"),
        pairs=Count("pair", distinct=True),
        instances=Count("instance", distinct=True),
        passages=Count("instance__passage_key", distinct=True),
    )
    no_pair = rated.filter(pair="").exists()
    labels = rated.values_list(
        "instance__split", "instance__constituent", "instance__span_based"
    ).annotate(n=Count("pk"))
    splits: Counter[str] = Counter()
    constituents: Counter[tuple[str, bool]] = Counter()
    for split, constituent, span_based, n in labels:
        splits[split] += n
        constituents[constituent, span_based] += n
    return CandidateCounts(
        rated=uses.get(use.RATED, 0),
        shared=totals["shared"],
        dropped=sorted(dropped, key=lambda row: -row[1]),
        qualification=uses.get(use.QUALIFICATION, 0),
        gold=uses.get(use.GOLD, 0),
        pairs=totals["pairs"] - no_pair,
        instances=totals["instances"],
        passages=totals["passages"],
        splits=sorted(splits.items()),
        constituents=[(name, span, n) for (name, span), n in sorted(constituents.items())],
    )


def _candidates(upload: Upload) -> Sequence[CandidateInput]:
    if is_table(upload):
        return _read_table(upload, upload.columns or {})
    with _on_disk(upload.name, read_content(upload)) as path, _as_upload_errors():
        return intake.read_candidates(path, upload.format, keys=upload.use in checks.USES)


def _read_table(upload: Upload, columns: Mapping[str, Any]) -> Sequence[CandidateInput]:
    meanings = [one or IGNORED for one in columns.get("meanings", ())]
    if not meanings:
        raise UploadError("Choose the columns of the file first.")
    with _on_disk(upload.name, read_content(upload)) as path, _as_upload_errors():
        return intake.read_candidates(
            path, upload.format, meanings, columns.get("sheet"), keys=upload.use in checks.USES
        )


def _pairs(upload: Upload) -> Sequence[PairInput]:
    with _on_disk(upload.name, read_content(upload)) as path, _as_upload_errors():
        return intake.read_rated_pairs(path, upload.format)


def _check_pairs(upload: Upload) -> Sequence[KeyedPairInput]:
    _check_has_pairs(upload)
    with _on_disk(upload.name, read_content(upload)) as path, _as_upload_errors():
        return intake.read_keyed_pairs(path, upload.format)


def _check_sets(upload: Upload) -> Sequence[KeyedSetInput]:
    _check_has_pairs(upload)
    with _on_disk(upload.name, read_content(upload)) as path, _as_upload_errors():
        return intake.read_keyed_sets(path, upload.format)


def _check_has_pairs(upload: Upload) -> None:
    """Raises UploadError for a file of single candidates."""
    head = read_content(upload)[:HEAD_BYTES].decode(errors="replace")
    if (formats := detect_formats(head)) and formats[0].kind != "pairs":
        raise UploadError(checks.COMPARED_NEEDED[upload.study.current.protocol.unit])


@contextmanager
def _on_disk(name: str, content: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (Path(name).name or "upload")
        path.write_bytes(content)
        yield path


@contextmanager
def _as_upload_errors() -> Iterator[None]:
    try:
        yield
    except IntakeError as error:
        raise UploadError(str(error)) from error


def _count(values: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(values).items(), key=lambda row: (-row[1], row[0]))
