"""A study's crowd: the draft of an offer and its cost, publishing by a typed amount, progress."""

from __future__ import annotations

from typing import Any, TypedDict

from django.http import Http404
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.crowds import tasks
from annotation.crowds.api.access import publication_of
from annotation.crowds.forms import OfferForm
from annotation.crowds.models import Publication
from annotation.crowds.providers.money import dollars
from annotation.crowds.providers.offer import BUDGET, ENDPOINT, FEE_PERCENT, PANEL, Offer
from annotation.crowds.providers.registry import PROVIDERS, provider_at
from annotation.crowds.services import outbox, progress, publishing, reviewing, running, topping_up
from annotation.studies.api.access import edited, owned, person, viewed
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, Study
from concord.bounds import Items, Text, find_bound
from core.pages.bounded_fields import dollars_of
from core.rest.derived import text_field, whole_field
from core.rest.operations import operation
from core.rest.serializers import Flag, Paged, Strict
from core.rest.views import ApiView

INVITED: Items = find_bound(Offer, "invited")


class ProviderDocument(serializers.Serializer[str]):
    """A crowd that a stage can be put before."""

    name = serializers.SerializerMethodField()
    title = serializers.SerializerMethodField()

    def get_name(self, name: str) -> str:
        return name

    def get_title(self, name: str) -> str:
        return str(provider_at(name, "").title)


class PublicationDocument(serializers.Serializer[progress.Progress]):
    """A stage at a crowd: calls made of those ordered, places, work by its state, money."""

    id = serializers.IntegerField(source="publication.pk")
    stage = serializers.CharField(source="publication.stage.kind")
    provider = serializers.CharField(source="publication.provider")
    status = serializers.ChoiceField(Publication.Status.choices, source="publication.status")
    problem = serializers.CharField(
        source="publication.problem", help_text="Why its calls wait for a person; else empty."
    )
    percent = serializers.IntegerField(help_text="Of the calls that were ordered.")
    calls = serializers.IntegerField()
    made = serializers.IntegerField()
    listings = serializers.IntegerField()
    places = serializers.IntegerField()
    states = serializers.DictField(child=serializers.IntegerField(), help_text="Work by state.")
    paid_cents = serializers.IntegerField()
    fee_cents = serializers.IntegerField()
    budget_cents = serializers.IntegerField(source="publication.budget_cents", allow_null=True)
    confirmed_cents = serializers.IntegerField(
        source="publication.confirmed_cents", allow_null=True
    )
    created_at = serializers.DateTimeField(source="publication.created_at")
    synced_at = serializers.DateTimeField(source="publication.synced_at", allow_null=True)


class QuoteDocument(serializers.Serializer[Any]):
    """The draft of an offer, and what publishing it costs."""

    id = serializers.IntegerField()
    stage = serializers.CharField()
    provider = serializers.CharField()
    offer = serializers.DictField()
    total = serializers.CharField(
        allow_null=True, help_text="Dollars with fees, to be typed when publishing."
    )
    fits_budget = serializers.BooleanField(allow_null=True)
    problem = serializers.CharField(help_text="Why there is no cost yet; else empty.")


def _text(name: str, *, required: bool = False) -> serializers.CharField:
    bound: Text = find_bound(Offer, name)
    return text_field(bound, required=required)


def _whole(name: str) -> serializers.IntegerField:
    return whole_field(find_bound(Offer, name), required=False)


class NewDraft(Strict):
    """What workers are offered. Which fields a provider has, its page shows."""

    stage = serializers.ChoiceField(("trial", "full"))
    title = _text("title", required=True)
    description = _text("description", required=True)
    budget = serializers.DecimalField(
        max_digits=10,
        decimal_places=2,
        min_value=dollars_of(int(BUDGET.minimum)),
        max_value=dollars_of(int(BUDGET.maximum)),
        required=False,
        help_text="Dollars.",
    )
    place = serializers.CharField(required=False, max_length=40)
    endpoint = serializers.CharField(required=False, max_length=ENDPOINT.max_chars)
    worker_origin = _text("worker_origin")
    question = _text("question")
    split = Flag(required=False)
    masters = Flag(required=False)
    keywords = _text("keywords")
    lifetime_hours = _whole("lifetime_hours")
    auto_approval_hours = _whole("auto_approval_hours")
    queue = _text("queue")
    panel = text_field(PANEL, required=False)
    id_parameter = _text("id_parameter")
    return_url = _text("return_url")
    tasks_each = _whole("tasks_each")
    fee_percent = serializers.DecimalField(
        max_digits=5,
        decimal_places=2,
        min_value=FEE_PERCENT.minimum,
        max_value=FEE_PERCENT.maximum,
        required=False,
    )
    invited = serializers.ListField(
        child=serializers.CharField(max_length=INVITED.each.max_chars),
        required=False,
        max_length=INVITED.max_items,
    )


