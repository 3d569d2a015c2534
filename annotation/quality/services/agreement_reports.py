"""Agreement of a study's raters, as far as they have got: overall, by stage, by constituent."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.quality.services.collected import Collected, remembered
from annotation.studies.models import Study
from concord.reliability import (
    Alpha,
    Figure,
    Interval,
    IntraclassCorrelation,
    Level,
    PairwiseKappa,
    alpha_interval,
    intraclass_correlation,
    mean_weighted_kappa,
    percent_agreement,
    reported_alpha,
)

DRAWS = 1000
OVERALL = "all ratings"


@dataclass(frozen=True)
class AgreementRow:
    """Every figure of agreement for some ratings. `kind`: "all", "stage" or "constituent"."""

    kind: str
    name: str
    ratings: int
    raters: int
    alpha: Alpha
    interval: Interval
    percent: Figure
    icc: IntraclassCorrelation
    kappa: PairwiseKappa


def agreement_row(
    kind: str, name: str, chosen: Collected, level: Level, *, seed: int
) -> AgreementRow:
    """The figures of these ratings, the interval by resampling passages."""
    ratings = chosen.ratings
    return AgreementRow(
        kind=kind,
        name=name,
        ratings=len(ratings),
        raters=len(set(ratings.raters.tolist())),
        alpha=reported_alpha(ratings, level),
        interval=alpha_interval(ratings, level, seed=seed, draws=DRAWS),
        percent=percent_agreement(ratings),
        icc=intraclass_correlation(ratings),
        kappa=mean_weighted_kappa(ratings),
    )


def agreement_table(study: Study, found: Collected, level: Level = "ordinal") -> list[AgreementRow]:
    """A row for all ratings, one a stage where there are several, one a constituent likewise."""

    def compute() -> list[AgreementRow]:
        seed = study.seed % 2**32
        rows = [agreement_row("all", OVERALL, found, level, seed=seed)]
        if len(found.stage_kinds) > 1:
            rows += [
                agreement_row("stage", kind, found.of_stage(kind), level, seed=seed)
                for kind in found.stage_kinds
            ]
        constituents = sorted(set(found.constituents))
        if len(constituents) > 1:
            rows += [
                agreement_row("constituent", name, found.of_constituent(name), level, seed=seed)
                for name in constituents
            ]
        return rows

    return remembered(study, ("agreement", level, found.digest), compute)


def stage_agreement(
    study: Study, found: Collected, kind: str, level: Level = "ordinal"
) -> AgreementRow:
    """The figures of one stage's ratings."""
    return remembered(
        study,
        ("stage agreement", kind, level, found.digest),
        lambda: agreement_row("stage", kind, found.of_stage(kind), level, seed=study.seed % 2**32),
    )
