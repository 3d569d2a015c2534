"""Agreement of raters on each criterion of a protocol, before and after the ledger.

The values of different criteria are never mixed. The ledger's steps apply to each criterion's own
values: an excluded rating is excluded from all, a z-score filter looks at the criterion's z-scores.
Filters that compute with values skip criteria whose answers are names.
"""

from __future__ import annotations

from dataclasses import dataclass

from annotation.quality.services.agreement_reports import DRAWS
from annotation.quality.services.ledgers import ledger_of, ledger_state, steps_of
from annotation.quality.services.rating_data import (
    CollectedRatings,
    cached,
    collect_ratings,
    gold_stages,
)
from annotation.studies.models import Study
from concord.filtering import Ledger, WorkerFilter, ZScoreFilter, replay
from concord.protocols import Criterion
from concord.protocols.answers import CODED
from concord.reliability import (
    Alpha,
    Figure,
    Interval,
    Level,
    alpha_interval,
    gwet_ac2,
    percent_agreement,
    reported_alpha,
)


@dataclass(frozen=True)
class CriterionRow:
    """The agreement on one criterion. `ac2` is None where its answers have no order.

    alpha, interval, percent, ac2: before the ledger. after, after_interval: alpha after it.
    """

    name: str
    question: str
    kind: str
    level: Level
    ratings: int
    raters: int
    candidates: int
    alpha: Alpha
    interval: Interval
    percent: Figure
    ac2: Figure | None
    after: Alpha
    after_interval: Interval
    kept: int

    @property
    def ratings_per_candidate(self) -> float | None:
        """Mean number of answers of the candidates that have any."""
        return self.ratings / self.candidates if self.candidates else None


def level_of(criterion: Criterion, level: Level) -> Level:
    """The level of measurement of a criterion: nominal for names, interval for a slider, and
    `level`, that of the main question, for a scale."""
    if criterion.kind == "slider":
        return "interval"
    return level if criterion.kind == "scale" else "nominal"


def kept_of(criterion: Criterion, data: CollectedRatings, ledger: Ledger) -> CollectedRatings:
    """The answers to a criterion that the ledger keeps."""
    if criterion.kind not in ("scale", "slider"):
        steps = ledger.steps
        ledger = Ledger(tuple(s for s in steps if not isinstance(s, ZScoreFilter | WorkerFilter)))
    return data.keep(replay(ledger, data.ratings, seconds=data.seconds).kept)


def criteria_agreement(study: Study, level: Level = "ordinal") -> list[CriterionRow]:
    """A row for each criterion whose answers are numbers, options or yes and no. Cached.

    Only ratings of stages that count for the gold score are used. Several choices and free texts
    have no coefficient here.
    """
    criteria = [one for one in study.current.protocol.criteria if one.kind in CODED]
    if not criteria:
        return []

    def compute() -> list[CriterionRow]:
        stages, ledger = gold_stages(study), ledger_of(steps_of(study))
        return [
            _row(study, one, collect_ratings(study, stages, one), ledger, level_of(one, level))
            for one in criteria
        ]

    key = ("criteria", level, repr(criteria), ledger_state(study))
    return cached(study, key, compute)


def _row(
    study: Study, criterion: Criterion, data: CollectedRatings, ledger: Ledger, level: Level
) -> CriterionRow:
    seed = study.seed % 2**32
    ratings, kept = data.ratings, kept_of(criterion, data, ledger).ratings
    return CriterionRow(
        name=criterion.name,
        question=criterion.question,
        kind=criterion.kind,
        level=level,
        ratings=len(ratings),
        raters=len(set(ratings.raters.tolist())),
        candidates=int((ratings.unit_sizes > 0).sum()),
        alpha=reported_alpha(ratings, level),
        interval=alpha_interval(ratings, level, seed=seed, draws=DRAWS),
        percent=percent_agreement(ratings),
        ac2=None if level == "nominal" else gwet_ac2(ratings),
        after=reported_alpha(kept, level),
        after_interval=alpha_interval(kept, level, seed=seed, draws=DRAWS),
        kept=len(kept),
    )
