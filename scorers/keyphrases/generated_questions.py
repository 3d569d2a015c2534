"""Generated yes/no and either/or questions for training the predictor.

Extractive sets have no such questions; KPQA leaves them out because their answers are not in the
passage. Their answers are full sentences, however ("is it a guy or a girl?"), and without such
examples a predictor cannot learn that "no", or the chosen alternative, is important.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scorers.keyphrases.examples import KeyphraseExample

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
