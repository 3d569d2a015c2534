"""Downloads of a set: judgments, pairs, ratings and scores, streamed."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from benchmarks.exports.inputs import DatasetOptions, LabelOptions, PreferenceOptions
from benchmarks.exports.services import datasets, exports, labels, other_tools
from benchmarks.exports.services.dataset_card import LICENSES
from benchmarks.exports.services.preferences import SOURCES, Source, preference_lines
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import choose_criterion, find_set
from benchmarks.sets.views.attachments import (
    CSV,
    JSON_LINES,
    PARQUET,
    SPREADSHEET,
    TSV,
    ZIP,
    attachment,
)
from core.pages.derived import DataclassForm
from core.pages.errors import MissingError, UnknownChoiceError
from core.refusals import RefusedError


class LabelsForm(DataclassForm[LabelOptions]):
    """The run of AVA that labels unjudged answers."""

    help_texts = {"metric": "", "threshold": ""}


class DatasetForm(DataclassForm[DatasetOptions]):
    """The licence that the dataset card states."""

    optional = ("license",)
    help_texts = {"license": ""}


class PreferencesForm(DataclassForm[PreferenceOptions]):
    """Where preferences come from; the other fields are for scores."""

    optional = ("by",)
    help_texts = {"by": "", "min_gap": "", "criterion": ""}


@require_safe
def scores_csv(request: HttpRequest, ref: str) -> HttpResponseBase:
    judgment_set = find_set(ref, request.user)
    runs = exports.select_runs(judgment_set, None)
    return _stream(judgment_set, "scores.csv", exports.scores_csv(judgment_set, runs), CSV)


@require_safe
def ratings_csv(request: HttpRequest, ref: str) -> HttpResponseBase:
    judgment_set = _start_export(request, ref, "ratings.csv")
    return _stream(judgment_set, "ratings.csv", exports.ratings_csv(judgment_set), CSV)


@require_safe
def scores_xlsx(request: HttpRequest, ref: str) -> HttpResponseBase:
    judgment_set = _start_export(request, ref, "scores.xlsx")
    runs = exports.select_runs(judgment_set, None)
    content = exports.workbook(judgment_set, runs)
    return _stream(judgment_set, "scores.xlsx", content, SPREADSHEET)


@require_safe
def judgments_jsonl(request: HttpRequest, ref: str) -> HttpResponseBase:
    judgment_set = _start_export(request, ref, "judgments.jsonl")
    lines = exports.join_in_blocks(exports.judgments(judgment_set))
    return _stream(judgment_set, "judgments.jsonl", lines, JSON_LINES)


@require_safe
def judgments_parquet(request: HttpRequest, ref: str) -> HttpResponseBase:
    judgment_set = _start_export(request, ref, "judgments.parquet")
    content = datasets.stream_parquet(judgment_set)
    return _stream(judgment_set, "judgments.parquet", content, PARQUET)


@require_safe
def dataset_zip(request: HttpRequest, ref: str) -> HttpResponseBase:
    """The dataset folder, with the form's `license` in its card."""
    form = DatasetForm(request.GET)
    if not form.is_valid():
        raise UnknownChoiceError(f"The licence must be one of {', '.join(LICENSES)}.")
    judgment_set = _start_export(request, ref, "dataset.zip")
    content = datasets.stream_dataset(judgment_set, form.value().license)
    return _stream(judgment_set, "dataset.zip", content, ZIP)


@require_safe
def pairs_jsonl(request: HttpRequest, ref: str) -> HttpResponseBase:
    judgment_set = _start_export(request, ref, "pairs.jsonl")
    lines = exports.join_in_blocks(exports.pairs(judgment_set))
    return _stream(judgment_set, "pairs.jsonl", lines, JSON_LINES)


@require_safe
def tool_file(request: HttpRequest, ref: str, format: str) -> HttpResponseBase:
    """A file for another annotation tool, of a format of `other_tools`."""
    file = other_tools.FORMATS[format]
    judgment_set = _start_export(request, ref, file.name)
    parts = exports.join_in_blocks(file.content(judgment_set))
    return _stream(judgment_set, file.name, parts, f"{file.content_type}; charset=utf-8")


@require_safe
def preferences_jsonl(request: HttpRequest, ref: str) -> HttpResponseBase:
    """Pairs for preference training, by default from people's choices."""
    form = PreferencesForm(request.GET)
    if not form.is_valid():
        raise UnknownChoiceError(f"The source must be one of {', '.join(SOURCES)}.")
    judgment_set = find_set(ref, request.user)
    chosen = form.value()
    if chosen.by == "scores":
        choose_criterion(judgment_set, chosen.criterion or "")
    try:
        return preferences_response(judgment_set, chosen.by, chosen.min_gap)
    except RefusedError as error:
        raise MissingError(str(error)) from error


def preferences_response(
    judgment_set: JudgmentSet, source: Source, min_gap: float | None
) -> HttpResponseBase:
    """The file `preferences.jsonl`. Raises RefusedError."""
    lines = preference_lines(judgment_set, source, min_gap or 0.0)
    exports.record_export(judgment_set, "preferences.jsonl")
    return _stream(judgment_set, "preferences.jsonl", exports.join_in_blocks(lines), JSON_LINES)


@require_safe
def labels_tsv(request: HttpRequest, ref: str) -> HttpResponseBase:
    """The unjudged candidates with labels by AVA, with the form's `metric` and `threshold`."""
    judgment_set = find_set(ref, request.user)
    form = LabelsForm(request.GET)
    if not form.is_valid():
        raise UnknownChoiceError("The threshold must be a number from 0 to 1.")
    chosen = form.value()
    try:
        return labels_response(judgment_set, chosen.metric, chosen.threshold)
    except RefusedError as error:
        raise MissingError(str(error)) from error


def labels_response(
    judgment_set: JudgmentSet, metric: str | None, threshold: float | None
) -> HttpResponseBase:
    """The labels as a file. Raises RefusedError."""
    lines = labels.label_lines(judgment_set, metric, threshold)
    return _stream(judgment_set, "labels.tsv", lines, TSV)


def _start_export(request: HttpRequest, ref: str, what: str) -> JudgmentSet:
    """The set, after the export was recorded."""
    judgment_set = find_set(ref, request.user)
    exports.record_export(judgment_set, what)
    return judgment_set


def _stream(
    judgment_set: JudgmentSet,
    name: str,
    content: Iterator[str] | Iterator[bytes],
    content_type: str,
) -> HttpResponseBase:
    return attachment(StreamingHttpResponse(content, content_type=content_type), judgment_set, name)
