"""A report on error spans: systems' scores, agreement of raters, and controls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from concord.formats.marks import RaterMarks
from concord.inference import Estimate, Scale, clustered_mean, scaled_interval, t_quantile
from concord.plots.forest import IntervalPlot
from concord.plots.notebooks import PlottedResult
from concord.spans.agreement import marked_ranges, overlap, unitizing_alpha
from concord.spans.penalties import Weights, mqm_score


@dataclass(frozen=True)
class SystemScores:
    """Means over answers, with intervals clustered by document. score: the raters' own, from 0 to
    100. mqm: from the spans. undecided: answers without an MQM score, because the severity of an
    error is undecided."""

    system: str
    answers: int
    score: Estimate
    mqm: Estimate
    undecided: int


@dataclass(frozen=True)
class RaterAgreement:
    """Agreement on the answers that several raters marked, with jackknife intervals over raters."""

    answers: int
    raters: int
    pairs: int
    f1: Estimate
    severity_f1: Estimate
    alpha: Estimate


@dataclass(frozen=True)
class Controls:
    """Answers that were made worse on purpose. compared: documents of which a rater saw both
    forms; worse: those whose worse form has the lower mean."""

    compared: int
    worse: int


@dataclass(frozen=True)
class SpanReport(PlottedResult):
    """signature: of the weights. without_position: errors that something is missing."""

    signature: str
    marks: int
    spans: int
    without_position: int
    undecided: int
    systems: list[SystemScores]
    agreement: RaterAgreement
    controls: Controls

    def forest(self) -> IntervalPlot:
        """The systems' mean scores."""
        rows = [(row.system, row.score.value, row.score.ci) for row in self.systems]
        return IntervalPlot("score", rows, zero=False)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON."""
        agreement = {
            name: getattr(self.agreement, name) for name in ("answers", "raters", "pairs")
        } | {
            name: getattr(self.agreement, name).to_json() for name in ("f1", "severity_f1", "alpha")
        }
        return {
            "signature": self.signature,
            "marks": self.marks,
            "spans": self.spans,
            "without_position": self.without_position,
            "undecided": self.undecided,
            "systems": {
                row.system: {
                    "answers": row.answers,
                    "score": row.score.to_json(),
                    "mqm": row.mqm.to_json(),
                    "undecided": row.undecided,
                }
                for row in self.systems
            },
            "agreement": agreement,
            "controls": {"compared": self.controls.compared, "worse": self.controls.worse},
        }


def report_spans(
    marks: Sequence[RaterMarks], shared: Sequence[RaterMarks] = (), weights: Weights | None = None
) -> SpanReport:
    """Systems by the mean of `marks`, best first; agreement over `marks` and `shared`.

    shared: marks of answers that are no system's, such as a tutorial's. Controls count for
    nothing but `controls`. Several raters' scores of an answer count as separate answers.
    """
    weights = weights or Weights()
    rated = [one for one in marks if not one.is_control]
    everything = [*marks, *shared]
    spans = [span for one in everything for span in one.spans]
    return SpanReport(
        signature=weights.signature,
        marks=len(everything),
        spans=len(spans),
        without_position=sum(not len(span.characters) for span in spans),
        undecided=sum(span.severity is None for span in spans),
        systems=_systems(rated, weights),
        agreement=rater_agreement([*rated, *(one for one in shared if not one.is_control)]),
        controls=_controls(marks, weights),
    )


def rater_agreement(marks: Iterable[RaterMarks]) -> RaterAgreement:
    """Character F1 and unitising alpha of answers with two raters or more.

    The length of an answer is the end of its last span, because the texts may be unknown: alpha is
    then lower than with the texts' ends, where nobody marked anything. F1 counts pairs of raters;
    alpha takes the raters who marked most of the answers in common.
    """
    by_answer: dict[object, list[RaterMarks]] = defaultdict(list)
    for one in marks:
        by_answer[one.answer].append(one)
    shared = {answer: group for answer, group in by_answer.items() if len(group) > 1}
    raters = sorted({one.rater for group in shared.values() for one in group})
    pairs = [pair for group in shared.values() for pair in combinations(group, 2)]

    def f1(without: str | None) -> float | None:
        return overlap([p for p in pairs if without not in (p[0].rater, p[1].rater)]).f1

    def severity_f1(without: str | None) -> float | None:
        return overlap([p for p in pairs if without not in (p[0].rater, p[1].rater)]).severity_f1

    return RaterAgreement(
        answers=len(shared),
        raters=len(raters),
        pairs=len(pairs),
        f1=_jackknife(f1, raters, "share"),
        severity_f1=_jackknife(severity_f1, raters, "share"),
        alpha=_alpha(list(shared.values()), raters),
    )


def _alpha(groups: list[list[RaterMarks]], raters: list[str]) -> Estimate:
    """Alpha over the answers that the largest number of raters marked."""
    most = max(map(len, groups), default=0)
    full = [{one.rater: one for one in group} for group in groups if len(group) == most]
    common = sorted(set.intersection(*(set(group) for group in full))) if full else []
    if len(common) < 2:
        return Estimate(None, reason="no two raters marked the same answers")
    lengths = [
        max((span.characters.stop for one in group.values() for span in one.spans), default=0)
        for group in full
    ]
    marked = [k for k, length in enumerate(lengths) if length]
    units = {rater: marked_ranges([full[k][rater] for k in marked]) for rater in common}

    def alpha(without: str | None) -> float | None:
        others = [units[rater] for rater in common if rater != without]
        if len(others) < 2 or not marked:
            return None
        return unitizing_alpha([lengths[k] for k in marked], others).value

    return _jackknife(alpha, common, "correlation")


def _jackknife(
    statistic: Callable[[str | None], float | None], raters: list[str], scale: Scale
) -> Estimate:
    """The statistic of all raters, with the interval from leaving out each in turn (Student's t
    with one degree of freedom less than raters, on the transformed scale of the statistic; no
    interval below five raters)."""
    value = statistic(None)
    if value is None:
        return Estimate(None, reason="nobody marked anything in common answers")
    if len(raters) < 5:
        return Estimate(value)
    without = [each for each in map(statistic, raters) if each is not None]
    n = len(without)
    if n < 5:
        return Estimate(value)
    error = float(np.sqrt((n - 1) / n * np.sum((np.array(without) - np.mean(without)) ** 2)))
    half = t_quantile(0.975, n - 1) * error
    low, high = scaled_interval(value, half, scale)
    return Estimate(value, low, high, clusters=n, unit="raters", over="raters")


def _systems(marks: Sequence[RaterMarks], weights: Weights) -> list[SystemScores]:
    by_system: dict[str, list[RaterMarks]] = defaultdict(list)
    for one in marks:
        by_system[one.system].append(one)
    rows = []
    for system, group in by_system.items():
        penalties = [(one, mqm_score(one.spans, weights)) for one in group]
        decided = [(one, value) for one, value in penalties if value is not None]
        scored = [(one, one.score) for one in group if one.score is not None]
        rows.append(
            SystemScores(
                system=system,
                answers=len(group),
                score=_mean(scored),
                mqm=_mean(decided),
                undecided=len(group) - len(decided),
            )
        )
    return sorted(rows, key=lambda row: (-_order(row.score), -_order(row.mqm), row.system))


def _order(figure: Estimate) -> float:
    return -np.inf if figure.value is None else figure.value


def _mean(values: Sequence[tuple[RaterMarks, float]]) -> Estimate:
    documents = np.unique([one.document for one, _ in values], return_inverse=True)[1]
    return clustered_mean(np.array([value for _, value in values]), documents.reshape(-1))


def _controls(marks: Sequence[RaterMarks], weights: Weights) -> Controls:
    """By the raters' own score, or the MQM score where they gave none."""
    values: dict[tuple[str, str, str], tuple[list[float], list[float]]] = {}
    for one in marks:
        value = one.score if one.score is not None else mqm_score(one.spans, weights)
        if value is not None:
            both = values.setdefault((one.rater, one.system, one.document), ([], []))
            both[one.is_control].append(value)
    compared = [both for both in values.values() if both[0] and both[1]]
    worse = sum(bool(np.mean(bad) < np.mean(good)) for good, bad in compared)
    return Controls(len(compared), worse)
