"""The meanings of a table's columns: as they are assigned, or guessed by their headings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path

from concord.formats.errors import FormatError, Problem, quote, quote_names
from concord.formats.meanings import (
    IGNORED,
    JUDGED_MEANINGS,
    KEY,
    MEANINGS,
    PAIR_MEANINGS,
    RATING_MEANINGS,
    SEVERAL,
    TEXTS,
)
from concord.formats.sides import inner_side_of, side_of, words_of
from concord.sentences import counted

_MEANING_OF = {
    heading: meaning
    for meaning, text in tomllib.loads(
        Path(__file__).with_name("headings.toml").read_text("utf-8")
    ).items()
    for heading in text.split(", ")
}
# Parts of headings that say something about an answer, and are no answer: "answer length".
_ABOUT = {"id", "length", "len", "type", "score", "rating", "time", "date", "count", "start"}
_ABOUT |= {"end", "span", "tokens", "url", "rank", "index", "code", "status"}
# Parts of headings of numbers that no rater gave.
_MEASURED = _ABOUT | {
    "seconds",
    "duration",
    "number",
    "num",
    "no",
    "age",
    "year",
    "timestamp",
    "item",
}
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")


def meaning_of(heading: str) -> str:
    """For what a heading is usual: one of JUDGED_MEANINGS or "side"; "" for none."""
    return _MEANING_OF.get(_singular(words_of(heading)), "")


def guess_meanings(header: Sequence[str], numeric: Collection[int] = ()) -> list[str]:
    """The meaning of each column by its heading; "" if it is unknown.

    Case, punctuation, numbers at the end and a plural do not matter. "Answer" beside "Prediction"
    is the reference, if there is no other one. "Text" is a candidate, if there is no other one, and
    else a passage. Columns such as "Answer A" and "Answer B" are
    several candidates, if no column is the system. Of "System 1" and "System 2", which are of two
    answers, none is the system. `numeric`: the positions of columns that have
    numbers only (`numeric_columns`); none of them is guessed to be a text.
    """
    words = [words_of(name) for name in header]
    meanings = [_MEANING_OF.get(_singular(text), "") for text in words]
    meanings = [one if one in MEANINGS else "" for one in meanings]
    meanings = ["" if one in TEXTS and at in numeric else one for at, one in enumerate(meanings)]
    for meaning in MEANINGS:
        if meaning not in SEVERAL and meanings.count(meaning) > 1:
            places = [at for at, one in enumerate(meanings) if one == meaning]
            kept = [at for at in places if not words[at][-1].isdigit()][:1]
            for at in set(places).difference(kept):
                meanings[at] = ""
    bases = [_singular(text) for text in words]
    for meaning in ("reference", "candidate"):
        if meaning not in meanings:
            for at, text in enumerate(words):
                if meanings[at] or at in numeric:
                    continue
                if base := _part(text, meaning):
                    meanings[at], bases[at] = meaning, base
    if "candidate" not in meanings and "text" in words and meanings[words.index("text")]:
        meanings[words.index("text")] = "candidate"
    answers = [at for at, meaning in enumerate(meanings) if meaning == "candidate"]
    if "reference" not in meanings and len({bases[at] for at in answers}) > 1:
        for at in answers:
            if bases[at] == "answer":
                meanings[at] = "reference"
    answers = [at for at, meaning in enumerate(meanings) if meaning == "candidate"]
    if len({bases[at] for at in answers}) > 1 or {"system", "score"} & set(meanings):
        for at in answers[1:]:
            meanings[at] = ""
    return meanings


def guess_judged(header: Sequence[str], numeric: Collection[int] = ()) -> list[str]:
    """As `guess_meanings`, of JUDGED_MEANINGS: of a table with ratings or choices.

    Two texts or systems with a side each ("Answer A", "model_2") beside a choice are a pair. An
    e-mail address is a rater's, as is "Annotator 2" above numbers. A score beside a column of
    raters is their rating.
    """
    if pair := _guess_pair(header):
        header = [name if at not in pair else "" for at, name in enumerate(header)]
    meanings = guess_meanings(header, numeric)
    numbered = {at for at in numeric if meaning_of(header[at]) == "rater"
                and words_of(header[at])[-1].isdigit()}  # fmt: skip
    for at, name in enumerate(header):
        usual = _MEANING_OF.get(words_of(name), "")
        if at in pair:
            meanings[at] = pair[at]
        elif pair and meanings[at] in ("candidate", "system", "score"):
            meanings[at] = ""
        elif not meanings[at] and usual in ("rater", *(() if pair else ("criterion",))):
            meanings[at] = usual if usual not in meanings else ""
        elif not meanings[at] and not pair and (_ADDRESS.fullmatch(name) or at in numbered):
            meanings[at] = "rating"
    if "rater" in meanings and "rating" not in meanings and not pair:
        meanings = ["rating" if one == "score" else one for one in meanings]
        for at in likely_raters(header, meanings, numeric) if "rating" not in meanings else ():
            meanings[at] = "rating"  # of the criterion that the heading names
    is_rated = "rating" in meanings
    return meanings if pair or is_rated else [one if one in MEANINGS else "" for one in meanings]


def _is_about_choice(heading: str) -> bool:
    """Whether the first or the last word of a heading is usual for a choice."""
    words = words_of(heading).split()
    return bool(words) and "choice" in (_MEANING_OF.get(words[0]), _MEANING_OF.get(words[-1]))


def _guess_pair(header: Sequence[str]) -> dict[int, str]:
    """The columns of a pair: its choice, and texts, systems or both of either side; {} without."""
    kinds = [_MEANING_OF.get(words_of(name), "") for name in header]
    if "choice" not in kinds:  # "human preference", "Preferred (A/B)"
        kinds = ["choice" if _is_about_choice(name) else "" for name in header]
    if kinds.count("choice") != 1:
        return {}
    found = {kinds.index("choice"): "choice"}
    names = dict.fromkeys(("candidate", "side", "passage"), "candidate") | {"system": "system"}
    for meaning in ("candidate", "system"):
        sides: dict[str, dict[int, int]] = {}
        for at, name in enumerate(header):
            base, side = side_of(name)
            kind = base
            if not side:  # "answer_1_text" is a text, "answer_1_model" a model
                base, side = inner_side_of(name)
                kind = base.rpartition(" ")[2]
            if side and names.get(_MEANING_OF.get(kind, "")) == meaning:
                sides.setdefault(base, {}).setdefault(side, at)
        both = next((one for one in sides.values() if len(one) == 2), {})
        found |= {at: f"{meaning}{side}" for side, at in both.items()}
    return found if len(found) > 1 else {}


def likely_raters(
    header: Sequence[str], meanings: Sequence[str], numeric: Collection[int]
) -> list[int]:
    """The positions of columns of numbers that nobody knows, which may be raters' ratings."""
    return [
        at
        for at in sorted(numeric)
        if not meanings[at] and not _MEASURED & set(words_of(header[at]).split())
    ]


