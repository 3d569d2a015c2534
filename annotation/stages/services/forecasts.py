"""How many raters and items a study would need, and what they would cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from annotation.quality.services.collected import collected, remembered
from annotation.studies.models import Study
from concord.planning.plan import (
    Assumption,
    PayTerms,
    Plan,
    assume_crowd,
    estimate_from_ratings,
    make_plan,
)
from concord.protocols import Protocol
from concord.reliability import Level
from concord.simulation import Crowd

Source = Literal["ratings", "described"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The width of alpha's 95% interval that is wanted, the platform's fee in per cent, and what
    raters are taken to be like: as in the ratings so far, or as `ability` (share of no guesses),
    `noise` (SD, in scale points) and `spam` (share of spammers) describe them."""

    width: float = 0.1
    fee: float = 20.0
    level: Level = "ordinal"
    source: Source = "described"
    ability: float = 0.8
    noise: float = 0.6
    spam: float = 0.05


def forecast(study: Study, wanted: Wanted) -> Plan:
    """The grid of raters and items for the study's pay and scale, by simulation with its seed.

    Raises PlanError where the ratings so far tell too little.
    """
    protocol = study.current.protocol
    return remembered(
        study,
        ("plan", study.seed, repr(protocol), wanted),
        lambda: _computed(study, protocol, wanted),
    )


def _computed(study: Study, protocol: Protocol, wanted: Wanted) -> Plan:
    terms = PayTerms(protocol.pay, protocol.hit.most_candidates, wanted.fee)
    assumption = _assumption(study, protocol, wanted)
    return make_plan(assumption, terms, wanted.width, level=wanted.level, seed=study.seed % 2**63)


def _assumption(study: Study, protocol: Protocol, wanted: Wanted) -> Assumption:
    low, high = protocol.low, protocol.high
    if wanted.source == "ratings":
        ratings = collected(study).ratings
        return estimate_from_ratings(ratings, low, high, wanted.level, seed=study.seed % 2**63)
    return assume_crowd(Crowd(wanted.ability, 0.0, wanted.noise, wanted.spam, low, high))
