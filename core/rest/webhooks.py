"""Endpoints of webhooks and their messages."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.http import Http404
from django.urls import reverse
from django.utils.timezone import now
from rest_framework.request import Request
from rest_framework.response import Response

from concord.documents.conversion import fill
from concord.documents.problems import FaultDocument
from concord.documents.webhooks import (
    DeliveryDocument,
    NewWebhookDocument,
    WebhookDocument,
    WebhookEventDocument,
    WholeDeliveryDocument,
)
from core.accounts.views.shared import person
from core.rest.operations import operation
from core.rest.problems import register
from core.rest.schema import describe_path
from core.rest.serializers import Paged
from core.rest.views import ApiView
from core.webhooks import events
from core.webhooks.inputs import ChangeWebhook, NewWebhook
from core.webhooks.models import Delivery, Webhook, WebhookQuerySet
from core.webhooks.services import subscribing
from core.webhooks.targets import TargetMissingError

SCOPE = "webhooks:write"


def _of_target(error: TargetMissingError) -> list[FaultDocument]:
    return [{"field": "key", "detail": str(error)}]


register(TargetMissingError, "target-missing", 422, "Unknown study or judgment set", _of_target)
describe_path("webhook", "Id of one of your webhooks.", example=4)
describe_path(
    "delivery",
    "Id of a message; the receiver gets the same id.",
    example="7a2f8e2c-6f0b-4d1c-9a55-0c7f5c0f6a11",
)


def webhook_document(webhook: Webhook) -> WebhookDocument:
    return fill(WebhookDocument, webhook, has_access=webhook.target is not None)


def delivery_document(delivery: Delivery) -> DeliveryDocument:
    return fill(DeliveryDocument, delivery, next_at=_next_at(delivery))


def whole_delivery_document(delivery: Delivery) -> WholeDeliveryDocument:
    return fill(WholeDeliveryDocument, delivery, next_at=_next_at(delivery))


def _next_at(delivery: Delivery) -> datetime | None:
    return delivery.not_before if delivery.status == Delivery.Status.WAITING else None


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
        """All events, by name. A webhook of kind `account` can receive all of them."""
        rows = sorted(events.EVENTS, key=lambda event: event.name)
        return self.page_of_rows(rows, lambda event: event.name)


class WebhooksView(ApiView):
    @operation(
        "List your webhooks",
        scope=SCOPE,
        query=Paged,
        answer=webhook_document,
        pages=True,
        tag="webhooks",
    )
    def get(self, request: Request) -> Response:
        """Latest first, including those that are turned off."""
        return self.page_of_query(_own(request), "-pk")

    @operation(
        "Create a webhook",
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
        """Only this answer contains the secret, so there is no Idempotency-Key. If you lose the
        answer, list your webhooks and renew the secret of the new one."""
        body = self.input(NewWebhook)
        webhook, secret = subscribing.subscribe(
            person(request),
            body.kind,
            body.key,
            body.url,
            list(dict.fromkeys(body.events)),
            at=now(),
        )
        location = reverse("api-webhook", args=[webhook.pk])
        return _answer_secret(self, webhook, secret, location)


class OneWebhook(ApiView):
    @operation("Read a webhook", scope=SCOPE, answer=webhook_document, tag="webhooks")
    def get(self, request: Request, webhook: int) -> Response:
        return self.answer(_one(request, webhook))

    @operation(
        "Change a webhook",
        scope=SCOPE,
        body=ChangeWebhook,
        answer=webhook_document,
        changes=lambda: OneWebhook,
        tag="webhooks",
        example={"url": "https://example.org/concord", "events": ["run.failed"]},
    )
    def put(self, request: Request, webhook: int) -> Response:
        """Changes the URL or the events. The kind and key cannot be changed."""
        row = _one(request, webhook)
        body = self.input(ChangeWebhook)
        event_names = list(dict.fromkeys(body.events))
        subscribing.change(row, body.url, event_names, by=person(request))
        return self.answer(row)

    @operation("Remove a webhook", scope=SCOPE, status=204, tag="webhooks")
    def delete(self, request: Request, webhook: int) -> Response:
        """Also deletes its messages."""
        subscribing.remove(_one(request, webhook), by=person(request))
        return Response(status=204)


class RenewSecret(ApiView):
    @operation("Renew a webhook's secret", scope=SCOPE, answer=NewWebhookDocument, tag="webhooks")
    def post(self, request: Request, webhook: int) -> Response:
        """Only this answer contains the new secret. The old one is no longer used."""
        row = _one(request, webhook)
        return _answer_secret(self, row, subscribing.renew_secret(row, by=person(request)))


class TurnOff(ApiView):
    @operation("Turn a webhook off", scope=SCOPE, answer=webhook_document, tag="webhooks")
    def post(self, request: Request, webhook: int) -> Response:
        """No new messages are queued. Waiting messages stay for a month."""
        row = _one(request, webhook)
        subscribing.turn_off(row, by=person(request), at=now())
        return self.answer(row)


class TurnOn(ApiView):
    @operation("Turn a webhook on", scope=SCOPE, answer=webhook_document, tag="webhooks")
    def post(self, request: Request, webhook: int) -> Response:
        """Waiting messages are sent first."""
        row = _one(request, webhook)
        subscribing.turn_on(row, by=person(request))
        return self.answer(row)


class TryWebhook(ApiView):
    @operation(
        "Test a webhook",
        scope=SCOPE,
        answer=delivery_document,
        status=201,
        creates=True,
        tag="webhooks",
    )
    def post(self, request: Request, webhook: int) -> Response:
        """Sends a `ping` message without data. Read the message to see the receiver's answer."""
        row = _one(request, webhook)
        delivery = subscribing.ping(row, at=now())
        return self.answer(delivery, location=reverse("api-delivery", args=[row.pk, delivery.pk]))