def mapping_problems(meanings: Sequence[str], *, without_references: bool = False) -> list[str]:
    """The problems of an assignment of columns, in sentences. without_references: no column need be
    the reference."""
    given = list(meanings)
    is_pair = bool(set(PAIR_MEANINGS) & set(given))
    sides = [one[:-1] for one in given if one in PAIR_MEANINGS[:-1]]
    needed: tuple[str, ...]
    if is_pair:
        needed = ("choice",)
    elif set(RATING_MEANINGS) & set(given):
        needed = ("rating",) + (() if {"id", "instance"} & set(given) else ("candidate",))
    else:
        needed = ("candidate",) if without_references else ("reference", "candidate")
    problems = [f"Choose the column with the {one}." for one in needed if one not in given]
    if is_pair and (not sides or any(sides.count(one) != 2 for one in sides)):
        problems.append("Choose both candidates of the pair, or both systems, or all four.")
    if is_pair:
        problems += [f"A pair has no {one}." for one in ("candidate", "system", "score", "rating")
                     if one in given]  # fmt: skip
    problems += [
        f"Only one column can be the {meaning.replace('_', ' ')}."
        for meaning in JUDGED_MEANINGS
        if meaning not in (*SEVERAL, "score") and given.count(meaning) > 1
    ]
    if given.count("candidate") > 1:
        problems += [
            f"With several candidate columns, whose headings are the systems, no column can be the "
            f"{meaning}."
            for meaning in ("system", "score", *RATING_MEANINGS, KEY)
            if meaning in given
        ]
    return problems


