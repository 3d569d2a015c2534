"""Training examples of the keyphrase predictor: a question, answer sentences, keyphrases.

KPQA, Section 3.1: {passage, question, answer span} becomes {answer sentences, question, answer
span}. Single-hop sets give the sentence that contains the span (two, if it crosses a sentence's
end), multi-hop sets all supporting sentences.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from scorers.keyphrases.sentences import sentence_spans
from scorers.keyphrases.sources.records import QuestionAnswer, Span

Labels = Literal["mean", "first", "majority"]


@dataclass(frozen=True, slots=True)
class KeyphraseExample:
    """A question and its answer sentences, with the weights of their keyphrases.

    `weights` has (start, end, weight) in characters of `text`, ordered and disjoint. Weights are
    above 0 and at most 1; the other characters have weight 0.
    """

    question: str
    text: str
    weights: tuple[tuple[int, int, float], ...]
    group: str


def build_examples(
    questions: Iterable[QuestionAnswer], labels: Labels = "mean"
) -> list[KeyphraseExample]:
    """The distinct examples of some questions, in order.

    With several annotators, a character's weight is the share of annotators who marked it ("mean"),
    1 if more than half marked it ("majority"), or 1 if the first one marked it ("first"). The
    sentence is the one in which the first annotator's answer starts. A question without a marked
    word in its sentences is left out.
    """
    examples: dict[KeyphraseExample, None] = {}
    for question in questions:
        example = _make_example(question, labels)
        if example.weights:
            examples[example] = None
    return list(examples)


def split_by_group(
    examples: Sequence[KeyphraseExample], share: float, seed: int
) -> tuple[list[KeyphraseExample], list[KeyphraseExample]]:
    """Training and dev examples: about `share` of the groups, drawn by the seed, are dev.

    Whether a group is in dev depends on its name and the seed alone, so added data never moves a
    group from one part to the other.
    """
    train: list[KeyphraseExample] = []
    dev: list[KeyphraseExample] = []
    for example in examples:
        digest = hashlib.blake2b(f"{seed}\n{example.group}".encode("utf-8", "replace"))
        position = int.from_bytes(digest.digest()[:8], "big") / 2**64
        (dev if position < share else train).append(example)
    return train, dev


def _make_example(question: QuestionAnswer, labels: Labels) -> KeyphraseExample:
    sentences = list(question.supporting) or _answer_sentences(
        question.passage, question.answers[0]
    )
    marks = np.zeros(len(question.passage))
    annotators = question.answers[:1] if labels == "first" else question.answers
    for answer in annotators:
        for start, end in {*answer}:
            marks[start:end] += 1 / len(annotators)
    marks = np.where(marks > 0.5, 1.0, 0.0) if labels == "majority" else np.minimum(marks, 1.0)
    text = ""
    weights = []
    for start, end in sentences:
        text += " " if text else ""
        weights += [
            (s + len(text), e + len(text), w) for s, e, w in _marked_spans(marks[start:end])
        ]
        text += question.passage[start:end]
    return KeyphraseExample(question.question.strip(), text, tuple(weights), question.group)


def _answer_sentences(passage: str, answer: tuple[Span, ...]) -> list[Span]:
    """The span of the sentences that overlap the first part of a single-hop answer."""
    first, last = min(answer)
    overlapping = [span for span in sentence_spans(passage) if span[0] < last and span[1] > first]
    return [(overlapping[0][0], overlapping[-1][1])] if overlapping else []


def _marked_spans(marks: np.ndarray) -> list[tuple[int, int, float]]:
    """Runs of equal marks above zero, as (start, end, mark)."""
    if len(marks) == 0:
        return []
    rounded = np.round(marks, 9)
    starts = np.concatenate(([0], np.flatnonzero(np.diff(rounded)) + 1, [len(marks)]))
    return [
        (start, end, float(rounded[start]))
        for start, end in pairwise(starts.tolist())
        if rounded[start] > 0
    ]
