"""The recipe of a table whose columns a person assigned, as TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from concord.formats.errors import quote
from concord.formats.meanings import KEY

# What a name in a recipe cannot have, because it means something there.
_MARKS = frozenset("{}*")
_REFERENCES, _CANDIDATE, _SCORE = "reference", "candidate", "score"


class RecipeNameError(ValueError):
    """A heading that no recipe can name; the message says why."""


def recipe_of_columns(header: Sequence[str], meanings: Sequence[str], name: str = "mine") -> str:
    """A recipe that reads a table as the format `table` does with these meanings, as TOML.

    meanings: of each column one of `meanings.MEANINGS`, or "" (`resolve_columns`). Several
    candidate columns are the answers of systems, which their headings name. Raises RecipeNameError.
    """
    columns: dict[str, list[str]] = {}
    for heading, meaning in zip(header, meanings, strict=True):
        if meaning and meaning != KEY:
            columns.setdefault(meaning, []).append(_checked(heading))
    candidates = columns.pop(_CANDIDATE, [])
    references, scores = columns.pop(_REFERENCES, []), columns.pop(_SCORE, [])
    fields: dict[str, object] = {meaning: names[0] for meaning, names in columns.items()}
    document: dict[str, object] = {
        "name": name,
        "detect": [one for names in columns.values() for one in names] + candidates + references,
    }
    if references:
        fields["references"] = {"all": references}
    if len(candidates) > 1:
        key = f"{{{fields['id']}}}" if "id" in fields else "row-{@row}"
        fields |= {"id": f"{key}/{{@column}}", "candidate": "@value", "system": "@column"}
        document["candidates"] = candidates
    else:
        fields |= {"candidate": candidates[0]} if candidates else {}
    lines = _lines(document)
    lines += ["", "[fields]", *_lines(fields)]
    if scores:
        lines += ["", "[scores]", *_lines({"value": scores[0]})]
    return "\n".join(lines) + "\n"


def _checked(heading: str) -> str:
    is_constant = len(heading) > 1 and heading[0] == heading[-1] == "'"
    if _MARKS & set(heading) or heading.startswith("@") or is_constant:
        raise RecipeNameError(
            f"A recipe cannot name the column {quote(heading)}: rename it without braces, *, @ at "
            "the beginning, and apostrophes around it."
        )
    return heading


def _lines(values: Mapping[str, object]) -> list[str]:
    return [f"{name} = {_toml(value)}" for name, value in values.items()]


def _toml(value: object) -> str:
    """A text, a list of texts, or a table of these in one line. JSON's texts are TOML's."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(_lines(value))} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
