"""Models of webhooks and their messages."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse

from concord.documents.webhooks import AttemptDocument
from core.jobs.models import Leased
from core.refusals import RefusedError
from core.webhooks import targets
from core.webhooks.events import ACCOUNT
from core.webhooks.targets import EventTarget


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def subscribed_to(self, event: str, kind: str, key: str) -> WebhookQuerySet:
        """Active webhooks for this event of this target, and of accounts."""
        is_about = Q(kind=kind, key=key) | Q(kind=ACCOUNT)
        return self.filter(is_about, disabled_at=None, events__contains=[event])

    def of(self, user: User) -> WebhookQuerySet:
        """The webhooks of a user, latest first."""
        return self.filter(owner=user)


class Webhook(models.Model):
    """A URL that receives events of a study, of a judgment set, or of everything of an account.

    It receives only what its owner may see at the time of the event.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="webhooks")
    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=200)
    url = models.CharField(max_length=2000)
    events = ArrayField(models.CharField(max_length=40))
    sealed_secret = models.TextField()
    created_at = models.DateTimeField()
    disabled_at = models.DateTimeField(null=True)
    disabled_reason = models.CharField(max_length=500, blank=True)
    consecutive_failures = models.PositiveSmallIntegerField(
        default=0,
        help_text="Messages in a row that could not be delivered, since the last success.",
    )

    objects = WebhookQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["kind", "key"], name="webhooks_by_target")]

    def __str__(self) -> str:
        return f"webhook {self.pk} of {self.kind} {self.key}"

    def get_absolute_url(self) -> str:
        return reverse("webhook", args=[self.pk])

    @property
    def host(self) -> str:
        """The URL without its path, which may contain a secret."""
        return "/".join(self.url.split("/", 3)[:3])

    @property
    def target(self) -> EventTarget | None:
        """The study, set or account; None when the owner no longer has access."""
        try:
            return targets.find(self.owner, self.kind, self.key)
        except RefusedError:
            return None


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def due(self, at: datetime) -> DeliveryQuerySet:
        """Messages to send now: those that are due, and those whose sender died."""
        waiting = Q(status=Delivery.Status.WAITING, not_before__lte=at)
        expired = Q(status=Delivery.Status.STARTED, lease_until__lte=at)
        return self.filter(waiting | expired, webhook__disabled_at=None)


class Delivery(Leased):
    """One message to one webhook. The receiver gets the same `id` at every attempt.

    A sender takes the lease and increases `attempt`, so that a late sender cannot write. `tries`
    counts the attempts since the message was last queued. `log` holds the latest attempts
    (AttemptDocument).
    """

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting"
        STARTED = "started", "being sent"
        DONE = "done", "delivered"
        FAILED = "failed", "failed"

    WAITING, HELD = Status.WAITING, Status.STARTED

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=40)
    once = models.CharField(max_length=200, blank=True)
    body = models.TextField()
    created_at = models.DateTimeField(db_index=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    not_before = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    finished_at = models.DateTimeField(null=True)
    log = models.JSONField(default=list)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["webhook", "once"], condition=~Q(once=""), name="told_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["status", "not_before"],
                condition=Q(status__in=("waiting", "started")),
                name="deliveries_to_make",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook_id}"

    @property
    def last(self) -> AttemptDocument | None:
        """The latest attempt; None before the first one."""
        return self.log[-1] if self.log else None
