"""How well people agree with one another, for sets with single ratings."""

from __future__ import annotations

import numpy as np

from benchmarks.analyses import samples
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services.frames import frame
from concord.documents.figures import FigureRow
from concord.documents.human_agreement import (
    HumanAgreementRow,
    NoHumanAgreementRow,
    People,
    RatersRow,
    RelativeAgreementRow,
)
from concord.meta.figures import Figure
from concord.meta.inference import (
    Coefficient,
    Correlation,
    Grouping,
    HumanAgreement,
    Sample,
    SampleError,
    correlations,
    human_agreement,
    relative_agreement,
)

DRAWS = 200
# Formats in which a rater is a position in the list of ratings, not a person.
POSITIONAL_FORMATS = ("thumb",)


def measure_human_agreement(
    judgment_set: JudgmentSet,
    part: samples.Slice,
    coefficient: Coefficient,
    grouping: Grouping,
    rng: np.random.Generator,
) -> People:
    """The human agreement of each group of raters on a part of the set.

    "groups" has a row for each group; a group whose agreement is undefined gets the reason instead.
    "between" correlates the means of a group with the gold scores; groups whose means are the gold
    scores are left out.
    """
    persons = judgment_set.source_format not in POSITIONAL_FORMATS
    groups: list[HumanAgreementRow | NoHumanAgreementRow] = []
    names = samples.rater_groups(judgment_set)
    for name, child in zip(names, rng.spawn(len(names)), strict=True):
        try:
            ratings = samples.ratings(judgment_set, name, part, persons=persons)
            agreement = human_agreement(ratings, coefficient, grouping, rng=child, draws=DRAWS)
        except SampleError as error:
            groups.append({"group": name, "reason": str(error)})
            continue
        groups.append(_to_row(name, agreement))
    return {"groups": groups, "between": _between(judgment_set, part, coefficient, grouping, names)}


def relative_to_people(correlation: Correlation, people: People) -> RelativeAgreementRow:
    """A metric's correlation relative to the agreement of the raters behind the gold scores.

    Empty where the group behind the gold scores is not known.
    """
    reference = _gold_agreement(people)
    if reference is None:
        return {}
    result = relative_agreement(correlation.figure, reference)
    return {"relative": result.relative.to_json(), "corrected": result.corrected.to_json()}


def _gold_agreement(people: People) -> HumanAgreement | None:
    """The agreement of the group whose means are the gold scores; None where it is not known."""
    other_groups = {row["group"] for row in people["between"]}
    for row in people["groups"]:
        if row["group"] not in other_groups and "reason" not in row:
            return _from_row(row)
    return None


def _to_row(group: str, agreement: HumanAgreement) -> HumanAgreementRow:
    return {
        "group": group,
        "coefficient": agreement.coefficient,
        "grouping": agreement.grouping,
        "held_out": agreement.held_out.to_json(),
        "by_rater": agreement.by_rater,
        "raters": agreement.raters,
        "raters_seen": agreement.raters_seen,
        "halves": agreement.halves.to_json(),
        "reliability": agreement.reliability.to_json(),
        "candidates": agreement.candidates,
        "ratings_each": agreement.ratings_each,
        "draws": agreement.draws,
    }


def _from_row(row: HumanAgreementRow) -> HumanAgreement:
    return HumanAgreement(
        coefficient=row["coefficient"],
        grouping=row["grouping"],
        held_out=_figure(row["held_out"]),
        by_rater=row["by_rater"],
        raters=row["raters"],
        raters_seen=row["raters_seen"],
        halves=_figure(row["halves"]),
        reliability=_figure(row["reliability"]),
        candidates=row["candidates"],
        ratings_each=row["ratings_each"],
        draws=row["draws"],
    )


def _figure(stored: FigureRow) -> Figure:
    if stored["value"] is None:
        return Figure.undefined(stored["reason"])
    ci = stored.get("ci")
    return Figure(stored["value"], ci=(ci[0], ci[1]) if ci else None)


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
        sample = Sample.from_scores(
            {name or "raters": means[both]},
            gold[both],
            items=samples.instances(judgment_set)[both],
            systems=frame(judgment_set).labels["system"][both],
            clusters=frame(judgment_set).clusters[both],
        )
        correlation = correlations(sample, coefficient, grouping)[0]
        rows.append({"group": name, "n": correlation.n, **correlation.figure.to_json()})
    return rows
