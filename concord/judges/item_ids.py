"""Item ids that name their parts, such as `{document}__{system}__{criterion}`."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence

DOCUMENT, CRITERION = "document", "criterion"
SEPARATORS = ("__", "::", "/", "|", "#", ":", "_", "-", ".")
_PART = re.compile(r"\{([a-z_]+)\}")


class ItemIdError(ValueError):
    """The pattern is invalid, or an item's id does not match it."""


class ItemIdPattern:
    """A pattern whose parts in braces match the longest text from left to right.

    Items of one `document` are dependent, and items of different `criterion` are never pooled in
    one test. Other parts are ignored. Raises ItemIdError for a pattern without either part or with
    one of them twice.
    """

    def __init__(self, pattern: str) -> None:
        names = _PART.findall(pattern)
        if not {DOCUMENT, CRITERION} & set(names):
            raise ItemIdError(
                f"the pattern '{pattern}' has neither {{{DOCUMENT}}} nor {{{CRITERION}}}"
            )
        if len(set(names)) != len(names):
            raise ItemIdError(f"the pattern '{pattern}' has a part twice")
        pieces = _PART.split(pattern)
        self._pattern = pattern
        self._match = re.compile(
            "".join(
                f"(?P<{piece}>.+)" if position % 2 else re.escape(piece)
                for position, piece in enumerate(pieces)
            ),
            re.DOTALL,
        ).fullmatch

    def part(self, item: str, name: str) -> str | None:
        """The text of the part `name` in an item's id; None if the pattern has no such part.

        Raises ItemIdError where the id does not match.
        """
        match = self._match(item)
        if match is None:
            raise ItemIdError(f"the item '{item}' does not match the pattern '{self._pattern}'")
        return match.groupdict().get(name)


def item_parts(
    pattern: ItemIdPattern | None, items: Iterable[str], name: str
) -> dict[str, str] | None:
    """A part of the ids of items by a pattern; None where no id has it."""
    if pattern is None:
        return None
    parts = {item: pattern.part(item, name) for item in items}
    return {item: part for item, part in parts.items() if part is not None} or None


def item_documents(
    pattern: ItemIdPattern | None, items: Iterable[str], passages: Mapping[str, int] | None
) -> Mapping[str, Hashable] | None:
    """The document of each item by the pattern of its id, else its passage; None where both are
    unknown."""
    return item_parts(pattern, items, DOCUMENT) or passages


def shared_prefixes(items: Sequence[str]) -> tuple[str, dict[str, str]] | None:
    """(a pattern of ids, the prefix of each item) where the ids of two items or more, on average,
    have the same prefix before one of SEPARATORS, as those of answers to one document have; None
    where they share none, or all have the same."""
    for separator in SEPARATORS:
        for split in (str.partition, str.rpartition):
            prefixes = {item: split(item, separator)[0] for item in items if separator in item}
            if len(prefixes) == len(items) and 2 <= len(set(prefixes.values())) <= len(items) / 2:
                return f"{{{DOCUMENT}}}{separator}{{part}}", prefixes
    return None
