"""Ways to break a set down that no file names: question type, answer length, references.

The rules are stated here because a derived label decides what a board shows.
"""

from __future__ import annotations

import re

# KPQA's Figure 4 has MS MARCO's five types; yes/no and either/or questions are told apart besides.
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

# The most words of each bin, and its name.
LENGTHS = (
    (0, "no words"),
    (1, "1 word"),
    (3, "2 to 3 words"),
    (7, "4 to 7 words"),
    (15, "8 to 15 words"),
    (31, "16 to 31 words"),
    (63, "32 to 63 words"),
)
LONGEST = "64 words or more"


def question_type(question: str, category: str = "") -> str:
    """One of TYPES, by wording; a category that names one of them decides instead; "" without
    either.

    The first rule that fits holds: a question of two alternatives joined by "or" that begins with
    an auxiliary verb is either/or, another that begins with one yes/no; then numeric, person,
    location by their question words; description for why, how, "what is" and definitions; entity
    for any other what or which; else other. Fillers such as "so" or "ok" before the question are
    passed over.
    """
    given = category.strip().casefold()
    if given in TYPES:
        return given
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
    """The bin of a candidate's words, white space apart: no words, 1, 2 to 3, 4 to 7, and so on."""
    words = len(text.split())
    return next((name for most, name in LENGTHS if words <= most), LONGEST)


def reference_count(count: int) -> str:
    """ "1 reference", "5 references"."""
    return f"{count} reference{'' if count == 1 else 's'}"


def natural_key(name: str) -> tuple[float, str]:
    """Sorts labels that begin with a number by it, before the others."""
    leading = re.match(r"\d+", name)
    if name == LENGTHS[0][1]:
        return (0.0, name)
    return (float(leading.group()) if leading else float("inf"), name)
