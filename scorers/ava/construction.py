"""Training examples of AVA from answer sentence selection sets (Section 4.2) and judgments."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from pathlib import Path

import numpy as np

from scorers.answer_selection import FORMATS as SELECTION_FORMATS
from scorers.answer_selection import SelectionQuestion, read_questions
from scorers.judgments import Judgment, read_judgments


@dataclass(frozen=True, slots=True)
class Construction:
    """How examples are made.

    most: the maximum number of positives, and of negatives, for a question, drawn by `seed`; None
    for all. correct_from: the share of the scale from which a judged answer counts as correct.
    """

    most: int | None = None
    correct_from: float = 0.5
    seed: int = 1

    def __post_init__(self) -> None:
        if self.most is not None and self.most < 1:
            raise ValueError(f"the maximum number of pairs must be above 0, not {self.most}")
        if not 0 < self.correct_from <= 1:
            raise ValueError(f"correct_from must be above 0 and at most 1, not {self.correct_from}")


def make_pairs(question: SelectionQuestion, construction: Construction) -> list[Judgment]:
    """The examples of a question; none if it has fewer than two correct answers.

    Positives are all ordered pairs of two different correct answers. Negatives have a correct
    answer as reference and a wrong one as candidate. The draw depends on the question and the seed
    alone.
    """
    if len(question.correct) < 2:
        return []
    key = f"{construction.seed}\n{question.question}".encode("utf-8", "surrogatepass")
    rng = np.random.default_rng(int.from_bytes(hashlib.blake2b(key, digest_size=8).digest()))
    positives = _draw_pairs(list(permutations(question.correct, 2)), construction.most, rng)
    negatives = _draw_pairs(list(product(question.correct, question.wrong)), construction.most, rng)
    return [
        Judgment(
            id="",
            question=question.question,
            references=(reference,),
            candidate=candidate,
            gold=gold,
            group=question.question,
        )
        for pairs, gold in ((positives, 1.0), (negatives, 0.0))
        for reference, candidate in pairs
    ]


def binarise_gold(judgments: Sequence[Judgment], correct_from: float) -> list[Judgment]:
    """Judgments with binary gold scores: 1 from `correct_from` on, otherwise 0."""
    return [replace(judgment, gold=float(judgment.gold >= correct_from)) for judgment in judgments]


def make_reader(construction: Construction) -> Callable[[Path, str], list[Judgment]]:
    """A function that reads the examples in a file of any training format of AVA.

    It raises FileError as the readers do.
    """

    def read(path: Path, format_: str) -> list[Judgment]:
        if format_ in SELECTION_FORMATS:
            questions = read_questions(path, format_)
            return [pair for question in questions for pair in make_pairs(question, construction)]
        return binarise_gold(read_judgments(path, format_), construction.correct_from)

    return read


def _draw_pairs(
    pairs: list[tuple[str, str]], limit: int | None, rng: np.random.Generator
) -> list[tuple[str, str]]:
    if limit is None or len(pairs) <= limit:
        return pairs
    return [pairs[index] for index in np.sort(rng.permutation(len(pairs))[:limit])]
