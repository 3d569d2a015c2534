"""How well people agree with one another, for sets with single ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.analyses import samples
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services.frames import frame
from concord.documents.conversion import fill
from concord.documents.human_agreement import (
    HumanAgreementRow,
    NoHumanAgreementRow,
    People,
    RatersRow,
    RelativeAgreementRow,
)
from concord.meta.inference import (
    Coefficient,
    Grouping,
    HumanAgreement,
    SampleError,
    ScoredSample,
    SingleRatings,
    correlations,
    human_agreement,
    relative_agreement,
)

DRAWS = 200
# Formats in which a rater is a position in the list of ratings, not a person.
POSITIONAL_FORMATS = ("thumb",)


@dataclass(frozen=True)
class MeasuredAgreement:
    """people: the JSON. of_gold: the ratings and the agreement of the group whose means are the
    gold scores; None where it is not known or its agreement is undefined."""

    people: People
    of_gold: tuple[SingleRatings, HumanAgreement] | None


def measure_human_agreement(
    judgment_set: JudgmentSet,
    part: samples.Slice,
    coefficient: Coefficient,
    grouping: Grouping,
    rng: np.random.Generator,
) -> MeasuredAgreement:
    """The human agreement of each group of raters on a part of the set.

    "groups" has a row for each group; a group whose agreement is undefined gets the reason instead.
    "between" correlates the means of a group with the gold scores; groups whose means are the gold
    scores are left out.
    """
    persons = judgment_set.source_format not in POSITIONAL_FORMATS
    groups: list[HumanAgreementRow | NoHumanAgreementRow] = []
    names = samples.rater_groups(judgment_set)
    between = _between(judgment_set, part, coefficient, grouping, names)
    other_groups = {row["group"] for row in between}
    of_gold: tuple[SingleRatings, HumanAgreement] | None = None
    for name, child in zip(names, rng.spawn(len(names)), strict=True):
        try:
            ratings = samples.ratings(judgment_set, name, part, persons=persons)
            agreement = human_agreement(ratings, coefficient, grouping, rng=child, draws=DRAWS)
        except SampleError as error:
            groups.append({"group": name, "reason": str(error)})
            continue
        groups.append(fill(HumanAgreementRow, agreement, group=name))
        if of_gold is None and name not in other_groups:
            of_gold = ratings, agreement
    return MeasuredAgreement({"groups": groups, "between": between}, of_gold)


def relative_to_people(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], measured: MeasuredAgreement
) -> list[RelativeAgreementRow]:
    """Each metric's correlation relative to the agreement of the raters behind the gold scores,
    over the same candidates: those that several of these raters rated.

    Rows are empty where these raters are not known, or a candidate that they rated has no gold
    score.
    """
    if measured.of_gold is None:
        return [{} for _ in runs]
    ratings, agreement = measured.of_gold
    # Figures of people are of the rated candidates; where one has no gold score, none compares.
    if not samples.judged(judgment_set)[ratings.positions].all():
        return [{} for _ in runs]
    sample = samples.sample_at(judgment_set, runs, ratings.positions)
    compared = len(agreement.held_out_of)
    return [
        {
            "relative": row.relative.to_json(),
            "relative_n": compared,
            "corrected": row.corrected.to_json(),
            "corrected_n": sample.n,
        }
        for row in relative_agreement(sample, agreement)
    ]


def _between(
    judgment_set: JudgmentSet,
    part: samples.Slice,
    coefficient: Coefficient,
    grouping: Grouping,
    names: list[str],
) -> list[RatersRow]:
    gold = frame(judgment_set).gold
    mask = part.mask(judgment_set)
    rows: list[RatersRow] = []
    for name in names:
        means = samples.group_means(judgment_set, name)
        both = mask & np.isfinite(means) & np.isfinite(gold)
        if np.allclose(means[both], gold[both], atol=1e-6) or len(names) == 1:
            continue
        sample = ScoredSample.from_scores(
            {name or "raters": means[both]},
            gold[both],
            items=samples.instances(judgment_set)[both],
            systems=frame(judgment_set).labels["system"][both],
            clusters=frame(judgment_set).clusters[both],
        )
        correlation = correlations(sample, coefficient, grouping)[0]
        rows.append({"group": name, "n": correlation.n, **correlation.figure.to_json()})
    return rows
