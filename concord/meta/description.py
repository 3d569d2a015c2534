"""Description of a judgment set: counts and lengths as in MOCHA's Table 2, score histograms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from concord.arrays import Floats
from concord.documents.description import (
    ChoiceCounts,
    ConstituentRow,
    CriterionCounts,
    HistogramRow,
    Histograms,
    MarkCounts,
    SetCounts,
    SetStatistics,
)
from concord.formats.records import (
    SEVERITIES,
    CandidateRecord,
    ChoiceRecord,
    MarksRecord,
    PairRecord,
    RatingRecord,
    WordScale,
    criteria_scales,
)

MAX_WHOLE_BINS = 12
SCALE_BINS = 10


def describe(
    candidates: Sequence[CandidateRecord],
    pairs: Sequence[PairRecord],
    scale: tuple[float, float] | None,
    judged_pairs: Sequence[PairRecord] = (),
) -> SetStatistics:
    """Statistics of a set as JSON: `constituents` (MOCHA, Table 2), `histograms` (its Figures 3
    and 4), and counts of ratings, pairs and phenomena.

    Lengths are means in words split at white space: of passages over distinct passages, of
    questions and references over instances, of candidates over candidates. Histogram bins are the
    scale's whole points where there are at most 12, else ten of equal width; each candidate's gold
    score falls into the nearest point or its bin.

    A candidate with a score or a judgment on any criterion counts as judged. Ratings include those
    on criteria; workers and groups are those of ratings, marks and choices.
    """
    by_constituent: dict[str, list[CandidateRecord]] = defaultdict(list)
    for candidate in candidates:
        by_constituent[candidate.instance.constituent].append(candidate)
    phenomena: dict[str, int] = defaultdict(int)
    for pair in pairs:
        phenomena[pair.phenomenon] += 1
    ratings = {c.key: [one for _, own in c.ratings_by_criterion for one in own] for c in candidates}
    raters: list[RatingRecord | MarksRecord | ChoiceRecord] = []
    for candidate in candidates:
        raters += [*ratings[candidate.key], *candidate.marks]
    for pair in judged_pairs:
        raters += pair.choices
    scores = [c.score for c in candidates if c.score is not None]
    return {
        "constituents": [_table_row(name, by_constituent[name]) for name in sorted(by_constituent)],
        "total": _table_row("", candidates),
        "histograms": _histograms(candidates, scale or _range(scores)),
        "judged": sum(
            1
            for c in candidates
            if c.score is not None or any(one.score is not None for one in c.criteria)
        ),
        "ratings": sum(map(len, ratings.values())),
        "rated": sum(map(bool, ratings.values())),
        "empty_candidates": sum(1 for c in candidates if not c.text.strip()),
        "systems": sorted({c.system for c in candidates} - {""}),
        "workers": len({(one.group, one.worker) for one in raters}),
        "simulated_ratings": sum(one.simulated for one in raters),
        "groups": sorted({one.group for one in raters} - {""}),
        "phenomena": dict(sorted(phenomena.items())),
        "criteria": _count_criteria(candidates),
        "marks": _count_marks(candidates),
        "judged_pairs": _count_choices(judged_pairs),
    }


def _count_criteria(candidates: Sequence[CandidateRecord]) -> list[CriterionCounts]:
    scales = criteria_scales(candidates)
    judged, ratings = Counter[str](), Counter[str]()
    for candidate in candidates:
        for one in candidate.criteria:
            judged[one.name] += one.score is not None
            ratings[one.name] += len(one.ratings)
    rows: list[CriterionCounts] = []
    for name, scale in scales.items():
        row: CriterionCounts = {
            "name": name,
            "scale": list(scale) if scale else None,
            "judged": judged[name],
            "ratings": ratings[name],
        }
        if isinstance(scale, WordScale):
            row["words"] = scale.to_json()
        rows.append(row)
    return rows


def _count_choices(pairs: Sequence[PairRecord]) -> ChoiceCounts | None:
    if not pairs:
        return None
    choices = [one for pair in pairs for one in pair.choices]
    return {
        "pairs": len(pairs),
        "choices": len(choices),
        "ties": sum(one.choice == "tie" for one in choices),
        "workers": len({(one.group, one.worker) for one in choices}),
    }


def _count_marks(candidates: Sequence[CandidateRecord]) -> MarkCounts | None:
    marked = [candidate for candidate in candidates if candidate.marks]
    if not marked:
        return None
    marks = [one for candidate in marked for one in candidate.marks]
    counts = Counter(span.severity for one in marks for span in one.spans)
    return {
        "candidates": len(marked),
        "workers": len({(one.group, one.worker) for one in marks}),
        "spans": [
            {"severity": severity, "count": counts[severity]}
            for severity in (*reversed(SEVERITIES), None)
            if counts[severity]
        ],
    }


def _table_row(name: str, candidates: Sequence[CandidateRecord]) -> ConstituentRow:
    instances = {c.instance.key: c.instance for c in candidates}.values()
    splits = {
        split: _counts([c for c in candidates if c.instance.split == split])
        for split in sorted({i.split for i in instances})
    }
    return {
        "constituent": name,
        "passage_length": _mean_words({i.passage for i in instances if i.passage}),
        "question_length": _mean_words(i.question for i in instances if i.question),
        "reference_length": _mean_words(r for i in instances for r in i.references),
        "candidate_length": _mean_words(c.text for c in candidates),
        "all": _counts(candidates),
        "splits": splits,
    }


def _counts(candidates: Sequence[CandidateRecord]) -> SetCounts:
    passages = {c.instance.passage for c in candidates if c.instance.passage}
    instances = {c.instance.key for c in candidates}
    return {
        "passages": len(passages),
        "instances": len(instances),
        "candidates": len(candidates),
    }


def _mean_words(texts: Iterable[str]) -> float | None:
    lengths = [len(text.split()) for text in texts]
    return float(np.mean(lengths)) if lengths else None


def _histograms(
    candidates: Sequence[CandidateRecord], scale: tuple[float, float] | None
) -> Histograms:
    """Counts of gold scores per (constituent, split, system) that occurs, over shared bins."""
    if scale is None:
        return {"bins": [], "rows": []}
    edges, names = _bins(*scale)
    scores: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for c in candidates:
        if c.score is not None:
            scores[c.instance.constituent, c.instance.split, c.system].append(c.score)
    rows: list[HistogramRow] = [
        {
            "constituent": constituent,
            "split": split,
            "system": system,
            "counts": np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0].tolist(),
        }
        for (constituent, split, system), values in sorted(scores.items())
    ]
    return {"bins": names, "rows": rows}


def _bins(low: float, high: float) -> tuple[Floats, list[str]]:
    if low == high:
        high = low + 1.0
    if float(low).is_integer() and float(high).is_integer() and high - low < MAX_WHOLE_BINS:
        points = np.arange(low, high + 1)
        return np.append(points - 0.5, high + 0.5), [f"{point:g}" for point in points]
    edges = np.linspace(low, high, SCALE_BINS + 1)
    return edges, [f"{left:g}-{right:g}" for left, right in pairwise(edges)]


def _range(scores: Sequence[float]) -> tuple[float, float] | None:
    return (min(scores), max(scores)) if scores else None
