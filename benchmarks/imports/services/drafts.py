"""Drafts: imports that wait until their account chose the columns of a table or confirmed what was
understood of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from django.contrib.auth.models import User

from benchmarks.imports.models import SetImport
from benchmarks.imports.services import spool
from benchmarks.imports.services.parameters import ImportParameters, limits_in_request
from concord.documents.inspection import Inspection
from concord.formats import TABLE, FormatError, FormatRecipe, Limits, Problem, ReadOptions
from concord.formats.inspection import inspect_file
from concord.formats.tables import IGNORED, PreviewRow, preview_table, resolve_columns
from core.refusals import RefusedError

TABLE_PAIRS = f"{TABLE}-pairs"
# Older drafts are deleted, and older files of failed imports.
DRAFT_LIFE = timedelta(days=1)
# Of one account; also of its failed imports whose files are stored.
MAX_DRAFTS = 5
# Files that a request reads as a whole, to say what they hold.
MAX_INSPECTED_BYTES = 4 * 1024 * 1024


def preview(set_import: SetImport, sheet: str | None = None) -> PreviewRow:
    """The headings and first rows of a draft's table, of another sheet where one is named.

    Raises FormatError.
    """
    table: PreviewRow | None = set_import.table
    assert table is not None, "only a draft has a table"
    if sheet in (None, table["sheet"]):
        return table
    with spool.on_disk(set_import) as paths:
        limits = limits_in_request()
        return preview_table(paths[0], sheet, limits).to_json()


def proposed_columns(set_import: SetImport, table: PreviewRow) -> list[str]:
    """The meanings of the columns of a draft that is imported again; [] of another table."""
    columns = ImportParameters.from_json(set_import.parameters).options.columns
    is_same = len(columns) == len(table["header"])
    return ["" if one == IGNORED else one for one in columns] if is_same else []


def choose_columns(
    set_import: SetImport, columns: Sequence[str], sheet: str | None, *, at: datetime
) -> bool:
    """Queue a draft with the meaning of each column. The caller sends its task.

    Returns False if it is no draft any more, and where the ratings turn out to be words without an
    order: then it stays a draft until this was asked (`confirm`). Raises FormatError for a wrong
    assignment.
    """
    table = preview(set_import, sheet)
    chosen = [one or IGNORED for one in columns]
    meanings = resolve_columns(table["header"], chosen, without_references=True)
    parameters = ImportParameters.from_json(set_import.parameters)
    options = replace(
        parameters.options,
        columns=tuple(one or IGNORED for one in meanings),
        sheet=table["sheet"] or None,
    )
    is_pair = "choice" in meanings
    if is_pair and any(file["pairs"] for file in set_import.files[1:]):
        message = "has pairs, too, beside the file of pairs; import one of them first"
        raise FormatError([Problem(set_import.files[0]["name"], None, None, message)])
    format = TABLE_PAIRS if is_pair else TABLE
    inspection: Inspection | None = None
    if "rating" in meanings and not options.order:
        with spool.on_disk(set_import) as paths:
            inspection = inspect_first(paths[:1], format, options, limits_in_request())
    is_asked = inspection is not None and bool(inspection["unordered"])
    drafts = SetImport.objects.filter(pk=set_import.pk, status=SetImport.DRAFT)
    changed = drafts.update(
        status=SetImport.DRAFT if is_asked else SetImport.Status.QUEUED,
        parameters=replace(parameters, options=options).to_json(),
        format=format,
        files=[{**file, "pairs": is_pair or file["pairs"]} if at == 0 else file
               for at, file in enumerate(set_import.files)],
        table=None,
        inspection=inspection if is_asked else None,
        sent_at=at,
    )  # fmt: skip
    return bool(changed) and not is_asked


def inspect_first(
    paths: Sequence[Path], format: str | FormatRecipe, options: ReadOptions, limits: Limits
) -> Inspection | None:
    """What is understood of the first file, without records; None of more than
    MAX_INSPECTED_BYTES."""
    if sum(path.stat().st_size for path in set(paths)) > MAX_INSPECTED_BYTES:
        return None
    inspection = inspect_file(paths[0], format, options, limits)
    inspection["first"] = []
    return inspection


def confirm(set_import: SetImport, order: tuple[str, ...], *, at: datetime) -> bool:
    """Queue a draft whose inspection was confirmed. The caller sends its task. Returns False if it
    is no draft any more. order: as `ReadOptions.order`; () leaves it as it was."""
    parameters = ImportParameters.from_json(set_import.parameters)
    if order:
        parameters = replace(parameters, options=replace(parameters.options, order=order))
    drafts = SetImport.objects.filter(pk=set_import.pk, status=SetImport.DRAFT, table__isnull=True)
    return bool(
        drafts.update(status=SetImport.Status.QUEUED, parameters=parameters.to_json(), sent_at=at)
    )


def discard(set_import: SetImport) -> bool:
    """Delete a draft and its files. Returns False if it is no draft any more."""
    drafts = SetImport.objects.filter(pk=set_import.pk, status=SetImport.DRAFT)
    return bool(drafts.delete()[0])


def delete_old(*, at: datetime) -> None:
    """Delete old drafts, and the old files of failed imports."""
    drafts = SetImport.objects.filter(status=SetImport.DRAFT)
    drafts.filter(created_at__lt=at - DRAFT_LIFE).delete()
    spool.delete_failed(SetImport.objects.filter(finished_at__lt=at - DRAFT_LIFE))


def check_number(by: User) -> None:
    """Raises RefusedError for an account with MAX_DRAFTS drafts."""
    if SetImport.objects.filter(status=SetImport.DRAFT, by=by).count() >= MAX_DRAFTS:
        raise RefusedError(
            f"{MAX_DRAFTS} of your uploads are not imported yet. Import or discard one of them "
            "first.",
            "import-refused",
        )
