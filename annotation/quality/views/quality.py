"""Agreement, the ledger, workers: what is kept, and what that does to alpha."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.quality.forms import StepForm, chosen_level
from annotation.quality.models import LedgerStep
from annotation.quality.services import agreement_reports, checking, ledgers, worker_reports
from annotation.quality.services.collected import Collected, collected_for_gold
from annotation.quality.services.ledgers import LedgerRefusedError
from annotation.quality.services.worker_reports import WorkerRow
from annotation.quality.views.panels import distribution_panels
from annotation.studies.models import Stage, Study
from annotation.studies.views.access import person, study_page, study_view
from concord.filtering import Ledger, LedgerError
from concord.plots.workers import WorkerScatter, worker_scatter
from concord.reliability import LEVELS
from core.accounts.roles import Role
from core.pages.polling import wants_fragment


@require_safe
@study_view(Role.VIEWER)
def quality(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study, StepForm())


@require_POST
@study_view(Role.EDITOR)
def add_step(request: HttpRequest, study: Study) -> HttpResponse:
    form = StepForm(request.POST)
    if not form.is_valid() or form.step is None:
        return _page(request, study, form, status=422)
    try:
        note = form.cleaned_data["note"]
        row = ledgers.add_step(study, form.step, note=note, by=person(request), at=now())
    except LedgerRefusedError as error:
        form.add_error(None, str(error))
        return _page(request, study, form, status=422)
    messages.success(request, f"Step {row.number} is in the ledger; it can be undone.")
    return redirect("study-quality", study.slug)


@require_POST
@study_view(Role.EDITOR)
def add_offered_step(request: HttpRequest, study: Study) -> HttpResponse:
    """Take a filter that the protocol names into the ledger."""
    offered = ledgers.offered_steps(study)
    try:
        step = offered[int(request.POST.get("offer", ""))]
        row = ledgers.add_step(study, step, note="by the protocol", by=person(request), at=now())
    except (ValueError, IndexError, LedgerError) as error:
        refused = isinstance(error, LedgerRefusedError)
        messages.error(request, str(error) if refused else "That filter is not offered any more.")
    else:
        messages.success(request, f"Step {row.number} is in the ledger; it can be undone.")
    return redirect("study-quality", study.slug)


@require_POST
@study_view(Role.EDITOR)
def undo_step(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    ledgers.undo_step(_step(study, number), at=now())
    messages.success(request, f"Step {number} is undone; it stays in the book.")
    return redirect("study-quality", study.slug)


@require_POST
@study_view(Role.EDITOR)
def redo_step(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    ledgers.redo_step(_step(study, number), at=now())
    messages.success(request, f"Step {number} is active again.")
    return redirect("study-quality", study.slug)


def _step(study: Study, number: int) -> LedgerStep:
    found = study.ledger_steps.filter(number=number).first()
    if found is None:
        raise Http404("The ledger has no such step.")
    return found


def _page(request: HttpRequest, study: Study, form: StepForm, status: int = 200) -> HttpResponse:
    level = chosen_level(request.GET.get("level", ""))
    found = collected_for_gold(study)
    context: dict[str, Any] = {
        "tab": "quality",
        "level": level,
        "levels": LEVELS,
        "found": found,
        "n_units": int((found.ratings.unit_sizes > 0).sum()),
        "rows": agreement_reports.agreement_table(study, found, level),
        "any_open": study.stages.filter(status=Stage.Status.OPEN).exists(),
    }
    if not wants_fragment(request):
        workers = worker_reports.worker_table(study, found, level)
        context |= {
            "form": form,
            "panels": distribution_panels(study, found),
            "workers": workers,
            "scatter": _scatter(workers),
            "poor": checking.poor_by_worker(study),
            "offered": list(enumerate(ledgers.offered_steps(study))),
            **_ledger(study, found, level),
        }
    return study_page(
        request,
        "annotation/quality/quality.html",
        study,
        context,
        fragment="annotation/quality/_agreement.html",
        status=status,
    )


def _ledger(study: Study, found: Collected, level: Any) -> dict[str, Any]:
    try:
        return {"ledger": ledgers.ledger_report(study, found, level)}
    except LedgerError as error:
        return {"ledger_problem": str(error), "ledger_steps": Ledger().steps}


def _scatter(workers: list[WorkerRow]) -> WorkerScatter | None:
    rows = [
        (w.name, w.count, w.mean_abs_z, bool(w.flags)) for w in workers if w.mean_abs_z is not None
    ]
    return worker_scatter(rows) if rows else None
