"""Yes/no and either/or questions made from others, for the predictor to learn from.

Extractive sets hold none: KPQA drops them, since their answers are not in the passage. Answers to
such questions are full sentences all the same ("is it a guy or a girl?"), and a predictor that
never saw one cannot know that "no", or the chosen alternative, is what matters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scorers.keyphrases.examples import KeyphraseExample

_OPENINGS = (
    "is it", "was it", "is that", "are they", "is he", "is she", "did he", "does she",
    "do they", "was there", "is there", "are there", "",
)  # fmt: skip
# Of the questions made, this share are either/or; the rest yes/no, half of them answered no.
_EITHER_OR_SHARE = 0.4


def generate_questions(
    examples: Sequence[KeyphraseExample], share: float, rng: np.random.Generator
) -> list[KeyphraseExample]:
    """So many new examples as `share` of the given ones, made of a draw of them.

    Either/or: "is it A or B?", A being the example's keyphrase and B another's, in either order;
    the keyphrases stay. Yes/no: "is it A?" with "yes," put before the sentences, or "is it B?"
    with "no,"; that word is a keyphrase besides.
    """
    if len(examples) < 2:
        return []
    chosen = rng.choice(len(examples), size=round(share * len(examples)), replace=False)
    made = []
    for place in chosen.tolist():
        example = examples[place]
        other = examples[int(rng.integers(len(examples)))]
        opening = _OPENINGS[int(rng.integers(len(_OPENINGS)))]
        if rng.random() < _EITHER_OR_SHARE:
            made.append(_make_either_or(example, other, opening, rng))
        else:
            made.append(_make_yes_or_no(example, other, opening, rng))
    return made


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
    lead = word + (", " if rng.random() < 0.5 else " ")
    moved = tuple((start + len(lead), end + len(lead), w) for start, end, w in example.weights)
    question = f"{opening} {_keyphrase_text(example if yes else other)}?".strip()
    return KeyphraseExample(
        question, lead + example.text, ((0, len(word), 1.0), *moved), example.group
    )


def _keyphrase_text(example: KeyphraseExample) -> str:
    """The stretches most annotators marked, or all of them where none is."""
    sure = [(start, end) for start, end, weight in example.weights if weight > 0.5]
    stretches = sure or [(start, end) for start, end, _ in example.weights]
    return " ".join(example.text[start:end] for start, end in stretches)
