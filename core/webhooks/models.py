"""Who is told what, and every message with its deliveries."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, TypedDict

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse

from core.jobs.models import Leased
from core.webhooks import targets
from core.webhooks.events import ACCOUNT
from core.webhooks.targets import Target, TargetMissingError


class AttemptRow(TypedDict):
    """An attempt to deliver a message: when it was, and the receiver's status or the error."""

    at: str
    status: int | None
    error: str
    milliseconds: int


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def hearing(self, event: str, kind: str, key: str) -> WebhookQuerySet:
        """Those that are on and hear this event, of this target or of all of an account's."""
        about = Q(kind=kind, key=key) | Q(kind=ACCOUNT)
        return self.filter(about, disabled_at=None, events__contains=[event])

    def of(self, user: Any) -> WebhookQuerySet:
        """A person's own, latest first."""
        return self.filter(owner=user)


class Webhook(models.Model):
    """An address that is told of some events of a study, a judgment set, or all of an account's.

    It belongs to who made it, and hears only what that person may see at the time.
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
        """The address without its path, which may hold a secret."""
        return "/".join(self.url.split("/", 3)[:3])

    @property
    def target(self) -> Target | None:
        """What it is about, as its owner may see it; None when that is over."""
        try:
            return targets.find(self.owner, self.kind, self.key)
        except TargetMissingError:
            return None


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def due(self, at: datetime) -> DeliveryQuerySet:
        """Those to send now: whose time has come, or whose sender died."""
        waiting = Q(status=Delivery.Status.WAITING, not_before__lte=at)
        lapsed = Q(status=Delivery.Status.STARTED, lease_until__lte=at)
        return self.filter(waiting | lapsed, webhook__disabled_at=None)


class Delivery(Leased):
    """One message to one webhook. `id` is the receiver's too: the same however often it is sent.

    A sender takes the lease and raises `attempt`, which keeps one that comes late from writing.
    `tries` counts attempts since it was last asked for; `log` holds the latest of them, each
    {"at", "status", "error", "milliseconds"}.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting"
        STARTED = "started", "on its way"
        DONE = "done", "taken"
        FAILED = "failed", "given up"

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
    def last(self) -> AttemptRow | None:
        """The latest attempt, if there was one."""
        return self.log[-1] if self.log else None
