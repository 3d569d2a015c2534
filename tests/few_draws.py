"""Bootstraps of the site with few draws, where a test does not ask for more.

The figures are the same, their intervals are rougher, and most boards take a third of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields

from benchmarks.analyses.kinds.agreement import human_agreement
from benchmarks.analyses.registry import KINDS

DRAWS, PEOPLES_DRAWS = 50, 20


def use() -> None:
    """Lower the defaults of all analyses, and the draws of the agreement among people."""
    human_agreement.DRAWS = PEOPLES_DRAWS
    _set_defaults(lambda usual: DRAWS)


@contextmanager
def usual_draws() -> Iterator[None]:
    """The defaults of the site."""
    _set_defaults(lambda usual: usual)
    yield
    _set_defaults(lambda usual: DRAWS)


def _set_defaults(default: Callable[[int], int]) -> None:
    for (kind, name), usual in _USUAL.items():
        parameters = KINDS[kind].parameters
        next(one for one in fields(parameters) if one.name == name).default = default(usual)
        parameters.__init__.__kwdefaults__[name] = default(usual)


_USUAL = {
    (kind.name, field.name): field.default
    for kind in KINDS.values()
    for field in fields(kind.parameters)
    if field.name in ("draws", "soft_draws")
}
