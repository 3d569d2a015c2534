"""Directives of the Python reference, from signatures and docstrings, which are Markdown.

- `{python-module} NAME`: its docstring and its public names: those of `__all__`, else its own.
  `:exclude: A, B` leaves names out. `:own:` leaves out what other modules define, and puts the
  module's name above, for pages of several modules.
- `{python-class} NAME`: one class.

Public constants are shown where a docstring follows them.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, is_typeddict

from config.documentation.markdown import DirectiveCall, code_block, table

#: A signature that is longer has a parameter a line.
MAX_LINE = 88
EXAMPLE = re.compile(r"^(>>> .*?)(?=\n\s*\n|\Z)", re.M | re.S)


def python_module(call: DirectiveCall) -> str:
    module = importlib.import_module(call.argument)
    is_own = "own" in call.options
    excluded = {name.strip() for name in call.options.get("exclude", "").split(",")}
    level = 3 if is_own else 2
    parts = [f"## {call.argument}"] if is_own else []
    parts.append(docstring(module))
    for name, thing in _public(module, is_own):
        if name not in excluded:
            parts.append(_described(name, thing, level))
    parts += _constants(module, level)
    return "\n\n".join(filter(None, parts))


def python_class(call: DirectiveCall) -> str:
    module, _, name = call.argument.rpartition(".")
    return _class(name, getattr(importlib.import_module(module), name), 2)


DIRECTIVES = MappingProxyType({"python-module": python_module, "python-class": python_class})


def docstring(thing: object) -> str:
    """A docstring as Markdown; its examples are blocks of code."""
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    return re.sub(
        r"^(>>> .*?)(?=\n\s*\n|\Z)",
        lambda match: code_block(match[1], "pycon"),
        text,
        flags=re.M | re.S,
    )


# What a page of the reference documents.
Documented = type | FunctionType


def _public(module: ModuleType, is_own: bool) -> Iterator[tuple[str, Documented]]:
    """Classes and functions; own ones in the order of the source, else by name."""
    names = getattr(module, "__all__", None)
    things = {name: getattr(module, name) for name in names or vars(module)}
    for name, thing in things.items():
        if name.startswith("_") or not isinstance(thing, type | FunctionType):
            continue
        if thing.__module__ == module.__name__ or (names is not None and not is_own):
            yield name, thing


def _described(name: str, thing: Documented, level: int) -> str:
    if isinstance(thing, type):
        return _class(name, thing, level)
    heading = "#" * level
    return f"{heading} {name}\n\n{_signature(name, thing)}\n\n{docstring(thing)}"


def _class(name: str, thing: type, level: int) -> str:
    parts = [f"{'#' * level} {name}"]
    fields = _fields(thing)
    if not fields:  # else its table says what the signature would
        parts.append(_signature(name, thing))
    text = docstring(thing)
    # A dataclass without a docstring gets its signature as one.
    parts.append("" if text.startswith(f"{thing.__name__}(") else text)
    parts.append(fields)
    for member, value in vars(thing).items():
        if not member.startswith("_"):
            parts.append(_member(member, value))
    return "\n\n".join(filter(None, parts))


def _member(name: str, value: object) -> str:
    """A method or property that has a docstring, as a term and its definition."""
    function = value
    if isinstance(value, classmethod | staticmethod):
        function = value.__func__
    elif isinstance(value, property):
        function = value.fget
    text = docstring(function)
    if not text or not isinstance(function, FunctionType):
        return ""
    if isinstance(value, property):
        returned = inspect.signature(function).return_annotation
        kind = "" if returned is inspect.Signature.empty else f": {_annotation(returned)}"
        head = f"`{name}{kind}`"
    else:
        head = f"`{_call(name, function, is_method=not isinstance(value, staticmethod))}`"
    return f"{head}\n: " + textwrap.indent(text, "  ").lstrip()


def _signature(name: str, thing: Documented) -> str:
    if isinstance(thing, type):
        if issubclass(thing, BaseException) or not _has_constructor(thing):
            return code_block(f"class {name}", "python")
        return code_block(f"class {_call(name, thing, is_method=False)}", "python")
    return code_block(_call(name, thing, is_method=False), "python")


def _has_constructor(thing: type[Any]) -> bool:  # mypy: of any class
    return thing.__init__ is not object.__init__ and not getattr(thing, "_is_protocol", False)


def _call(name: str, thing: Documented, *, is_method: bool) -> str:
    """A name with its parameters; a parameter a line where they are long."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):  # a class of another language
        return name
    parameters = list(signature.parameters.values())[1 if is_method else 0 :]
    parts: list[str] = []
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not any(
            part.startswith("*") for part in parts
        ):
            parts.append("*")
        parts.append(_parameter(parameter))
    returned = signature.return_annotation
    has_result = returned is not signature.empty and not isinstance(thing, type)
    result = f" -> {_annotation(returned)}" if has_result else ""
    line = f"{name}({', '.join(parts)}){result}"
    if len(line) <= MAX_LINE or is_method:
        return line
    lines = "".join(f"    {part},\n" for part in parts)
    return f"{name}(\n{lines}){result}"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = ""
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
    text = f"{stars}{parameter.name}"
    has_type = parameter.annotation is not parameter.empty
    if has_type:
        text += f": {_annotation(parameter.annotation)}"
    if parameter.default is not parameter.empty:
        default = parameter.default
        value = default.__name__ if callable(default) else repr(default)
        value = "..." if len(value) > 60 or value.startswith("<") else value
        text += f" = {value}" if has_type else f"={value}"
    return text


