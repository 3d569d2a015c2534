"""Types of a study's cost, plan and ledger."""

from __future__ import annotations

from typing import Any, TypedDict


class Work(TypedDict):
    """An amount of work and its pay."""

    hits: int
    assignments: int
    ratings: int
    pay_cents: int


class StageCost(Work):
    """A stage's cost; of a test, by one worker. `problem`: why it cannot be packed yet."""

    kind: str
    candidates: int
    problem: str


class Cost(Work):
    """The stages' costs, and their total without the test."""

    stages: list[StageCost]


class PlanCell(TypedDict):
    """A number of raters and items; `enough`: the wanted width is reached."""

    raters: int
    items: int
    ratings: int
    cents: int
    width: float
    enough: bool


class PlanRow(TypedDict):
    """`needed`: the fewest items that reach the wanted width."""

    raters: int
    alpha: float
    cells: list[PlanCell]
    needed: PlanCell


class Plan(TypedDict):
    """What reaches the wanted width, by simulation."""

    cheapest: PlanCell
    rows: list[PlanRow]
    seed: int


class AlphaFigure(TypedDict):
    """A number, or why there is none."""

    value: float | None
    reason: str | None


class LedgerStep(TypedDict):
    """A filter or exclusion: `step` holds its kind and its options."""

    number: int
    step: dict[str, Any]
    note: str
    active: bool
    made_by: str
    made_at: str


class Ledger(TypedDict):
    """The ledger replayed; null: alpha that it makes of shuffled ratings; said: what of the gain
    is real."""

    steps: list[LedgerStep]
    offered: list[dict[str, Any]]
    kept: int
    removed: int
    before: AlphaFigure
    after: AlphaFigure
    null: float | None
    said: str
