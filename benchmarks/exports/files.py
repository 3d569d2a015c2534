"""The files of a set that people download: each is declared once, for pages and the API."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

from benchmarks.exports.inputs import (
    DatasetOptions,
    LabelOptions,
    PreferenceOptions,
    ScoresOptions,
)
from benchmarks.exports.services import datasets, exports, labels, other_tools
from benchmarks.exports.services.preferences import preference_lines
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from benchmarks.sets.views.attachments import (
    CSV,
    JSON_LINES,
    PARQUET,
    SPREADSHEET,
    TSV,
    ZIP,
    attachment,
)

Parts = Iterator[str] | Iterator[bytes]


@dataclass(frozen=True, kw_only=True)
class SetFile:
    """A file that is streamed.

    name: of the file, and the end of its address. parts: its content, of a set and the object of
    `options`; raises RefusedError before the first part. summary, help, also: for the API's
    description; without a summary, only pages have it. is_recorded: whether the audit log has who
    of the members took it. on_pages: whether pages have it.
    """

    name: str
    content_type: str
    parts: Callable[[JudgmentSet, Any], Parts]  # of the object of `options`
    options: type | None = None
    summary: str = ""
    help: str = ""
    also: Mapping[int, str] = field(default_factory=dict)
    is_recorded: bool = True
    on_pages: bool = True

    @property
    def url_name(self) -> str:
        """The name of its address, such as "scores-csv"."""
        return self.name.replace(".", "-")

    def response(self, judgment_set: JudgmentSet, options: object = None) -> HttpResponseBase:
        """The file for the set's viewer. Raises RefusedError."""
        parts = self.parts(judgment_set, options)
        if self.is_recorded:
            exports.record_export(judgment_set, self.name)
        response = StreamingHttpResponse(parts, content_type=self.content_type)
        return attachment(response, judgment_set, self.name)


def _scores_jsonl(judgment_set: JudgmentSet, options: ScoresOptions) -> Iterator[str]:
    runs = exports.select_runs(judgment_set, options.metrics or None)
    return exports.scores_jsonl(judgment_set, runs)


def _scores_csv(judgment_set: JudgmentSet, _: None) -> Iterator[str]:
    return exports.scores_csv(judgment_set, exports.select_runs(judgment_set, None))


def _workbook(judgment_set: JudgmentSet, _: None) -> Iterator[bytes]:
    return exports.workbook(judgment_set, exports.select_runs(judgment_set, None))


def _dataset(judgment_set: JudgmentSet, options: DatasetOptions) -> Iterator[bytes]:
    return datasets.stream_dataset(judgment_set, options.license)


def _preferences(judgment_set: JudgmentSet, options: PreferenceOptions) -> Iterator[str]:
    if options.by == "scores":
        criteria.choose(judgment_set, options.criterion)
    return exports.join_in_blocks(
        preference_lines(judgment_set, options.by, options.min_gap or 0.0)
    )


def _labels(judgment_set: JudgmentSet, options: LabelOptions) -> Iterator[str]:
    return labels.label_lines(judgment_set, options.metric, options.threshold)


def _in_blocks(lines: Callable[[JudgmentSet], Iterator[str]]) -> Callable[..., Iterator[str]]:
    return lambda judgment_set, _: exports.join_in_blocks(lines(judgment_set))


FILES = (
    SetFile(
        name="judgments.jsonl",
        content_type=JSON_LINES,
        parts=_in_blocks(exports.judgments),
        summary="Download judgments",
        help="concord-judgments JSON Lines. Importing them makes the same set. Workers have "
        "pseudonyms.",
    ),
    SetFile(
        name="judgments.parquet",
        content_type=PARQUET,
        parts=lambda judgment_set, _: datasets.stream_parquet(judgment_set),
        summary="Download judgments as Parquet",
        help="The fields of concord-judgments as columns. Importing it makes the same set. Workers "
        "have pseudonyms.",
    ),
    SetFile(
        name="dataset.zip",
        content_type=ZIP,
        parts=_dataset,
        options=DatasetOptions,
        summary="Download a dataset folder",
        help="A zip archive in the form of the Hugging Face hub: a dataset card, and Parquet files "
        "of judgments and minimal pairs by split. Importing it makes the same set. Workers have "
        "pseudonyms.",
    ),
    SetFile(
        name="preferences.jsonl",
        content_type=JSON_LINES,
        parts=_preferences,
        options=PreferenceOptions,
        summary="Download preference pairs",
        help="JSON Lines of prompt, chosen, rejected and margin, for preference training.",
        also={
            409: "The set has no preferences of this source.",
            422: "The set has no such criterion.",
        },
    ),
    SetFile(
        name="label-studio.json",
        content_type="application/json; charset=utf-8",
        parts=_in_blocks(other_tools.label_studio_tasks),
        summary="Download tasks for Label Studio",
        help="A list of tasks with the ratings as annotations. Workers have pseudonyms.",
    ),
    SetFile(
        name="label-studio.xml",
        content_type="application/xml; charset=utf-8",
        parts=_in_blocks(other_tools.label_studio_configuration),
        summary="Download the labelling configuration for Label Studio",
        help="XML of a project for the tasks: texts, and a number for the score and each "
        "criterion.",
    ),
    SetFile(
        name="potato.jsonl",
        content_type=JSON_LINES,
        parts=_in_blocks(other_tools.potato_items),
        summary="Download items for Potato",
        help="JSON Lines of id and text, without ratings.",
    ),
    SetFile(
        name="pairs.jsonl",
        content_type=JSON_LINES,
        parts=_in_blocks(exports.pairs),
        summary="Download minimal pairs",
        help="concord-pairs JSON Lines.",
    ),
    SetFile(
        name="ratings.csv",
        content_type=CSV,
        parts=lambda judgment_set, _: exports.ratings_csv(judgment_set),
        summary="Download ratings",
        help="CSV with a line for each rating. Workers have pseudonyms.",
    ),
    SetFile(name="scores.xlsx", content_type=SPREADSHEET, parts=_workbook),
    SetFile(
        name="scores.csv",
        content_type=CSV,
        parts=_scores_csv,
        summary="Download scores as CSV",
        help="CSV with a line for each candidate and a column for each complete metric.",
        is_recorded=False,
    ),
    SetFile(
        name="scores.jsonl",
        content_type=JSON_LINES,
        parts=_scores_jsonl,
        options=ScoresOptions,
        summary="Download scores",
        help="JSON Lines of id, system, gold score and `scores` by metric, null where undefined.",
        also={409: "One of the metrics has no complete run."},
        is_recorded=False,
        on_pages=False,
    ),
    SetFile(
        name="labels.tsv",
        content_type=TSV,
        parts=_labels,
        options=LabelOptions,
        summary="Download labels",
        help="The unjudged candidates with labels by AVA: a table of question, sentence, label, "
        "probability, verdict, threshold, signature and id. AVA can be trained on it as `tsv`.",
        also={409: "AVA has not scored the set, or all candidates are judged."},
        is_recorded=False,
    ),
)
