"""Training examples of the keyphrase predictor: a question, answer sentences, keyphrases.

KPQA, Section 3.1: {passage, question, answer span} becomes {answer sentences, question, answer
span}. Single-hop sets give the sentence that contains the span (two, if it crosses a sentence's
end), multi-hop sets all supporting sentences.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from scorers.datasets.questions import QuestionAnswer, Span

# A mark that may end a sentence, closing quotes or brackets, and white space.
_END = re.compile(r"[.!?…]+[\"'\u201d\u2019)\]]*(?=\s)")
_TITLES = {
    "mr",
    "mrs",
    "ms",
    "dr",
    "prof",
    "rev",
    "gen",
    "col",
    "lt",
    "sgt",
    "capt",
    "st",
    "jr",
    "sr",
}
_MONTHS = {"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"}
_OTHERS = {
    "vs",
    "etc",
    "inc",
    "ltd",
    "co",
    "corp",
    "no",
    "vol",
    "fig",
    "al",
    "e.g",
    "i.e",
    "cf",
    "ca",
}
_ABBREVIATIONS = frozenset(_TITLES | _MONTHS | _OTHERS | {"approx", "dept", "est"})
_LAST_WORD = re.compile(r"(\S+)$")


def sentence_spans(text: str) -> list[Span]:
    """The (start, end) of each sentence, in order, without the white space around it.

    A sentence ends at . ! ? or … (and closing quotes or brackets) before white space, unless the
    period closes an abbreviation or an initial, or the next word starts in lower case; and at an
    empty line. Every character that is not white space lies in exactly one sentence.
    """
    ends = [match.end() for match in _END.finditer(text) if _ends_sentence(text, match)]
    ends += [match.start() for match in re.finditer(r"\n\s*\n", text)]
    spans = []
    start = 0
    for end in [*sorted(set(ends)), len(text)]:
        piece = text[start:end]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            spans.append((start + lead, start + len(piece.rstrip())))
        start = end
    return spans


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    following = text[match.end() :].lstrip()
    if following[:1].islower():
        return False
    if match.group()[0] != "." or match.group().startswith(".."):
        return True
    word = _LAST_WORD.search(text[: match.start()])
    if word is None:
        return True
    last = word.group(1).lstrip("(\"'\u201c\u2018[")
    initial = len(last) == 1 and last.isalpha() and last.isupper()
    return not (initial or last.lower() in _ABBREVIATIONS)


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


_OPENINGS = (
    "is it", "was it", "is that", "are they", "is he", "is she", "did he", "does she",
    "do they", "was there", "is there", "are there", "",
)  # fmt: skip
# The share of either/or questions; the rest are yes/no questions, half of them answered "no".
_EITHER_OR_SHARE = 0.4


def generate_questions(
    examples: Sequence[KeyphraseExample], share: float, rng: np.random.Generator
) -> list[KeyphraseExample]:
    """Generate examples from a random draw of the given ones; their number is `share` of these.

    An either/or question is "is it A or B?", with the example's keyphrase A and another example's
    keyphrase B in either order; the keyphrases stay. A yes/no question is "is it A?" with "yes,"
    before the sentences, or "is it B?" with "no,"; that word becomes a keyphrase, too.
    """
    if len(examples) < 2:
        return []
    drawn = rng.choice(len(examples), size=round(share * len(examples)), replace=False)
    generated = []
    for index in drawn.tolist():
        example = examples[index]
        other = examples[int(rng.integers(len(examples)))]
        opening = _OPENINGS[int(rng.integers(len(_OPENINGS)))]
        if rng.random() < _EITHER_OR_SHARE:
            generated.append(_make_either_or(example, other, opening, rng))
        else:
            generated.append(_make_yes_or_no(example, other, opening, rng))
    return generated


def _make_either_or(
    example: KeyphraseExample, other: KeyphraseExample, opening: str, rng: np.random.Generator
) -> KeyphraseExample:
    alternatives = [_keyphrase_text(example), _keyphrase_text(other)]
    if rng.random() < 0.5:
        alternatives.reverse()
    question = f"{opening} {' or '.join(alternatives)}?".strip()
    return KeyphraseExample(question, example.text, example.weights, example.group)


def _make_yes_or_no(
    example: KeyphraseExample, other: KeyphraseExample, opening: str, rng: np.random.Generator
) -> KeyphraseExample:
    yes = rng.random() < 0.5
    word = "yes" if yes else "no"
    prefix = word + (", " if rng.random() < 0.5 else " ")
    shifted = tuple(
        (start + len(prefix), end + len(prefix), w) for start, end, w in example.weights
    )
    question = f"{opening} {_keyphrase_text(example if yes else other)}?".strip()
    return KeyphraseExample(
        question, prefix + example.text, ((0, len(word), 1.0), *shifted), example.group
    )


def _keyphrase_text(example: KeyphraseExample) -> str:
    """The text that most annotators marked, or all marked text if there is none."""
    majority = [(start, end) for start, end, weight in example.weights if weight > 0.5]
    spans = majority or [(start, end) for start, end, _ in example.weights]
    return " ".join(example.text[start:end] for start, end in spans)