def resolve_columns(
    header: Sequence[str],
    columns: Sequence[str],
    file: str = "",
    numeric: Collection[int] = (),
    *,
    keys: bool = False,
    without_references: bool = False,
) -> list[str]:
    """The meaning of each column; by default a guess. Raises FormatError for a wrong assignment.

    numeric: the positions of columns with numbers only, for the guess. keys: whether columns may be
    keys. without_references: whether no column need be the reference.
    """
    allowed = (*MEANINGS, KEY) if keys else JUDGED_MEANINGS
    guess = guess_meanings if keys else guess_judged
    problems: list[str] = []
    if any("=" in one for one in columns):
        columns, problems = _named(header, columns, guess(header, numeric))
    meanings = ["" if one == IGNORED else one for one in columns]
    meanings = meanings or guess(header, numeric)
    if problems:
        pass
    elif len(meanings) != len(header):
        problems.append(
            f"{counted(len(meanings), 'meaning')} for {counted(len(header), 'column')}: "
            f"{quote_names(header)}"
        )
    elif unknown := sorted(set(meanings) - {*allowed, ""}):
        problems.append(
            f"{', '.join(map(quote, unknown))} is unknown; choose among {', '.join(allowed)} and "
            f"{IGNORED}"
        )
    else:
        problems = mapping_problems(meanings, without_references=without_references)
        answers = [name for name, one in zip(header, meanings, strict=True) if one == "candidate"]
        if len(set(answers)) < len(answers):
            problems.append("Two candidate columns have the same heading.")
        named = [name for name, one in zip(header, meanings, strict=True) if one == KEY]
        if len(set(named)) < len(named):
            problems.append("Two key columns have the same heading.")
        if problems and not columns:
            problems.append(f"The headings are {quote_names(header)}.")
            if numbers := [header[at] for at in sorted(numeric)]:
                verb = "has" if len(numbers) == 1 else "have"
                problems.append(
                    f"{quote_names(numbers)} {verb} numbers only, so no text is guessed there; "
                    "name the columns if one is."
                )
    if problems:
        raise FormatError([Problem(file, None, "columns", message) for message in problems])
    return meanings


def _named(
    header: Sequence[str], assigned: Sequence[str], guesses: list[str]
) -> tuple[list[str], list[str]]:
    """The meanings of columns, some of which are assigned by name, and the problems of these.

    assigned: headings and, after the last one of a meaning, that: "anna", "ben", "chloe=rating".
    """
    meanings, problems = list(guesses), []
    names: list[str] = []
    for item in assigned:
        heading, sign, meaning = (part.strip() for part in item.rpartition("="))
        names.append(heading if sign else item)
        if not sign:
            continue
        for name in names:
            if name in header:
                meanings[header.index(name)] = meaning
            else:
                problems.append(f"{quote(name)} is no column; they are {quote_names(header)}")
        names = []
    if names:
        problems.append(f"{quote_names(names)}: write {names[-1]}=MEANING")
    # One that is guessed yields to the one that is assigned.
    for at, one in enumerate(guesses):
        if one == meanings[at] and one not in SEVERAL and meanings.count(one) > 1:
            meanings[at] = ""
    return meanings, problems


def _singular(text: str) -> str:
    """A heading without numbers at the end, and without a plural's s where that makes it known."""
    text = text.rstrip("0123456789 ")
    return text[:-1] if text not in _MEANING_OF and text[:-1] in _MEANING_OF else text


def _part(text: str, meaning: str) -> str:
    """The longest usual heading that begins or ends a heading: "answer" of "answer gpt 2"."""
    words = text.split()
    if _ABOUT & set(words):
        return ""
    for length in range(len(words) - 1, 0, -1):
        for part in (words[:length], words[-length:]):
            if _MEANING_OF.get(base := _singular(" ".join(part))) == meaning:
                return base
    return ""
