"""Agreement of raters on each criterion of a set, and halo between every two criteria."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from benchmarks.analyses import rater_agreement, samples
from benchmarks.analyses.rater_agreement import AgreementRefusedError
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, frames
from concord.filtering import Ledger
from concord.filtering.documents import AgreementReport
from concord.meta import pearson
from concord.meta.figures import Figure
from concord.reliability import Halo, Ratings, halo

CACHED_SETS = 8
# Of bootstraps; the intervals of a page are the same each time.
SEED = 0


@dataclass(frozen=True)
class RatersRow:
    """Krippendorff's alpha of one group of raters on one criterion; `raters` is their number."""

    criterion: str
    group: str
    raters: int
    report: AgreementReport


@dataclass(frozen=True)
class PairRow:
    """Two criteria: the correlation of their gold scores, and halo by group of raters."""

    first: str
    second: str
    gold: Figure
    halo: list[tuple[str, Halo]]


@dataclass(frozen=True)
class CriteriaAgreement:
    """`pairs` has every two criteria, in the set's order."""

    raters: list[RatersRow]
    pairs: list[PairRow]


def criteria_agreement(judgment_set: JudgmentSet) -> CriteriaAgreement:
    """The raters of the set by criterion, and its criteria by pairs; cached: sets never change."""
    return _criteria_agreement(judgment_set.pk)


@lru_cache(maxsize=CACHED_SETS)
def _criteria_agreement(pk: int) -> CriteriaAgreement:
    on_each = criteria.on_each(JudgmentSet.objects.get(pk=pk))
    ratings: dict[tuple[str, str], Ratings] = {}
    rows: list[RatersRow] = []
    for one in on_each:
        name = criteria.chosen(one)
        for group in samples.rater_groups(one):
            try:
                own = ratings[name, group] = rater_agreement.set_ratings(one, group)
                report = rater_agreement.agreement(own, Ledger(()), seed=SEED)
            except AgreementRefusedError:
                continue
            rows.append(RatersRow(name, group, own.n_raters, report))
    groups = list(dict.fromkeys(group for _, group in ratings))
    pairs = []
    for first, second in combinations(on_each, 2):
        names = criteria.chosen(first), criteria.chosen(second)
        of_groups = [
            (group, halo(ratings[names[0], group], ratings[names[1], group], seed=SEED))
            for group in groups
            if all((name, group) in ratings for name in names)
        ]
        gold = frames.frame(first).gold, frames.frame(second).gold
        both = frames.frame(first).judged & frames.frame(second).judged
        pairs.append(PairRow(*names, pearson(gold[0][both], gold[1][both]), of_groups))
    return CriteriaAgreement(rows, pairs)
