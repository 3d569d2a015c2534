"""Derived breakdowns of a set: question type, answer length, number of references."""

from __future__ import annotations

import re

from concord.sentences import counted

# MS MARCO's five types as in KPQA's Figure 4, and yes/no, either/or and other questions.
TYPES = ("numeric", "person", "location", "description", "entity", "yes/no", "either/or", "other")

_AUXILIARY = re.compile(
    r"(?:am|is|are|was|were|be|do|does|did|have|has|had|can|could|will|would|shall|should|may|might"
    r"|must|(?:is|are|was|were|do|does|did|have|has|had|ca|wo|would|could|should)n['\u2019]?t)\b"
)
_NUMERIC = re.compile(
    r"how (?:much|many|long|old|far|often|tall|big|large|high|deep|fast|heavy|hot|cold|wide)\b"
    r"|(?:what|which) (?:year|month|day|date|time|age|number|percentage|percent|amount|price|cost"
    r"|temperature|size|population|distance|height|weight|rate|salary|speed)\b"
    r"|when\b|what (?:is|was|are|were) the (?:average |total |normal |current |median )*"
    r"(?:cost|price|number|temperature|population|salary|age|size|height|weight|percentage|amount"
    r"|rate|length|distance|speed|date|year|time|phone number|zip code|area code)\b"
    r"|(?:cost|price|salary|temperature|population|weight|phone number|zip code) (?:of|for)\b"
)
_PERSON = re.compile(r"who(?:m|se)?\b|(?:what|which) (?:person|actor|actress|author|president)\b")
_LOCATION = re.compile(
    r"where\b|(?:what|which) (?:country|county|city|state|town|continent|region|place|location)\b"
)
_DESCRIPTION = re.compile(
    r"why\b|how\b|what (?:does|do|did) .*\b(?:mean|do|happen|look|cause)\b|what happen"
    r"|(?:what (?:is|are|was|were)|what's)\b|define\b|definition\b|meaning\b|describe\b|explain\b"
)
_ENTITY = re.compile(r"(?:what|which)\b")
_LEADING = re.compile(r"^(?:[^\w]*(?:so|and|ok|okay|well|then|also|but)[\s,]+)+")

# The maximum number of words of each bin, and its name.
LENGTHS = (
    (0, "no words"),
    (1, "1 word"),
    (3, "2 to 3 words"),
    (7, "4 to 7 words"),
    (15, "8 to 15 words"),
    (31, "16 to 31 words"),
    (63, "32 to 63 words"),
)
LONGEST_BIN = "64 words or more"


def question_type(question: str, category: str = "") -> str:
    """One of TYPES by the wording of the question; "" for an empty question.

    If `category` is one of TYPES, it is returned. Otherwise the first matching rule applies. A
    question that begins with an auxiliary verb is either/or if it contains "or", else yes/no. Then
    numeric, person and location by question words; description for why, how, "what is" and
    definitions; entity for any other what or which; else other. Fillers such as "so" or "ok" at
    the beginning are ignored.
    """
    label = category.strip().casefold()
    if label in TYPES:
        return label
    text = _LEADING.sub("", " ".join(question.casefold().split()))
    if not text:
        return ""
    if _AUXILIARY.match(text):
        return "either/or" if " or " in text else "yes/no"
    rules = (
        ("numeric", _NUMERIC),
        ("person", _PERSON),
        ("location", _LOCATION),
        ("description", _DESCRIPTION),
        ("entity", _ENTITY),
    )
    for name, rule in rules:
        if rule.match(text):
            return name
    for name, rule in rules:  # "in the film, who ..."
        if rule.search(text):
            return name
    return "other"


def answer_length(text: str) -> str:
    """The bin of a candidate's number of words: no words, 1, 2 to 3, 4 to 7, and so on."""
    words = len(text.split())
    return next((name for max_words, name in LENGTHS if words <= max_words), LONGEST_BIN)


def reference_count(count: int) -> str:
    """ "1 reference", "5 references"."""
    return counted(count, "reference")


def natural_key(name: str) -> tuple[float, str]:
    """Sort key: labels that begin with a number come first, in numeric order."""
    leading = re.match(r"\d+", name)
    if name == LENGTHS[0][1]:
        return (0.0, name)
    return (float(leading.group()) if leading else float("inf"), name)
