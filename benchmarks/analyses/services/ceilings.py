"""What people reach against people, where a set holds their single ratings."""

from __future__ import annotations

import numpy as np

from benchmarks.analyses import samples
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services.frames import frame
from concord.meta.documents.figures import FigureRow
from concord.meta.documents.human_agreement import (
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
# Formats whose raters are positions, not persons.
BY_POSITION = ("thumb",)
MOST_RATINGS = 500_000


def people(
    judgment_set: JudgmentSet,
    part: samples.Slice,
    coefficient: Coefficient,
    grouping: Grouping,
    rng: np.random.Generator,
) -> People:
    """The ceiling by each group of raters, and the groups against one another's means.

    "between" has a group's means against the gold scores, for groups whose means are not the gold
    scores themselves.
    """
    persons = judgment_set.source_format not in BY_POSITION
    groups: list[HumanAgreementRow | NoHumanAgreementRow] = []
    names = samples.rater_groups(judgment_set)
    for name, child in zip(names, rng.spawn(len(names)), strict=True):
        try:
            ratings = samples.ratings(judgment_set, name, part, persons=persons)
            found = human_agreement(ratings, coefficient, grouping, rng=child, draws=DRAWS)
        except SampleError as error:
            groups.append({"group": name, "reason": str(error)})
            continue
        groups.append(_row(name, found))
    return {"groups": groups, "between": _between(judgment_set, part, coefficient, grouping, names)}


def relative(row: Correlation, found: People) -> RelativeAgreementRow:
    """A metric's figure relative to the ceiling of the raters whose gold it is compared with."""
    ceiling = gold_ceiling(found)
    if ceiling is None:
        return {}
    against = relative_agreement(row.figure, ceiling)
    return {"relative": against.relative.to_json(), "corrected": against.corrected.to_json()}


def gold_ceiling(found: People) -> HumanAgreement | None:
    """The ceiling of the group behind the gold scores; None where it is not known."""
    others = {one["group"] for one in found["between"]}
    for group in found["groups"]:
        if group["group"] not in others and "reason" not in group:
            return _ceiling(group)
    return None


def _row(group: str, found: HumanAgreement) -> HumanAgreementRow:
    return {
        "group": group,
        "coefficient": found.coefficient,
        "grouping": found.grouping,
        "held_out": found.held_out.to_json(),
        "by_rater": found.by_rater,
        "raters": found.raters,
        "raters_seen": found.raters_seen,
        "halves": found.halves.to_json(),
        "reliability": found.reliability.to_json(),
        "candidates": found.candidates,
        "ratings_each": found.ratings_each,
        "draws": found.draws,
    }


def _ceiling(row: HumanAgreementRow) -> HumanAgreement:
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
    chosen = part.of(judgment_set)
    found: list[RatersRow] = []
    for name in names:
        means = samples.group_means(judgment_set, name)
        both = chosen & np.isfinite(means) & np.isfinite(gold)
        if np.allclose(means[both], gold[both], atol=1e-6) or len(names) == 1:
            continue
        sample = Sample.from_scores(
            {name or "raters": means[both]},
            gold[both],
            items=samples.instances(judgment_set)[both],
            systems=frame(judgment_set).labels["system"][both],
            clusters=frame(judgment_set).clusters[both],
        )
        one = correlations(sample, coefficient, grouping)[0]
        found.append({"group": name, "n": one.n, **one.figure.to_json()})
    return found
