"""Scores of the examples printed by MOCHA and AVA; --into-cards adds them to the cards.

    python -m bench.printed_examples METRIC[,METRIC...] [--into-cards]

A minimal pair is right if the better answer scores higher (MOCHA, Section 4.4), a rating if it is
within one point of people's, a verdict if the probability is on the correct side of the
checkpoint's threshold. The examples are those of `tests.papers`: MOCHA: Chen et al. (EMNLP 2020),
CC BY 4.0; AVA: Vu and Moschitti (NAACL 2021), CC BY 4.0; both as printed in the ACL Anthology.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import Any

from scorers import Item, Session, parse_metrics
from scorers.ava.metrics import Ava
from scorers.learned.metric import LearnedMetric
from tests.papers.data import read_paper


@dataclass(frozen=True, slots=True)
class Example:
    """A printed example: its answers, best first, each with what people say of it.

    Ratings are from 1 to 5; "correct" and "incorrect" are verdicts.
    """

    source: str
    passage: str
    question: str
    reference: str
    answers: tuple[tuple[str, str], ...]


def _examples(slug: str, source: str, ids: str) -> tuple[Example, ...]:
    """The examples of `tests.papers` whose ids begin with `ids`."""
    return tuple(
        Example(
            f"{source}{entry.where}",
            entry.passage,
            entry.question,
            entry.references[0],
            tuple(
                (item.candidate, people)
                for item, people in zip(entry.items, entry.people.split(", "), strict=True)
            ),
        )
        for entry in read_paper(slug).entries
        if entry.id.startswith(ids) and entry.people
    )


_MOCHA = "MOCHA (Chen et al., 2020), "
PAIRS = _examples("mocha", _MOCHA, "table-3-")
RATINGS = _examples("mocha", _MOCHA, "figure-1")
VERDICTS = _examples("ava", "AVA (Vu and Moschitti, 2021), ", "introduction-water")[:1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("metrics", help="judges, such as lerc,ava(checkpoint=ava-a2)")
    parser.add_argument("--into-cards", action="store_true", help="write failures into the cards")
    parsed = parser.parse_args()
    with Session() as session:
        for metric in parse_metrics(parsed.metrics):
            if not isinstance(metric, LearnedMetric):
                raise SystemExit(f"{metric.name} is no judge")
            rows = score_examples(session, metric)
            _print(metric.name, rows)
            if parsed.into_cards:
                failures = tuple(row for row in rows if row["failure"])
                replace(metric.card, known_failures=failures).write(metric.folder)


def score_examples(session: Session, metric: LearnedMetric) -> list[dict[str, Any]]:
    """Each printed example of the metric's paper with its scores; "failure" is empty where right.

    The form is that of `Card.known_failures`.
    """
    verdicts = isinstance(metric, Ava)
    rows = []
    for example in VERDICTS if verdicts else (*PAIRS, *RATINGS):
        items = [
            Item(text, (example.reference,), example.question, example.passage)
            for text, _ in example.answers
        ]
        scores = session.score(metric, items).tolist()
        expected = [verdict for _, verdict in example.answers]
        rows.append(
            {
                "source": example.source,
                "passage": example.passage,
                "question": example.question,
                "reference": example.reference,
                "answers": [
                    {"text": text, "expected": verdict, "score": round(score, 3)}
                    for (text, verdict), score in zip(example.answers, scores, strict=True)
                ],
                "failure": _failure(scores, expected, metric),
            }
        )
    return rows


def _failure(scores: list[float], expected: list[str], metric: LearnedMetric) -> str:
    """A sentence on what is wrong with the scores; empty where nothing is."""
    if isinstance(metric, Ava):
        wrong = [
            f"the {verdict} answer is called {_called(score, metric)}"
            for score, verdict in zip(scores, expected, strict=True)
            if verdict != _called(score, metric)
        ]
        sentence = " and ".join(wrong)
        return (
            f"{sentence.capitalize()} at the threshold {metric.threshold:.3f}." if sentence else ""
        )
    if len(scores) == 2:
        return "" if scores[0] > scores[1] else "The worse answer scores at least as high."
    off = abs(scores[0] - float(expected[0]))
    return "" if off <= 1 else f"The rating is {off:.2f} points from people's."


def _called(score: float, metric: Ava) -> str:
    return "correct" if score >= metric.threshold else "incorrect"


def _print(name: str, rows: list[dict[str, Any]]) -> None:
    pairs = [row for row in rows if len(row["answers"]) == 2 and row["source"].startswith("MOCHA")]
    right = sum(not row["failure"] for row in pairs)
    print(name + (f": {right} of {len(pairs)} minimal pairs right" if pairs else ""))
    for row in rows:
        scores = ", ".join(f"{one['expected']}: {one['score']:.3f}" for one in row["answers"])
        print(f"  {row['source']}: {scores}. {row['failure'] or 'Right.'}")


if __name__ == "__main__":
    main()
