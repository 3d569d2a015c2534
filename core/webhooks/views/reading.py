"""Pages that show webhooks and their messages."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.accounts.views.shared import person
from core.webhooks import events
from core.webhooks.models import Delivery, Webhook

PAGE_SIZE = 25


def own_webhook(request: HttpRequest, pk: int) -> Webhook:
    """The user's webhook with this id. Raises Http404 for other users."""
    owner = person(request)
    webhook = Webhook.objects.of(owner).select_related("owner").filter(pk=pk).first()
    if webhook is None:
        raise Http404("You have no such webhook.")
    return webhook


def own_delivery(webhook: Webhook, key: UUID) -> Delivery:
    delivery = webhook.deliveries.filter(pk=key).first()
    if delivery is None:
        raise Http404("The webhook has no such message. Messages are deleted after a month.")
    return delivery


@require_safe
@login_required
def webhooks(request: HttpRequest) -> HttpResponse:
    own = Webhook.objects.of(person(request)).select_related("owner")
    about = request.GET.get("about", "")
    return render(request, "webhooks/webhooks.html", {"webhooks": own, "about": about})


@require_safe
@login_required
def webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """A webhook and its messages, latest first."""
    own = own_webhook(request, pk)
    page = Paginator(own.deliveries.defer("body"), PAGE_SIZE).get_page(request.GET.get("page"))
    titles = {event.name: event.title for event in events.EVENTS}
    context: dict[str, object] = {
        "webhook": own,
        "target": own.target,
        "events": [(name, titles.get(name, name)) for name in own.events],
        "page": page,
    }
    return render(request, "webhooks/webhook.html", context)


@require_safe
@login_required
def delivery(request: HttpRequest, pk: int, key: UUID) -> HttpResponse:
    """A message and the attempts to deliver it."""
    own = own_webhook(request, pk)
    context = {"webhook": own, "delivery": own_delivery(own, key)}
    return render(request, "webhooks/delivery.html", context)
