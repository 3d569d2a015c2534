"""Agreement of a study's raters so far: overall, by stage, by constituent."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.quality.services.rating_data import CollectedRatings, cached
from annotation.studies.models import Study
from concord.inference import Estimate
from concord.reliability import (
    Alpha,
    IntraclassCorrelation,
    Level,
    PairwiseKappa,
    Ratings,
    ReliabilityFigure,
    alpha_interval,
    gwet_ac2,
    intraclass_correlation,
    mean_weighted_kappa,
    percent_agreement,
    reported_alpha,
)

DRAWS = 1000
OVERALL = "all ratings"


@dataclass(frozen=True)
class AgreementFigures:
    """The agreement figures of some ratings. `kind`: "all", "stage" or "constituent".

    `icc`, `kappa` and `ac2` as `figures_at` gives them.
    """

    kind: str
    name: str
    ratings: int
    raters: int
    candidates: int
    alpha: Alpha
    interval: Estimate
    percent: ReliabilityFigure
    icc: IntraclassCorrelation | None
    kappa: PairwiseKappa
    ac2: ReliabilityFigure | None

    @property
    def ratings_per_candidate(self) -> float | None:
        """Mean number of ratings of the rated candidates; alpha uses those with two or more."""
        return self.ratings / self.candidates if self.candidates else None


def figures_at(
    level: Level, ratings: Ratings
) -> tuple[IntraclassCorrelation | None, PairwiseKappa, ReliabilityFigure | None]:
    """ICC, mean pairwise kappa and AC2 with ordinal weights.

    Kappa has quadratic weights. At the nominal level, where values are names, it has none, and ICC
    and AC2 are None.
    """
    if level == "nominal":
        return None, mean_weighted_kappa(ratings, "nominal"), None
    return intraclass_correlation(ratings), mean_weighted_kappa(ratings), gwet_ac2(ratings)


def agreement_row(
    kind: str, name: str, data: CollectedRatings, level: Level, *, seed: int
) -> AgreementFigures:
    """The figures of these ratings, with intervals by resampling passages."""
    ratings = data.ratings
    icc, kappa, ac2 = figures_at(level, ratings)
    return AgreementFigures(
        kind=kind,
        name=name,
        ratings=len(ratings),
        raters=len(set(ratings.raters.tolist())),
        candidates=int((ratings.unit_sizes > 0).sum()),
        alpha=reported_alpha(ratings, level),
        interval=alpha_interval(ratings, level, seed=seed, draws=DRAWS),
        percent=percent_agreement(ratings),
        icc=icc,
        kappa=kappa,
        ac2=ac2,
    )


def agreement_table(
    study: Study, data: CollectedRatings, level: Level = "ordinal"
) -> list[AgreementFigures]:
    """A row for all ratings, one per stage and one per constituent if there are several."""

    def compute() -> list[AgreementFigures]:
        seed = study.seed % 2**32
        rows = [agreement_row("all", OVERALL, data, level, seed=seed)]
        if len(data.stage_kinds) > 1:
            rows += [
                agreement_row("stage", kind, data.of_stage(kind), level, seed=seed)
                for kind in data.stage_kinds
            ]
        constituents = sorted(set(data.constituents))
        if len(constituents) > 1:
            rows += [
                agreement_row("constituent", name, data.of_constituent(name), level, seed=seed)
                for name in constituents
            ]
        return rows

    return cached(study, ("agreement by level", level, data.digest), compute)


def stage_agreement(
    study: Study, data: CollectedRatings, kind: str, level: Level = "ordinal"
) -> AgreementFigures:
    """The figures of one stage's ratings."""
    return cached(
        study,
        ("stage agreement by level", kind, level, data.digest),
        lambda: agreement_row("stage", kind, data.of_stage(kind), level, seed=study.seed % 2**32),
    )
