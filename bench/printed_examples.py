"""Scores of the examples printed by MOCHA and AVA; --into-cards adds them to the cards.

    python -m bench.printed_examples METRIC[,METRIC...] [--into-cards]

A minimal pair is right if the better answer scores higher (MOCHA, Section 4.4), a rating if it is
within one point of people's, a verdict if the probability is on the correct side of the
checkpoint's threshold. MOCHA: Chen et al. (EMNLP 2020), CC BY 4.0; AVA: Vu and Moschitti (NAACL
2021), CC BY 4.0; both as printed in the ACL Anthology.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import Any

from scorers import Item, Session, parse_metrics
from scorers.ava.metrics import Ava
from scorers.judges.metric import JudgeMetric


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


_TABLE_3 = "MOCHA (Chen et al., 2020), Table 3, "

PAIRS = (
    Example(
        _TABLE_3 + "coreference",
        "Norman is the supposed son of Frenchman de Vac . . . As de Vac dies, he reveals Norman is "
        "Richard, the king's son and Edward's brother, who he kidnapped.",
        "Who is the Frenchman de Vac?",
        "a fencing master who kidnapped Norman",
        (
            ("a fencing master who kidnapped Richard", "5"),
            ("a fencing master who kidnapped Edward", "3"),
        ),
    ),
    Example(
        _TABLE_3 + "hyponymy",
        "With the electric rifle, Tom and friends bring down elephants, rhinoceroses, and buffalo.",
        "What does Tom bring down with his rifle?",
        "Rhinoceroses, buffalo, and elephants.",
        (("Animals", "4"), ("Humans", "1")),
    ),
    Example(
        _TABLE_3 + "negation",
        "skylar told quinn's friend about a secret that quinn wanted to keep hidden.",
        "What will Quinn want to do next?",
        "be angry",
        (("Quinn will be mad at Skylar", "5"), ("Quinn will not be mad at Skylar", "1")),
    ),
    Example(
        _TABLE_3 + "semantic role",
        "Taylor gave a raise and promotion to Kendall.",
        "How would you describe Taylor?",
        "As someone who appreciates what Kendall does",
        (("Taylor appreciates Kendall", "5"), ("Kendall appreciates Taylor", "1")),
    ),
    Example(
        _TABLE_3 + "syntax",
        "Taylor looked around in Robin's cupboards and peeked inside Robin's drawers and medicine "
        "cabinet.",
        "How would you describe Taylor?",
        "intrusive",
        (
            ("I would describe Taylor as intrusive", "5"),
            ("Would I describe Taylor as intrusive", "3"),
        ),
    ),
    Example(
        _TABLE_3 + "word sense",
        "Taylor got married but kept her last name.",
        "How would you describe Taylor?",
        "independent",
        (("individualistic", "5"), ("nonpartisan", "1")),
    ),
    Example(
        _TABLE_3 + "other",
        "The Princess stuffs her ears with cotton and begins her journey.",
        "What does the Princess put in her ears?",
        "She puts cotton in her ears.",
        (("Her ears have cotton", "4"), ("Her ears are cotton", "2")),
    ),
)
RATINGS = (
    Example(
        "MOCHA (Chen et al., 2020), Figure 1",
        ". . . Behind one door is a lady whom the king has deemed an appropriate match for the "
        "accused; behind the other is a fierce, hungry tiger. Both doors are heavily soundproofed "
        "to prevent the accused from hearing what is behind each one. . .",
        "What feature do the doors have?",
        "soundproofed",
        (
            (
                "They are heavily soundproofed to prevent the accused from hearing what's behind "
                "each one.",
                "5",
            ),
        ),
    ),
)
VERDICTS = (
    Example(
        "AVA (Vu and Moschitti, 2021), Section 1",
        "",
        "What percentage of water in the body?",
        "The percentage of water in the body is 60%",
        (
            ("Most of the human body is water, with an average of roughly 60%", "correct"),
            ("The percentage of water in the body is variable", "incorrect"),
        ),
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("metrics", help="judges, such as lerc,ava(checkpoint=ava-a2)")
    parser.add_argument("--into-cards", action="store_true", help="write failures into the cards")
    parsed = parser.parse_args()
    with Session() as session:
        for metric in parse_metrics(parsed.metrics):
            if not isinstance(metric, JudgeMetric):
                raise SystemExit(f"{metric.name} is no judge")
            rows = score_examples(session, metric)
            _print(metric.name, rows)
            if parsed.into_cards:
                failures = tuple(row for row in rows if row["failure"])
                replace(metric.card, known_failures=failures).write(metric.folder)


def score_examples(session: Session, metric: JudgeMetric) -> list[dict[str, Any]]:
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


def _failure(scores: list[float], expected: list[str], metric: JudgeMetric) -> str:
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
