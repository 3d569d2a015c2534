"""Reader of policies."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from concord.bounds import bounded_fields, find_problems, normalize
from concord.formats import USER_OPTIONS, ReadOptions
from concord.formats.errors import Problems, choices_of, json_path_part
from concord.formats.files import printable_path, unreadable_error
from concord.gate.kinds import KINDS
from concord.gate.rules import FileRule, PolicyRule

NotEnough = Literal["xfail", "fail"]
_DEFAULTS = {option.name: option for option in dataclasses.fields(ReadOptions)}
_FIELDS = {"from": "source"}
"""Keys of a policy that are not the names of their fields."""


@dataclass(frozen=True)
class Policy:
    """A policy. rules: by name, in the order of the file. not_enough_evidence: how pytest and JUnit
    report such a rule."""

    path: Path
    rules: Mapping[str, PolicyRule]
    not_enough_evidence: NotEnough = "xfail"


def read_policy(path: str | Path) -> Policy:
    """The policy of a TOML file. Raises FormatError, which names file, rule and key.

    Files that the rules name are not read.
    """
    path = Path(path)
    file, problems = printable_path(path), Problems()
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise unreadable_error(error, [path]) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise problems.fatal(file, None, None, f"is no TOML: {error}") from error
    rules, not_enough = document.pop("rules", {}), document.pop("not_enough_evidence", "xfail")
    for key in document:
        problems.add(file, None, json_path_part(key), "is unknown; choose rules or "
                     "not_enough_evidence")  # fmt: skip
    if not_enough not in get_args(NotEnough):
        message = f"must be one of {', '.join(get_args(NotEnough))}"
        problems.add(file, None, "not_enough_evidence", message)
    if not isinstance(rules, dict) or not rules:
        raise problems.fatal(file, None, "rules", "has no rule: write [rules.NAME]")
    read = {}
    for name, table in rules.items():
        prefix = f"rules.{json_path_part(name)}"
        rule = _read_rule(table)
        if isinstance(rule, PolicyRule):
            read[name] = rule
            continue
        for key, message in rule.items():
            problems.add(file, None, f"{prefix}.{key}" if key else prefix, message)
    problems.raise_if_any()
    return Policy(path, read, cast(NotEnough, not_enough))


def _read_rule(table: object) -> PolicyRule | dict[str, str]:
    """The rule of a table, or {key: message} of its problems."""
    if not isinstance(table, dict):
        return {"": "must be a table: write [rules.NAME]"}
    if table.get("kind") not in KINDS:
        return {"kind": choices_of(KINDS, "kinds")}
    kind = KINDS[table["kind"]]
    problems: dict[str, str] = {}
    keys = {field.name: field for field in bounded_fields(kind)}
    keys.pop("options", None)
    if "source" in keys:
        keys["from"] = keys.pop("source")
    values: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for key, value in table.items():
        if key in keys:
            is_files = key == "files" and isinstance(value, str)
            whole = [value] if is_files else value
            values[_FIELDS.get(key, str(key))] = tuple(whole) if isinstance(whole, list) else whole
        elif issubclass(kind, FileRule) and key in USER_OPTIONS:
            options[key] = tuple(value) if isinstance(value, list) else value
            if message := _option_problem(key, options[key]):
                problems[json_path_part(key)] = message
        elif key != "kind":
            problems[json_path_part(key)] = f"is unknown; {choices_of(keys, 'keys')}"
    for key, field in keys.items():
        if key not in table and field.default is dataclasses.MISSING:
            problems[key] = "is missing"
    if problems:
        return problems
    if issubclass(kind, FileRule):
        values["options"] = options
    rule: PolicyRule = kind(**values)
    names = {field: key for key, field in _FIELDS.items()}
    found = {names.get(name, name): message for name, message in find_problems(rule).items()}
    return found or dict(rule.problems()) or normalize(rule)


def _option_problem(name: str, value: object) -> str:
    """What is wrong with the type of a reader's option; "" if nothing."""
    option = _DEFAULTS[name]
    if option.metadata.get("is_count"):
        return "" if type(value) is int and value > 0 else "must be a whole number above 0"
    if option.default == ():
        is_list = isinstance(value, tuple) and all(isinstance(part, str) for part in value)
        return "" if is_list else "must be a list of text"
    return "" if isinstance(value, str) else "must be text"
