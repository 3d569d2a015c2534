"""Reader of SummEval's ratings in THumB's release (Kasai et al., NAACL 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from concord.formats.collector import RecordCollector, Scale
from concord.formats.errors import quote, quote_names
from concord.formats.fields import Fields, scale_fault
from concord.formats.files import SourceFile
from concord.formats.options import ReadOptions
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    RatingRecord,
    gold_score,
)

OPTIONS = frozenset({"criterion", "reference_system", "split", "constituent"})

SCALE: Scale = (1.0, 5.0)
CRITERIA = ("coherence", "consistency", "fluency", "relevance")
REFERENCE_SYSTEM = "Human-H"
RATINGS = {
    "expert_annotations": "ratings of the group expert",
    "turker_annotations": "ratings of the group crowd",
}
MEANINGS = {"seg_id": "instance", "SYS": "system", "hyp": "candidate"} | RATINGS


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read one criterion, or all four; the gold score is the mean of the experts' ratings, 1 to 5.

    An instance is an article (`seg_id`) without text; its reference is the summary by
    `reference_system` (Human-H), which is left out as a candidate. Raters are e1, e2, ... in the
    group `expert` and c1, c2, ... in `crowd`; these are positions, not persons. The crowd's
    ratings may be absent (null or NaN). The id is `seg_id/system`.
    """
    criteria = options.criteria(CRITERIA)
    collector.report.criterion = options.criterion or ""
    collector.scale = SCALE if options.criterion else None
    reference_system = options.reference_system or REFERENCE_SYSTEM
    summaries = []
    for file in files:
        for line, data in file.objects(collector.problems):
            collector.count_row(file.name, line)
            collector.report.see(data, MEANINGS)
            fields = Fields(data, collector.problems, collector.limits, file.name, line)
            if (summary := _summary(collector, fields, criteria)) is not None:
                summaries.append(summary)
    references = {item.article: item.text for item in summaries if item.system == reference_system}
    if summaries and not references:
        systems = quote_names(sorted({item.system for item in summaries}))
        message = f"no summary by {quote(reference_system)}; found {systems}"
        raise collector.problems.fatal(summaries[0].file, None, "reference_system", message)
    for summary in summaries:
        _keep(collector, summary, references, reference_system, options)
    collector.note(
        f"The summaries by {reference_system} are the references; the articles are not in the file."
    )
    collector.note("The gold score is the mean of the experts' ratings.")
    collector.note(
        "The files do not name raters: e1 and c1 are the first rating of a summary, not a person."
    )


@dataclass(frozen=True, slots=True)
class _Summary:
    """One line of the file."""

    file: str
    line: int | None
    article: str
    system: str
    text: str
    criteria: tuple[CriterionRecord, ...]


def _summary(
    collector: RecordCollector, fields: Fields, criteria: tuple[str, ...]
) -> _Summary | None:
    article = fields.name("seg_id", required=True)
    system = collector.pool.name(fields.name("SYS", required=True))
    text = fields.text("hyp", required=True)
    judgments = read_criteria(collector, fields, criteria)
    if fields.faults:
        return None
    return _Summary(fields.file, fields.line, article, system, text, judgments)


def read_criteria(
    collector: RecordCollector, fields: Fields, criteria: tuple[str, ...]
) -> tuple[CriterionRecord, ...]:
    """A summary's judgments: gold is the mean of its experts, and the crowd may be absent."""
    crowd = fields.data.get("turker_annotations")
    has_crowd = not (type(crowd) is float and isnan(crowd))
    judgments = []
    for criterion in criteria:
        ratings = _ratings(collector, fields, "expert_annotations", criterion, "expert")
        gold = gold_score(None, ratings)
        if has_crowd:
            ratings += _ratings(collector, fields, "turker_annotations", criterion, "crowd")
        judgments.append(CriterionRecord(criterion, SCALE, gold, tuple(ratings)))
    return tuple(judgments)


def _keep(
    collector: RecordCollector,
    summary: _Summary,
    references: dict[str, str],
    reference_system: str,
    options: ReadOptions,
) -> None:
    """Add a judged summary if its article has a reference; count it as left out otherwise."""
    key = f"{summary.article}/{summary.system}"
    is_judged = any(criterion.score is not None for criterion in summary.criteria)
    if summary.system == reference_system or summary.article not in references or not is_judged:
        if collector.claim_id(key, summary.file, summary.line, "SYS"):
            collector.leave_out(_reason(summary, references, reference_system))
        return
    instance = collector.pool.share(
        InstanceRecord(
            summary.article,
            (references[summary.article],),
            split=options.split or "",
            constituent=options.constituent or "",
            named_by_file=True,
        )
    )
    candidate = CandidateRecord(
        key, instance, summary.text, summary.system, **options.judgment_fields(summary.criteria)
    )
    collector.add_candidate(candidate, summary.file, summary.line, "SYS", score_in_file=False)


def _reason(summary: _Summary, references: dict[str, str], reference_system: str) -> str:
    if summary.system == reference_system:
        return f"summaries by {reference_system}, which are the references"
    if summary.article not in references:
        return f"summaries of articles that have none by {reference_system}"
    return "summaries without an expert's rating"


def _ratings(
    collector: RecordCollector, fields: Fields, name: str, criterion: str, group: str
) -> list[RatingRecord]:
    items = fields.objects(name, required=group == "expert")
    if len(items) > collector.limits.max_ratings:
        limit = collector.limits.max_ratings
        fields.fault(name, f"{len(items):,} ratings; at most {limit:,} are allowed")
        return []
    ratings = []
    for position, item in enumerate(items, start=1):
        value = item.number(criterion, required=True)
        if value is not None and (fault := scale_fault(value, SCALE)):
            item.fault(criterion, fault)
        elif value is not None:
            worker = collector.pool.name(f"{group[0]}{position}")
            ratings.append(RatingRecord(worker, value, group))
        fields.faults += item.faults
    return ratings
