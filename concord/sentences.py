"""Messages of errors as sentences."""

from __future__ import annotations


def sentence(message: object) -> str:
    """The message with a capital first and a full stop last: what an exception says, for people."""
    text = str(message)
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")
