"""SummEval's ratings of summaries as THumB released them (Kasai et al., NAACL 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from concord.formats.errors import listed, quoted
from concord.formats.fields import Fields, off_scale
from concord.formats.files import SourceFile
from concord.formats.options import ReadOptions
from concord.formats.reading import Reading, Scale
from concord.formats.records import CandidateRecord, InstanceRecord, RatingRecord, gold_score

OPTIONS = frozenset({"criterion", "reference_system", "split", "constituent"})

SCALE: Scale = (1.0, 5.0)
CRITERIA = ("coherence", "consistency", "fluency", "relevance")
REFERENCE_SYSTEM = "Human-H"


def read_judgments(reading: Reading, files: Sequence[SourceFile], options: ReadOptions) -> None:
    """Read one criterion; the gold score is the mean of the experts' ratings, 1 to 5.

    An instance is an article (`seg_id`), of which the file has no text; its reference is the
    summary by `reference_system` (Human-H), which is left out as a candidate. Raters are e1,
    e2, ... in the group `expert` and c1, c2, ... in `crowd`: positions, not persons. The crowd
    may be absent (null or NaN). The id is `seg_id/system`.
    """
    reading.scale = SCALE
    criterion = reading.report.criterion = options.chosen_criterion(CRITERIA)
    chosen = options.reference_system or REFERENCE_SYSTEM
    summaries = []
    for file in files:
        for line, data in file.objects(reading.problems):
            reading.count_row(file.name, line)
            fields = Fields(data, reading.problems, reading.limits, file.name, line)
            if (summary := _summary(reading, fields, criterion)) is not None:
                summaries.append(summary)
    references = {item.article: item.text for item in summaries if item.system == chosen}
    if summaries and not references:
        found = listed(sorted({item.system for item in summaries}))
        message = f"no summary by {quoted(chosen)}; found {found}"
        raise reading.problems.stop(summaries[0].file, None, "reference_system", message)
    for summary in summaries:
        _keep(reading, summary, references, chosen, options)
    reading.note(f"The summaries by {chosen} are the references; the articles are not in the file.")
    reading.note("The gold score is the mean of the experts' ratings.")
    reading.note("Raters are positions: e1 and c1 are the first rating of a summary, not a person.")


@dataclass(frozen=True, slots=True)
class _Summary:
    """One line of the file."""

    file: str
    line: int | None
    article: str
    system: str
    text: str
    ratings: tuple[RatingRecord, ...]


def _summary(reading: Reading, fields: Fields, criterion: str) -> _Summary | None:
    article = fields.name("seg_id", required=True)
    system = reading.pool.name(fields.name("SYS", required=True))
    text = fields.text("hyp", required=True)
    ratings = _ratings(reading, fields, "expert_annotations", criterion, "expert")
    crowd = fields.data.get("turker_annotations")
    if not (type(crowd) is float and isnan(crowd)):
        ratings += _ratings(reading, fields, "turker_annotations", criterion, "crowd")
    if fields.faults:
        return None
    return _Summary(fields.file, fields.line, article, system, text, tuple(ratings))


def _keep(
    reading: Reading,
    summary: _Summary,
    references: dict[str, str],
    chosen: str,
    options: ReadOptions,
) -> None:
    """Keep a judged summary whose article has a reference; count what is left out."""
    key = f"{summary.article}/{summary.system}"
    gold = gold_score(None, (one for one in summary.ratings if one.group == "expert"))
    if summary.system == chosen or summary.article not in references or gold is None:
        if reading.claim(key, summary.file, summary.line, "SYS"):
            reading.leave_out(_reason(summary, references, chosen))
        return
    instance = reading.pool.share(
        InstanceRecord(
            summary.article,
            (references[summary.article],),
            split=options.split or "",
            constituent=options.constituent or "",
            named_by_file=True,
        )
    )
    candidate = CandidateRecord(key, instance, summary.text, summary.system, gold, summary.ratings)
    reading.keep(candidate, summary.file, summary.line, "SYS", given=False)


def _reason(summary: _Summary, references: dict[str, str], chosen: str) -> str:
    if summary.system == chosen:
        return f"summaries by {chosen}, which are the references"
    if summary.article not in references:
        return f"summaries of articles that have none by {chosen}"
    return "summaries without an expert's rating"


def _ratings(
    reading: Reading, fields: Fields, name: str, criterion: str, group: str
) -> list[RatingRecord]:
    given = fields.objects(name, required=group == "expert")
    if len(given) > reading.limits.max_ratings:
        limit = reading.limits.max_ratings
        fields.fault(name, f"{len(given):,} ratings; at most {limit:,} are taken")
        return []
    ratings = []
    for position, item in enumerate(given, start=1):
        value = item.number(criterion, required=True)
        if value is not None and (fault := off_scale(value, SCALE)):
            item.fault(criterion, fault)
        elif value is not None:
            worker = reading.pool.name(f"{group[0]}{position}")
            ratings.append(RatingRecord(worker, value, group))
        fields.faults += item.faults
    return ratings
