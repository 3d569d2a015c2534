"""The crowd page of a study: choose a crowd, see the cost, publish, follow, end."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.crowds import tasks
from annotation.crowds.forms import CrowdBudgetForm, OfferForm
from annotation.crowds.models import CrowdAccount, Publication
from annotation.crowds.providers.money import dollars
from annotation.crowds.providers.offer import OfferError
from annotation.crowds.providers.provider import CrowdError, Provider
from annotation.crowds.providers.registry import PROVIDERS, provider_at
from annotation.crowds.services import (
    ordering,
    outbox,
    progress,
    publishing,
    reviewing,
    scheduling,
)
from annotation.crowds.services.progress import publication_of
from annotation.crowds.services.publication_specs import offer_of, provider_of
from annotation.studies.models import Stage, Study
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.roles import Role
from core.refusals import RefusedError


def _obstacle(publication: Publication) -> str:
    """Why no call is made now, and what to do; empty where background workers make the calls."""
    provider = provider_of(publication)
    if missing := provider.missing_credentials():
        return (
            f"Nothing was sent to the platform. This site has no credentials for {provider.title}. "
            "An administrator enters them on "
            f"the page Crowd accounts, or sets {', '.join(missing)} in the environment of the site "
            "and its workers and starts them again. Then press Retry on the page Crowd."
        )
    if publication.problem:
        return (
            "Calls that change anything there are paused until an owner presses Retry: "
            f"{publication.problem}"
        )
    return ""


def _queued_message(publication: Publication, queued: str) -> tuple[str, bool]:
    """The message after calls were queued, and whether they can be made now.

    `queued` says what was queued; that it was sent is known only when the platform has answered.
    """
    reason = _obstacle(publication)
    if reason:
        return f"{queued} {reason}", False
    work = "send this to the platform" if provider_of(publication).pays else "do this"
    return f"{queued} Background workers {work}; Crowd shows the progress.", True


# The providers whose service is named by its URL, which the site must be allowed to call.
NEEDS_HOST = ("mturk",)


@dataclass(frozen=True)
class CrowdCard:
    """A crowd. `missing` maps the settings that are needed and not set to what they are; an
    administrator can enter them on the page Crowd accounts instead."""

    provider: Provider
    missing: dict[str, str]

    @property
    def documentation(self) -> str:
        """The URL of the crowd's section in the documentation."""
        return f"{reverse('docs-page', args=['how-to/crowds.html'])}#{self.provider.section}"


def crowd_cards() -> list[CrowdCard]:
    """All crowds, in the order of the registry."""
    entered = set(CrowdAccount.objects.values_list("provider", flat=True))
    return [
        CrowdCard(provider, {} if name in entered else _missing_settings(provider))
        for name in PROVIDERS
        for provider in [provider_at(name, "")]
    ]


def _missing_settings(provider: Provider) -> dict[str, str]:
    missing = dict(provider.missing_credentials())
    if provider.name in NEEDS_HOST and not settings.OUTGOING_ALLOWED_HOSTS:
        missing["OUTGOING_ALLOWED_HOSTS"] = "the host of the service, or host:port"
    return missing


@require_safe
@study_view(Role.VIEWER)
def crowd(request: HttpRequest, study: Study) -> HttpResponse:
    provider = request.GET.get("provider", "")
    form = OfferForm(study, provider, initial=_initial(study)) if provider in PROVIDERS else None
    return _page(request, study, form, provider)


@require_POST
@study_view(Role.EDITOR)
def draft(request: HttpRequest, study: Study, provider: str) -> HttpResponse:
    """Store an offer as the draft, whose cost is shown next. Makes no calls."""
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
            form.value().offer(),
            environment=form.environment_name(),
            site=request.build_absolute_uri("/"),
            budget_cents=form.value().budget_cents,
            at=now(),
        )
    except OfferError as error:
        for name, problem in error.problems.items():
            form.add_error(name if name in form.fields else None, problem)
        return _page(request, study, form, provider, status=422)
    except (RefusedError, CrowdError) as error:
        form.add_error(None, str(error))
        return _page(request, study, form, provider, status=422)
    return redirect("study-crowd", study.slug)


@require_POST
@study_view(Role.EDITOR)
def discard(request: HttpRequest, study: Study) -> HttpResponse:
    draft = progress.draft(study)
    if draft is not None:
        publishing.end(draft, at=now())
        messages.success(request, "The draft was discarded. Nothing was published.")
    return redirect("study-crowd", study.slug)


