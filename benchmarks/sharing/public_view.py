"""What everybody sees of a version of a judgment set if it is public."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.listing import column_names
from benchmarks.sets.models import CriterionRating, JudgmentSet, Marks, Rating
from benchmarks.sets.services import hidden, reports
from benchmarks.sets.viewers import PUBLIC

MAX_ROWS = 3


@dataclass(frozen=True)
class PublicCandidate:
    """A candidate as visitors see it; gold and ratings are None if they are hidden."""

    question: str
    text: str
    system: str
    gold: float | None
    ratings: int | None


@dataclass(frozen=True)
class PublicView:
    """The figures on a publishing page.

    gold, ratings: numbers of gold scores, and of ratings on the score and all criteria, that are
    not hidden. marked: number of candidates with marked errors. hidden_candidates, hidden_pairs:
    numbers of items whose labels stay hidden. runs: names of the metric runs on the board.
    private_runs: number of submissions that stay private.
    """

    passages: int
    candidates: int
    gold: int
    ratings: int
    marked: int
    raters: int
    pairs: int
    hidden_candidates: int
    hidden_pairs: int
    runs: list[str]
    private_runs: int
    provenance: list[str]
    files: list[str]
    first: list[PublicCandidate]


def public_view(judgment_set: JudgmentSet) -> PublicView:
    """What visitors see of the set if it is public, without hidden labels, for any viewer."""
    public_set = JudgmentSet.objects.get(pk=judgment_set.pk)
    masks = hidden.public_masks(public_set)
    candidates = public_set.candidates.all()
    masked = masks.candidates.nonzero()[0].tolist()
    if masked:
        candidates = candidates.exclude(position__in=masked)
    kinds = [
        model.objects.filter(candidate__in=candidates) for model in (Rating, CriterionRating, Marks)
    ]
    raters: set[tuple[str, str]] = set()
    for rows in kinds:
        raters.update(rows.order_by().values_list("group", "worker").distinct())
    public_runs = public_set.runs.visible_to(PUBLIC)
    board_runs = public_runs.exclude(status=MetricRun.Status.CANCELLED)
    return PublicView(
        passages=public_set.instances.values("passage_key").distinct().count(),
        candidates=public_set.n_candidates,
        gold=candidates.filter(gold__isnull=False).count(),
        ratings=sum(rows.count() for rows in kinds[:2]),
        marked=kinds[2].values("candidate").order_by().distinct().count(),
        raters=len(raters),
        pairs=public_set.n_pairs - int(masks.pairs.sum()),
        hidden_candidates=len(masked),
        hidden_pairs=int(masks.pairs.sum()),
        runs=column_names(list(board_runs.order_by("metric", "pk"))),
        private_runs=public_set.runs.count() - public_runs.count(),
        provenance=reports.report_lines(public_set.report),
        files=reports.file_names(public_set.report),
        first=_first_lines(public_set, set(masked)),
    )


def _first_lines(judgment_set: JudgmentSet, masked: set[int]) -> list[PublicCandidate]:
    rows = list(judgment_set.candidates.with_instance().order_by("position")[:MAX_ROWS])
    ratings = Rating.objects.filter(candidate__in=rows).values_list("candidate")
    counts = dict(ratings.annotate(n=Count("pk")).order_by())
    return [
        PublicCandidate(
            row.instance.question,
            row.text,
            row.system,
            None if row.position in masked else row.gold,
            None if row.position in masked else counts.get(row.pk, 0),
        )
        for row in rows
    ]
