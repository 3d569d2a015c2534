"""A person's webhooks, and the log of what was sent."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.webhooks import events
from core.webhooks.models import Delivery, Webhook

SHOWN = 25


def own_webhook(request: HttpRequest, pk: int) -> Webhook:
    """The person's own webhook of this number; to others there is none."""
    owner = cast(User, request.user)
    found = Webhook.objects.of(owner).select_related("owner").filter(pk=pk).first()
    if found is None:
        raise Http404("You have no such webhook.")
    return found


def own_delivery(webhook: Webhook, key: UUID) -> Delivery:
    found = webhook.deliveries.filter(pk=key).first()
    if found is None:
        raise Http404("The webhook has no such message; they are kept for a month.")
    return found


@require_safe
@login_required
def webhooks(request: HttpRequest) -> HttpResponse:
    own = Webhook.objects.of(request.user).select_related("owner")
    about = request.GET.get("about", "")
    return render(request, "webhooks/webhooks.html", {"webhooks": own, "about": about})


@require_safe
@login_required
def webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """One webhook, with the messages it was sent, latest first."""
    found = own_webhook(request, pk)
    page = Paginator(found.deliveries.defer("body"), SHOWN).get_page(request.GET.get("page"))
    titles = {event.name: event.title for event in events.EVENTS}
    context: dict[str, Any] = {
        "webhook": found,
        "target": found.target,
        "heard": [(name, titles.get(name, name)) for name in found.events],
        "page": page,
    }
    return render(request, "webhooks/webhook.html", context)


@require_safe
@login_required
def delivery(request: HttpRequest, pk: int, key: UUID) -> HttpResponse:
    """One message: what was sent, and what came of each attempt."""
    found = own_webhook(request, pk)
    context = {"webhook": found, "delivery": own_delivery(found, key)}
    return render(request, "webhooks/delivery.html", context)
