"""API of a study's crowd: the draft and its cost, publishing by the confirmed amount, progress."""

from __future__ import annotations

from dataclasses import fields

from django.http import Http404
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.crowds import inputs, tasks
from annotation.crowds.forms import OfferForm
from annotation.crowds.models import Publication
from annotation.crowds.providers.money import dollars
from annotation.crowds.providers.registry import PROVIDERS
from annotation.crowds.services import (
    ordering,
    progress,
    publishing,
    scheduling,
)
from annotation.crowds.services.progress import publication_of
from annotation.studies.api.access import edited, owned, person, viewed
from annotation.studies.models import Stage, Study
from concord.documents.conversion import fill
from concord.documents.crowds import (
    MissingRatersDocument,
    PlacesDocument,
    PublicationDocument,
    QuoteDocument,
)
from core.refusals import RefusedError
from core.rest.derived import DataclassSerializer
from core.rest.operations import operation
from core.rest.serializers import Paged, Strict
from core.rest.views import ApiView


def publication_document(row: progress.PublicationProgress) -> PublicationDocument:
    publication = row.publication
    return fill(
        PublicationDocument,
        row,
        publication,
        stage=publication.stage.kind,
        provider=publication.provider,
    )


class NewDraft(DataclassSerializer):
    dataclass = inputs.DraftedOffer
    only = tuple(
        one.name
        for one in fields(dataclass)
        if one.name not in ("frame_height", "reject_for_disagreement")
    )
    # What a provider does not have is refused.
    optional = tuple(name for name in only if name not in ("stage", "title", "description"))


class Confirm(Strict):
    confirmed = serializers.CharField(
        max_length=20, help_text="The exact cost in dollars with fees, as the draft shows it."
    )


def missing_raters_document(missing: ordering.MissingPlaces) -> MissingRatersDocument:
    return fill(MissingRatersDocument, missing, total=dollars(missing.total))


