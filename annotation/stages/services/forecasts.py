"""Forecasts of the raters and items a study needs, and their cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from django.db.models import Count

from annotation.quality.services.rating_data import cached, collect_first_ratings
from annotation.stages.services.stage_figures import stage_cost
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.bounds import choice, number
from concord.planning.plan import (
    Assumption,
    PayTerms,
    Plan,
    assume_crowd,
    estimate_from_ratings,
    make_plan,
)
from concord.protocols import Protocol
from concord.reliability import LEVELS, Level
from concord.simulation import Crowd

Source = Literal["ratings", "described"]


@dataclass(frozen=True, slots=True)
class ForecastOptions:
    """The target width of alpha's 95% interval, the platform's fee in percent, and the raters.

    Raters are like those of the ratings so far, or as described by `ability` (share of ratings that
    are not guessed), `noise` (SD in scale points) and `spam` (share of spammers).
    """

    width: float = field(
        default=0.1,
        metadata=number(0.01, 1, label="Target width", help="Width of alpha's 95% interval"),
    )
    fee: float = field(
        default=20,
        metadata=number(
            0,
            200,
            label="Platform fee, %",
            help="Percentage of each assignment's pay, rounded up to a cent",
        ),
    )
    level: Level = field(default="ordinal", metadata=choice(LEVELS, label="Alpha"))
    source: Source = field(
        default="described",
        metadata=choice(
            {"ratings": "As in the ratings so far", "described": "As described here"},
            label="Raters",
            help="Raters like those so far, or as described by ability, noise and spam.",
        ),
    )
    ability: float = field(
        default=0.8,
        metadata=number(0, 1, label="Ability", help="Share of ratings that are not guessed"),
    )
    noise: float = field(
        default=0.6, metadata=number(0, 10, label="Noise", help="SD in scale points")
    )
    spam: float = field(default=0.05, metadata=number(0, 1, label="Spam", help="Share of spammers"))


def forecast(study: Study, options: ForecastOptions) -> Plan:
    """The grid of raters and items for the study's pay and scale, by simulation with its seed.

    Raises PlanError if there are too few ratings for an estimate.
    """
    protocol = study.current.protocol
    size = candidates_per_hit(study)
    return cached(
        study,
        ("plan", study.seed, repr(protocol), options, size),
        lambda: _compute(study, protocol, options, size),
    )


def candidates_per_hit(study: Study) -> float | None:
    """The mean size of the full stage's HITs; None if they cannot be planned yet."""
    return stage_cost(study.stages.get(kind=Stage.Kind.FULL)).candidates_per_hit


def study_terms(study: Study, fee: float = 0.0) -> PayTerms:
    """What ratings of the study cost; fee: of the platform, in percent."""
    return _terms(study.current.protocol, candidates_per_hit(study), fee)


def ratings_per_candidate(study: Study) -> int:
    """The ratings that the protocol requires of a candidate, the mean over all, rounded; 0 without
    candidates."""
    protocol = study.current.protocol
    kinds = study.candidates.filter(use=StudyCandidate.Use.RATED, same_as=None).order_by()
    rows = kinds.values_list("instance__split", "instance__span_based").annotate(n=Count("pk"))
    required = [(protocol.ratings_for(split, span_based=spans), n) for split, spans, n in rows]
    total = sum(n for _, n in required)
    return round(sum(ratings * n for ratings, n in required) / total) if total else 0


def _terms(protocol: Protocol, size: float | None, fee: float) -> PayTerms:
    return PayTerms(protocol.pay, protocol.hit.max_candidates, fee, size)


def _compute(
    study: Study, protocol: Protocol, options: ForecastOptions, size: float | None
) -> Plan:
    terms = _terms(protocol, size, options.fee)
    assumption = _assumption(study, protocol, options)
    return make_plan(assumption, terms, options.width, level=options.level, seed=study.seed % 2**63)


def _assumption(study: Study, protocol: Protocol, options: ForecastOptions) -> Assumption:
    low, high = protocol.low, protocol.high
    if options.source == "ratings":
        ratings = collect_first_ratings(study).ratings
        return estimate_from_ratings(ratings, low, high, options.level, seed=study.seed % 2**63)
    return assume_crowd(Crowd(options.ability, 0.0, options.noise, options.spam, low, high))
