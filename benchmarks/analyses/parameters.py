"""Bounds of parameters that several analyses have."""

from __future__ import annotations

from dataclasses import dataclass, field

from concord.bounds import choice, number, text
from concord.bounds.metadata import Metadata
from concord.meta.board import GROUPINGS
from concord.meta.inference import Coefficient

MAX_DRAWS = MAX_SEED = 100_000_000


def draws_field(default: int) -> int:
    """The number of random draws."""
    return field(default=default, metadata=number(0, MAX_DRAWS))


def seed_field(default: int = 1) -> int:
    """The seed of the random draws."""
    return field(default=default, metadata=number(0, MAX_SEED))


def any_name(help: str = "") -> Metadata:
    """The bound of a name out of the set, which may have any characters."""
    return text(500, multiline=True, exact=True, help=help)


@dataclass(frozen=True, kw_only=True)
class PartParameters:
    """The part of a set: a group of a grouping; the whole set if both are ""."""

    by: str = field(default="", metadata=choice(("", *GROUPINGS)))
    group: str = field(default="", metadata=any_name())


@dataclass(frozen=True, kw_only=True)
class RunParameters:
    """The metric run that helps to estimate; 0 is the one that is first on the board."""

    run: int = field(default=0, metadata=number(0, 2**63 - 1))


@dataclass(frozen=True, kw_only=True)
class CoefficientParameters:
    """How correlations with people are computed."""

    coefficient: Coefficient = "pearson"
    draws: int = draws_field(1000)
    seed: int = seed_field()


@dataclass(frozen=True, kw_only=True)
class BootstrapParameters:
    """Of the bootstraps of passages."""

    draws: int = draws_field(1000)
    seed: int = seed_field(0)
