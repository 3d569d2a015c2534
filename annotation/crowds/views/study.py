"""The crowd of a study: choose one, see the cost, publish, watch, end."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.crowds import tasks
from annotation.crowds.forms import BudgetForm, OfferForm
from annotation.crowds.models import Publication
from annotation.crowds.providers.money import dollars
from annotation.crowds.providers.offer import OfferError
from annotation.crowds.providers.provider import CrowdError
from annotation.crowds.providers.registry import PROVIDERS, provider_at
from annotation.crowds.services import outbox, progress, publishing, reviewing, running, topping_up
from annotation.crowds.services.orders import offer_of, provider_of
from annotation.studies.errors import StudyError
from annotation.studies.models import Study
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.roles import Role

FIRST = "mturk"


@require_safe
@study_view(Role.VIEWER)
def crowd(request: HttpRequest, study: Study) -> HttpResponse:
    chosen = request.GET.get("provider", "")
    form = OfferForm(study, chosen, initial=_initial(study)) if chosen in PROVIDERS else None
    return _page(request, study, form, chosen)


@require_POST
@study_view(Role.EDITOR)
def draft(request: HttpRequest, study: Study, provider: str) -> HttpResponse:
    """Keep an offer as the draft, whose cost is shown next; asks nobody."""
    if provider not in PROVIDERS:
        raise Http404("There is no such crowd.")
    form = OfferForm(study, provider, request.POST)
    if not form.is_valid():
        return _page(request, study, form, provider, status=422)
    stage = study.stages.get(kind=form.cleaned_data["stage"])
    try:
        publishing.draft(
            stage,
            provider,
            form.offer(),
            place=form.where(),
            site=request.build_absolute_uri("/"),
            budget_cents=form.cleaned_data["budget"],
            at=now(),
        )
    except OfferError as error:
        for name, problem in error.problems.items():
            form.add_error(name if name in form.fields else None, problem)
        return _page(request, study, form, provider, status=422)
    except (StudyError, CrowdError) as error:
        form.add_error(None, str(error))
        return _page(request, study, form, provider, status=422)
    return redirect("study-crowd", study.slug)


@require_POST
@study_view(Role.EDITOR)
def discard(request: HttpRequest, study: Study) -> HttpResponse:
    found = progress.draft(study)
    if found is not None:
        publishing.end(found, at=now())
        messages.success(request, "The draft is discarded. Nothing had been published.")
    return redirect("study-crowd", study.slug)


@require_POST
@study_view(Role.OWNER)
def publish(request: HttpRequest, study: Study) -> HttpResponse:
    """Order what the draft says; the workers of this site make the calls."""
    found = progress.draft(study)
    if found is None:
        messages.error(request, "There is no draft to publish.")
        return redirect("study-crowd", study.slug)
    try:
        made = publishing.publish(
            found, confirmed=request.POST.get("confirmed", ""), by=person(request), at=now()
        )
    except (StudyError, CrowdError) as error:
        messages.error(request, str(error))
    else:
        tasks.after_commit(tasks.make_crowd_calls, made.pk)
        messages.success(
            request, f"Ordered: {provider_of(made).title} is being told. This page says how far."
        )
    return redirect("study-crowd", study.slug)


@require_POST
@study_view(Role.EDITOR)
def sync(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    found = publication_of(study, pk)
    running.ask(found.pk, at=now())
    Publication.objects.filter(pk=found.pk).update(problem="")
    tasks.after_commit(tasks.sync_crowd, found.pk)
    messages.success(request, f"{provider_of(found).title} is being asked.")
    return redirect("study-crowd", study.slug)


@require_POST
@study_view(Role.OWNER)
def try_again(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """After a person has seen to what was in the way."""
    found = publication_of(study, pk)
    outbox.try_again(found)
    tasks.after_commit(tasks.make_crowd_calls, found.pk)
    messages.success(request, "What was refused or waits is tried again.")
    return redirect("study-crowd", study.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.OWNER)
def top_up(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """What the stage lacks at the crowd and what that costs; POST asks for it."""
    found = publication_of(study, pk)
    try:
        if request.method != "POST":
            return _lacking(request, study, found)
        places = topping_up.top_up(
            found, confirmed=request.POST.get("confirmed", ""), by=person(request), at=now()
        )
    except (StudyError, CrowdError) as error:
        messages.error(request, str(error))
    else:
        tasks.after_commit(tasks.make_crowd_calls, found.pk)
        said = f"{places:,} more places are asked for." if places else "Nothing is lacking there."
        messages.success(request, said)
    return redirect("study-crowd", study.slug)


@require_POST
@study_view(Role.OWNER)
def end(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    found = publication_of(study, pk)
    publishing.end(found, at=now())
    tasks.after_commit(tasks.make_crowd_calls, found.pk)
    messages.success(
        request, "Nobody else is let in. What workers hold they may finish, and it is paid."
    )
    return redirect("study-crowd", study.slug)


@require_POST
@study_view(Role.OWNER)
def budget(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    found = publication_of(study, pk)
    form = BudgetForm(request.POST)
    if form.is_valid():
        reviewing.set_budget(found, form.cleaned_data["budget"])
        messages.success(request, "The budget is changed.")
    else:
        messages.error(request, "A budget is an amount in dollars, or nothing.")
    return redirect("study-crowd", study.slug)


def publication_of(study: Study, pk: int) -> Publication:
    """A publication of the study; 404 for another's."""
    rows = Publication.objects.filter(stage__study=study).select_related("stage__study")
    found = rows.filter(pk=pk).first()
    if found is None:
        raise Http404("The study has no such publication.")
    return found


