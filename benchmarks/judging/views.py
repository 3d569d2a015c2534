"""The pages of the models that judge a set: a form, a quote to confirm, and the progress."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmarks.judging import services as judging
from benchmarks.judging import tasks
from benchmarks.judging.forms import (
    BudgetForm,
    ModelJudgeForm,
    NextVersionForm,
    PreviousQuery,
)
from benchmarks.judging.models import ModelJudge
from benchmarks.judging.services import alignment
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import set_page, set_view
from concord.sentences import to_sentence
from core.accounts.roles import Role
from core.accounts.views.shared import person
from core.pages.sending import send
from core.pages.views import add_refusal, refusals_to
from core.refusals import RefusedError

SHOWN_ANSWERS = 5


@require_http_methods(["GET", "HEAD", "POST"])
@set_view(Role.EDITOR)
def model_judges(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    """The judges of a set and the form for a new one, which sends nothing yet."""
    if request.method != "POST":
        previous = PreviousQuery.read(request.GET)["previous"]
        if previous is None:
            return _list_page(request, judgment_set, ModelJudgeForm())
        form = ModelJudgeForm.of_next_version(_find(judgment_set, previous))
        return _list_page(request, judgment_set, form)
    form = ModelJudgeForm(request.POST)
    if not form.is_valid():
        return _list_page(request, judgment_set, form, status=422)
    number = form.cleaned_data["previous"]
    spec = form.spec(None if number is None else _find(judgment_set, number))
    try:
        judge = judging.draft(judgment_set, spec, owner=person(request), at=now())
    except RefusedError as error:
        add_refusal(form, error)
        return _list_page(request, judgment_set, form, status=422)
    return redirect(judge.get_absolute_url())


@require_safe
@set_view(Role.EDITOR)
def model_judge(request: HttpRequest, judgment_set: JudgmentSet, pk: int) -> HttpResponse:
    return _judge_page(request, judgment_set, _find(judgment_set, pk))


@require_POST
@refusals_to("model-judge", "ref", "pk")
@set_view(Role.EDITOR)
def change_judge(request: HttpRequest, judgment_set: JudgmentSet, pk: int) -> HttpResponse:
    """Confirm, stop, resume or delete a judge, as `do` says."""
    judge = _find(judgment_set, pk)
    change = CHANGES.get(request.POST.get("do", ""))
    if change is None:
        raise RefusedError("Unknown action.", "judge-refused")
    messages.success(request, change(request, judge))
    if judge.pk is None:
        return redirect("model-judges", ref=str(judgment_set))
    return redirect(judge.get_absolute_url())


@require_http_methods(["GET", "HEAD", "POST"])
@set_view(Role.EDITOR)
def align(request: HttpRequest, judgment_set: JudgmentSet, pk: int) -> HttpResponse:
    """The versions of a judge, its disagreements with people, and the form of the next version."""
    judge = _find(judgment_set, pk)
    versions = alignment.versions_of(judge)
    name = f"{versions[0].name[:70]} v{len(versions) + 1}"
    if request.method != "POST":
        return _align_page(request, judge, versions, NextVersionForm(judge, name))
    form = NextVersionForm(judge, name, request.POST)
    if form.is_valid():
        try:
            made = judging.draft(
                judgment_set, form.spec(), owner=person(request), at=now(), aligned=True
            )
        except RefusedError as error:
            add_refusal(form, error)
        else:
            return redirect(made.get_absolute_url())
    return _align_page(request, judge, versions, form, status=422)


def _align_page(
    request: HttpRequest,
    judge: ModelJudge,
    versions: list[ModelJudge],
    form: NextVersionForm,
    status: int = 200,
) -> HttpResponse:
    choice = alignment.compare(judge.judgment_set, versions)
    rows, reason = [], ""
    if judge.submission_id is None or judge.is_of_pairs:
        reason = f"{judge.name} has no scores of candidates."
    else:
        try:
            rows = alignment.disagreements(judge)
        except RefusedError as error:
            reason = to_sentence(error)
    chosen = {one.pk: one for one in versions}.get(choice.chosen or 0)
    context: dict[str, object] = {
        "tab": "model-judges",
        "judge": judge,
        "rows": alignment.version_rows(versions, choice),
        "choice": choice,
        "chosen": chosen,
        "chosen_agreement": choice.by_version.get(choice.chosen or 0),
        "disagreements": rows,
        "reason": reason,
        "form": form,
    }
    return set_page(
        request, "benchmarks/judging/align.html", judge.judgment_set, context, status=status
    )


def _confirm(request: HttpRequest, judge: ModelJudge) -> str:
    with transaction.atomic():
        judging.confirm(judge, by=person(request), at=now())
        send(request, tasks.sender(judge))
    return f"{judge.name} is queued."


def _stop(request: HttpRequest, judge: ModelJudge) -> str:
    if judging.stop(judge, by=person(request), at=now()):
        return f"{judge.name} is stopped. What is answered is kept."
    raise RefusedError(f"{judge.name} has ended already.", "judge-refused")


def _resume(request: HttpRequest, judge: ModelJudge) -> str:
    form = BudgetForm(request.POST)
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise RefusedError(
            f"{form.fields[field].label}: {' '.join(map(str, errors))}", "judge-refused"
        )
    with transaction.atomic():
        judging.resume(judge, **form.cleaned_data, by=person(request), at=now())
        send(request, tasks.sender(judge))
    return f"{judge.name} is queued again."


def _discard(request: HttpRequest, judge: ModelJudge) -> str:
    judging.discard(judge, by=person(request))
    return f"{judge.name} and its key are deleted."


CHANGES: dict[str, Callable[[HttpRequest, ModelJudge], str]] = {
    "confirm": _confirm,
    "stop": _stop,
    "resume": _resume,
    "delete": _discard,
}


def _find(judgment_set: JudgmentSet, pk: int) -> ModelJudge:
    judges = ModelJudge.objects.select_related(
        "owner", "submission", "previous__judgment_set", "judgment_set"
    )
    judge = judges.filter(judgment_set=judgment_set, pk=pk).first()
    if judge is None:
        raise RefusedError(f"{judgment_set} has no model judge {pk}.", "not-found")
    judge.judgment_set = judgment_set
    return judge


def _list_page(
    request: HttpRequest, judgment_set: JudgmentSet, form: ModelJudgeForm, status: int = 200
) -> HttpResponse:
    rows = ModelJudge.objects.filter(judgment_set=judgment_set)
    judges = list(rows.select_related("owner", "judgment_set"))
    context = {"tab": "model-judges", "judges": judges, "form": form}
    return set_page(
        request, "benchmarks/judging/model_judges.html", judgment_set, context, status=status
    )


def _judge_page(request: HttpRequest, judgment_set: JudgmentSet, judge: ModelJudge) -> HttpResponse:
    context: dict[str, object] = {
        "tab": "model-judges",
        "judge": judge,
        "template": judge.parsed_template,
        "is_owner": judge.owner_id == request.user.pk,
        "quote": judging.quote(judge) if judge.is_draft else None,
        "n_answers": judge.answers.count(),
        "n_invalid": judge.answers.filter(score=None).count(),
        "invalid": judge.answers.filter(score=None)[:SHOWN_ANSWERS],
        "run": getattr(judge.submission, "run", None),
    }
    return set_page(
        request,
        "benchmarks/judging/model_judge.html",
        judgment_set,
        context,
        fragment="benchmarks/judging/_model_judge.html",
    )
