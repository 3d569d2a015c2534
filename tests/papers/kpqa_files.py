"""Figures over KPQA's released judgments, where `bench.judgment_data` finds them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bench.kpqa_tables import read
from concord.meta.correlation import pearson, spearman
from concord.meta.inference import RankPairs, ScoredSample, rank_pairs
from scorers import Corpus, Item, Session, parse_metrics
from tests.papers.data import Values

#: A file's rows 1 to 500 are one system's answers, the others the other's.
HALF = 500
PEOPLE = "People"

Vector = NDArray[np.float64]


class KpqaFiles:
    """Scores of the files' answers, each metric's computed once for one session.

    Everything that reads a file raises FileNotFoundError where they are absent.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._scores: dict[tuple[str, str, int, int | None], Vector] = {}

    @staticmethod
    @cache
    def judged(file: str, references: int) -> tuple[list[Item], Vector]:
        """A file's items with its first references, and people's scores from 1 to 5."""
        items, people, _ = read(file, references)
        return items, people

    def scores(
        self, rows: Sequence[str], file: str, references: int, half: int | None
    ) -> dict[str, Vector]:
        """Each metric's scores of a file or of its first or second half (1 or 2)."""
        missing = []
        for metric in parse_metrics(",".join(rows)):
            key, whole = (
                (metric.name, file, references, half),
                (metric.name, file, references, None),
            )
            if key not in self._scores and whole in self._scores and not metric.set_dependent:
                self._scores[key] = self._scores[whole][_rows(half)]
            if key not in self._scores:
                missing.append(metric)
        items = self.judged(file, references)[0][_rows(half)]
        for name, scores in self.session.score_all(missing, items).items() if missing else ():
            self._scores[name, file, references, half] = scores
        return {row: self._scores[row, file, references, half] for row in rows}

    def correlations(
        self, rows: Sequence[str], file: str, references: int, half: int | None = None
    ) -> Values:
        """Pearson's r and Spearman's rho of each metric with people."""
        people = self.judged(file, references)[1][_rows(half)]
        scores = self.scores(rows, file, references, half)
        return {
            row: [_value(measure(values, people)) for measure in (pearson, spearman)]
            for row, values in scores.items()
        }

    def rank_pairs(
        self,
        rows: Sequence[str],
        file: str,
        references: int,
        pairing: Literal["question", "row"],
        threshold: float = 2.0,
    ) -> RankPairs:
        """Pairs of the two systems' answers, `threshold` apart by people or more, as each metric
        orders them. Paired are answers to one question and reference, or row i with i + 500."""
        items, people = self.judged(file, references)
        group_keys = [(item.question, item.references[0]) for item in items]
        if pairing == "row":
            group_keys = [(str(place % HALF), "") for place in range(len(items))]
        codes = {key: code for code, key in enumerate(dict.fromkeys(group_keys))}
        sample = ScoredSample.from_scores(
            dict(self.scores(rows, file, references, None)),
            people,
            items=[codes[key] for key in group_keys],
            systems=["first"] * HALF + ["second"] * HALF,
        )
        return rank_pairs(sample, threshold)

    def row(self, rows: Sequence[str], file: str, references: int, question: str) -> Values:
        """The first system's answer to a question: people's score laid out on 0 to 1, and each
        metric's score with the whole file as the corpus."""
        items, people = self.judged(file, references)
        place = next(i for i, item in enumerate(items[:HALF]) if item.question == question)
        corpus = Corpus.from_references(item.references for item in items)
        values: Values = {PEOPLE: [(people[place] - 1) / 4]}
        metrics = [row for row in rows if row != PEOPLE]
        if metrics:
            scores_by_metric = self.session.score_all(
                parse_metrics(",".join(metrics)), [items[place]], corpus
            )
            values |= {row: scores.tolist() for row, scores in scores_by_metric.items()}
        return {row: values[row] for row in rows}


def _rows(half: int | None) -> slice:
    return {None: slice(None), 1: slice(HALF), 2: slice(HALF, None)}[half]


def _value(figure: object) -> float:
    return float(figure.value)  # type: ignore[attr-defined]
