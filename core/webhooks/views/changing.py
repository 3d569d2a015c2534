"""Pages that create, change and test webhooks, and send messages again."""

from __future__ import annotations

from typing import Unpack
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.timezone import now
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from core.accounts.views.shared import person
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions
from core.pages.views import add_refusal, refusals_to
from core.refusals import RefusedError
from core.webhooks import events, targets
from core.webhooks.events import ACCOUNT
from core.webhooks.inputs import ChangeWebhook
from core.webhooks.models import Webhook
from core.webhooks.services import subscribing
from core.webhooks.targets import EventTarget
from core.webhooks.views.reading import own_delivery, own_webhook


class WebhookForm(DataclassForm[ChangeWebhook]):
    """The URL of a webhook and its events."""

    widgets = {"url": forms.URLInput(attrs={"placeholder": "https://example.org/concord"})}

    def __init__(
        self, data: QueryDict | None = None, *, kind: str = ACCOUNT, **options: Unpack[FormOptions]
    ) -> None:
        super().__init__(data, **options)
        self.set_choices("events", [(event.name, event.title) for event in events.of_kind(kind)])


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new_webhook(request: HttpRequest) -> HttpResponse:
    """Create a webhook and show its secret once.

    `?about=study:SLUG` or `?about=set:NAME` selects its target; the default is the account.
    """
    target = _target(request)
    form = WebhookForm(request.POST or None, kind=target.kind)
    if request.method == "POST" and form.is_valid():
        url, event_names = form.cleaned_data["url"], form.cleaned_data["events"]
        try:
            webhook, secret = subscribing.subscribe(
                person(request), target.kind, target.key, url, event_names, at=now()
            )
        except RefusedError as error:
            add_refusal(form, error)
        else:
            return _show_secret(request, webhook, secret)
    context = {"form": form, "target": target}
    status = 422 if form.errors else 200
    return render(request, "webhooks/form.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def change_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    webhook = own_webhook(request, pk)
    initial = {"url": webhook.url, "events": webhook.events}
    form = WebhookForm(request.POST or None, kind=webhook.kind, initial=initial)
    if request.method == "POST" and form.is_valid():
        url, event_names = form.cleaned_data["url"], form.cleaned_data["events"]
        try:
            subscribing.change(webhook, url, event_names, by=person(request))
        except RefusedError as error:
            add_refusal(form, error)
        else:
            messages.success(request, "The webhook was changed.")
            return redirect(webhook)
    context = {"form": form, "webhook": webhook, "target": webhook.target}
    status = 422 if form.errors else 200
    return render(request, "webhooks/form.html", context, status=status)


@never_cache
@require_POST
@login_required
def run_action(request: HttpRequest, pk: int) -> HttpResponse:
    """Run the action in the field `do`: ping, renew, off, on or remove."""
    webhook = own_webhook(request, pk)
    match request.POST.get("do"):
        case "ping":
            delivery = subscribing.ping(webhook, at=now())
            messages.success(
                request, "A test message was queued. Reload this page to see the result."
            )
            return redirect("webhook-delivery", webhook.pk, delivery.pk)
        case "renew":
            return _show_secret(
                request, webhook, subscribing.renew_secret(webhook, by=person(request))
            )
        case "off":
            subscribing.turn_off(webhook, by=person(request), at=now())
            messages.success(request, "The webhook was turned off.")
        case "on":
            subscribing.turn_on(webhook, by=person(request))
            messages.success(request, "The webhook was turned on. Waiting messages are sent first.")
        case "remove":
            subscribing.remove(webhook, by=person(request))
            messages.success(request, "The webhook was removed.")
            return redirect("webhooks")
        case _:
            messages.error(request, "Unknown action. Use the buttons on the page.")
    return redirect(webhook)


@require_POST
@login_required
@refusals_to("webhook-delivery", "pk", "key")
def redeliver(request: HttpRequest, pk: int, key: UUID) -> HttpResponse:
    webhook = own_webhook(request, pk)
    delivery = own_delivery(webhook, key)
    subscribing.redeliver(delivery, at=now())
    messages.success(request, "The message was queued again.")
    return redirect("webhook-delivery", webhook.pk, delivery.pk)


def _target(request: HttpRequest) -> EventTarget:
    kind, _, key = request.GET.get("about", "").partition(":")
    return targets.find(person(request), kind or ACCOUNT, key)


def _show_secret(request: HttpRequest, webhook: Webhook, secret: str) -> HttpResponse:
    return render(request, "webhooks/secret.html", {"webhook": webhook, "secret": secret})
