"""How far the raters of a judgment set, or of a study, agree, with or without a filter."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.agreement import Alpha, Interval, Level, Ratings, RatingsError, alpha_interval
from annotation.agreement import alpha as alpha_of
from annotation.models import Study
from annotation.quality import (
    Ledger,
    ZScore,
    gain_sentence,
    replay,
    shuffled_null,
    zscore_filter,
)
from annotation.services.collected import collected_for_gold
from benchmarks.models import JudgmentSet, Rating

# A shuffle costs as much as the filter; 200 place the ends of the null's interval well enough.
NULL_DRAWS = 200
STUDY = "study:"


class AgreementRefusedError(ValueError):
    """Agreement that cannot be told of this set as asked; the message says what would do."""


def rated(
    name: str, group: str | None = None, split: str = "", constituent: str = ""
) -> tuple[dict[str, Any], Ratings]:
    """What `name` names, in words for a report, with its single ratings.

    A judgment set (`NAME`, `NAME@VERSION`), or a study (`study:NAME`, or `NAME` where no set is
    called so), whose ratings are those kept so far. Raises JudgmentSet.DoesNotExist, or
    AgreementRefusedError where there are no single ratings.
    """
    if not name.startswith(STUDY):
        try:
            judgment_set = JudgmentSet.objects.named(name)
        except JudgmentSet.DoesNotExist:
            if not Study.objects.filter(slug=name).exists():
                raise
        else:
            about = {"judgment_set": judgment_set.name, "version": judgment_set.version}
            return about, set_ratings(judgment_set, group, split, constituent)
    slug = name.removeprefix(STUDY)
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        known = ", ".join(Study.objects.values_list("slug", flat=True)[:20]) or "none yet"
        raise AgreementRefusedError(f"There is no study '{slug}'. There are: {known}.")
    if group is not None:
        raise AgreementRefusedError("A study has one group of raters: leave --raters out.")
    if split or constituent:
        raise AgreementRefusedError("A study has no splits or constituents of ratings.")
    ratings = collected_for_gold(study).ratings
    if not len(ratings):
        raise AgreementRefusedError(f"The study {slug} has no kept ratings yet.")
    return {"study": slug}, ratings


def set_ratings(
    judgment_set: JudgmentSet, group: str | None = None, split: str = "", constituent: str = ""
) -> Ratings:
    """The set's single ratings by one group of raters, in stored order, clustered by passage.

    A unit is a candidate, named by its key. Without `group` the ratings must be of one group.
    `split` and `constituent` restrict the candidates: MOCHA (section 2.3) has alpha on the
    validation split, by constituent. Raises AgreementRefusedError where nothing of them is rated.
    Raises AgreementRefusedError for a set without single ratings, for a group that is not there,
    and where there are several and none is named.
    """
    given = Rating.objects.filter(candidate__judgment_set=judgment_set)
    groups = sorted(given.order_by().values_list("group", flat=True).distinct())
    if not groups:
        raise AgreementRefusedError(
            f"{judgment_set} has gold scores only: agreement needs the single ratings."
        )
    named = ", ".join(name or '""' for name in groups)
    if group is None and len(groups) > 1:
        raise AgreementRefusedError(
            f"{judgment_set} has ratings by several groups: name one of {named} with --raters."
        )
    if group is not None and group not in groups:
        raise AgreementRefusedError(
            f"{judgment_set} has no ratings by '{group}': there are {named}."
        )
    chosen = given.filter(group=groups[0] if group is None else group)
    for field, name in (("split", split), ("constituent", constituent)):
        if name:
            chosen = chosen.filter(**{f"candidate__instance__{field}": name})
            if not chosen.exists():
                raise AgreementRefusedError(f"{judgment_set} has no ratings of {field} '{name}'.")
    rows = chosen.order_by("candidate__position", "position").values_list(
        "candidate__key", "worker", "value", "candidate__instance__passage_key"
    )
    ratings: list[tuple[Hashable, Hashable, float]] = []
    clusters: dict[Hashable, Hashable] = {}
    for key, worker, value, passage in rows.iterator(chunk_size=10_000):
        ratings.append((key, worker, value))
        clusters[key] = passage
    return Ratings.of(ratings, clusters)


def agreement(
    ratings: Ratings,
    ledger: Ledger,
    *,
    level: Level = "ordinal",
    seed: int = 0,
    draws: int = 1000,
) -> dict[str, Any]:
    """Krippendorff's alpha and its interval, as JSON values.

    {"alpha", "ci", "level", "units", "ratings", "raters_per_unit"}: units are those with two
    ratings or more, ratings those in them, raters_per_unit the one over the other. An undefined
    figure is null, and "reason" says why. With steps in the ledger these are of the ratings kept,
    and there is besides "unfiltered" (the same of all ratings), "null" (alpha that the ledger
    gives on the ratings shuffled among units, with 95% of `NULL_DRAWS` shuffles), "kept" and
    "removed" (ratings), "kept_per_unit" (of all units, those with one rating left included, as
    KPQA's Table 2 counts), "sentence" (what of the gain is real) and "notices". The interval
    takes the filter as done; a filter of workers is not done again in each resample.

    Raises AgreementRefusedError for a z-score threshold that no rating of any unit can pass.
    """
    unfiltered = _figures(ratings, level, seed, draws)
    if not ledger.steps:
        return unfiltered
    _refuse_thresholds_out_of_reach(ratings, ledger)
    replayed = replay(ledger, ratings, level=level)
    null = shuffled_null(ratings, ledger, np.random.default_rng(seed), NULL_DRAWS, level=level)
    told: dict[str, Any] = {"alpha": null.mean, "ci": _ends(null.ends), "draws": null.draws}
    if null.reason is not None:
        told["reason"] = null.reason
    return _figures(ratings.keep(replayed.kept), level, seed, draws) | {
        "unfiltered": unfiltered,
        "null": told,
        "kept": _count(replayed.kept),
        "removed": _count(~replayed.kept),
        "kept_per_unit": replayed.outcomes[-1].raters_kept,
        "sentence": gain_sentence(replayed.before, replayed.after, null),
        "notices": [outcome.notice for outcome in replayed.outcomes if outcome.notice],
    }


def _figures(ratings: Ratings, level: Level, seed: int, draws: int) -> dict[str, Any]:
    found: Alpha = alpha_of(ratings, level)
    interval: Interval = alpha_interval(ratings, level, seed=seed, draws=draws)
    figures: dict[str, Any] = {
        "alpha": found.value,
        "ci": _ends(interval.ends),
        "level": level,
        "units": found.units,
        "ratings": found.ratings,
        "raters_per_unit": found.raters_per_unit,
    }
    reason = found.reason or interval.reason
    return figures if reason is None else figures | {"reason": reason}


def _refuse_thresholds_out_of_reach(ratings: Ratings, ledger: Ledger) -> None:
    for step in ledger.steps:
        if isinstance(step, ZScore):
            try:
                zscore_filter(ratings, step.threshold, step.at_most, step.ddof, step.one_sided)
            except RatingsError as error:
                raise AgreementRefusedError(f"{error}.") from error


def _ends(ends: tuple[float, float] | None) -> list[float] | None:
    return None if ends is None else list(ends)


def _count(mask: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(mask))
