"""The recipe of a table whose columns a person assigned, as TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from concord.formats.errors import quote
from concord.formats.meanings import KEY

# What a name in a recipe cannot have, because it means something there.
_MARKS = frozenset("{}*")
_REFERENCES, _CANDIDATE, _SCORE = "reference", "candidate", "score"


class RecipeNameError(ValueError):
    """A heading that no recipe can name; the message says why."""


def recipe_of_columns(header: Sequence[str], meanings: Sequence[str], name: str = "mine") -> str:
    """The recipe of `columns_document`, as TOML. Raises RecipeNameError."""
    document = columns_document(header, meanings, name)
    names = [_checked(one) for one, meaning in zip(header, meanings, strict=True)
             if meaning not in ("", KEY)]  # fmt: skip
    return toml_of({"name": name, "detect": names, **document})


def toml_of(document: Mapping[str, object]) -> str:
    """The TOML of a recipe's document."""
    tables = [one for one, value in document.items() if isinstance(value, dict)]
    lines = _lines({one: value for one, value in document.items() if one not in tables})
    for one in tables:
        lines += ["", f"[{one}]", *_lines(cast("dict[str, object]", document[one]))]
    return "\n".join(lines) + "\n"


def columns_document(
    header: Sequence[str], meanings: Sequence[str], name: str
) -> dict[str, object]:
    """The document of a recipe that reads a table whose columns have these meanings.

    meanings: of each column one of `meanings.JUDGED_MEANINGS`, or "" (`resolve_columns`). Several
    candidate columns are the answers of systems, which their headings name.
    """
    columns: dict[str, list[str]] = {}
    for heading, meaning in zip(header, meanings, strict=True):
        if meaning and meaning != KEY:
            columns.setdefault(meaning, []).append(heading)
    is_pair = "choice" in columns
    rules = {one: columns.pop(one, []) for one in ("rating", "choice", "score", "rater")}
    criterion = columns.pop("criterion", [])
    candidates, references = columns.pop("candidate", []), columns.pop("reference", [])
    fields: dict[str, object] = {meaning: names[0] for meaning, names in columns.items()}
    document: dict[str, object] = {"name": name}
    if is_pair:
        document["kind"] = "pairs"
        fields = {"candidate1": "''", "candidate2": "''"} | fields
    if is_pair or rules["rater"] or criterion:
        document["rows"] = "ratings"
    if references:
        fields["references"] = {"all": references}
    if len(candidates) > 1:
        fields |= {"candidate": "@value", "system": "@column"}
        document["candidates"] = candidates
    else:
        fields |= {"candidate": candidates[0]} if candidates else {}
    document["fields"] = fields
    for kind, names in rules.items():
        if names and kind != "rater":
            rule = _rule(kind, names, rules["rater"], criterion)
            document["choices" if kind == "choice" else f"{kind}s"] = rule
    if rules["rating"]:
        map_ = {"yes": 1, "no": 0, "true": 1, "false": 0}
        document["values"] = {"others": "number", "map": map_}
    return document


def _rule(
    kind: str, names: Sequence[str], rater: Sequence[str], criterion: Sequence[str]
) -> dict[str, object]:
    """Where the values of columns of a kind are, and whose they are."""
    rule: dict[str, object] = {"columns": list(names)} if len(names) > 1 else {"value": names[0]}
    if kind == "rating" and not rater:  # the headings name the raters
        rule = {"columns": list(names), "worker": "@column"}
    elif kind != "score":
        rule["worker"] = rater[0] if rater else "@row"
    if kind != "choice" and criterion:
        rule["criterion"] = criterion[0]
    elif len(names) > 1 and rule.get("worker") != "@column":
        rule["criterion"] = "@column"
    return rule


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
