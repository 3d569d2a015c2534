"""Policies: their files, the kinds of their rules, and whether they hold."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

from concord.bounds import (
    bounded_fields,
    find_problems,
    find_value_problems,
    items,
    normalize,
    number,
    text,
)
from concord.formats import USER_OPTIONS, ReadOptions
from concord.formats.errors import Problems, choices_of, json_path_part
from concord.formats.files import printable_path, unreadable_error
from concord.gate.label_rules import AltTestRule, DriftRule, JudgeRule
from concord.gate.result import PolicyResult, RuleResult
from concord.gate.rules import (
    MAX_FILES,
    MAX_NAME,
    AgreementRule,
    DifferenceRule,
    MeanRule,
    MetricRule,
    PolicyRule,
)

KINDS: dict[str, type[PolicyRule]] = {
    "agreement": AgreementRule,
    "metric": MetricRule,
    "judge": JudgeRule,
    "alt-test": AltTestRule,
    "drift": DriftRule,
    "mean": MeanRule,
    "difference": DifferenceRule,
}
NotEnough = Literal["xfail", "fail"]
_OPTIONS = {field.name: field for field in bounded_fields(ReadOptions)}
_KEYS = {"source": "from"}
"""Fields of rules whose keys are not their names."""


@dataclass(frozen=True)
class Policy:
    """A policy. rules: by name, in the order of the file. not_enough_evidence: how pytest and JUnit
    report such a rule."""

    path: Path
    rules: Mapping[str, PolicyRule]
    not_enough_evidence: NotEnough = "xfail"

    def check(self) -> PolicyResult:
        """Check all rules, in their order. Raises ValueError as `check_rule`."""
        return PolicyResult(self.path.name, [self.check_rule(name) for name in self.rules])

    def check_rule(self, name: str) -> RuleResult:
        """Check one rule. Raises ValueError, which names the policy and the rule, for files,
        systems, metrics and judges that cannot be read or do not exist, and for a metric that
        fails."""
        rule = self.rules[name]
        try:
            result = rule.measure(self.path.parent)
        except (ValueError, RuntimeError) as error:
            place = f"{self.path}: rules.{json_path_part(name)}"
            lines = (f"{place}: {line}" for line in str(error).split("\n"))
            raise ValueError("\n".join(lines)) from error
        kind = next(kind for kind, of in KINDS.items() if of is type(rule))
        return replace(result, name=name, kind=kind)


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
    tables, not_enough = document.pop("rules", {}), document.pop("not_enough_evidence", "xfail")
    for key in document:
        problems.add(file, None, json_path_part(key), "is unknown; choose rules or "
                     "not_enough_evidence")  # fmt: skip
    if not_enough not in get_args(NotEnough):
        message = f"must be one of {', '.join(get_args(NotEnough))}"
        problems.add(file, None, "not_enough_evidence", message)
    if not isinstance(tables, dict) or not tables:
        raise problems.fatal(file, None, "rules", "has no rule: write [rules.NAME]")
    rules = {}
    for name, table in tables.items():
        rule = _read_rule(table)
        if isinstance(rule, PolicyRule):
            rules[name] = rule
            continue
        for key, message in rule.items():
            parts = filter(None, ("rules", json_path_part(name), key))
            problems.add(file, None, ".".join(parts), message)
    problems.raise_if_any()
    return Policy(path, rules, cast(NotEnough, not_enough))


def _read_rule(table: object) -> PolicyRule | dict[str, str]:
    """The rule of a table, or {key: message} of its problems."""
    if not isinstance(table, dict):
        return {"": "must be a table: write [rules.NAME]"}
    if table.get("kind") not in KINDS:
        return {"kind": choices_of(KINDS, "kinds")}
    kind = KINDS[table["kind"]]
    fields = {_KEYS.get(one.name, one.name): one for one in bounded_fields(kind)}
    has_files = fields.pop("options", None) is not None
    problems: dict[str, str] = {}
    values: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for key, value in table.items():
        listed = [value] if key == "files" and isinstance(value, str) else value
        value = tuple(listed) if isinstance(listed, list) else listed
        if key in fields:
            values[fields[key].name] = value
        elif has_files and key in USER_OPTIONS:
            options[key] = value
            problems |= {json_path_part(key): one for one in _option_problems(key, value)}
        elif key != "kind":
            problems[json_path_part(key)] = f"is unknown; {choices_of(fields, 'keys')}"
    problems |= {
        key: "is missing" for key, one in fields.items() if one.is_required and key not in table
    }
    if problems:
        return problems
    rule = kind(**values, **({"options": options} if has_files else {}))
    found = {_KEYS.get(name, name): message for name, message in find_problems(rule).items()}
    return found or dict(rule.problems()) or normalize(rule)


def _option_problems(name: str, value: object) -> list[str]:
    """What is wrong with the type of a reader's option."""
    name_of = text(MAX_NAME)["bound"]
    bounds = {int: number(1, MAX_FILES)["bound"], str: name_of}
    option = _OPTIONS[name]
    bound = bounds.get(option.type) or items(MAX_FILES, each=name_of)["bound"]
    return find_value_problems(value, option.type, bound)
