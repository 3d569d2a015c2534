"""Agreement, gold scores and marks of each criterion of a protocol.

The values of different criteria are never mixed. The ledger's steps apply to each criterion's own
values: an excluded rating is excluded from all, a z-score filter looks at the criterion's z-scores.
Filters that compute with values skip criteria whose answers are names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation.quality.services.agreement_reports import RatingsFigures
from annotation.quality.services.gold import (
    METHODS,
    KeptRating,
    adjudicated_values,
    kept_ratings_by_unit,
)
from annotation.quality.services.ledgers import (
    ledger_of,
    ledger_state,
    removed_ratings,
    steps_of,
)
from annotation.quality.services.rating_data import (
    CollectedRatings,
    cached,
    collect_ratings,
    gold_stages,
    usable_ratings,
)
from annotation.rating.services.span_fields import MarkedPart
from annotation.studies.models import Study
from concord.aggregation import gold_scores
from concord.documents.agreement import RatingsAlpha
from concord.filtering import Ledger, WorkerFilter, ZScoreFilter, replay
from concord.filtering.report import alpha_row
from concord.formats.records import WordScale
from concord.protocols import Criterion
from concord.protocols.answers import CODED
from concord.protocols.rules import CATEGORICAL
from concord.reliability import Level
from concord.spans import RaterMarks, Span
from concord.spans.report import RaterAgreement, rater_agreement

# The kinds that have a gold score.
SCORED = ("scale", "slider", "yes-no")
# The kinds that a frozen set has; the options of a choice are words without an order.
FROZEN = (*SCORED, "choice")


@dataclass(frozen=True)
class CriterionGold:
    """A candidate's gold score on a criterion, which has a scale, and the kept ratings."""

    name: str
    scale: tuple[float, float]
    score: float | None
    ratings: tuple[KeptRating, ...]


@dataclass(frozen=True)
class KeptMarks:
    """What one worker marked in a candidate; without spans, the worker found nothing."""

    worker: str
    spans: tuple[Span, ...]
    simulated: bool


@dataclass(frozen=True, kw_only=True)
class CriterionAgreement(RatingsFigures):
    """The agreement on one criterion before the ledger. after: alpha of the `kept` ratings."""

    name: str
    question: str
    kind: str
    after: RatingsAlpha
    kept: int

    @property
    def level(self) -> Level:
        """Its level of measurement."""
        return self.alpha["level"]


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


def criteria_agreement(study: Study, level: Level = "ordinal") -> list[CriterionAgreement]:
    """A row for each criterion whose answers are numbers, options or yes and no. Cached.

    Only ratings of stages that count for the gold score are used. Several choices and free texts
    have no coefficient here.
    """
    criteria = [one for one in study.current.protocol.criteria if one.kind in CODED]
    if not criteria:
        return []

    stages = gold_stages(study)

    def compute() -> list[CriterionAgreement]:
        ledger = ledger_of(steps_of(study))
        return [
            _row(study, one, collect_ratings(study, stages, one), ledger, level_of(one, level))
            for one in criteria
        ]

    key = ("criteria with coefficients", level, repr(criteria), *stages, ledger_state(study))
    return cached(study, key, compute)


def criteria_gold(
    study: Study, aggregation: str, stages: Iterable[str]
) -> dict[int, list[CriterionGold]]:
    """By candidate, the gold scores on scales, sliders (from their ends) and yes-no (0 to 1), with
    the kept ratings; and those on choices, which have no score.

    Aggregated as the main question is, from the answers that the ledger keeps; sliders by the mean
    where the aggregation models categories. Adjudicated values replace them. Candidates without an
    answer are absent.
    """
    result: dict[int, list[CriterionGold]] = defaultdict(list)
    ledger, stages = ledger_of(steps_of(study)), list(stages)
    for criterion in study.current.protocol.criteria:
        if criterion.kind not in FROZEN:
            continue
        data = collect_ratings(study, stages, criterion)
        kept_data = kept_of(criterion, data, ledger)
        if criterion.kind == "choice":
            words = WordScale(criterion.options, is_ordered=False)
            for unit, own in kept_ratings_by_unit(kept_data).items():
                gold = CriterionGold(criterion.name, words, None, tuple(own))
                result[int(data.candidate_ids[unit])].append(gold)
            continue
        low, high = (0, 1) if criterion.kind == "yes-no" else (criterion.low, criterion.high)
        is_model = criterion.kind == "slider" and aggregation in CATEGORICAL
        method = METHODS["mean" if is_model else aggregation]
        scores = np.clip(gold_scores(kept_data.ratings, method, seed=study.seed % 2**32), low, high)
        ratings = kept_ratings_by_unit(kept_data)
        adjudicated = adjudicated_values(study, criterion.name)
        for unit, candidate in enumerate(data.candidate_ids.tolist()):
            score = None if np.isnan(scores[unit]) else float(scores[unit])
            score = adjudicated.get(candidate, score)
            result[candidate].append(
                CriterionGold(
                    criterion.name, (float(low), float(high)), score, tuple(ratings[unit])
                )
            )
    return dict(result)


def kept_marks(study: Study, stages: Iterable[str]) -> dict[int, list[KeptMarks]]:
    """By candidate, what each worker marked, of the ratings that the ledger keeps.

    Marks for several criteria are joined. A rating that the ledger removes for its value, seconds
    or worker is removed with its marks.
    """
    names = [one.name for one in study.current.protocol.criteria if one.kind == "spans"]
    if not names:
        return {}
    rows = usable_ratings(study, stages).exclude(pk__in=removed_ratings(study))
    result: dict[int, list[KeptMarks]] = defaultdict(list)
    columns = ("candidate_id", "worker__name", "answers", "simulated")
    for candidate, worker, answers, simulated in rows.order_by("pk").values_list(*columns):
        if any(name in answers for name in names):
            spans = [span for name in names for span in answers.get(name, [])]
            marks = KeptMarks(worker, tuple(map(_span, spans)), simulated)
            result[candidate].append(marks)
    return dict(result)


def marks_agreement(study: Study) -> RaterAgreement | None:
    """Agreement on marked parts after the ledger; None where none are asked for. Cached."""
    if not any(one.kind == "spans" for one in study.current.protocol.criteria):
        return None

    def compute() -> RaterAgreement:
        marks = kept_marks(study, gold_stages(study))
        passages = dict(study.candidates.values_list("pk", "instance__passage_key"))
        return rater_agreement(
            RaterMarks(one.worker, "", passages[candidate], str(candidate), one.spans)
            for candidate, rows in marks.items()
            for one in rows
        )

    return cached(study, ("marks", ledger_state(study)), compute)


def _span(span: MarkedPart) -> Span:
    return Span(span["start"], span["end"], span["severity"], tuple(span["categories"]))


def _scale(criterion: Criterion) -> tuple[float, float] | None:
    """The values of the answers as numbers; None of the worst of a set."""
    if criterion.kind == "worst":
        return None
    if criterion.kind in ("choice", "yes-no"):
        return WordScale(criterion.options or ("no", "yes"), is_ordered=False)
    return criterion.low, criterion.high


def _row(
    study: Study, criterion: Criterion, data: CollectedRatings, ledger: Ledger, level: Level
) -> CriterionAgreement:
    seed = study.seed % 2**32
    kept = kept_of(criterion, data, ledger).ratings
    return CriterionAgreement.of(
        data.ratings,
        level,
        scale=_scale(criterion),
        seed=seed,
        name=criterion.name,
        question=criterion.question,
        kind=criterion.kind,
        after=alpha_row(kept, level, seed=seed),
        kept=len(kept),
    )
