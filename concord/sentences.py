"""Error messages as sentences."""

from __future__ import annotations


def to_sentence(message: object) -> str:
    """The message with a capital letter at the start and a full stop at the end."""
    text = str(message)
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")
