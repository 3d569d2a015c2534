"""How the words of a file are compared, and which of them say that a value is missing."""

from __future__ import annotations

from concord.formats.fields import number_in

Key = str | float


def value_key(value: object) -> Key:
    """What two values share that are one: the number, also where it is written as text (9 and
    "9.0"); else the text without outer spaces and without case."""
    number = number_in(value)
    return number if isinstance(number, float) else str(value).strip().casefold()


def written(key: Key) -> str:
    """A key as people write it."""
    return key if isinstance(key, str) else f"{key:g}"


# What people and tools write where there is no value, as `value_key` returns it.
MISSING_WORDS: frozenset[Key] = frozenset(
    {
        "",
        "na",
        "n/a",
        "n.a.",
        "#n/a",
        "<na>",
        "k.a.",
        "k. a.",
        "n/d",
        "n.d.",
        "n.c.",
        "ns/nc",
        "nan",
        "none",
        "null",
        "-",
        "--",
        "\N{EN DASH}",
        "\N{EM DASH}",
        ".",
    }
)


def is_missing(value: object) -> bool:
    """Whether a value is one of MISSING_WORDS, such as a blank cell."""
    return isinstance(value, str) and value_key(value) in MISSING_WORDS
