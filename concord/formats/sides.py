"""The two sides of a pair in headings and in choices: "Answer A", "model_b", "left", "2"."""

from __future__ import annotations

import re
import unicodedata

from concord.formats.choices import ChoiceAnswer, tie_of

# The words of the first and the second of two.
_SIDES = {word: side for side, words in (
    (1, "1 a first left one erste links premiere gauche primera izquierda prima sinistra eerste"),
    (2, "2 b second right two zweite rechts deuxieme droite segunda derecha seconda destra tweede"),
) for word in words.split()}  # fmt: skip
_WORDS = re.compile(r"[^\W\d_]+|\d+")
# Between the words of "modelOutput" and "LLMAnswer".
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words_of(text: str) -> str:
    """The words and numbers of a text in lower case, without accents and punctuation."""
    spaced = unicodedata.normalize("NFKD", _CAMEL.sub(" ", unicodedata.normalize("NFKC", text)))
    bare = "".join(one for one in spaced if not unicodedata.combining(one))
    return " ".join(_WORDS.findall(unicodedata.normalize("NFKC", bare))).casefold()


def side_of(text: str) -> tuple[str, int]:
    """What a text says without its side, and the side: ("answer", 1) of "Answer A", ("", 2) of
    "right"; 0 where it has none."""
    words = words_of(text).split()
    for at in (-1, 0):
        if words and (side := _SIDES.get(words[at])):
            return " ".join(words[:-1] if at else words[1:]), side
    return " ".join(words), 0


def inner_side_of(heading: str) -> tuple[str, int]:
    """As `side_of`, of a heading with the side between other words: ("answer text", 1) of
    "answer_1_text"."""
    words = words_of(heading).split()
    for at, word in list(enumerate(words))[1:-1]:
        if side := _SIDES.get(word):
            return " ".join([*words[:at], *words[at + 1 :]]), side
    return " ".join(words), 0


def usual_choice(text: str) -> ChoiceAnswer | None:
    """What a usual word for a choice says: "model_a", "left", "B>A", "tie"; None of another."""
    if (tie := tie_of(text)) is not None:
        return tie
    better, sign, worse = text.replace("<", ">").partition(">")
    if sign:
        text = worse.strip("> ") if "<" in text else better
    side = side_of(text)[1]
    return None if not side else 1 if side == 1 else 2
