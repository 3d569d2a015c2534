"""Messages from workers: questions, appeals, withdrawals."""

from __future__ import annotations

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.quality.forms import AnswerForm
from annotation.quality.services import ledgers
from annotation.rating.models import Message
from annotation.rating.services import correspondence
from annotation.studies.models import Study
from annotation.studies.views.access import study_page, study_view
from core.accounts.roles import Role


@require_safe
@study_view(Role.VIEWER)
def messages(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study)


@require_POST
@study_view(Role.EDITOR)
def answer(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    message = (
        Message.objects.filter(participation__study=study, pk=pk)
        .select_related("participation__worker", "participation__study")
        .first()
    )
    if message is None:
        raise Http404("The study has no such message.")
    form = AnswerForm(request.POST)
    if not form.is_valid():
        return _page(request, study, (message.pk, form), status=422)
    correspondence.answer(message, form.cleaned_data["answer"], at=now())
    worker = message.participation.worker.name
    if form.cleaned_data["readmit"] and message.kind == Message.Kind.APPEAL:
        ledgers.readmit_worker(message.participation, at=now())
        notices.success(request, f"The answer to {worker} was sent, and the worker was readmitted.")
    else:
        notices.success(request, f"The answer to {worker} was sent.")
    return redirect("study-messages", study.slug)


def _page(
    request: HttpRequest,
    study: Study,
    invalid_form: tuple[int, AnswerForm] | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "tab": "messages",
        "inbox": correspondence.inbox(study),
        "invalid_form": invalid_form,
    }
    return study_page(request, "annotation/quality/messages.html", study, context, status=status)
