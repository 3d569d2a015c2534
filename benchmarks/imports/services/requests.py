"""The life of an import: requested, completed, failed, stopped. Callers send the tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from benchmarks.imports.models import SetImport
from benchmarks.imports.services import drafts, spool
from benchmarks.imports.services.parameters import (
    CONCORD,
    ImportFiles,
    ImportParameters,
    limits_in_request,
    pair_format,
    with_texts,
)
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from concord.documents.inspection import Inspection
from concord.formats import (
    TABLE,
    FormatError,
    FormatRecipe,
    Limits,
    ReadOptions,
    check_files,
    detect_any,
    read_recipe,
    with_kind,
)
from concord.formats.tables import PreviewRow, preview_table, resolve_columns
from core import audit
from core.audit.actors import current_actor
from core.refusals import RefusedError
from core.webhooks.services.emitting import emit


def request(
    name: str,
    format: str,
    sent: ImportFiles,
    parameters: ImportParameters,
    *,
    draft: bool = False,
    by: User,
    at: datetime,
) -> SetImport:
    """Store an import: queued, or, with `draft`, a draft for a table whose columns are to be
    chosen, for which those of `parameters` are proposed, and for files that a recipe was found for
    or sent with, of MAX_INSPECTED_BYTES at most.

    A recipe that is sent reads the files; otherwise an empty format is detected by their content.
    One file of pairs among `judgments` counts as `pairs`. Without `judgments`, the set's next
    version is the latest one with other `pairs`, or the first one with judged pairs. Raises
    RefusedError if the account may not make the next version, if there is no set to add to, for
    pairs together with `add`, for a format beside a recipe, and for more than MAX_DRAFTS drafts of
    an account, and FormatError for a faulty recipe and for files that are in another format or
    encoding or too large.
    """
    access.check_new_version(by, name)
    limits = limits_in_request()
    chosen: str | FormatRecipe = format
    if sent.recipe is not None:
        chosen = _read_recipe(sent.recipe, format)
        parameters = replace(parameters, recipe=sent.recipe.read_text("utf-8"))
    elif parameters.recipe:
        chosen = parameters.format(format)
    elif not format:
        first = sent.judgments[0] if sent.judgments else sent.pairs
        chosen = detect_any(first, limits, parameters.options) if first else CONCORD
        if isinstance(chosen, FormatRecipe):
            parameters = replace(parameters, recipe=chosen.toml)
    if sent.judgments and _has_pairs(chosen):
        sent = _as_pairs(sent, chosen)
    judgments, pairs, texts = sent.judgments, sent.pairs, sent.texts
    if parameters.add and judgments and pairs is not None:
        raise RefusedError(
            "Candidates and minimal pairs cannot be added to a set in one import. Import the pairs "
            "on their own.",
            "import-refused",
        )
    if parameters.add and not JudgmentSet.objects.filter(name=name).exists():
        raise RefusedError(
            f"There is no set {name} to add to: import its judgments first.", "import-refused"
        )
    table: PreviewRow | None = None
    main = judgments[0] if judgments else pairs
    if main is not None and with_kind(chosen)[1] == TABLE and (judgments or _has_pairs(chosen)):
        if draft:
            table = preview_table(main, parameters.options.sheet, limits).to_json()
        elif judgments:
            _check_columns(judgments, parameters.options, limits)
    options = parameters.options if table is None else replace(parameters.options, columns=())
    _check(judgments, pairs, texts, chosen, options, limits)
    inspection: Inspection | None = None
    if draft and not format and isinstance(chosen, FormatRecipe) and main is not None:
        inspection = drafts.inspect_first([*judgments, main], chosen, parameters.options, limits)
    with transaction.atomic():
        drafts.delete_old(at=at)
        is_draft = table is not None or inspection is not None
        if is_draft:
            drafts.check_number(by)
        set_import = _store(
            name,
            str(chosen),
            sent,
            parameters,
            by=by,
            at=at,
            status=SetImport.DRAFT if is_draft else SetImport.Status.QUEUED,
            table=table,
            inspection=inspection,
        )
        audit.record(
            by,
            "set.import asked for",
            set_import,
            after={
                "name": name,
                "format": str(chosen),
                "files": set_import.files,
                "add": parameters.add,
            },
        )
    return set_import


def store_refused(
    name: str,
    format: str,
    sent: ImportFiles,
    parameters: ImportParameters,
    error: FormatError | None,
    *,
    by: User,
    at: datetime,
) -> SetImport:
    """Store a request that was refused as a failed import, so that its files can be imported again
    without sending them again. error: the faults of the files, if they have some."""
    with transaction.atomic():
        drafts.delete_old(at=at)
        set_import = _store(
            name or Path(sent.files()[0]).stem,
            format,
            sent,
            parameters,
            by=by,
            at=at,
            status=SetImport.Status.FAILED,
            reason="The form was refused.",
            finished_at=at,
            **_faults_as_json(error and without_folders(error)),
        )
        _delete_earlier_files(set_import)
    return set_import


def _store(
    name: str,
    format: str,
    sent: ImportFiles,
    parameters: ImportParameters,
    *,
    by: User,
    at: datetime,
    **values: object,
) -> SetImport:
    """The row of an import with its files."""
    paths = sent.files()
    files = [
        {
            "name": path.name,
            "bytes": path.stat().st_size,
            "pairs": path is sent.pairs,
            "texts": path is sent.texts,
        }
        for path in paths
    ]
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
        **values,
    )
    spool.store(set_import, paths)
    return set_import


@contextmanager
def again(
    set_import: SetImport, format: str, sent: ImportFiles, parameters: ImportParameters
) -> Iterator[tuple[ImportFiles, ImportParameters]]:
    """The files of a failed import, with the texts, pairs and recipe that are sent besides, or
    others in their place, and the parameters with its recipe, and with the columns and the sheet of
    its table, if `format` takes them and a new file has the same headings."""
    earlier = ImportParameters.from_json(set_import.parameters)
    columns, sheet = earlier.options.columns, earlier.options.sheet
    options = parameters.options
    with spool.on_disk(set_import) as paths:
        files = list(zip(set_import.files, paths, strict=True))
        texts = next((path for file, path in files if file.get("texts")), None)
        pairs = next((path for file, path in files if file["pairs"]), None)
        judgments = [path for path in paths if path not in (texts, pairs)]
        if pairs and not judgments:  # what they are is read from the file or its columns
            judgments, pairs = [pairs], None
        if not sent.judgments and sent.pairs is None:
            sent = replace(sent, judgments=judgments, texts=sent.texts or texts, pairs=pairs)
        if format == TABLE and columns and _same_headings([*judgments, *sent.judgments], sheet):
            options = replace(options, columns=columns, sheet=sheet)
        recipe = "" if format or sent.recipe else earlier.recipe
        yield sent, replace(parameters, options=options, recipe=recipe)


def _same_headings(tables: Sequence[Path], sheet: str | None) -> bool:
    try:
        headers = {tuple(preview_table(path, sheet, limits_in_request()).header) for path in tables}
    except FormatError:
        return False
    return len(headers) == 1


def announce_import_end(set_import: SetImport, *, at: datetime) -> None:
    """Emit that an import is complete or failed, to the account that requested it."""
    judgment_set = set_import.judgment_set
    data = {
        "import": set_import.pk,
        "name": set_import.name,
        "status": set_import.status,
        "reason": set_import.reason,
        "judgment_set": str(judgment_set) if judgment_set else None,
        "path": set_import.get_absolute_url(),
    }
    event = "import.done" if judgment_set else "import.failed"
    emit(
        event, str(set_import.by_id), data, at=at, may_see=lambda user: bool(user == set_import.by)
    )


def complete(set_import: SetImport, judgment_set: JudgmentSet, *, at: datetime) -> bool:
    """Complete the import with its version. Call it in the transaction that makes the version.

    Returns False if the import was stopped or belongs to another worker; then roll back.
    """
    ended = set_import.complete(at=at, judgment_set=judgment_set, bytes_read=F("bytes_total"))
    if ended:
        spool.delete(set_import)
        _end(set_import, at=at)
    return ended


def fail(
    set_import: SetImport,
    reason: str,
    *,
    problem: str = "",
    refusal: FormatError | None = None,
    at: datetime,
) -> None:
    """End the import with a reason and the faults of its files, which are stored for the next
    attempt: those of the MAX_DRAFTS latest failed imports of its account, for DRAFT_LIFE."""
    with transaction.atomic():
        if set_import.fail(reason, at=at, problem=problem, **_faults_as_json(refusal)):
            _delete_earlier_files(set_import)
            _end(set_import, at=at)


def _delete_earlier_files(set_import: SetImport) -> None:
    """Delete the files of the account's failed imports, but those of this one and of the
    MAX_DRAFTS - 1 latest before it."""
    imports = SetImport.objects.filter(by=set_import.by).exclude(pk=set_import.pk)
    failed = imports.filter(status=SetImport.Status.FAILED, parts__isnull=False).distinct()
    latest = failed.order_by("-finished_at", "-pk").values_list("pk", flat=True)
    spool.delete_failed(imports.filter(pk__in=list(latest[drafts.MAX_DRAFTS - 1 :])))


def _faults_as_json(error: FormatError | None) -> dict[str, object]:
    """The fields `faults` and `hidden_faults` of an import."""
    faults = [asdict(fault) for fault in error.problems] if error else []
    return {"faults": faults, "hidden_faults": error.hidden if error else 0}


def without_folders(error: FormatError) -> FormatError:
    """The problems of files, with the files' names in place of their paths."""
    named = [replace(fault, file=Path(fault.file).name) for fault in error.problems]
    return FormatError(named, error.total)