def _lacking(request: HttpRequest, study: Study, found: Publication) -> HttpResponse:
    lack = topping_up.lack(found, at=now())
    context = {
        "tab": "crowd",
        "publication": found,
        "provider": provider_of(found),
        "lack": lack,
        "confirmed": dollars(lack.cents),
    }
    return study_page(request, "annotation/crowds/lacking.html", study, context)


def _page(
    request: HttpRequest,
    study: Study,
    form: OfferForm | None,
    chosen: str,
    status: int = 200,
) -> HttpResponse:
    waiting = progress.draft(study)
    found = progress.publications(study)
    context: dict[str, Any] = {
        "tab": "crowd",
        "form": form,
        "chosen": chosen,
        "providers": [(name, provider_at(name, "").title) for name in PROVIDERS],
        "draft": waiting,
        "found": found,
        "any_at_work": any(one.is_at_work for one in found),
        "entrances": {one.publication.pk: progress.entrance(one.publication) for one in found},
        "invitations": {one.publication.pk: progress.invitations(one.publication) for one in found},
        "is_free": study.stages.exclude(kind="qualification")
        .exclude(publications__status=Publication.Status.LIVE)
        .exists(),
        "stages": study.stages.exclude(kind="qualification").order_by("-number"),
    }
    if waiting is not None:
        context |= _cost(waiting)
    return study_page(
        request,
        "annotation/crowds/crowd.html",
        study,
        context,
        fragment="annotation/crowds/_progress.html",
        status=status,
    )


def _cost(waiting: Publication) -> dict[str, Any]:
    """What the draft costs; why that cannot be said, where it cannot."""
    provider, offer = provider_of(waiting), offer_of(waiting)
    context: dict[str, Any] = {
        "provider": provider,
        "offer": offer,
        "needs_https": publishing.needs_https(waiting),
    }
    try:
        quote = publishing.quote(waiting)
    except StudyError as error:
        return context | {"cost_problem": str(error)}
    return context | {"quote": quote, "confirmed": dollars(quote.price.total)}


def _initial(study: Study) -> dict[str, str]:
    return {"title": study.title, "description": study.current.protocol.question}
