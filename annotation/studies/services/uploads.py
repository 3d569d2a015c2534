"""Uploaded files of candidates: store, summarise, add to the study, discard."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from annotation.studies import intake
from annotation.studies.errors import KeysRefusedError, UploadError
from annotation.studies.intake import Item
from annotation.studies.models import CandidateImport, Study, StudyCandidate, Upload
from annotation.studies.services import checks
from annotation.studies.services.candidates import PAIRS, add_items, check_may_add
from annotation.studies.services.upload_rows import (
    TableColumns,
    has_pairs,
    is_table,
    items_of,
    on_disk,
    read_content,
)
from concord.formats import FormatError, InstanceRecord
from concord.formats.faulty_rows import with_cells
from concord.formats.tables import guess_meanings
from core.refusals import RefusedError
from core.security.declarations import MAX_LINE_BYTES, MAX_LINES_PER_ROW, UploadLimits

UPLOAD_BYTES = 64 * 1024 * 1024
RETENTION = timedelta(days=1)
DISCARDED = "The file was discarded. No candidates were added."
USES = {
    StudyCandidate.Use.RATED.value: "Candidates to rate",
    StudyCandidate.Use.QUALIFICATION.value: "Qualification test (with the correct answers)",
    StudyCandidate.Use.GOLD.value: "Hidden checks (with the correct answers)",
    PAIRS: "Minimal pairs to rate (concord-pairs)",
}


def file_limits() -> UploadLimits:
    """The limits of a file of candidates."""
    max_lines = intake.MAX_ROWS * MAX_LINES_PER_ROW
    return UploadLimits(UPLOAD_BYTES, max_lines, MAX_LINE_BYTES, zip=True)


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
    columns: TableColumns | None = None
    with on_disk(name, content) as path:
        are_pairs = has_pairs(study, use)
        format = format or (intake.CONCORD if are_pairs else intake.format_of(path))
        if format != intake.CONCORD:
            if are_pairs:
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


def preview(upload: Upload, sheet: str | None = None) -> TableColumns:
    """The headings and first rows of a table, of another sheet where one is named.

    Raises UploadError.
    """
    columns: TableColumns | None = upload.columns
    if columns and sheet in (None, columns["sheet"]):
        return columns
    with on_disk(upload.name, read_content(upload)) as path:
        return {**intake.read_preview(path, sheet).to_json(), "meanings": []}


def choose_columns(
    upload: Upload, meanings: Sequence[str] | None, sheet: str | None = None
) -> None:
    """Assign a meaning to each column of a table; None guesses them by the headings.

    Raises UploadError if the columns give no valid candidates, and while an import is active.
    """
    if active_import(upload):
        raise UploadError("The candidates of this file are being added. Stop the import first.")
    columns = copy(preview(upload, sheet))
    guesses = guess_meanings(columns["header"], columns.get("numeric", ()))
    columns["meanings"] = guesses if meanings is None else list(meanings)
    items_of(upload, columns)
    upload.columns = columns
    upload.save(update_fields=["columns"])


def guess_columns(upload: Upload) -> None:
    """Choose the columns of a table by their headings, where that gives valid candidates.

    Not of test items and hidden checks: which columns are keys is for a person to say.
    """
    if is_table(upload) and upload.use not in checks.USES:
        with suppress(UploadError):
            choose_columns(upload, None)


def needs_columns(upload: Upload) -> bool:
    return is_table(upload) and not (upload.columns or {}).get("meanings")


def check(upload: Upload) -> None:
    """Check the upload without reading the file.

    Raises UploadError for a table without chosen columns, and if collection has begun.
    """
    if needs_columns(upload):
        raise UploadError("Choose the columns of the file first.")
    try:
        check_may_add(upload.study, upload.use)
    except RefusedError as error:
        raise UploadError(str(error)) from error


def check_keys(upload: Upload) -> None:
    """Check the correct answers of test items and hidden checks by the protocol, before they are
    added. Raises UploadError with the rows that do not fit."""
    if upload.use not in checks.USES:
        return
    items = items_of(upload)
    try:
        checks.item_keys(items, upload.study.current.protocol)
    except KeysRefusedError as error:
        sheet = (upload.columns or {}).get("sheet") or ""
        name = f"{upload.name}[{sheet}]" if sheet else upload.name
        refusal = FormatError([replace(fault, file=name) for fault in error.faults])
        with on_disk(upload.name, read_content(upload)) as path:
            refusal = with_cells(refusal, [path], sheet=sheet or None, limits=intake.LIMITS)
        raise UploadError(str(error), refusal) from error
    except RefusedError as error:
        raise UploadError(str(error)) from error


def active_import(upload: Upload) -> CandidateImport | None:
    """The queued or running import of the upload."""
    job: CandidateImport | None = upload.imports.filter(status__in=CandidateImport.ACTIVE).first()
    return job


def add(
    upload: Upload,
    items: Sequence[Item],
    span_based: Iterable[str] = (),
    draw_questions: int | None = None,
) -> dict[str, int]:
    """Add the items of an upload to the study and delete the upload, in the caller's transaction.

    Returns counts, as `add_items` does, which explains the options. Scores of candidates to rate
    are ignored. Raises UploadError if the study rejects an item or the upload has been discarded.
    """
    try:
        counts = add_items(
            upload.study, items, upload.use, span_based=span_based, draw_questions=draw_questions
        )
    except RefusedError as error:
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
    pair = Item.minimal_pair(
        f"pair-{number}",
        InstanceRecord.from_row(instance),
        better.strip(),
        worse.strip(),
        phenomenon.strip(),
    )
    try:
        add_items(study, [pair], PAIRS)
    except RefusedError as error:
        raise UploadError(str(error)) from error
    return pair.key
