"""Making webhooks, changing them, trying them out, sending messages again."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from core.webhooks import targets
from core.webhooks.events import ACCOUNT
from core.webhooks.forms import WebhookForm
from core.webhooks.models import Webhook
from core.webhooks.services import subscribing
from core.webhooks.services.subscribing import WebhookRefusedError
from core.webhooks.targets import Target, TargetMissingError
from core.webhooks.views.reading import own_delivery, own_webhook


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new_webhook(request: HttpRequest) -> HttpResponse:
    """A form, and, once it is made, the secret: shown this once. `?about=study:SLUG` or
    `?about=set:NAME`; without, about all that the account may see."""
    target = _target(request)
    form = WebhookForm(request.POST or None, kind=target.kind)
    if request.method == "POST" and form.is_valid():
        url, heard = form.cleaned_data["url"], form.cleaned_data["events"]
        try:
            made, secret = subscribing.subscribe(
                request.user, target.kind, target.key, url, heard, at=now()
            )
        except WebhookRefusedError as error:
            form.add_error(error.field or None, str(error))
        else:
            return _secret(request, made, secret)
    context = {"form": form, "target": target}
    status = 422 if form.errors else 200
    return render(request, "webhooks/form.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def change_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    found = own_webhook(request, pk)
    initial = {"url": found.url, "events": found.events}
    form = WebhookForm(request.POST or None, kind=found.kind, initial=initial)
    if request.method == "POST" and form.is_valid():
        url, heard = form.cleaned_data["url"], form.cleaned_data["events"]
        try:
            subscribing.change(found, url, heard, by=request.user)
        except WebhookRefusedError as error:
            form.add_error(error.field or None, str(error))
        else:
            messages.success(request, "The webhook is changed.")
            return redirect(found)
    context = {"form": form, "webhook": found, "target": found.target}
    status = 422 if form.errors else 200
    return render(request, "webhooks/form.html", context, status=status)


@never_cache
@require_POST
@login_required
def do(request: HttpRequest, pk: int) -> HttpResponse:
    """`do` is ping, renew, off, on or remove."""
    found = own_webhook(request, pk)
    match request.POST.get("do"):
        case "ping":
            sent = subscribing.ping(found, at=now())
            messages.success(request, "A test message is on its way. Load this page again.")
            return redirect("webhook-delivery", found.pk, sent.pk)
        case "renew":
            return _secret(request, found, subscribing.renew_secret(found, by=request.user))
        case "off":
            subscribing.turn_off(found, by=request.user, at=now())
            messages.success(request, "The webhook is off.")
        case "on":
            subscribing.turn_on(found, by=request.user)
            messages.success(request, "The webhook is on. What has waited is sent first.")
        case "remove":
            subscribing.remove(found, by=request.user)
            messages.success(request, "The webhook is removed.")
            return redirect("webhooks")
        case _:
            messages.error(request, "Choose what is to be done.")
    return redirect(found)


@require_POST
@login_required
def redeliver(request: HttpRequest, pk: int, key: UUID) -> HttpResponse:
    found = own_webhook(request, pk)
    one = own_delivery(found, key)
    try:
        subscribing.redeliver(one, at=now())
    except WebhookRefusedError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The message is sent again.")
    return redirect("webhook-delivery", found.pk, one.pk)


def _target(request: HttpRequest) -> Target:
    kind, _, key = request.GET.get("about", "").partition(":")
    try:
        return targets.find(request.user, kind or ACCOUNT, key)
    except TargetMissingError as error:
        raise Http404(str(error)) from error


def _secret(request: HttpRequest, webhook: Webhook, secret: str) -> HttpResponse:
    return render(request, "webhooks/secret.html", {"webhook": webhook, "secret": secret})
