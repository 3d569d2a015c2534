"""Agreement of the raters of a judgment set or a study, with or without a filter."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypedDict

from annotation.quality.services.rating_data import collect_gold_ratings
from annotation.studies.models import Study
from benchmarks.analyses import samples
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from concord.documents.agreement import AgreementReport, RatingsAlpha
from concord.filtering.report import alpha_row
from concord.formats.records import default_level, order_fault
from concord.reliability import Level, Ratings
from core.refusals import RefusedError

STUDY = "study:"


class RatedName(TypedDict, total=False):
    """The name of what was rated: a version of a judgment set, or a study."""

    judgment_set: str
    version: int
    study: str


class SetAgreementDocument(AgreementReport, RatedName):
    """Agreement with the options it was computed with, as JSON."""

    raters: str | None
    split: str | None
    constituent: str | None
    criterion: str | None
    filter: Sequence[Mapping[str, object]]
    seed: int


def find_ratings(
    name: str,
    group: str | None = None,
    split: str = "",
    constituent: str = "",
    criterion: str = "",
    level: Level | None = None,
) -> tuple[RatedName, Ratings, Level, tuple[float, float] | None]:
    """The name of a judgment set or study for a report, its single ratings, their level of
    measurement (the chosen one, or the usual one of the scale), and their scale.

    name: a judgment set (`NAME`, `NAME@VERSION`) or a study (`study:NAME`, or `NAME` if no set has
    this name). A study's ratings are those that its filters keep. criterion: of a set with several;
    "" means its score. Raises JudgmentSet.DoesNotExist, or RefusedError
    where there are no single ratings.
    """
    if not name.startswith(STUDY):
        try:
            judgment_set = JudgmentSet.objects.named(name)
        except JudgmentSet.DoesNotExist:
            if not Study.objects.filter(slug=name).exists():
                raise
        else:
            criteria.choose(judgment_set, criterion)
            rated: RatedName = {"judgment_set": judgment_set.name, "version": judgment_set.version}
            ratings = set_ratings(judgment_set, group, split, constituent)
            level = level or default_level(judgment_set.scale)
            if level != "nominal":
                refuse_unordered(judgment_set)
            return rated, ratings, level, judgment_set.scale
    slug = name.removeprefix(STUDY)
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        slugs = ", ".join(Study.objects.values_list("slug", flat=True)[:20]) or "none yet"
        raise RefusedError(
            f"There is no study '{slug}'. Available studies: {slugs}.", "analysis-refused"
        )
    if group is not None:
        raise RefusedError("A study has one group of raters: omit --raters.", "analysis-refused")
    if split or constituent:
        raise RefusedError(
            "A study has no splits or constituents: omit --split and --constituent.",
            "analysis-refused",
        )
    if criterion:
        raise RefusedError("A study has one criterion: omit --criterion.", "analysis-refused")
    ratings = collect_gold_ratings(study).ratings
    if not len(ratings):
        raise RefusedError(
            f"The study {slug} has no ratings yet that its filters keep.", "analysis-refused"
        )
    protocol = study.current.protocol
    scale = None if protocol.compares else (protocol.low, protocol.high)
    return {"study": slug}, ratings, level or "ordinal", scale


def refuse_unordered(judgment_set: JudgmentSet) -> None:
    """Raise RefusedError where the ratings of a set are words without an order."""
    if fault := order_fault(judgment_set.scale):
        raise RefusedError(f"Of {judgment_set}, {fault}.", "analysis-refused")


def set_ratings(
    judgment_set: JudgmentSet, group: str | None = None, split: str = "", constituent: str = ""
) -> Ratings:
    """The single ratings of the set's score, or of its chosen criterion, by one group of raters,
    in stored order, clustered by passage.

    A unit is a candidate, named by its key. `split` and `constituent` restrict the candidates, as
    MOCHA (section 2.3) reports alpha on the validation split by constituent. Raises
    RefusedError where there are no such ratings, for an unknown group, and if `group` is
    None and there are several groups.
    """
    if judgment_set.has_unequal_sampling:
        raise RefusedError(
            f"The candidates of {judgment_set} were drawn with unequal probabilities: agreement "
            "among their ratings would not be that of the set.",
            "analysis-refused",
        )
    ratings_of_set = criteria.ratings(judgment_set)
    groups = sorted(ratings_of_set.order_by().values_list("group", flat=True).distinct())
    if not groups:
        raise RefusedError(
            f"{judgment_set} has gold scores only: agreement needs single ratings.",
            "analysis-refused",
        )
    named = ", ".join(name or '""' for name in groups)
    if group is None and len(groups) > 1:
        raise RefusedError(
            f"{judgment_set} has ratings by several groups: choose one of {named} with --raters.",
            "analysis-refused",
        )
    if group is not None and group not in groups:
        raise RefusedError(
            f"{judgment_set} has no ratings by '{group}'. Groups with ratings: {named}.",
            "analysis-refused",
        )
    rows = ratings_of_set.filter(group=groups[0] if group is None else group)
    for field, name in (("split", split), ("constituent", constituent)):
        if name:
            rows = rows.filter(**{f"candidate__instance__{field}": name})
            if not rows.exists():
                raise RefusedError(
                    f"{judgment_set} has no ratings of {field} '{name}'.", "analysis-refused"
                )
    values = rows.order_by("candidate__position", "position").values_list(
        "candidate__key", "worker", "value", "candidate__instance__passage_key"
    )
    ratings: list[tuple[Hashable, Hashable, float]] = []
    clusters: dict[Hashable, Hashable] = {}
    for key, worker, value, passage in values.iterator(chunk_size=10_000):
        ratings.append((key, worker, value))
        clusters[key] = passage
    return Ratings.from_rows(ratings, clusters)


def cost(ratings: int, draws: int) -> float:
    """Estimated seconds on one core for the alphas of so many ratings (31,000 on four criteria:
    0.3 s measured)."""
    return 0.05 + ratings * (5e-6 + 5e-9 * draws)


def by_group(
    judgment_set: JudgmentSet, *, seed: int, draws: int
) -> Iterator[tuple[str, Ratings, RatingsAlpha]]:
    """Each group of raters with its ratings on the set's score, or on its chosen criterion, and
    their alpha; groups whose agreement cannot be computed are left out."""
    for group in samples.rater_groups(judgment_set):
        try:
            ratings = set_ratings(judgment_set, group)
        except RefusedError:
            continue
        level = default_level(judgment_set.scale)
        yield group, ratings, alpha_row(ratings, level, seed=seed, draws=draws)
