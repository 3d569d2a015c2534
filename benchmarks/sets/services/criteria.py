"""The criterion whose judgments a caller reads: chosen once, on the object of the set.

Gold scores (`frames`), ratings, analyses and boards then concern this criterion only. Judgments on
several criteria are never mixed.
"""

from __future__ import annotations

from copy import copy

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from benchmarks.sets.models import Criterion, CriterionRating, JudgmentSet, Rating
from core.refusals import RefusedError


def names(judgment_set: JudgmentSet) -> list[str]:
    """The set's criteria in its order, without a query."""
    return [one["name"] for one in judgment_set.statistics.get("criteria", ())]


def scales(judgment_set: JudgmentSet) -> dict[str, tuple[float, float] | None]:
    """The scale of each criterion by its name, and of the score by ""."""
    of_criteria = {one.name: one.scale for one in judgment_set.criteria.all()}
    return {"": judgment_set.own_scale, **of_criteria}


def has_score(judgment_set: JudgmentSet) -> bool:
    """Whether any candidate has a score that is not on a criterion."""
    return bool(np.isfinite(judgment_set.gold_array).any())


def default(judgment_set: JudgmentSet) -> str:
    """What a page shows without a choice: "" for the score; the first criterion without one."""
    criteria = names(judgment_set)
    return criteria[0] if criteria and not has_score(judgment_set) else ""


def choose(judgment_set: JudgmentSet, name: str | None) -> None:
    """Read judgments on this criterion from the object; "" or None means the score.

    Raises RefusedError where the set has no such criterion, and without a name where it has
    criteria only.
    """
    known = names(judgment_set)
    listed = ", ".join(known) or "none"
    if name and name not in known:
        raise RefusedError(
            f"{judgment_set} has no criterion '{name}'. Its criteria: {listed}.",
            "value-refused",
            "criterion",
        )
    if not name and default(judgment_set):
        raise RefusedError(
            f"{judgment_set} has no score besides its criteria. Choose one of them: {listed}.",
            "value-refused",
            "criterion",
        )
    restore(judgment_set, name)


def restore(judgment_set: JudgmentSet, name: str | None) -> None:
    """`choose` a stored criterion, without checks."""
    judgment_set.criterion = judgment_set.criteria.get(name=name) if name else None


def on_each(judgment_set: JudgmentSet) -> list[JudgmentSet]:
    """Copies of the object, one on each criterion, in the set's order."""
    copies = []
    for criterion in judgment_set.criteria.all():
        on_criterion = copy(judgment_set)
        on_criterion.criterion = criterion
        copies.append(on_criterion)
    return copies


def chosen(judgment_set: JudgmentSet) -> str:
    """The name of the chosen criterion; "" for the score."""
    return "" if judgment_set.criterion is None else judgment_set.criterion.name


def gold(judgment_set: JudgmentSet) -> NDArray[np.float64]:
    """The stored gold scores on the chosen criterion, shape (n_candidates,), NaN where not judged.

    `frames.frame` has none where candidates were drawn with unequal probabilities; these are for
    estimates, which weigh by them.
    """
    return (judgment_set.criterion or judgment_set).gold_array


def query(judgment_set: JudgmentSet) -> dict[str, str]:
    """The query parameter of pages that names the chosen criterion; {} for the score."""
    name = chosen(judgment_set)
    return {"criterion": name} if name else {}


def ratings(judgment_set: JudgmentSet) -> QuerySet[Rating] | QuerySet[CriterionRating]:
    """The single ratings on the chosen criterion."""
    criterion: Criterion | None = judgment_set.criterion
    if criterion is None:
        return Rating.objects.filter(candidate__judgment_set=judgment_set)
    return criterion.ratings.all()
