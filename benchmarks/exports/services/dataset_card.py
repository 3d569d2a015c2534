"""The dataset card of a set: its data, raters, protocol, agreement, licence and limits.

The header has the form of the Hugging Face hub's cards. Raters are only counted.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, cast

from django.utils.timezone import now

from benchmarks.exports.services import exports
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, hidden, reports
from concord.documents.description import SetStatistics
from concord.documents.set_reports import SetReport, StudyReport
from concord.filtering.ledger import DropRating, ExcludeWorker, Ledger
from concord.formats.dataset_folder import part_path
from concord.formats.parquet_writer import COLUMNS, Columns
from concord.formats.records import WordScale, default_level, scale_text
from concord.reliability import Ratings, alpha
from concord.sentences import counted

UNKNOWN_LICENSE = "unknown"
# Identifiers of the hub.
LICENSES = {
    UNKNOWN_LICENSE: "Not stated",
    "cc0-1.0": "CC0 1.0",
    "cc-by-4.0": "CC BY 4.0",
    "cc-by-sa-4.0": "CC BY-SA 4.0",
    "cc-by-nc-4.0": "CC BY-NC 4.0",
    "cc-by-nc-sa-4.0": "CC BY-NC-SA 4.0",
    "odc-by": "ODC-BY",
    "apache-2.0": "Apache 2.0",
    "mit": "MIT",
    "other": "Another licence",
}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))

# For each kind of data, the number of rows by split.
Parts = Mapping[str, Mapping[str, int]]


def dataset_card(judgment_set: JudgmentSet, parts: Parts, license: str) -> str:
    """The text of README.md, as the set's viewer sees the set."""
    sections = [
        _header(judgment_set, parts, license),
        f"# {judgment_set.title or judgment_set.name}",
        judgment_set.description.strip(),
        _warning(judgment_set),
        *_data(judgment_set, parts),
        *_raters(judgment_set),
        *_protocol(judgment_set),
        "## Licence",
        f"{LICENSES.get(license, license)} (`{license}`). Texts by others keep their own licences.",
        *_limits(judgment_set),
        *_citation(judgment_set),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _header(judgment_set: JudgmentSet, parts: Parts, license: str) -> str:
    n = sum(parts["judgments"].values())
    size = next((name for limit, name in _SIZES if n < limit), "1M<n<10M")
    title = json.dumps(judgment_set.title or judgment_set.name, ensure_ascii=False)
    lines = [
        "---",
        f"license: {license}",
        f"pretty_name: {title}",
        "size_categories:",
        f"- {size}",
        "task_categories:",
        "- question-answering",
        "tags:",
        "- human-evaluation",
        "- concord",
        "configs:",
    ]
    used = {kind: splits for kind, splits in parts.items() if splits}
    for kind, splits in used.items():
        lines.append(f"- config_name: {kind}")
        lines += ["  default: true"] if kind == "judgments" else []
        lines.append("  data_files:")
        for split in splits:
            lines += [f"  - split: {split}", f"    path: {part_path(kind, split)}"]
    lines.append("dataset_info:")
    for kind in used:
        lines += [f"- config_name: {kind}", "  features:", *_features(COLUMNS[kind])]
    return "\n".join([*lines, "---"])


def _features(columns: Columns, indent: str = "  ") -> Iterator[str]:
    for name, kind in columns.items():
        yield f"{indent}- name: {name}"
        member = kind[0] if isinstance(kind, list) else kind
        if isinstance(member, dict):
            yield f"{indent}  list:"
            yield from _features(member, f"{indent}  ")
        else:
            yield f"{indent}  {'list' if isinstance(kind, list) else 'dtype'}: {member}"


def _warning(judgment_set: JudgmentSet) -> str:
    if not judgment_set.illustrative:
        return ""
    return "**An invented or simulated example: these are not the judgments of people.**"


def _data(judgment_set: JudgmentSet, parts: Parts) -> Iterator[str]:
    yield "## What it is"
    statistics: SetStatistics = judgment_set.statistics
    total = statistics["total"]["all"]
    scale = judgment_set.scale
    lines = [
        f"- Candidates (generated answers): {judgment_set.n_candidates:,}, to "
        f"{counted(total['instances'], 'question')} on {counted(total['passages'], 'passage')}.",
        f"- Systems: {', '.join(statistics['systems']) or 'not stated'}.",
    ]
    if scale is not None:
        lines.append(f"- Scale: {scale_text(scale)}.")
    for one in statistics.get("criteria", ()):
        of_words = one.get("words")
        ends = WordScale.from_json(of_words) if of_words else tuple(one["scale"] or ())
        shown = f", {scale_text(ends)}" if ends else ""
        lines.append(
            f"- Criterion {one['name']}{shown}: {counted(one['judged'], 'candidate')} judged."
        )
    if marks := statistics.get("marks"):
        lines.append(f"- Candidates with marked errors, or none found: {marks['candidates']:,}.")
    names = [row["constituent"] for row in statistics["constituents"] if row["constituent"]]
    if names:
        lines.append(f"- Constituent datasets: {', '.join(names)}.")
    for kind, splits in parts.items():
        if splits:
            counts = ", ".join(f"{name} {n:,}" for name, n in splits.items())
            lines.append(f"- Rows of `{kind}` by split: {counts}.")
    lines.append(
        f"- Source: Concord judgment set {judgment_set}, made on "
        f"{judgment_set.created_at:%d %B %Y}; content hash "
        f"`{hidden.content_hash(judgment_set)}`."
    )
    yield "\n".join(lines)
    yield (
        "A row of `judgments` is one candidate: `references` are correct answers, `score` is the "
        "gold score, `ratings` are single ratings, `criteria` has both for further criteria, "
        "`marks` has the error spans that raters marked. A row of `pairs` is a minimal pair, whose "
        "first candidate people score higher. Empty fields are null. Concord imports this folder: "
        "`manage.py import_judgments FOLDER --name NAME`."
    )


def _raters(judgment_set: JudgmentSet) -> Iterator[str]:
    """The numbers of raters and ratings, and the agreement, by criterion and group of raters."""
    ratings: dict[tuple[str, str], list[tuple[str, str, float]]] = defaultdict(list)
    scales = criteria.scales(judgment_set)
    simulated = 0
    for candidate in exports.visible_candidates(judgment_set):
        for criterion, own in candidate.ratings_by_criterion:
            for rating in own:
                rows = ratings[criterion, rating.group]
                rows.append((candidate.key, rating.worker, rating.value))
                simulated += rating.simulated
    yield "## Who rated"
    if not ratings:
        yield "There are no single ratings; the gold scores are those of the source."
        return
    lines = []
    for (criterion, group), rows in sorted(ratings.items()):
        raters, units = len({worker for _, worker, _ in rows}), len({key for key, *_ in rows})
        lines.append(
            f"- {_rated(criterion, group)}: {counted(raters, 'rater')}, "
            f"{counted(len(rows), 'rating')} of "
            f"{counted(units, 'candidate')} ({len(rows) / units:.1f} each)."
        )
    yield "\n".join(lines)
    yield "Names in `ratings` are pseudonyms."
    if simulated:
        yield f"{simulated:,} of the ratings are simulated: no person gave them."
    yield "## Agreement"
    agreement = []
    for (criterion, group), rows in sorted(ratings.items()):
        level = default_level(scales[criterion])
        figure = alpha(Ratings.from_rows(rows), level)
        value = (
            f"{figure.value:.3f}" if figure.value is not None else f"undefined ({figure.reason})"
        )
        agreement.append(f"- {_rated(criterion, group)}: Krippendorff's alpha ({level}) {value}.")
    yield "\n".join(agreement)


def _rated(criterion: str, group: str) -> str:
    name = group or "Raters"
    return f"{name}, {criterion}" if criterion else name


def _protocol(judgment_set: JudgmentSet) -> Iterator[str]:
    yield "## How it was rated"
    study = reports.study_report(judgment_set)
    if study is None:
        report = {name: one for name, one in judgment_set.report.items() if name != "pairs"}
        lines = reports.report_lines(cast(SetReport, report))
        yield "The set was imported:" if lines else "Not stated."
        yield "\n".join(f"- {line}" for line in lines)
        return
    protocol = study["protocol"]
    points = "; ".join(f"{one['value']} = {one['label']}" for one in protocol["scale"])
    yield f"> {_one_line(protocol['question'])}"
    yield "\n".join(
        [
            f"- Scale: {points}.",
            f"- Ratings wanted of each candidate: {_wanted(protocol)}.",
            f"- Stages: {', '.join(study['stages'])}.",
            f"- Qualification test: {'yes' if protocol.get('qualification') else 'no'}.",
            f"- {reports.gold_line(study)}; {study['ratings_left_out']:,} ratings were removed.",
            *(f"- Filter: {line}." for line in _filters(study)),
            *(
                f"- Left out: {counted(n, 'candidate')}, {reason}."
                for reason, n in study["left_out"].items()
            ),
        ]
    )
    if protocol.get("instructions"):
        yield "Instructions for raters:"
        yield "\n".join(f"> {line}" for line in protocol["instructions"].strip().splitlines())


def _wanted(protocol: Mapping[str, Any]) -> str:  # JSON of a protocol
    return " or ".join(sorted({str(rule["ratings"]) for rule in protocol["rating_rules"]}))


def _filters(study: StudyReport) -> Iterator[str]:
    """The steps of the ledger; excluded workers and ratings are only counted."""
    steps = Ledger.from_json(study["ledger"]).steps
    counts = Counter(type(step) for step in steps)
    if counts[ExcludeWorker]:
        yield f"{counted(counts[ExcludeWorker], 'worker')} excluded"
    if counts[DropRating]:
        yield f"{counts[DropRating]:,} single ratings removed by hand"
    yield from (str(step) for step in steps if not isinstance(step, ExcludeWorker | DropRating))


def _limits(judgment_set: JudgmentSet) -> Iterator[str]:
    yield "## Limits"
    statistics: SetStatistics = judgment_set.statistics
    masks = hidden.viewer_masks(judgment_set)
    lines = ["The scores hold for this scale, these raters and these systems."]
    if judgment_set.n_candidates > statistics["judged"]:
        missing = judgment_set.n_candidates - statistics["judged"]
        lines.append(f"Candidates without a gold score: {missing:,}.")
    if n_hidden := int(masks.candidates.sum()):
        lines.append(f"The labels of {counted(n_hidden, 'candidate')} are hidden and not included.")
    if n_hidden_pairs := int(masks.pairs.sum()):
        lines.append(f"{n_hidden_pairs:,} minimal pairs are hidden and not included.")
    if statistics["empty_candidates"]:
        lines.append(f"Empty candidates: {statistics['empty_candidates']:,}.")
    yield "\n".join(f"- {line}" for line in lines)


def _citation(judgment_set: JudgmentSet) -> Iterator[str]:
    yield "## Citation"
    title = re.sub(r"[{}\\]", "", _one_line(judgment_set.title or judgment_set.name))
    yield "\n".join(
        [
            "```bibtex",
            f"@misc{{{re.sub(r'[^a-z0-9]', '', judgment_set.name)}{judgment_set.version},",
            f"  title = {{{title}}},",
            f"  year = {{{judgment_set.created_at:%Y}}},",
            f"  note = {{Judgment set {judgment_set}, exported from Concord on {now():%d %B %Y}}}",
            "}",
            "```",
        ]
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
