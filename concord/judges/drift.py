"""Drift: the same items judged again by a judge that may have changed.

A base that is compared every night gives many chances of a false alarm. The looks are not
independent, since all use the same items and the same base, and the dependence is unknown: a judge
that is replaced once gives the same difference every night. So the error is divided by the planned
number of looks (Dunn 1961, Multiple Comparisons Among Means), which holds for any dependence: with
95% confidence no bound of any look is wrong, whenever one stops. Tests that multiply the evidence
of the nights (e-processes) need new evidence every night, which the same items do not give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from concord.arrays import Floats, Integers
from concord.documents.conversion import ABSENT
from concord.inference import (
    POWER,
    TOLERANCE,
    Estimate,
    RareChanges,
    clustered_error,
    clustered_mean,
    clustered_share,
    t_above,
    t_quantile,
    too_few_clusters,
)
from concord.metrics.signature import format_signature, installed_version
from concord.sentences import counted, decimal, interval_text
from concord.tables import ResultTable, count, figure, number, point, text
from concord.tables.result import PlottedResult

ALPHA = 0.05
MAX_LOOKS = 100_000
MAX_CHANGES = 20
"""Changes of labels that a report lists."""


@dataclass(frozen=True, eq=False)
class Rejudged:
    """The answers of a judge, (n,), NaN where it has none: grades, or codes of categories."""

    base: Floats
    now: Floats


DriftVerdict = Literal["agreement fell", "no fall is seen", "not tested"]


@dataclass(frozen=True)
class ChangedLabel:
    """items had the label `before`, and have the label `after` now."""

    before: str
    after: str
    items: int


@dataclass(frozen=True)
class Fall:
    """How far agreement with people fell, from the base until now; negative where it rose.

    low, high: one-sided bounds, each of which holds at all looks together with 95% confidence; None
    with a `reason`. p: one-sided, of the claim that agreement fell; it counts where it is below
    `level`. detectable: the smallest fall that is seen with a probability of 80%.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    detectable: float | None = None
    reason: str = ""

    @property
    def bounds(self) -> str:
        """The bounds as a text; empty without any."""
        if self.low is None or self.high is None:
            return ""
        return interval_text((self.low, self.high), 3, "+")


@dataclass(frozen=True, kw_only=True)
class JudgeDrift:
    """One judge. items: those that it judged both times; judged: of these, those with people's
    label, of which agreement is. missing: answers that one time lacks, of the base and of now.
    changed: the share of items with another verdict. shift, size: of grades, the mean change and
    the mean of its absolute value. labels: of categories, the most frequent changes. base, now:
    agreement with people: the share of items with people's most frequent label, or of grades the
    mean distance from people's mean, of which less is better."""

    items: int
    passages: int
    judged: int
    missing: tuple[int, int]
    changed: Estimate
    shift: Annotated[Estimate | None, ABSENT] = None
    size: Annotated[Estimate | None, ABSENT] = None
    labels: Annotated[list[ChangedLabel] | None, ABSENT] = None
    base: Estimate
    now: Estimate
    fall: Fall
    verdict: DriftVerdict

    def sentences(self) -> Iterable[str]:
        """The verdict, and the most frequent changes."""
        fall = self.fall
        if fall.p is None or fall.detectable is None:
            yield f"not tested: {fall.reason}."
        else:
            yield (
                f"{self.verdict}. A fall of {decimal(fall.detectable)} or more is seen with a "
                "probability of 80%."
            )
        if any(self.missing):
            before, now = self.missing
            yield f"left out: {counted(before, 'item')} without an earlier answer, {now:,} now."
        if self.labels:
            changes = (f"{one.before} to {one.after} ({one.items:,})" for one in self.labels)
            yield f"changed: {', '.join(changes)}."


@dataclass(frozen=True)
class DriftReport(PlottedResult):
    """Judges that judged the same items again. looks: how often the base is compared in all.
    level: that of one look."""

    signature: str
    graded: bool
    looks: int
    level: float
    judges: dict[str, JudgeDrift]

    def tables(self) -> Iterable[ResultTable]:
        agreement = "distance from people" if self.graded else "agreement"
        columns = [
            text("judge"),
            count("items"),
            count("passages"),
            figure("changed"),
            figure("mean change", "shift", sign="+"),
            point(f"{agreement}, base", "base"),
            point("now"),
            number("fall", lambda row: decimal(row["fall"].value, 3, "+")),
            number("bounds", lambda row: row["fall"].bounds),
            number("p", lambda row: "" if row["fall"].p is None else f"{row['fall'].p:.2g}"),
        ]
        rows = [{"judge": name, **vars(one)} for name, one in self.judges.items()]
        title, plot = "the same items judged again", "share of changed answers"
        yield ResultTable(title, columns, rows, plot=plot)

    def sentences(self) -> Iterable[str]:
        for judge, row in self.judges.items():
            yield from (f"{judge}: {line}" for line in row.sentences())
        looks = "this look" if self.looks == 1 else f"all {self.looks:,} looks together"
        yield (
            f"Bounds of the fall are one-sided, and hold with 95% confidence at {looks}. "
            f"Agreement fell where p is below {self.level:.2g}."
        )
        yield self.signature