def _annotation(annotation: object) -> str:
    if isinstance(annotation, str):
        return annotation
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", inspect.formatannotation(annotation))


def _fields(thing: type) -> str:
    """The fields of a TypedDict, NamedTuple or dataclass whose source says what one means."""
    is_record = dataclasses.is_dataclass(thing) or is_typeddict(thing) or hasattr(thing, "_fields")
    if not is_record:
        return ""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(thing))).body
    except (OSError, TypeError):  # made by a call
        return ""
    assert isinstance(tree, ast.ClassDef)
    rows = []
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if node.target.id.startswith("_"):
                continue
            kind, meaning = _meaning(node.annotation)
            if node.value is not None:
                kind += f" = {ast.unparse(node.value)}"
            rows.append((f"`{node.target.id}`", f"`{kind}`", _text_of(after) or meaning))
    if not rows or not (is_typeddict(thing) or any(meaning for _, _, meaning in rows)):
        return ""
    return table(("field", "type, and default", "meaning"), rows)


def _meaning(annotation: ast.expr) -> tuple[str, str]:
    """A field's type, and what `Annotated` says of it."""
    if not isinstance(annotation, ast.Subscript):
        return ast.unparse(annotation), ""
    name, inner = ast.unparse(annotation.value), annotation.slice
    if name == "NotRequired":
        required, meaning = _meaning(inner)
        return f"NotRequired[{required}]", meaning
    if name != "Annotated" or not isinstance(inner, ast.Tuple):
        return ast.unparse(annotation), ""
    kind, *notes = inner.elts
    texts = [_text_of(ast.Expr(note)) or f"`{ast.unparse(note)}`" for note in notes]
    return ast.unparse(kind), " ".join(texts)


def _text_of(node: ast.stmt | None) -> str:
    """The text of a statement that is only a string, in one line."""
    value = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return ""
    return " ".join(value.value.split())


def _constants(module: ModuleType, level: int) -> Iterator[str]:
    """Public names of the module's own whose docstring follows them."""
    body = ast.parse(inspect.getsource(module)).body
    names = getattr(module, "__all__", None)
    for node, after in pairwise(body):
        if isinstance(node, ast.Assign):
            target: ast.expr = node.targets[0]
        elif isinstance(node, ast.AnnAssign):
            target = node.target
        else:
            continue
        text = _text_of(after)
        if not text or not isinstance(target, ast.Name) or target.id.startswith("_"):
            continue
        if names is None or target.id in names:
            yield f"{'#' * level} {target.id}\n\n{text}"
