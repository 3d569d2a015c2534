"""When a design stops: its target, the estimates at each look, and the units still needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import scipy

from concord.arrays import Floats
from concord.estimation.differences import MeanDifference, differences
from concord.estimation.estimates import Method, SystemEstimate
from concord.estimation.sample import EstimationError
from concord.formats.numbers import read_number
from concord.inference import Z95
from concord.sampling.draws import Wave, wave_information
from concord.sampling.estimates import WaveEstimate, complete_waves, estimate_design
from concord.sampling.looks import look_levels
from concord.sampling.population import Population

TargetKind = Literal["width", "ranking", "budget"]
TARGET_KINDS: tuple[TargetKind, ...] = get_args(TargetKind)


@dataclass(frozen=True)
class StoppingRule:
    """When a design stops.

    kind: "width": when no system's interval is wider than `value`. "ranking": when all pairs of
    systems differ significantly; `value` is the familywise error rate over all pairs and looks.
    "budget": only when the budget is used. budget: the largest expected number of units to draw.
    Raises EstimationError for values that are not allowed.
    """

    kind: TargetKind
    value: float
    budget: int

    def __post_init__(self) -> None:
        if self.kind not in TARGET_KINDS:
            raise EstimationError(f"'{self.kind}' is not one of {', '.join(TARGET_KINDS)}")
        if self.kind == "width" and not 0 < self.value < math.inf:
            raise EstimationError("a width must be above 0")
        if self.kind == "ranking" and not 0 < self.value < 0.5:
            raise EstimationError("a level must be above 0 and below 0.5")
        if self.budget < 1:
            raise EstimationError("a budget must be 1 or more")

    def __str__(self) -> str:
        return self.kind if self.kind == "budget" else f"{self.kind} {self.value:g}"


@dataclass(frozen=True, eq=False)
class Look:
    """Estimates after the complete waves.

    waves: number of complete waves. units: number of units that they drew. pending: number of units
    drawn by waves that are not complete. share: expected number of units drawn, as a share of the
    budget, at most 1. level: the intervals have confidence 1 - level, so that the intervals of a
    system at all looks contain its mean with probability 0.95. unresolved: pairs of systems that do
    not differ significantly after the correction for all looks. is_reached: whether the target is
    reached. is_over: whether the target is reached, the budget used, or every unit drawn.
    remaining: (expected, low, high) number of further units until the target, with its 95% range;
    None where it is unknown.
    """

    waves: int
    units: int
    pending: int
    share: float
    level: float
    estimates: list[SystemEstimate]
    differences: list[MeanDifference]
    unresolved: list[tuple[str, str]]
    is_reached: bool
    is_over: bool
    remaining: tuple[int, int, int] | None

    @property
    def width(self) -> float | None:
        """Width of the widest interval; None where a system has no interval."""
        widths = [math.inf if row.ci is None else row.ci[1] - row.ci[0] for row in self.estimates]
        return max(widths) if math.isfinite(max(widths)) else None


def look(
    population: Population,
    outcomes: Floats,
    waves: Sequence[Wave],
    rule: StoppingRule,
    *,
    method: Method = "auto",
    parts: Sequence[WaveEstimate] | None = None,
) -> Look:
    """The estimates after the complete waves; arguments and errors as in `estimate_design`.

    Every complete wave counts as one look, even if nobody saw its estimates.
    """
    complete = complete_waves(population, outcomes, waves)
    units = sum(int(wave.drawn.sum()) for wave in complete)
    pending = sum(int(wave.drawn.sum()) for wave in waves[len(complete) :])
    if not complete:
        raise EstimationError("no wave is rated completely: rate all draws of the first wave")
    shares, information = _plan(complete, rule.budget)
    level = look_levels(shares, 0.05, information)[-1]
    rows = estimate_design(
        population, outcomes, waves, method=method, confidence=1 - level, parts=parts
    )
    gaps, _ = differences(rows, confidence=1 - level)
    pairs = list(combinations(population.names, 2))
    error = rule.value if rule.kind == "ranking" else 0.05
    pair_level = look_levels(shares, error / max(1, len(pairs)), information)[-1]
    resolved = {(gap.first, gap.second) for gap in gaps if gap.p <= pair_level}
    unresolved = [pair for pair in pairs if pair not in resolved]
    is_reached = rule.kind == "ranking" and not unresolved
    ratios: list[Ratios | None] = []
    if rule.kind == "width":
        is_reached = all(row.ci and row.ci[1] - row.ci[0] <= rule.value for row in rows)
        ratios = [_width_ratios(row, rule.value) for row in rows]
    elif rule.kind == "ranking":
        ratios = [_gap_ratios(gap, pair_level) for gap in gaps] + [None] * (len(pairs) - len(gaps))
    is_used = shares[-1] >= 1 or units == population.size
    remaining = None if is_reached else _remaining(ratios, units, population.size)
    return Look(
        waves=len(complete),
        units=units,
        pending=pending,
        share=shares[-1],
        level=level,
        estimates=rows,
        differences=gaps,
        unresolved=unresolved,
        is_reached=is_reached,
        is_over=is_reached or is_used,
        remaining=remaining,
    )


def look_confidence(waves: Sequence[Wave], budget: int) -> float:
    """The confidence of the intervals after these complete waves; each counts as one look."""
    if not waves:
        return 0.95
    shares, information = _plan(waves, budget)
    return 1 - look_levels(shares, 0.05, information)[-1]


MAX_INFORMATION_RATIO = 1e4
"""The largest information of a look, as a multiple of the first look's."""


