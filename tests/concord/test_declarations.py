"""Signatures, results and names of the library: no long argument list, no flag in disguise."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAX_ARGUMENTS = 7
# Public functions, whose keyword arguments are options of one call.
MANY_OPTIONS = {
    "concord/boards.py: leaderboard",
    "concord/bounds/metadata.py: items",
    "concord/bounds/metadata.py: text",
    "concord/client/transport.py: _ask",
    "concord/estimation/estimates.py: system_estimate",
    "concord/sampling/estimates.py: estimate_design",
}
STATISTICS = [
    "aggregation", "estimation", "filtering", "judges", "meta", "planning", "preferences",
    "reliability", "sampling", "spans",
]  # fmt: skip
MAX_POSITIONAL = 4
# They read text or JSON, where a value may be a word.
READERS = {"stopping_rule", "parse", "_step", "read_verdict"}
PACKAGES = (
    "annotation", "benchmarks", "concord", "config", "core", "mturk_sandbox", "scorers",
)  # fmt: skip
# Documents and bodies whose names are those of the API's schema, models, which name tables, and
# what Django and the command line find by its name. An item is one of a study, or one to score.
SAME_NAMES = {
    "Command", "Comparison", "Criterion", "Item", "Rating",
}  # fmt: skip


def parsed(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text())


def statistics() -> Iterator[tuple[str, ast.Module]]:
    yield from parsed(*(f"concord/{name}" for name in STATISTICS))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    every = function.args
    named = [*every.posonlyargs, *every.args, *every.kwonlyargs]
    count = sum(argument.arg not in ("self", "cls") for argument in named)
    return count + (every.vararg is not None) + (every.kwarg is not None)


def dataclasses_of(tree: ast.Module) -> set[str]:
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
    }


def test_no_function_takes_more_than_seven_arguments() -> None:
    long = {
        f"{path}: {function.name}"
        for path, tree in parsed("concord")
        for function in functions(tree)
        if arguments(function) > MAX_ARGUMENTS
    }
    assert long == MANY_OPTIONS


def test_results_are_built_by_name_and_not_by_position() -> None:
    """A reader cannot tell the ninth argument from the tenth, or what a None stands for."""
    names = {name for _, tree in statistics() for name in dataclasses_of(tree)}
    unnamed = [
        f"{path}:{call.lineno}: {ast.unparse(call)}"
        for path, tree in statistics()
        if not path.startswith("concord/judges/chat/")
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in names
        and (
            len(call.args) > MAX_POSITIONAL
            or any(
                isinstance(argument, ast.Constant)
                and (argument.value is None or isinstance(argument.value, bool))
                for argument in call.args
            )
        )
    ]
    assert unnamed == []


def test_no_union_with_a_word_is_used_as_a_flag() -> None:
    flags = {
        f"{path}: {function.name}"
        for path, tree in statistics()
        for function in functions(tree)
        if function.name not in READERS
        and any(
            isinstance(call, ast.Call)
            and ast.unparse(call.func) == "isinstance"
            and ast.unparse(call.args[1]) == "str"
            for call in ast.walk(function)
        )
    }
    assert flags == set()


def test_a_class_name_is_used_once() -> None:
    """Of classes inside others, such as Django's Meta and choices, the outer one is part of the
    name."""
    places = defaultdict(list)
    for path, tree in parsed(*PACKAGES):
        if "/migrations/" not in path:
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(path)
    assert {name for name, paths in places.items() if len(paths) > 1} == SAME_NAMES