class Publications(ApiView):
    @operation(
        "List publications",
        scope="studies:read",
        query=Paged,
        answer=publication_document,
        pages=True,
        tag="crowds",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Every publication of the study but drafts, in the order of creation."""
        rows = progress.publications(viewed(request, slug))
        rows.sort(key=lambda row: row.publication.pk)
        return self.page_of_rows(rows, lambda row: row.publication.pk)


class Draft(ApiView):
    @operation("Read the draft", scope="studies:read", answer=QuoteDocument, tag="crowds")
    def get(self, request: Request, slug: str) -> Response:
        """With the cost of publishing."""
        return self.answer(_quote_row(_draft(viewed(request, slug))))


class NewDraftAt(ApiView):
    @operation(
        "Draft an offer",
        scope="studies:write",
        body=NewDraft,
        answer=QuoteDocument,
        tag="crowds",
        also={409: "The stage is already published, or has nothing to rate."},
        example={"stage": "full", "title": "Rate answers", "description": "Is each right?"},
    )
    def put(self, request: Request, slug: str, provider: str) -> Response:
        """Replaces an earlier draft. Makes no calls to the provider."""
        study = edited(request, slug)
        body = self.body()
        if provider not in PROVIDERS:
            raise Http404("There is no such crowd.")
        form = _offer_form(study, provider, body)
        stage: Stage = study.stages.get(kind=form.cleaned_data["stage"])
        draft = form.value()
        publication = publishing.draft(
            stage,
            provider,
            draft.offer(),
            environment=form.environment_name(),
            site=request.build_absolute_uri("/"),
            budget_cents=draft.budget_cents,
            at=now(),
        )
        return self.answer(_quote_row(publication))


class PublishView(ApiView):
    @operation(
        "Publish the draft",
        scope="payments:write",
        body=Confirm,
        answer=publication_document,
        changes=lambda: Draft,
        tag="crowds",
        also={409: "The confirmed amount is not the cost, or the budget or balance is too small."},
        example={"confirmed": "12.34"},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queues all calls for the confirmed amount; background workers make them. A draft is
        published once: a repeated request is refused."""
        draft = _draft(owned(request, slug))
        body = self.body()
        ordering.order(draft, confirmed=body["confirmed"], by=person(request), at=now())
        tasks.after_commit(tasks.make_crowd_calls, draft.pk)
        return self.answer(progress.progress(publication_of(draft.stage.study, draft.pk)))


class OnePublication(ApiView):
    @operation(
        "Read a publication", scope="studies:read", answer=publication_document, tag="crowds"
    )
    def get(self, request: Request, slug: str, publication: int) -> Response:
        """Its progress. Ask again while `percent` is below 100 and `problem` is empty."""
        row = publication_of(viewed(request, slug), publication)
        return self.answer(progress.progress(row))


class Sync(ApiView):
    @operation(
        "Sync a publication",
        scope="studies:write",
        answer=publication_document,
        status=202,
        tag="crowds",
    )
    def post(self, request: Request, slug: str, publication: int) -> Response:
        """Asks the platform for the state of the work. `synced_at` changes when it is done. Paused
        calls stay paused."""
        row = publication_of(edited(request, slug), publication)
        scheduling.request_sync(row.pk, at=now())
        tasks.after_commit(tasks.sync_crowd, row.pk)
        return self.answer(progress.progress(publication_of(row.stage.study, row.pk)))


class End(ApiView):
    @operation(
        "End a publication",
        scope="payments:write",
        answer=publication_document,
        changes=lambda: OnePublication,
        tag="crowds",
    )
    def post(self, request: Request, slug: str, publication: int) -> Response:
        """Admits no new workers. Workers may finish what they accepted, and it is paid."""
        row = publication_of(owned(request, slug), publication)
        if row.status == Publication.Status.DRAFT:
            raise RefusedError(
                "This is a draft, not a publication. Discard the draft instead.", "study-refused"
            )
        publishing.end(row, at=now())
        tasks.after_commit(tasks.make_crowd_calls, row.pk)
        return self.answer(progress.progress(publication_of(row.stage.study, row.pk)))


class MissingRatersView(ApiView):
    @operation(
        "Read a publication's missing places",
        scope="studies:read",
        answer=missing_raters_document,
        tag="crowds",
        also={409: "It is not live: it is a draft or has ended."},
    )
    def get(self, request: Request, slug: str, publication: int) -> Response:
        """The places that the stage still needs, and their cost."""
        row = publication_of(owned(request, slug), publication)
        return self.answer(ordering.missing(row, at=now()))

    @operation(
        "Request a publication's missing places",
        scope="payments:write",
        body=Confirm,
        answer=PlacesDocument,
        changes=lambda: MissingRatersView,
        tag="crowds",
        also={409: "The confirmed amount is not the cost, or the budget or balance is too small."},
        example={"confirmed": "1.20"},
    )
    def post(self, request: Request, slug: str, publication: int) -> Response:
        """Requests them from the platform for the confirmed amount."""
        row = publication_of(owned(request, slug), publication)
        body = self.body()
        places = ordering.order(row, confirmed=body["confirmed"], by=person(request), at=now())
        tasks.after_commit(tasks.make_crowd_calls, row.pk)
        return self.answer({"places": places})


def _draft(study: Study) -> Publication:
    draft = progress.draft(study)
    if draft is None:
        raise Http404("The study has no draft.")
    return draft


def _quote_row(draft: Publication) -> QuoteDocument:
    row: QuoteDocument = {
        "id": draft.pk,
        "stage": draft.stage.kind,
        "provider": draft.provider,
        "offer": draft.offer,
        "total": None,
        "fits_budget": None,
        "test_note": publishing.test_note(draft),
        "problem": "",
    }
    try:
        quote = publishing.quote(draft)
    except RefusedError as error:
        return {**row, "problem": str(error)}
    return {**row, "total": dollars(quote.price.total), "fits_budget": quote.fits_budget}


def _offer_form(study: Study, provider: str, values: dict[str, object]) -> OfferForm:
    """The page's form, which validates a provider's offer."""
    blank = OfferForm(study, provider)
    initial = {name: field.initial for name, field in blank.fields.items() if field.initial}
    initial.pop("fee_percent", None)  # depends on the platform, so it must be sent
    form = OfferForm(study, provider, {**initial, **values})
    unknown = sorted(set(values) - set(form.fields))
    if unknown:
        raise ValidationError(
            {name: [f"The crowd '{provider}' has no such field."] for name in unknown}
        )
    if not form.is_valid():
        problems = {name: [str(one) for one in texts] for name, texts in form.errors.items()}
        raise ValidationError(
            {("" if name == "__all__" else name): texts for name, texts in problems.items()}
        )
    return form