class Confirm(Strict):
    confirmed = serializers.CharField(
        max_length=20, help_text="The exact amount in dollars with fees, as the draft says it."
    )


class Budget(Strict):
    cents = whole_field(BUDGET, allow_null=True, help_text="Null: no limit.")


class PlacesDocument(serializers.Serializer[Any]):
    """How many more places were asked for."""

    places = serializers.IntegerField()


class LackDocument(serializers.Serializer[topping_up.Lack]):
    """What a stage lacks at its crowd, and what asking for it costs."""

    places = serializers.IntegerField()
    rewards = serializers.IntegerField(help_text="Cents.")
    fees = serializers.IntegerField(help_text="Cents.")
    total = serializers.SerializerMethodField(help_text="Dollars, to be typed when asking.")

    def get_total(self, found: topping_up.Lack) -> str:
        return dollars(found.cents)


class Providers(ApiView):
    @operation(
        "List crowds",
        scope="studies:read",
        query=Paged,
        answer=ProviderDocument,
        pages=True,
        tag="crowds",
    )
    def get(self, request: Request) -> Response:
        return self.page_of_rows(sorted(PROVIDERS), lambda name: name)


class Publications(ApiView):
    @operation(
        "List publications",
        scope="studies:read",
        query=Paged,
        answer=PublicationDocument,
        pages=True,
        tag="crowds",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Everything of the study that was published, in order."""
        rows = progress.publications(viewed(request, slug))
        rows.sort(key=lambda row: row.publication.pk)
        return self.page_of_rows(rows, lambda row: row.publication.pk)


class Draft(ApiView):
    @operation("Read the draft", scope="studies:read", answer=QuoteDocument, tag="crowds")
    def get(self, request: Request, slug: str) -> Response:
        """With what publishing it costs."""
        return self.answer(_quoted(_draft(viewed(request, slug))))

    @operation("Discard the draft", scope="studies:write", status=204, tag="crowds")
    def delete(self, request: Request, slug: str) -> Response:
        """Nothing had been published."""
        publishing.end(_draft(edited(request, slug)), at=now())
        return Response(status=204)


class NewDraftAt(ApiView):
    @operation(
        "Draft an offer",
        scope="studies:write",
        body=NewDraft,
        answer=QuoteDocument,
        tag="crowds",
        also={409: "The stage is with a crowd already, or has nothing to rate."},
        example={"stage": "full", "title": "Rate answers", "description": "Is each right?"},
    )
    def put(self, request: Request, slug: str, provider: str) -> Response:
        """In place of the one there is; asks nobody."""
        study = edited(request, slug)
        given = self.body()
        if provider not in PROVIDERS:
            raise Http404("There is no such crowd.")
        if "invited" in given:
            given["invited"] = "\n".join(given["invited"])
        form = _offer_form(study, provider, given)
        stage: Stage = study.stages.get(kind=form.cleaned_data["stage"])
        made = publishing.draft(
            stage,
            provider,
            form.offer(),
            place=form.where(),
            site=request.build_absolute_uri("/"),
            budget_cents=form.cleaned_data["budget"],
            at=now(),
        )
        return self.answer(_quoted(made))


class Publish(ApiView):
    @operation(
        "Publish the draft",
        scope="payments:write",
        body=Confirm,
        answer=PublicationDocument,
        changes=lambda: Draft,
        tag="crowds",
        also={409: "Another amount was confirmed, the budget is too small, or money is lacking."},
        example={"confirmed": "12.34"},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Orders everything for the exact amount that is confirmed; workers make the calls. Sent
        again, it is refused: a draft is published once."""
        found = _draft(owned(request, slug))
        given = self.body()
        made = publishing.publish(found, confirmed=given["confirmed"], by=person(request), at=now())
        tasks.after_commit(tasks.make_crowd_calls, made.pk)
        return self.answer(progress.progress(made))


class OnePublication(ApiView):
    @operation("Read a publication", scope="studies:read", answer=PublicationDocument, tag="crowds")
    def get(self, request: Request, slug: str, publication: int) -> Response:
        """How it stands; ask again while `percent` is below 100 and `problem` is empty."""
        found = publication_of(viewed(request, slug), publication)
        return self.answer(progress.progress(found))


class Sync(ApiView):
    @operation(
        "Sync a publication",
        scope="studies:write",
        answer=PublicationDocument,
        status=202,
        tag="crowds",
    )
    def post(self, request: Request, slug: str, publication: int) -> Response:
        """Asks the crowd how its work stands; `synced_at` says when that is done."""
        found = publication_of(edited(request, slug), publication)
        running.ask(found.pk, at=now())
        Publication.objects.filter(pk=found.pk).update(problem="")
        tasks.after_commit(tasks.sync_crowd, found.pk)
        return self.answer(progress.progress(publication_of(found.stage.study, found.pk)))


class TryAgain(ApiView):
    @operation(
        "Try a publication's calls again",
        scope="payments:write",
        answer=PublicationDocument,
        status=202,
        tag="crowds",
    )
    def post(self, request: Request, slug: str, publication: int) -> Response:
        """After a person has seen to what was in the way."""
        found = publication_of(owned(request, slug), publication)
        outbox.try_again(found)
        tasks.after_commit(tasks.make_crowd_calls, found.pk)
        return self.answer(progress.progress(publication_of(found.stage.study, found.pk)))


class End(ApiView):
    @operation(
        "End a publication",
        scope="payments:write",
        answer=PublicationDocument,
        changes=lambda: OnePublication,
        tag="crowds",
    )
    def post(self, request: Request, slug: str, publication: int) -> Response:
        """Nobody else is let in; what workers hold they may finish, and it is paid."""
        found = publication_of(owned(request, slug), publication)
        if found.status == Publication.Status.DRAFT:
            raise StudyError("It is not published yet: discard the draft instead.")
        publishing.end(found, at=now())
        tasks.after_commit(tasks.make_crowd_calls, found.pk)
        return self.answer(progress.progress(publication_of(found.stage.study, found.pk)))


class ChangeBudget(ApiView):
    @operation(
        "Change a publication's budget",
        scope="payments:write",
        body=Budget,
        answer=PublicationDocument,
        changes=lambda: OnePublication,
        tag="crowds",
        example={"cents": 5000},
    )
    def put(self, request: Request, slug: str, publication: int) -> Response:
        """What it may cost in all, rewards, bonuses and fees."""
        found = publication_of(owned(request, slug), publication)
        cents = self.body()["cents"]
        reviewing.set_budget(found, cents)
        return self.answer(progress.progress(publication_of(found.stage.study, found.pk)))


class Lacking(ApiView):
    @operation(
        "Read what a publication lacks",
        scope="studies:read",
        answer=LackDocument,
        tag="crowds",
        also={409: "It is not published, or ended."},
    )
    def get(self, request: Request, slug: str, publication: int) -> Response:
        """And what asking for it costs."""
        found = publication_of(owned(request, slug), publication)
        return self.answer(topping_up.lack(found, at=now()))

    @operation(
        "Ask a crowd for what is lacking",
        scope="payments:write",
        body=Confirm,
        answer=PlacesDocument,
        changes=lambda: Lacking,
        tag="crowds",
        also={409: "Another amount was confirmed, the budget is too small, or money is lacking."},
        example={"confirmed": "1.20"},
    )
    def post(self, request: Request, slug: str, publication: int) -> Response:
        """For the exact amount that is confirmed."""
        found = publication_of(owned(request, slug), publication)
        given = self.body()
        places = topping_up.top_up(
            found, confirmed=given["confirmed"], by=person(request), at=now()
        )
        tasks.after_commit(tasks.make_crowd_calls, found.pk)
        return self.answer({"places": places})


def _draft(study: Study) -> Publication:
    found = progress.draft(study)
    if found is None:
        raise Http404("There is no draft of an offer.")
    return found


class QuoteRow(TypedDict):
    """A draft with its price in dollars, or the problem why that is not known."""

    id: int
    stage: str
    provider: str
    offer: dict[str, Any]
    total: str | None
    fits_budget: bool | None
    problem: str


def _quoted(draft: Publication) -> QuoteRow:
    told: QuoteRow = {
        "id": draft.pk,
        "stage": draft.stage.kind,
        "provider": draft.provider,
        "offer": {name: value for name, value in draft.offer.items() if name != "invited"},
        "total": None,
        "fits_budget": None,
        "problem": "",
    }
    try:
        quote = publishing.quote(draft)
    except StudyError as error:
        return {**told, "problem": str(error)}
    return {**told, "total": dollars(quote.price.total), "fits_budget": quote.fits_budget}


def _offer_form(study: Study, provider: str, given: dict[str, Any]) -> OfferForm:
    """The page's own form, which checks what a provider's offer must have."""
    blank = OfferForm(study, provider)
    initial = {name: field.initial for name, field in blank.fields.items() if field.initial}
    form = OfferForm(study, provider, {**initial, **given})
    unknown = sorted(set(given) - set(form.fields))
    if unknown:
        raise ValidationError({name: [f"{provider} has no such field."] for name in unknown})
    if not form.is_valid():
        problems = {name: [str(one) for one in texts] for name, texts in form.errors.items()}
        raise ValidationError(
            {("" if name == "__all__" else name): texts for name, texts in problems.items()}
        )
    return form
