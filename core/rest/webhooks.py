"""Webhooks: the addresses that are told of what happens, and the messages that were sent."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.contrib.auth.models import User
from django.http import Http404
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.rest.operations import operation
from core.rest.problems import register
from core.rest.schema import describe_path
from core.rest.serializers import Paged, Strict
from core.rest.views import ApiView
from core.security.problem_documents import Fault
from core.webhooks import events
from core.webhooks.events import ACCOUNT, SET, STUDY, Event
from core.webhooks.models import Delivery, Webhook
from core.webhooks.services import subscribing
from core.webhooks.services.subscribing import WebhookRefusedError
from core.webhooks.targets import TargetMissingError

SCOPE = "webhooks:write"


def _of_webhook(error: WebhookRefusedError) -> list[Fault]:
    return [{"field": error.field, "detail": str(error)}] if error.field else []


def _of_target(error: TargetMissingError) -> list[Fault]:
    return [{"field": "key", "detail": str(error)}]


register(
    WebhookRefusedError, "webhook-refused", 422, "The webhook cannot be like that", _of_webhook
)
register(TargetMissingError, "target-missing", 422, "There is nothing to hear of", _of_target)
describe_path("webhook", "Number of one of your webhooks.", example=4)
describe_path(
    "delivery",
    "Id of a message, the receiver's as well.",
    example="7a2f8e2c-6f0b-4d1c-9a55-0c7f5c0f6a11",
)


class WebhookEventDocument(serializers.Serializer[Event]):
    """A kind of event, with an example of the `data` of its messages."""

    name = serializers.CharField()
    title = serializers.CharField()
    of = serializers.ChoiceField((STUDY, SET, ACCOUNT), help_text="The kind of what it is about.")
    example = serializers.DictField()


class WebhookDocument(serializers.Serializer[Webhook]):
    """A webhook of yours. Its secret was shown when it was made."""

    id = serializers.IntegerField(source="pk")
    kind = serializers.ChoiceField((STUDY, SET, ACCOUNT))
    key = serializers.CharField(help_text="The study's slug or the set's name.")
    has_access = serializers.SerializerMethodField(
        help_text="Whether you still have access to the study or set. Without it nothing is sent."
    )
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    disabled_at = serializers.DateTimeField(allow_null=True, help_text="Null while it is on.")
    disabled_reason = serializers.CharField()
    consecutive_failures = serializers.IntegerField(
        help_text="Messages in a row that could not be delivered."
    )

    def get_has_access(self, found: Webhook) -> bool:
        return found.target is not None


class NewWebhookDocument(WebhookDocument):
    """A webhook with the secret that signs its messages: it is not shown again."""

    secret = serializers.CharField()


class ChangeWebhook(Strict):
    url = serializers.CharField(max_length=2000, help_text="https://, on the public internet.")
    events = serializers.ListField(
        child=serializers.ChoiceField(events.NAMES), min_length=1, max_length=len(events.NAMES)
    )


class NewWebhook(ChangeWebhook):
    kind = serializers.ChoiceField(
        (STUDY, SET, ACCOUNT), default=ACCOUNT, help_text="account: everything of yours."
    )
    key = serializers.CharField(
        max_length=200, default="", allow_blank=True, help_text="A study's slug or a set's name."
    )


class AttemptDocument(serializers.Serializer[Any]):
    """`status` is the receiver's answer, null where there was none; then `error` says why."""

    at = serializers.CharField()
    status = serializers.IntegerField(allow_null=True)
    error = serializers.CharField(allow_blank=True)
    milliseconds = serializers.IntegerField()


class DeliveryDocument(serializers.Serializer[Delivery]):
    """A message to a webhook, and what came of it. They are kept for a month."""

    id = serializers.UUIDField(source="pk")
    event = serializers.CharField()
    status = serializers.ChoiceField(Delivery.Status.choices)
    created_at = serializers.DateTimeField()
    next_at = serializers.SerializerMethodField(help_text="When it is sent; null once it is over.")
    finished_at = serializers.DateTimeField(allow_null=True)
    tries = serializers.IntegerField(help_text="Since it was last asked for.")
    last = AttemptDocument(allow_null=True)

    def get_next_at(self, found: Delivery) -> str | None:
        waits = found.status == Delivery.Status.WAITING
        return found.not_before.isoformat() if waits else None


class WholeDeliveryDocument(DeliveryDocument):
    """With the body as it is signed and sent, and the latest attempts, oldest first."""

    body = serializers.CharField()
    log = AttemptDocument(many=True)


class Events(ApiView):
    @operation(
        "List events",
        scope=SCOPE,
        query=Paged,
        answer=WebhookEventDocument,
        pages=True,
        tag="webhooks",
    )
    def get(self, request: Request) -> Response:
        """What a webhook may hear of, by name; one about your account may hear all of them."""
        found = sorted(events.EVENTS, key=lambda event: event.name)
        return self.page_of_rows(found, lambda event: event.name)


