"""A report on error spans: systems' scores, agreement of raters, and controls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.documents.conversion import fields_to_json
from concord.formats.marks import RaterMarks
from concord.inference import MIN_CLUSTERS, Estimate, Scale
from concord.inference.leave_one_out import left_out_estimate, left_out_of
from concord.inference.two_way import two_way_mean
from concord.sentences import counted, interval_notes
from concord.spans.agreement import Continuum, marked_ranges, overlap
from concord.spans.penalties import Weights, mqm_score
from concord.tables import ResultTable, count, figure, point, text
from concord.tables.result import PlottedResult

NOTHING_MARKED = "nobody marked anything in common answers"
NO_SEVERITY = "the severity of every error is undecided"


@dataclass(frozen=True)
class SystemScores:
    """Means over answers, with intervals for other documents and, from three raters on, other
    raters (`two_way_mean`). score: the raters' own, from 0 to 100. mqm: from the spans. errors: how
    many spans an answer has. undecided: answers without an MQM score, because the severity of an
    error is undecided; where that is so of all answers with errors, the system has no MQM score."""

    system: str
    answers: int
    score: Estimate
    mqm: Estimate
    errors: Estimate
    undecided: int


@dataclass(frozen=True)
class RaterAgreement:
    """Agreement on the answers that several raters marked, with intervals for other documents and,
    from MIN_CLUSTERS raters on, other raters (`left_out_estimate`)."""

    answers: int
    raters: int
    pairs: int
    f1: Estimate
    severity_f1: Estimate
    alpha: Estimate

    def to_json(self) -> dict[str, Any]:
        """The agreement as JSON."""
        return fields_to_json(self)


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

    def tables(self) -> Iterable[ResultTable]:
        columns = [
            text("system"),
            count("answers"),
            figure("score", digits=1),
            figure("MQM", "mqm", digits=2),
            count("undecided", lambda row: row.undecided or None),
            point("errors", digits=2),
        ]
        title = f"{counted(self.marks, 'marked answer')}, {counted(self.spans, 'span')}"
        yield ResultTable(title, columns, self.systems, from_zero=False)
        agreement = self.agreement
        rows = [
            ("character F1", agreement.f1),
            ("with the same severity", agreement.severity_f1),
            ("unitising alpha", agreement.alpha),
        ]
        yield ResultTable(
            f"Agreement on {counted(agreement.answers, 'answer')} that several of "
            f"{counted(agreement.raters, 'rater')} marked ({counted(agreement.pairs, 'pair')})",
            [text("", lambda row: row[0]), figure("value", lambda row: row[1])],
            rows,
        )

    def sentences(self) -> Iterable[str]:
        overs = dict.fromkeys(one.over for row in self.systems for one in (row.score, row.mqm))
        yield from (f"Intervals of scores are for other {over} of this kind."
                    for over in overs if over)  # fmt: skip
        yield f"MQM: {self.signature}; 0 is without errors."
        yield (
            f"Spans without a position: {self.without_position:,}; without a severity: "
            f"{self.undecided:,}."
        )
        figures = (self.agreement.f1, self.agreement.severity_f1, self.agreement.alpha)
        notes = [note for one in figures for note in interval_notes(one.to_json())]
        notes += [f"Undefined: {one.reason}." for one in figures if one.value is None]
        yield from dict.fromkeys(notes)
        if self.controls.compared:
            yield (
                f"Controls: in {self.controls.worse:,} of "
                f"{counted(self.controls.compared, 'document')}, the answers made worse on purpose "
                "have the lower mean."
            )

    def to_json(self) -> dict[str, Any]:
        """The report as JSON."""
        rows = {row.system: fields_to_json(row) for row in self.systems}
        for row in rows.values():
            del row["system"]
        return {**fields_to_json(self), "systems": rows}


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
    shared = [group for group in by_answer.values() if len(group) > 1]
    pairs = [pair for group in shared for pair in combinations(group, 2)]
    overlaps = [overlap([pair]) for pair in pairs]
    marked = np.array([one.first + one.second for one in overlaps], dtype=np.float64)
    return RaterAgreement(
        answers=len(shared),
        raters=len({one.rater for group in shared for one in group}),
        pairs=len(pairs),
        f1=_f1(pairs, np.array([one.both for one in overlaps]), marked),
        severity_f1=_f1(pairs, np.array([one.same_severity for one in overlaps]), marked),
        alpha=_alpha(shared),
    )


def _f1(pairs: Sequence[tuple[RaterMarks, RaterMarks]], shared: Floats, marked: Floats) -> Estimate:
    """2 shared / marked characters, both summed over pairs of raters of an answer, (pairs,)."""
    if not marked.sum():
        return Estimate(None, reason=NOTHING_MARKED)
    passages = _codes([first.document for first, _ in pairs])
    raters = _codes([one.rater for pair in pairs for one in pair]).reshape(-1, 2).T

    def without(codes: Integers) -> Floats:
        """F1 without each code, from the codes of both sides of each pair, (2, pairs)."""
        codes = np.unique(codes, return_inverse=True)[1].reshape(2, -1)
        # A pair with one code on both sides is taken away once.
        once = np.stack([np.ones(len(shared)), codes[0] != codes[1]])
        both, either = (
            values.sum() - np.bincount(codes.ravel(), weights=(once * values).ravel())
            for values in (shared, marked)
        )
        empty = np.full(len(both), np.nan)
        return np.asarray(np.divide(2 * both, either, out=empty, where=either > 0))

    left_out = left_out_of(without, np.stack([passages, passages]), raters)
    return _estimate(float(2 * shared.sum() / marked.sum()), left_out, "share")


def _alpha(shared: Sequence[Sequence[RaterMarks]]) -> Estimate:
    """Alpha over the answers that the largest number of raters marked."""
    most = max(map(len, shared), default=0)
    full = [{one.rater: one for one in group} for group in shared if len(group) == most]
    common = sorted(set.intersection(*(set(group) for group in full))) if full else []
    if len(common) < 2:
        return Estimate(None, reason="no two raters marked the same answers")
    ends = [
        max((span.characters.stop for one in group.values() for span in one.spans), default=0)
        for group in full
    ]
    full = [group for group, end in zip(full, ends, strict=True) if end]
    texts = Continuum(
        [end for end in ends if end],
        [marked_ranges([group[rater] for group in full]) for rater in common],
    )
    everything = np.ones((1, len(common), len(full)), dtype=np.bool_)
    value = texts.alpha()
    if np.isnan(value):
        return Estimate(None, reason=NOTHING_MARKED)
    documents = _codes([group[common[0]].document for group in full])
    of_rater = np.eye(len(common), dtype=np.bool_)
    of_document = np.unique(documents)[:, None] == documents

    def without(raters: Booleans, answers: Booleans) -> Floats:
        """Alpha without what each group of raters marked of each group of answers."""
        left_out = [raters[:, :, None] & answer for answer in answers]
        return np.concatenate([texts.alphas(everything & ~each) for each in left_out])

    left_out = (
        without(np.ones_like(of_rater[:1]), of_document),
        without(of_rater, np.ones_like(of_document[:1])),
        without(of_rater, of_document),
    )
    return _estimate(value, left_out, "correlation")


def _estimate(value: float, left_out: tuple[Floats, Floats, Floats], scale: Scale) -> Estimate:
    """For other raters from MIN_CLUSTERS of them on: fewer who differ much hold the truth less
    often than they should, because the figures compare raters with each other."""
    return left_out_estimate(value, left_out, scale, unit="documents", min_raters=MIN_CLUSTERS)


def _codes(names: Sequence[str]) -> Integers:
    return np.unique(names, return_inverse=True)[1].reshape(-1)


def _systems(marks: Sequence[RaterMarks], weights: Weights) -> list[SystemScores]:
    by_system: dict[str, list[RaterMarks]] = defaultdict(list)
    for one in marks:
        by_system[one.system].append(one)
    rows = []
    for system, group in by_system.items():
        penalties = [(one, mqm_score(one.spans, weights)) for one in group]
        decided = [(one, value) for one, value in penalties if value is not None]
        scored = [(one, one.score) for one in group if one.score is not None]
        is_open = len(decided) < len(group) and not any(one.spans for one, _ in decided)
        rows.append(
            SystemScores(
                system=system,
                answers=len(group),
                score=_mean(scored),
                mqm=Estimate(None, reason=NO_SEVERITY) if is_open else _mean(decided),
                errors=_mean([(one, float(len(one.spans))) for one in group]),
                undecided=len(group) - len(decided),
            )
        )
    return sorted(rows, key=lambda row: (-_order(row.score), -_order(row.mqm), row.system))


def _order(figure: Estimate) -> float:
    return -np.inf if figure.value is None else figure.value


def _mean(values: Sequence[tuple[RaterMarks, float]]) -> Estimate:
    documents, raters = (
        _codes([m.document for m, _ in values]),
        _codes([m.rater for m, _ in values]),
    )
    scores = np.array([value for _, value in values])
    return two_way_mean(scores, documents, raters, unit="documents")


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
