"""Lists of metrics' names."""

from __future__ import annotations

from collections.abc import Iterator


def split_names(text: str) -> Iterator[str]:
    """Split at the commas outside parentheses. Raises ValueError for unmatched parentheses."""
    depth, start = 0, 0
    for position, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            break
        if character == "," and depth == 0:
            yield text[start:position].strip()
            start = position + 1
    if depth:
        raise ValueError(f"the parentheses in {text!r} do not match")
    yield text[start:].strip()