def _plan(waves: Sequence[Wave], budget: int) -> tuple[list[float], list[float]]:
    """(shares of the budget, information) of the looks; looks beyond the budget count as one."""
    expected = np.cumsum([np.nansum(wave.probabilities) for wave in waves])
    shares = (expected / budget).tolist()
    information = np.cumsum(wave_information(waves))
    # A wave that draws all remaining units has infinite information. A large finite value makes its
    # estimate almost independent of the earlier ones.
    finite = information[0] * MAX_INFORMATION_RATIO if np.isfinite(information[0]) else 1.0
    information = np.minimum(information, finite * (1 + np.arange(len(waves))))
    within = sum(share < 1 - 1e-9 for share in shares)
    if within == len(shares):
        return shares, information.tolist()
    return [*shares[:within], 1.0], [*information[:within].tolist(), float(information[-1])]


Ratios = tuple[float, float, float]
"""A variance over the needed one: expected, low, high, of its 95% range."""


def _remaining(
    ratios: Sequence[Ratios | None], units: int, size: int
) -> tuple[int, int, int] | None:
    """(expected, low, high) number of further units until the target, after `units` of `size`.

    Assumes that the estimated variances and differences are the true ones. The 95% range follows
    from the interval of the variance for a width, and from that of the differences for a ranking.
    None for a budget, and where a system has no interval.
    """
    if None in ratios or not ratios:
        return None
    worst = np.max(np.array(ratios, dtype=np.float64), axis=0)
    # With n of M units drawn, the variance is proportional to 1 / n - 1 / M.
    now = 1 / units - 1 / size
    needed = [1 / (now / max(ratio, 1.0) + 1 / size) - units for ratio in worst]
    expected, low, high = (math.ceil(max(0.0, n)) for n in needed)
    return expected, low, high


def _width_ratios(row: SystemEstimate, width: float) -> Ratios | None:
    """The variance over the variance needed for this width."""
    if row.ci is None or row.influence is None:
        return None
    ratio = ((row.ci[1] - row.ci[0]) / width) ** 2
    degrees = row.influence.degrees
    high, low = (degrees / float(scipy.special.chdtri(degrees, q)) for q in (0.975, 0.025))
    return ratio, ratio * low, ratio * high


def _gap_ratios(gap: MeanDifference, level: float) -> Ratios:
    """As `_width_ratios`, for the variance with which the difference is significant at `level`."""
    z = -float(scipy.special.ndtri(gap.p / 2))
    needed = -float(scipy.special.ndtri(level / 2))
    smallest = 1e-3
    ends = (z, z + Z95, max(abs(z) - Z95, smallest))
    ratios = tuple((needed / max(end, smallest)) ** 2 for end in ends)
    return ratios[0], ratios[1], ratios[2]


def stopping_rule(text: str, budget: int) -> StoppingRule:
    """Parse `width:0.5`, `ranking:0.05` or `budget`. Raises EstimationError."""
    kind, _, value = text.partition(":")
    number = read_number(value) if kind != "budget" else float(budget)
    if kind not in TARGET_KINDS or isinstance(number, str) or (kind == "budget" and value):
        raise EstimationError(f"'{text}' is not a target: write width:W, ranking:LEVEL or budget")
    return StoppingRule(kind, number, budget)
