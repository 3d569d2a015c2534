"""Compute Concord's values of each entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from concord.meta.correctness import system_errors
from scorers import Metric, MetricError, Session, parse_metrics
from scorers.ava.metrics import similarities
from scorers.ava.training import Construction, make_pairs
from scorers.datasets.selection import SelectionQuestion
from scorers.kpqa.units import clipped_overlap, f_measure, heaviest_common_subsequence
from scorers.learned.rows import Row
from tests.papers.aev_formulas import example, members, penalties
from tests.papers.data import Entry, Paper, Values
from tests.papers.kpqa_files import KpqaFiles

VERDICT = " verdict"


class Computer:
    """Computes entries' values with one session, on the CPU so that no GPU can change them.

    What is quoted in a paper is scored in one pass a metric.
    """

    def __init__(self) -> None:
        self.session = Session("cpu")
        self.files = KpqaFiles(self.session)
        self._quoted: dict[tuple[str, str], dict[str, list[float]]] = {}

    def compute(self, paper: Paper, entry: Entry, rows: Sequence[str]) -> Values:
        """The values of some of an entry's rows. Raises KeyError for an unknown kind."""
        return COMPUTATIONS[entry.kind](self, paper, entry, rows)

    def quoted_scores(self, paper: Paper, metrics: Sequence[Metric]) -> dict[str, Values]:
        """By metric and entry, the scores of the answers that a paper's entries quote."""
        missing = [metric for metric in metrics if (paper.slug, metric.name) not in self._quoted]
        if missing:
            entries = [entry for entry in paper.entries if entry.references]
            items = [item for entry in entries for item in entry.items]
            for name, scores in self.session.score_all(missing, items).items():
                left = iter(scores.tolist())
                self._quoted[paper.slug, name] = {
                    entry.id: [next(left) for _ in entry.items] for entry in entries
                }
        return {metric.name: self._quoted[paper.slug, metric.name] for metric in metrics}


#: From a computer, a paper, an entry and rows to the values of these rows.
Computation = Callable[[Computer, Paper, Entry, Sequence[str]], Values]


def has_model(row: str) -> bool:
    """Whether a row is of a metric that a network computes."""
    try:
        return parse_metrics(row.removesuffix(VERDICT))[0].has_model
    except MetricError:  # a row of a formula or a count
        return False


def tolerance(entry: Entry, row: str) -> float:
    """The tolerance between a row's computed and recorded values.

    Counts of words do not differ between processors; a network's scores do a little, and where two
    answers have nearly the same score, so does a rank correlation or a preference over a file.
    """
    if not has_model(row):
        return 2e-6
    if not entry.needs_files:
        return 1e-3
    return 0.6 if entry.columns == ("%",) else 5e-3


def _scores(computer: Computer, paper: Paper, entry: Entry, rows: Sequence[str]) -> Values:
    """Each metric's score of each answer; for a verdict, 1 from the checkpoint's threshold on."""
    names = dict.fromkeys(row.removesuffix(VERDICT) for row in rows)
    metrics = parse_metrics(",".join(names))
    quoted = computer.quoted_scores(paper, metrics)
    values: Values = {}
    for metric in metrics:
        scores = quoted[metric.name][entry.id]
        if metric.name in rows:
            values[metric.name] = scores
        if metric.name + VERDICT in rows:
            threshold = metric.threshold  # type: ignore[attr-defined]
            values[metric.name + VERDICT] = [float(score >= threshold) for score in scores]
    return values


def _equal_weights(computer: Computer, paper: Paper, entry: Entry, rows: Sequence[str]) -> Values:
    """KPQA's equations (1) to (5) with every weight 1, on an example's PTB tokens."""
    (item,) = paper.entry(entry.arguments["example"]).items
    texts = (item.candidate, item.references[0])
    tokens = computer.session.services.tokenise("ptb", texts)
    candidate, reference = (tokens[text].split() for text in texts)
    candidate_weights, reference_weights = np.ones(len(candidate)), np.ones(len(reference))
    common = heaviest_common_subsequence(candidate, candidate_weights, reference)
    f = f_measure(common / candidate_weights.sum(), common / reference_weights.sum(), 1.2)
    values = {
        "equation (1)": clipped_overlap(candidate, candidate_weights, reference)
        / float(candidate_weights.sum()),
        "equations (2) to (5)": f,
    }
    return {row: [values[row]] for row in rows}


def _means(computer: Computer, paper: Paper, entry: Entry, rows: Sequence[str]) -> Values:
    return {row: [float(np.mean(entry.arguments[row]))] for row in rows}


def _system_errors(computer: Computer, paper: Paper, entry: Entry, rows: Sequence[str]) -> Values:
    """AVA's RMSE, sigma, Kendall's tau-b and its p, from two printed lists of systems."""
    values: Values = {}
    for row in rows:
        lists = entry.arguments[row]
        errors = system_errors(np.array(lists["estimated"]), np.array(lists["people"]))
        figures = (errors.rmse.value, errors.sigma, errors.kendall.value, errors.kendall.p)
        values[row] = [float("nan") if value is None else float(value) for value in figures]
    return values


def _similarities(computer: Computer, paper: Paper, entry: Entry, rows: Sequence[str]) -> Values:
    """The four features of AVA's linear classifier; a row's name begins with its feature's."""
    (item,) = paper.entry(entry.arguments["example"]).items
    short_answer = entry.arguments["short_answer"]
    row = Row("", item.question, item.references[0], item.candidate, short_answer)
    features = similarities([row])[0]
    return {name: [float(features[int(name[1]) - 1])] for name in rows}


def _ava_pairs(computer: Computer, paper: Paper, entry: Entry, rows: Sequence[str]) -> Values:
    """The number of positive and negative pairs of questions, by their numbers of answers."""
    values: Values = {}
    for row in rows:
        right, wrong = (
            tuple(f"{kind} answer {k}" for k in range(entry.arguments[row][kind]))
            for kind in ("correct", "wrong")
        )
        pairs = make_pairs(SelectionQuestion(row, right, wrong), Construction())
        positive = sum(pair.gold for pair in pairs)
        values[row] = [float(positive), float(len(pairs) - positive)]
    return values


def _kpqa_rank_pairs(computer: Computer, paper: Paper, entry: Entry, rows: Sequence[str]) -> Values:
    ranked = computer.files.rank_pairs(rows, **entry.arguments)
    return {
        row: [100 * float(figure.value or 0)]
        for row, figure in zip(rows, ranked.figures, strict=True)
    }


def _kpqa_pairs(computer: Computer, paper: Paper, entry: Entry, rows: Sequence[str]) -> Values:
    ranked = computer.files.rank_pairs(["bleu-1"], **entry.arguments)
    return {row: [float(len(ranked.better))] for row in rows}


COMPUTATIONS: dict[str, Computation] = {
    "score": _scores,
    "pair": _scores,
    "equal_weights": _equal_weights,
    "means": _means,
    "system_errors": _system_errors,
    "similarities": _similarities,
    "ava_pairs": _ava_pairs,
    "kpqa_row": lambda computer, _, entry, rows: computer.files.row(rows, **entry.arguments),
    "kpqa_correlation": lambda computer, _, entry, rows: computer.files.correlations(
        rows, **entry.arguments
    ),
    "kpqa_rank_pairs": _kpqa_rank_pairs,
    "kpqa_pairs": _kpqa_pairs,
    "aev_members": lambda computer, *_: members(computer.session),
    "aev_penalties": lambda *_: penalties(),
    "aev_example": lambda computer, _, entry, rows: example(computer.session, entry, rows),
}