def drift_report(
    judges: Mapping[str, Rejudged],
    gold: Floats,
    clusters: Integers,
    *,
    graded: bool,
    looks: int = 1,
    categories: Sequence[str] | None = None,
) -> DriftReport:
    """Compare the answers of judges with those that they gave to the same items before.

    gold: (n,), people's mean grade or most frequent category (`HumanLabels.verdicts`), NaN where
    there is none; without any, agreement is undefined. clusters: (n,), passages. looks: how often
    the base is compared in all, 1 to MAX_LOOKS. categories: the name of each code
    (`HumanLabels.names_of`), not of grades.

    An item counts where both answers are there. The fall of agreement is the mean of the paired
    differences, with Student's t and a variance that is robust to dependence within passages, for
    new passages of the same kind. No bounds below MIN_CLUSTERS passages.
    """
    level = ALPHA / looks
    fields = {
        "judges": "+".join(judges),
        "agreement": "distance" if graded else "accuracy",
        "looks": str(looks),
        "version": installed_version("concord-judgments"),
    }
    return DriftReport(
        signature=format_signature("drift", fields),
        graded=graded,
        looks=looks,
        level=level,
        judges={
            name: _drift(one, gold, clusters, level, None if graded else categories or ())
            for name, one in judges.items()
        },
    )


def _drift(
    answers: Rejudged,
    gold: Floats,
    clusters: Integers,
    level: float,
    categories: Sequence[str] | None,
) -> JudgeDrift:
    """categories: None for grades."""
    has_base, has_now = np.isfinite(answers.base), np.isfinite(answers.now)
    both = has_base & has_now
    base, now, codes = answers.base[both], answers.now[both], clusters[both]
    is_judged = np.isfinite(gold[both])
    people, passages, largest = gold[both][is_judged], codes[is_judged], 1.0
    if categories is None:
        largest = float(np.ptp(np.concatenate([base, now, people]))) if len(base) else 0.0
        # Grades that differ by rounding are equal.
        now = np.where(np.abs(now - base) <= TOLERANCE * largest, base, now)

    def with_people(labels: Floats) -> Floats:
        """Whether each label is people's, or the distance of each grade from theirs."""
        same = labels[is_judged] == people
        return same * 1.0 if categories is not None else np.abs(labels[is_judged] - people)

    def mean(values: Floats, passages: Integers, *, is_share: bool, missing: str) -> Estimate:
        if not len(values):
            return Estimate(None, reason=missing)
        return (clustered_share if is_share else clustered_mean)(values, passages)

    before, after = with_people(base), with_people(now)
    fall = _fall(after - before if categories is None else before - after, passages, level, largest)
    unjudged = "people judged none of the items"
    return JudgeDrift(
        items=len(base),
        passages=len(np.unique(codes)),
        judged=len(people),
        missing=(int(np.count_nonzero(has_now & ~has_base)),
                 int(np.count_nonzero(has_base & ~has_now))),
        changed=mean((base != now) * 1.0, codes, is_share=True,
                     missing="no item was judged both times"),
        base=mean(before, passages, is_share=categories is not None, missing=unjudged),
        now=mean(after, passages, is_share=categories is not None, missing=unjudged),
        fall=fall,
        verdict="not tested" if fall.p is None
                else "agreement fell" if fall.p < level else "no fall is seen",
        shift=clustered_mean(now - base, codes) if categories is None else None,
        size=clustered_mean(np.abs(now - base), codes) if categories is None else None,
        labels=None if categories is None else _changes(base, now, categories),
    )  # fmt: skip


def _fall(falls: Floats, passages: Integers, level: float, largest: float) -> Fall:
    """Of the differences of agreement of each item, base less now. largest: the largest possible.

    The margin of both bounds is Student's, and at least that of `RareChanges`; p is the level at
    which it would be the value.
    """
    value = float(falls.mean()) if len(falls) else None
    if value is None:
        return Fall(value=None, reason="people judged none of the items")
    if reason := too_few_clusters(len(np.unique(passages))):
        return Fall(value=value, reason=reason)
    error, degrees = clustered_error(falls, passages)
    rare = RareChanges.of(falls, passages, largest)
    if not rare.reach:
        return Fall(value=value, reason="the judge and people gave all items the same label")
    margin = max(-t_quantile(level, degrees) * error, rare.margin(level))
    p = t_above(value / error, degrees) if error > TOLERANCE * rare.reach else float(value <= 0)
    return Fall(
        value=value,
        low=max(-largest, value - margin),
        high=min(largest, value + margin),
        p=max(p, rare.level(value)) if value > 0 else p,
        detectable=min(largest, margin + t_quantile(POWER, degrees) * error),
    )


def _changes(base: Floats, now: Floats, categories: Sequence[str]) -> list[ChangedLabel]:
    """The most frequent changes of labels, by their names."""
    codes = np.stack([base, now], axis=1)[base != now].astype(int).tolist()
    counts = Counter((before, after) for before, after in codes)
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:MAX_CHANGES]
    return [
        ChangedLabel(before=categories[before], after=categories[after], items=number)
        for (before, after), number in most
    ]
