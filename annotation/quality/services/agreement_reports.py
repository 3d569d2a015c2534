"""Agreement of a study's raters so far: overall, by stage, by constituent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from annotation.quality.services.rating_data import CollectedRatings, cached
from annotation.studies.models import Study
from concord.documents.agreement import RatingsAlpha
from concord.filtering.report import alpha_row
from concord.reliability import Coefficients, Level, Ratings

OVERALL = "all ratings"


@dataclass(frozen=True, kw_only=True)
class RatingsFigures:
    """The agreement figures of some ratings; beside: the coefficients beside alpha."""

    ratings: int
    raters: int
    candidates: int
    alpha: RatingsAlpha
    beside: Coefficients

    # names: the other fields of a subclass.
    @classmethod
    def of(  # names are of several types
        cls,
        ratings: Ratings,
        level: Level,
        *,
        scale: tuple[float, float] | None = None,
        seed: int,
        **names: Any,  # noqa: ANN401
    ) -> Self:
        """The figures, with the interval of alpha by resampling passages."""
        return cls(
            ratings=len(ratings),
            raters=len(set(ratings.raters.tolist())),
            candidates=int((ratings.unit_sizes > 0).sum()),
            alpha=alpha_row(ratings, level, seed=seed),
            beside=Coefficients.of(ratings, level, scale),
            **names,
        )

    @property
    def notes(self) -> list[str]:
        """The values, and how to read the coefficients."""
        return self.beside.notes(self.alpha["alpha"])

    @property
    def ratings_per_candidate(self) -> float | None:
        """Mean number of ratings of the rated candidates; alpha uses those with two or more."""
        return self.ratings / self.candidates if self.candidates else None


@dataclass(frozen=True, kw_only=True)
class AgreementFigures(RatingsFigures):
    """The figures of a part of a study. `kind`: "all", "stage" or "constituent"."""

    kind: str
    name: str


def agreement_table(
    study: Study, data: CollectedRatings, level: Level = "ordinal"
) -> list[AgreementFigures]:
    """A row for all ratings, one per stage and one per constituent if there are several."""

    def compute() -> list[AgreementFigures]:
        rows = [("all", OVERALL, data)]
        if len(data.stage_kinds) > 1:
            rows += [("stage", kind, data.of_stage(kind)) for kind in data.stage_kinds]
        constituents = sorted(set(data.constituents))
        if len(constituents) > 1:
            rows += [("constituent", name, data.of_constituent(name)) for name in constituents]
        scale = _scale(study, level)
        return [_row(study, kind, name, own.ratings, level, scale) for kind, name, own in rows]

    return cached(study, ("agreement and coefficients", level, data.digest), compute)


def _scale(study: Study, level: Level) -> tuple[float, float] | None:
    """The scale of the main question; None where answers are names."""
    protocol = study.current.protocol
    return None if level == "nominal" else (protocol.low, protocol.high)


def _row(
    study: Study,
    kind: str,
    name: str,
    ratings: Ratings,
    level: Level,
    scale: tuple[float, float] | None,
) -> AgreementFigures:
    seed = study.seed % 2**32
    return AgreementFigures.of(ratings, level, scale=scale, seed=seed, kind=kind, name=name)