class Webhooks(ApiView):
    @operation(
        "List your webhooks",
        scope=SCOPE,
        query=Paged,
        answer=WebhookDocument,
        pages=True,
        tag="webhooks",
    )
    def get(self, request: Request) -> Response:
        """Latest first, also those that are off."""
        return self.page_of_query(_own(request), "-pk")

    @operation(
        "Make a webhook",
        scope=SCOPE,
        body=NewWebhook,
        answer=NewWebhookDocument,
        status=201,
        tag="webhooks",
        example={
            "kind": "set",
            "key": "demo",
            "url": "https://example.org/concord",
            "events": ["run.done", "run.failed"],
        },
    )
    def post(self, request: Request) -> Response:
        """Its secret stands in the answer alone, and so takes no Idempotency-Key: where an answer
        got lost, list your webhooks, and renew the secret of the one that was made."""
        given = self.body()
        made, secret = subscribing.subscribe(
            _person(request),
            given["kind"],
            given["key"],
            given["url"],
            list(dict.fromkeys(given["events"])),
            at=now(),
        )
        return _with_secret(made, secret, status=201)


class OneWebhook(ApiView):
    @operation("Read a webhook", scope=SCOPE, answer=WebhookDocument, tag="webhooks")
    def get(self, request: Request, webhook: int) -> Response:
        return self.answer(_one(request, webhook))

    @operation(
        "Change a webhook",
        scope=SCOPE,
        body=ChangeWebhook,
        answer=WebhookDocument,
        changes=lambda: OneWebhook,
        tag="webhooks",
        example={"url": "https://example.org/concord", "events": ["run.failed"]},
    )
    def put(self, request: Request, webhook: int) -> Response:
        """Another address, or other events; what it is about stays."""
        found = _one(request, webhook)
        given = self.body()
        heard = list(dict.fromkeys(given["events"]))
        subscribing.change(found, given["url"], heard, by=_person(request))
        return self.answer(found)

    @operation("Remove a webhook", scope=SCOPE, status=204, tag="webhooks")
    def delete(self, request: Request, webhook: int) -> Response:
        """With the log of its messages."""
        subscribing.remove(_one(request, webhook), by=_person(request))
        return Response(status=204)


class RenewSecret(ApiView):
    @operation("Renew a webhook's secret", scope=SCOPE, answer=NewWebhookDocument, tag="webhooks")
    def post(self, request: Request, webhook: int) -> Response:
        """The new one is in this answer alone; the old one signs nothing from now on."""
        found = _one(request, webhook)
        return _with_secret(found, subscribing.renew_secret(found, by=_person(request)))


class TurnOff(ApiView):
    @operation("Turn a webhook off", scope=SCOPE, answer=WebhookDocument, tag="webhooks")
    def post(self, request: Request, webhook: int) -> Response:
        """Nothing new is noted for it; what waits is kept, for a month."""
        found = _one(request, webhook)
        subscribing.turn_off(found, by=_person(request), at=now())
        return self.answer(found)


class TurnOn(ApiView):
    @operation("Turn a webhook on", scope=SCOPE, answer=WebhookDocument, tag="webhooks")
    def post(self, request: Request, webhook: int) -> Response:
        """What has waited is sent first."""
        found = _one(request, webhook)
        subscribing.turn_on(found, by=_person(request))
        return self.answer(found)


class TryWebhook(ApiView):
    @operation(
        "Test a webhook",
        scope=SCOPE,
        answer=DeliveryDocument,
        status=201,
        creates=True,
        tag="webhooks",
    )
    def post(self, request: Request, webhook: int) -> Response:
        """Sends a `ping`, which says nothing; read the message to see what came of it."""
        found = _one(request, webhook)
        sent = subscribing.ping(found, at=now())
        return self.answer(sent, location=reverse("api-delivery", args=[found.pk, sent.pk]))


class Deliveries(ApiView):
    @operation(
        "List a webhook's messages",
        scope=SCOPE,
        query=Paged,
        answer=DeliveryDocument,
        pages=True,
        tag="webhooks",
    )
    def get(self, request: Request, webhook: int) -> Response:
        """Latest first."""
        found = _one(request, webhook).deliveries.defer("body")
        return self.page_of_query(found, "-created_at", "-pk")


class OneDelivery(ApiView):
    @operation("Read a message", scope=SCOPE, answer=WholeDeliveryDocument, tag="webhooks")
    def get(self, request: Request, webhook: int, delivery: UUID) -> Response:
        return self.answer(_message(_one(request, webhook), delivery))


class Redeliver(ApiView):
    @operation(
        "Send a message again",
        scope=SCOPE,
        answer=DeliveryDocument,
        status=202,
        tag="webhooks",
        also={422: "It is still on its way."},
    )
    def post(self, request: Request, webhook: int, delivery: UUID) -> Response:
        """Under its own id, by which the receiver knows it."""
        found = _one(request, webhook)
        subscribing.redeliver(_message(found, delivery), at=now())
        return self.answer(_message(found, delivery))


def _person(request: Request) -> User:
    return cast(User, request.user)


def _own(request: Request) -> Any:
    return Webhook.objects.of(request.user).select_related("owner")


def _one(request: Request, pk: int) -> Webhook:
    found: Webhook | None = _own(request).filter(pk=pk).first()
    if found is None:
        raise Http404("You have no such webhook.")
    return found


def _message(webhook: Webhook, key: UUID) -> Delivery:
    found = webhook.deliveries.filter(pk=key).first()
    if found is None:
        raise Http404("The webhook has no such message; they are kept for a month.")
    return found


def _with_secret(webhook: Webhook, secret: str, *, status: int = 200) -> Response:
    document = {**WebhookDocument(webhook).data, "secret": secret}
    headers = {"Cache-Control": "no-store"}
    if status == 201:
        headers["Location"] = reverse("api-webhook", args=[webhook.pk])
    return Response(document, status=status, headers=headers)
