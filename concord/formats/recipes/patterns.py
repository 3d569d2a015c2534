"""Patterns of names of columns and members, and the parts of templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from concord.formats.errors import quote

MAX_TEXT, MAX_WILDCARDS = 300, 4


class RecipeSyntaxError(ValueError):
    """A path, pattern or template that is none; the message says why."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of names: `*` is any text, `{name}` a text with a name, `{name:number}` digits,
    `{name:long}` the longest text, where that of others is the shortest.

    literals: what stands before, between and after them. Case does not matter.
    """

    literals: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of_name(cls, name: str) -> Pattern:
        """The pattern of one name, whatever characters it has."""
        return cls((name.lower(),), ())

    @classmethod
    def parse(cls, text: str) -> Pattern:
        """Raises RecipeSyntaxError."""
        literals, names = [""], []
        for literal, name in parts(text):
            for number, part in enumerate(literal.split("*")):
                if number:
                    names.append("")
                    literals.append("")
                literals[-1] += part.lower()
            if name is not None:
                names.append(name)
                literals.append("")
        if len(names) > MAX_WILDCARDS:
            raise RecipeSyntaxError(f"{quote(text)} has more than {MAX_WILDCARDS} * and {{name}}")
        if any(not literal for literal in literals[1:-1]):
            raise RecipeSyntaxError(f"{quote(text)} has nothing between two * or {{name}}")
        return cls(tuple(literals), tuple(names))

    @property
    def labels(self) -> list[str]:
        """The names of the placeholders, without those of `*`."""
        return [label for name in self.names if (label := name.partition(":")[0])]

    def match(self, name: str) -> dict[str, str] | None:
        """The texts of the placeholders; None where the name is another."""
        text = lowered if len(lowered := name.lower()) == len(name) else name
        first, *others = self.literals
        if not others:
            return {} if text == first else None
        end = len(text) - len(others[-1])
        if not text.startswith(first) or not text.endswith(others[-1]) or end <= len(first):
            return None
        found: dict[str, str] = {}
        at = len(first)
        for number, literal in enumerate(others):
            is_last = number == len(others) - 1
            label, _, kind = self.names[number].partition(":")
            find = text.rfind if kind == "long" else text.find
            stop = end if is_last else find(literal, at + 1, end)
            if stop <= at:
                return None
            part = name[at:stop]
            if kind == "number" and not (part.isascii() and part.isdigit()):
                return None
            if label:
                found[label] = part
            at = stop + len(literal)
        return found


def matches_any(patterns: Iterable[Pattern], name: str) -> bool:
    """Whether a name matches one of the patterns."""
    return any(pattern.match(name) is not None for pattern in patterns)


def parts(text: str) -> Iterator[tuple[str, str | None]]:
    """(literal, placeholder after it) of a pattern or template."""
    if len(text) > MAX_TEXT:
        raise RecipeSyntaxError(f"has more than {MAX_TEXT} characters")
    rest = text
    while rest:
        literal, opened, after = rest.partition("{")
        name, closed, rest = after.partition("}")
        if "}" in literal or (opened and (not closed or not name or "{" in name)):
            raise RecipeSyntaxError(f"{quote(text)}: a brace opens or closes nothing")
        yield literal, name if opened else None