class Deliveries(ApiView):
    @operation(
        "List a webhook's messages",
        scope=SCOPE,
        query=Paged,
        answer=delivery_document,
        pages=True,
        tag="webhooks",
    )
    def get(self, request: Request, webhook: int) -> Response:
        """Latest first."""
        deliveries = _one(request, webhook).deliveries.defer("body")
        return self.page_of_query(deliveries, "-created_at", "-pk")


class OneDelivery(ApiView):
    @operation("Read a message", scope=SCOPE, answer=whole_delivery_document, tag="webhooks")
    def get(self, request: Request, webhook: int, delivery: UUID) -> Response:
        return self.answer(_message(_one(request, webhook), delivery))


class Redeliver(ApiView):
    @operation(
        "Send a message again",
        scope=SCOPE,
        answer=delivery_document,
        status=202,
        tag="webhooks",
        also={422: "The message is still being delivered."},
    )
    def post(self, request: Request, webhook: int, delivery: UUID) -> Response:
        """The id of the message stays the same, so that the receiver recognizes it."""
        row = _one(request, webhook)
        subscribing.redeliver(_message(row, delivery), at=now())
        return self.answer(_message(row, delivery))


def _own(request: Request) -> WebhookQuerySet:
    return Webhook.objects.of(person(request)).select_related("owner")


def _one(request: Request, pk: int) -> Webhook:
    webhook: Webhook | None = _own(request).filter(pk=pk).first()
    if webhook is None:
        raise Http404("You have no such webhook.")
    return webhook


def _message(webhook: Webhook, key: UUID) -> Delivery:
    delivery = webhook.deliveries.filter(pk=key).first()
    if delivery is None:
        raise Http404("The webhook has no such message. Messages are deleted after a month.")
    return delivery


def _answer_secret(
    view: ApiView, webhook: Webhook, secret: str, location: str | None = None
) -> Response:
    has_access = webhook.target is not None
    document = fill(NewWebhookDocument, webhook, has_access=has_access, secret=secret)
    response = view.answer(document, location=location)
    response["Cache-Control"] = "no-store"
    return response