def refuse_file(set_import: SetImport, error: FormatError, *, at: datetime) -> None:
    """End the import with the faults of its files, each with file, line and field."""
    refusal = without_folders(error)
    fail(set_import, str(refusal), problem="file-refused", refusal=refusal, at=at)


def cancel(set_import: SetImport, *, at: datetime) -> bool:
    """Stop an import that has not ended. Nothing is imported."""
    with transaction.atomic():
        stopped = set_import.cancel(at=at)
        if stopped:
            spool.delete(set_import)
            audit.record(None, "set.import stopped", set_import)
    return stopped


def _read_recipe(path: Path, format: str) -> FormatRecipe:
    """The recipe that was sent. Raises FormatError and RefusedError."""
    if format:
        raise RefusedError("Choose a format or send a recipe, not both.", "import-refused")
    return read_recipe(path)


def _has_pairs(format: str | FormatRecipe) -> bool:
    """Whether a format that was found, sent or chosen is of pairs, and not of judgments too."""
    return with_kind(format)[0] == "pairs"


def _as_pairs(sent: ImportFiles, format: str | FormatRecipe) -> ImportFiles:
    """The only file that was sent as judgments, as pairs. Raises RefusedError for others."""
    if len(sent.judgments) > 1 or sent.pairs is not None:
        raise RefusedError(
            f"The files are pairs in the format {format}. Send one at a time.", "import-refused"
        )
    return replace(sent, judgments=[], pairs=sent.judgments[0])


def _check(
    judgments: Sequence[Path],
    pairs: Path | None,
    texts: Path | None,
    format: str | FormatRecipe,
    options: ReadOptions,
    limits: Limits,
) -> None:
    """Check the size, the encoding and the form of the files. Raises FormatError."""
    if judgments:
        check_files(judgments, format, "judgments", with_texts(options, texts), limits)
    if texts is not None:
        check_files([texts], CONCORD, "judgments", limits=limits)
    if pairs is not None:
        check_files([pairs], pair_format(format), "pairs", limits=limits)


def _check_columns(judgments: Sequence[Path], options: ReadOptions, limits: Limits) -> None:
    """Check the columns of the tables by their headings. Raises FormatError."""
    for path in judgments:
        table = preview_table(path, options.sheet, limits)
        resolve_columns(
            table.header, options.columns, path.name, table.numeric, without_references=True
        )


def _end(set_import: SetImport, *, at: datetime) -> None:
    set_import.refresh_from_db()
    announce_import_end(set_import, at=at)
