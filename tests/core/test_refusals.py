"""What services refuse has a known code, and goes unchanged from a worker to its caller."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterator

from django.conf import settings

from core.refusals import KINDS, RefusedError


def codes() -> Iterator[str]:
    """The codes of all refusals in the code of the site."""
    for package in ("annotation", "benchmarks", "config", "core"):
        for path in (settings.BASE_DIR / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RefusedError":
                    code = node.args[1]
                    assert isinstance(code, ast.Constant), f"{path}:{node.lineno}"
                    yield str(code.value)
                if isinstance(node, ast.ClassDef) and "RefusedError" in map(
                    ast.unparse, node.bases
                ):
                    constants = (one for one in ast.walk(node) if isinstance(one, ast.Constant))
                    yield from {str(one.value) for one in constants} & KINDS.keys()


def test_every_code_has_a_status_and_a_title() -> None:
    assert set(codes()) == set(KINDS)


def test_a_refusal_is_pickled_whole() -> None:
    error = pickle.loads(pickle.dumps(RefusedError("Too long.", "value-refused", "note")))
    assert (str(error), error.code, error.field, error.status) == (
        *("Too long.", "value-refused", "note"),
        422,
    )