@require_POST
@study_view(Role.EDITOR)
def sync(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    publication = publication_of(study, pk)
    scheduling.request_sync(publication.pk, at=now())
    tasks.after_commit(tasks.sync_crowd, publication.pk)
    report_queued(request, publication, f"A sync with {provider_of(publication).title} is queued.")
    return redirect("study-crowd", study.slug)


@require_POST
@study_view(Role.OWNER)
def try_again(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Retry failed and paused calls, after a person has removed the cause."""
    publication = publication_of(study, pk)
    outbox.retry_failed(publication)
    tasks.after_commit(tasks.make_crowd_calls, publication.pk)
    publication.problem = ""
    report_queued(request, publication, "Failed and paused calls are queued again.")
    return redirect("study-crowd", study.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.OWNER)
def order(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """The missing places and their cost; POST orders them, which publishes a draft."""
    publication = publication_of(study, pk)
    try:
        if request.method != "POST":
            return _missing_page(request, study, publication)
        places = ordering.order(
            publication, confirmed=request.POST.get("confirmed", ""), by=person(request), at=now()
        )
    except (RefusedError, CrowdError) as error:
        messages.error(request, str(error))
    else:
        tasks.after_commit(tasks.make_crowd_calls, publication.pk)
        title = provider_of(publication).title
        if publication.status == Publication.Status.DRAFT:
            report_queued(request, publication, f"Publishing on {title} is queued.")
        elif places:
            report_queued(request, publication, f"A request for {places:,} more places is queued.")
        else:
            messages.success(request, "No places are missing.")
    return redirect("study-crowd", study.slug)


@require_POST
@study_view(Role.OWNER)
def end(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    publication = publication_of(study, pk)
    publishing.end(publication, at=now())
    tasks.after_commit(tasks.make_crowd_calls, publication.pk)
    report_queued(
        request,
        publication,
        "The end of recruiting is queued; then no new workers can start. Workers may finish what "
        "they accepted, and it is paid.",
    )
    return redirect("study-crowd", study.slug)


@require_POST
@study_view(Role.OWNER)
def budget(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    publication = publication_of(study, pk)
    form = CrowdBudgetForm(request.POST)
    if form.is_valid():
        reviewing.set_budget(publication, form.cleaned_data["budget"])
        messages.success(request, "The budget was changed.")
    else:
        messages.error(
            request, "Enter an amount in dollars, or leave the field empty for no limit."
        )
    return redirect("study-crowd", study.slug)


def report_queued(request: HttpRequest, publication: Publication, queued: str) -> None:
    """Show what was queued, and a warning if it cannot be sent now."""
    text, can_be_sent = _queued_message(publication, queued)
    (messages.success if can_be_sent else messages.warning)(request, text)


def _missing_page(request: HttpRequest, study: Study, publication: Publication) -> HttpResponse:
    missing = ordering.missing(publication, at=now())
    context = {
        "tab": "crowd",
        "publication": publication,
        "provider": provider_of(publication),
        "missing": missing,
        "confirmed": dollars(missing.total),
    }
    return study_page(request, "annotation/crowds/order.html", study, context)


def _page(
    request: HttpRequest,
    study: Study,
    form: OfferForm | None,
    provider: str,
    status: int = 200,
) -> HttpResponse:
    draft_row = progress.draft(study)
    publications = progress.publications(study)
    context: dict[str, object] = {
        "tab": "crowd",
        "form": form,
        "chosen_provider": provider,
        "cards": crowd_cards(),
        "chosen_title": provider_at(provider, "").title if form else "",
        "draft": draft_row,
        "publications": publications,
        "any_active": any(one.is_active for one in publications),
        "panel_links": {
            one.publication.pk: progress.panel_link(one.publication) for one in publications
        },
        "has_unpublished_stage": study.stages.exclude(
            publications__status=Publication.Status.LIVE
        ).exists(),
        "stages": study.stages.exclude(kind="qualification").order_by("-number"),
    }
    if draft_row is not None:
        context |= _cost(draft_row)
    return study_page(
        request,
        "annotation/crowds/crowd.html",
        study,
        context,
        fragment="annotation/crowds/_progress.html",
        status=status,
    )


def _cost(draft_row: Publication) -> dict[str, object]:
    """The cost of the draft, or why it is unknown."""
    provider, offer = provider_of(draft_row), offer_of(draft_row)
    context: dict[str, object] = {
        "provider": provider,
        "offer": offer,
        "needs_https": ordering.needs_https(draft_row),
        "test_note": publishing.test_note(draft_row),
    }
    try:
        quote = publishing.quote(draft_row)
    except RefusedError as error:
        return context | {"cost_problem": str(error)}
    return context | {"quote": quote, "confirmed": dollars(quote.price.total)}


def _initial(study: Study) -> dict[str, str]:
    values = {"title": study.title, "description": study.current.protocol.question}
    # A planned stage has no HITs to publish: its draft would have no cost.
    to_publish = study.stages.filter(status=Stage.Status.OPEN, hits__open_slots__gt=0).exclude(
        publications__status=Publication.Status.LIVE
    )
    stage = to_publish.order_by("-number").first()
    return values if stage is None else values | {"stage": stage.kind}
