"""The score that a model's answer states, in the forms in which models answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from concord.formats.choices import BOTH_BAD, EXPECTED, tie_of
from concord.formats.errors import quote
from concord.formats.fields import json_type
from concord.formats.numbers import read_whole_number
from concord.judges.chat.schemas import SCORE
from concord.judges.orders import BOTH_BAD_LABEL, TIE_LABEL

_THINKING = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_SCORE_LINE = re.compile(r"^[^\w\n]*score[*_ ]*:", re.IGNORECASE | re.MULTILINE)
_FENCED = re.compile(r"```(?:json)?\s*(.*?)```", re.IGNORECASE | re.DOTALL)
_SCORE_FIELD = re.compile(rf'"{SCORE}"\s*:', re.IGNORECASE)
_FIRST_NUMBER = re.compile(r"\D*\d+")
_OUT_OF = re.compile(r"/|\bout of\b", re.IGNORECASE)
# What may be around a number: spaces, marks of Markdown, quotation marks and brackets.
_BEFORE = " \t\r\n*_`#\"'\u201c\u201d\u2018\u2019\u00ab\u00bb()[]{}"
_AFTER = f"{_BEFORE}.!,;:"


@dataclass(frozen=True)
class StatedScore:
    """label: the whole number that the answer states, None without one. fault: what stands in its
    place, such as `is "4.5"; a whole number is expected`; "" where nothing does. end: the label is
    the last number in the first `end` characters of the answer."""

    label: int | None
    fault: str = ""
    end: int = 0


# Reads the score that a text is.
ReadScore = Callable[[str], StatedScore]


def stated_score(
    text: str, high: int, *, is_reasoned: bool, takes_ties: bool = False
) -> StatedScore:
    """The score that an answer states.

    - Text up to the last `</think>` or `</thinking>` is left out. An answer that ends before its
      thinking does has no score.
    - Scores are the field `score` of a JSON object, which is the whole answer or stands in a fence
      (three backticks), and what follows `Score:` at the beginning of a line: the rest of it, or
      the next line that is not blank. Of several such lines all count; with `is_reasoned`, where
      the prompt asks for a last line, only the last one. Without any of these the score is the
      whole answer.
    - A score is one whole number (`read_whole_number`), also in Markdown, quotation marks or
      brackets, with punctuation after it. `N/TOP` and `N out of TOP` are N where TOP is `high`, the
      top of the scale, and no score otherwise. With `takes_ties` a text that means a tie
      (`concord.formats.choices`) is TIE_LABEL or BOTH_BAD_LABEL; these numbers are no scores then.
    - All scores of an answer must be the same. Otherwise it states none.
    """
    start = 0
    for tag in _THINKING.finditer(text):
        start = tag.end() if tag[1] else start
    if _THINKING.search(text, start):
        return StatedScore(None, "ends before its thinking does")
    text = text[start:]
    read = partial(_choice if takes_ties else _score, high=high)
    found: list[StatedScore] = []
    for one in chain(_in_json(text, read), _in_lines(text, read, only_last=is_reasoned)):
        if one.label is None:
            return one
        found.append(one)
    stated = found[-1] if found else _stated(read(text), text, 0)
    labels = list(dict.fromkeys(one.label for one in found))
    if len(labels) > 1:
        return StatedScore(None, f"states several scores: {', '.join(map(str, labels))}")
    return replace(stated, end=start + stated.end)


def _in_lines(text: str, read: ReadScore, *, only_last: bool) -> Iterator[StatedScore]:
    lines = list(_SCORE_LINE.finditer(text))
    for line in lines[-1:] if only_last else lines:
        rest = text[line.end() :].lstrip(_BEFORE).partition("\n")[0]
        yield _stated(read(rest), text, line.end())


def _in_json(text: str, read: ReadScore) -> Iterator[StatedScore]:
    """The scores of each JSON object that is the answer, or stands in a fence of it."""
    parts = [(0, text), *((one.start(1), one[1]) for one in _FENCED.finditer(text))]
    for offset, part in parts:
        if not part.lstrip().startswith("{"):
            continue
        try:
            # Objects as tuples of their members: a name may be there twice.
            members = json.loads(part, object_pairs_hook=tuple)
        except (ValueError, RecursionError):
            continue
        fields = [field.end() for field in _SCORE_FIELD.finditer(part)]
        begin = offset + (fields[-1] if fields else 0)
        for name, value in members:
            if name.casefold() == SCORE:
                yield _stated(_json_score(value, read), text, begin)


def _stated(score: StatedScore, text: str, begin: int) -> StatedScore:
    """The score with its end, where it stands after `begin` characters of an answer."""
    number = None if score.label is None else _FIRST_NUMBER.match(text, begin)
    return replace(score, end=number.end() if number else len(text))


def _json_score(value: object, read: ReadScore) -> StatedScore:
    """The score of a JSON value."""
    if type(value) is int or (type(value) is float and value.is_integer()):
        value = str(int(value))
    if type(value) is str:
        return read(value)
    shown = value if type(value) is float else json_type(value)
    return StatedScore(None, f"has a score that is {shown}; a whole number is expected")


def _choice(text: str, high: int) -> StatedScore:
    """As `_score`, or the label of a tie."""
    written = text.lstrip(_BEFORE).rstrip(_AFTER)
    if tie := tie_of(written):
        return StatedScore(BOTH_BAD_LABEL if tie == BOTH_BAD else TIE_LABEL)
    score = _score(text, high)
    if score.label in (TIE_LABEL, BOTH_BAD_LABEL):
        return StatedScore(None, f"is {quote(written)}; {EXPECTED}")
    return score


def _score(text: str, high: int) -> StatedScore:
    """The score that a text is."""
    text = text.lstrip(_BEFORE).rstrip(_AFTER)
    if not text:
        return StatedScore(None)
    number, *tops = (part.strip(_AFTER) for part in _OUT_OF.split(text, maxsplit=1))
    label = read_whole_number(number)
    top = read_whole_number(tops[0]) if tops else high
    if not isinstance(label, int):
        return StatedScore(None, label)
    if not isinstance(top, int):
        return StatedScore(None, top)
    if top != high:
        fault = f"is {quote(text)}, which is out of {top}; the scale ends at {high}"
        return StatedScore(None, fault)
    return StatedScore(label)
