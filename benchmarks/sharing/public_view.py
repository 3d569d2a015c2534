"""What everybody would see of a version of a judgment set, were it public."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.listing import column_names
from benchmarks.sets.models import JudgmentSet, Rating
from benchmarks.sets.services import hidden, reports
from benchmarks.sets.viewers import PUBLIC

SHOWN = 3


@dataclass(frozen=True)
class Line:
    """A candidate as a visitor would read it; gold and ratings None where they are hidden."""

    question: str
    text: str
    system: str
    gold: float | None
    ratings: int | None


@dataclass(frozen=True)
class PublicView:
    """The figures a publishing page shows. `gold` and `ratings` count what is not hidden;
    `hidden_candidates` and `hidden_pairs` what stays so. `runs` names the metric runs on the
    board, `private_runs` counts submissions that stay their owners'."""

    passages: int
    candidates: int
    gold: int
    ratings: int
    raters: int
    pairs: int
    hidden_candidates: int
    hidden_pairs: int
    runs: list[str]
    private_runs: int
    provenance: list[str]
    files: list[str]
    first: list[Line]


def public_view(judgment_set: JudgmentSet) -> PublicView:
    """What a visitor would see; whoever asks, hidden labels are left out."""
    seen = JudgmentSet.objects.get(pk=judgment_set.pk)
    masks = hidden.public_masks(seen)
    shown = seen.candidates.all()
    masked = masks.candidates.nonzero()[0].tolist()
    if masked:
        shown = shown.exclude(position__in=masked)
    ratings = Rating.objects.filter(candidate__in=shown)
    public = seen.runs.visible_to(PUBLIC).exclude(status=MetricRun.Status.CANCELLED)
    return PublicView(
        passages=seen.instances.values("passage_key").distinct().count(),
        candidates=seen.n_candidates,
        gold=shown.filter(gold__isnull=False).count(),
        ratings=ratings.count(),
        raters=ratings.values("group", "worker").distinct().count(),
        pairs=seen.n_pairs - int(masks.pairs.sum()),
        hidden_candidates=len(masked),
        hidden_pairs=int(masks.pairs.sum()),
        runs=column_names(list(public.order_by("metric", "pk"))),
        private_runs=seen.runs.count() - seen.runs.visible_to(PUBLIC).count(),
        provenance=reports.report_lines(seen.report),
        files=reports.file_names(seen.report),
        first=_first(seen, set(masked)),
    )


def _first(judgment_set: JudgmentSet, masked: set[int]) -> list[Line]:
    rows = list(judgment_set.candidates.with_instance().order_by("position")[:SHOWN])
    rated = Rating.objects.filter(candidate__in=rows).values_list("candidate")
    counts = dict(rated.annotate(n=Count("pk")).order_by())
    return [
        Line(
            row.instance.question,
            row.text,
            row.system,
            None if row.position in masked else row.gold,
            None if row.position in masked else counts.get(row.pk, 0),
        )
        for row in rows
    ]
