"""The quality page: agreement, the ledger, workers."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.quality.forms import StepForm, chosen_level
from annotation.quality.models import LedgerStep
from annotation.quality.services import (
    agreement_reports,
    checking,
    choices,
    criteria,
    ledgers,
    worker_reports,
)
from annotation.quality.services.rating_data import CollectedRatings, collect_gold_ratings
from annotation.quality.services.worker_reports import WorkerRow
from annotation.quality.views.panels import distribution_panels
from annotation.studies.models import Stage, Study
from annotation.studies.views.access import person, study_page, study_view
from concord.filtering import Ledger, LedgerError
from concord.formats.choices import AS_TIE, LEAVE_OUT
from concord.plots.workers import WorkerScatter, worker_scatter
from concord.reliability import LEVELS, Level
from core.accounts.roles import Role
from core.pages.polling import wants_fragment
from core.pages.queries import QueryForm, choice
from core.pages.views import add_refusal
from core.refusals import RefusedError


class RankingQuery(QueryForm):
    """What a choice that both candidates are bad counts in the ranking."""

    both_bad = choice(AS_TIE, LEAVE_OUT, default=AS_TIE)


@require_safe
@study_view(Role.VIEWER)
def quality(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study, StepForm(compares=study.current.protocol.compares))


@require_POST
@study_view(Role.EDITOR)
def add_step(request: HttpRequest, study: Study) -> HttpResponse:
    form = StepForm(request.POST, compares=study.current.protocol.compares)
    if not form.is_valid() or form.step is None:
        return _page(request, study, form, status=422)
    try:
        note = form.cleaned_data["note"]
        row = ledgers.add_step(study, form.step, note=note, by=person(request), at=now())
    except RefusedError as error:
        add_refusal(form, error)
        return _page(request, study, form, status=422)
    messages.success(request, f"Step {row.number} was added to the ledger. It can be undone.")
    return redirect("study-quality", study.slug)


@require_POST
@study_view(Role.EDITOR)
def add_suggested_step(request: HttpRequest, study: Study) -> HttpResponse:
    """Add a filter that the protocol suggests to the ledger."""
    steps = ledgers.suggested_steps(study)
    try:
        step = steps[int(request.POST.get("step", ""))]
        row = ledgers.add_step(study, step, note="by the protocol", by=person(request), at=now())
    except (ValueError, IndexError, LedgerError) as error:
        is_refused = isinstance(error, RefusedError)
        messages.error(request, str(error) if is_refused else "This filter is no longer suggested.")
    else:
        messages.success(request, f"Step {row.number} was added to the ledger. It can be undone.")
    return redirect("study-quality", study.slug)


@require_POST
@study_view(Role.EDITOR)
def undo_step(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    ledgers.undo_step(_step(study, number), at=now())
    messages.success(request, f"Step {number} was undone. It stays in the list.")
    return redirect("study-quality", study.slug)


@require_POST
@study_view(Role.EDITOR)
def redo_step(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    ledgers.redo_step(_step(study, number), at=now())
    messages.success(request, f"Step {number} is active again.")
    return redirect("study-quality", study.slug)


def _step(study: Study, number: int) -> LedgerStep:
    step = study.ledger_steps.filter(number=number).first()
    if step is None:
        raise Http404("The ledger has no such step.")
    return step


def _page(request: HttpRequest, study: Study, form: StepForm, status: int = 200) -> HttpResponse:
    name = request.GET.get("level", "")
    both_bad = RankingQuery.read(request.GET)["both_bad"]
    level = chosen_level(name, study.current.protocol.level)
    data = collect_gold_ratings(study)
    context: dict[str, object] = {
        "tab": "quality",
        "level": level,
        "compares": study.current.protocol.compares,
        "levels": LEVELS,
        "ratings": data,
        "n_units": int((data.ratings.unit_sizes > 0).sum()),
        "rows": agreement_reports.agreement_table(study, data, level),
        "any_open": study.stages.filter(status=Stage.Status.OPEN).exists(),
    }
    if not wants_fragment(request):
        workers = worker_reports.worker_table(study, data, level)
        by_criterion = criteria.criteria_agreement(study, chosen_level(name))
        context |= {
            "form": form,
            "both_bad": both_bad,
            "ranking": choices.ranking(study, both_bad),
            "marks": criteria.marks_agreement(study),
            "criteria": by_criterion,
            "any_ordered": any(row.level != "nominal" for row in by_criterion),
            "panels": distribution_panels(study, data),
            "workers": workers,
            "scatter": _scatter(workers),
            "poor": checking.poor_by_worker(study),
            "suggested_steps": list(enumerate(ledgers.suggested_steps(study))),
            **_ledger(study, data, level),
        }
    return study_page(
        request,
        "annotation/quality/quality.html",
        study,
        context,
        fragment="annotation/quality/_agreement.html",
        status=status,
    )


def _ledger(study: Study, data: CollectedRatings, level: Level) -> dict[str, object]:
    try:
        return {"ledger": ledgers.ledger_report(study, data, level)}
    except LedgerError as error:
        return {"ledger_problem": str(error), "ledger_steps": Ledger().steps}


def _scatter(workers: list[WorkerRow]) -> WorkerScatter | None:
    rows = [
        (w.name, w.count, w.mean_abs_z, bool(w.flags)) for w in workers if w.mean_abs_z is not None
    ]
    return worker_scatter(rows) if rows else None
