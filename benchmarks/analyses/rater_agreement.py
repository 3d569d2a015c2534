"""How far the raters of a judgment set, or of a study, agree, with or without a filter."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypedDict

from annotation.quality.services.rating_data import collect_gold_ratings
from annotation.studies.models import Study
from benchmarks.sets.models import JudgmentSet, Rating
from concord.filtering import Ledger
from concord.filtering.documents import AgreementReport
from concord.filtering.report import agreement_report
from concord.reliability import Level, Ratings, RatingsError

STUDY = "study:"


class AgreementRefusedError(ValueError):
    """Agreement that cannot be told of this set as asked; the message says what would do."""


class RatedName(TypedDict, total=False):
    """What names the rated: a version of a judgment set, or a study."""

    judgment_set: str
    version: int
    study: str


class AgreementDocument(AgreementReport, RatedName):
    """Agreement with what was asked, as JSON."""

    raters: str | None
    split: str | None
    constituent: str | None
    filter: Sequence[Mapping[str, object]]
    seed: int
    draws: int


def rated(
    name: str, group: str | None = None, split: str = "", constituent: str = ""
) -> tuple[RatedName, Ratings]:
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
            about: RatedName = {"judgment_set": judgment_set.name, "version": judgment_set.version}
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
    ratings = collect_gold_ratings(study).ratings
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
    return Ratings.from_rows(ratings, clusters)


def agreement(
    ratings: Ratings, ledger: Ledger, *, level: Level = "ordinal", seed: int = 0, draws: int = 1000
) -> AgreementReport:
    """`concord.filtering.report.agreement_report`; raises AgreementRefusedError where it cannot."""
    try:
        return agreement_report(ratings, ledger, level=level, seed=seed, draws=draws)
    except RatingsError as error:
        raise AgreementRefusedError(f"{error}.") from error
