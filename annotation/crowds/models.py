"""Stages put before a crowd platform: what is listed there, who took it, and the money.

Every call that creates or spends is a row here before it is made (`CrowdCall`), and every payment
a row once the platform has confirmed it (`Payment`). Credentials are never stored.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.identities.models import SealedField
from annotation.rating.models import Assignment, Hit, Participation
from annotation.studies.models import Stage
from core.jobs.models import Leased


class Publication(models.Model):
    """A stage put before one crowd. `offer` is what workers are offered, `place` which site of
    the provider (`sandbox`, `production`, or an address)."""

    class Status(models.TextChoices):
        DRAFT = "draft"
        LIVE = "live"
        ENDED = "ended"

    stage = models.ForeignKey(Stage, models.CASCADE, related_name="publications")
    provider = models.CharField(max_length=20)
    place = models.CharField(max_length=300, blank=True)
    site = models.CharField(max_length=300, help_text="Where workers reach this installation.")
    offer = models.JSONField()
    uid = models.CharField(max_length=16, unique=True, help_text="Marks its calls at the provider.")
    status = models.CharField(max_length=6, choices=Status, default=Status.DRAFT)
    budget_cents = models.PositiveBigIntegerField(null=True)
    known = models.JSONField(default=dict, help_text="Ids the provider gave: HIT types, tests.")
    confirmed_cents = models.PositiveBigIntegerField(null=True)
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    confirmed_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True, help_text="Why its calls wait for a person.")
    synced_at = models.DateTimeField(null=True)
    sync_asked_at = models.DateTimeField(null=True)
    audit = models.JSONField(
        null=True, help_text="The provider's side of the books, when last asked."
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["stage"], condition=~Q(status="ended"), name="one_crowd_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage} at {self.provider}"


class Listing(models.Model):
    """What a provider lists: a HIT of MTurk, a study of Prolific.

    A HIT whose ratings are split over several listings has several parts. `places` is how many
    workers it was asked for; `provider_id` is empty until the provider has it.
    """

    publication = models.ForeignKey(Publication, models.CASCADE, related_name="listings")
    hit = models.ForeignKey(Hit, models.PROTECT, null=True, related_name="listings")
    part = models.PositiveSmallIntegerField(default=1)
    places = models.PositiveIntegerField()
    pay_cents = models.PositiveIntegerField()
    key = models.CharField(max_length=60, unique=True, help_text="Its mark at the provider.")
    provider_id = models.CharField(max_length=100, blank=True)
    expired_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["publication", "hit", "part"], name="one_listing_per_part"
            ),
            models.UniqueConstraint(
                fields=["publication", "provider_id"],
                condition=~Q(provider_id=""),
                name="one_row_per_listing",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class CrowdAssignment(models.Model):
    """A worker's hold on a listing as the provider knows it.

    RATED is "rated here"; SUBMITTED and what follows only the provider says. `assignment` is the
    hold here; a worker who returned a HIT and took it again has two rows for one. `provider_id`
    names the hold there, and never a person: sessions of platforms that name none are named here.
    """

    class Status(models.TextChoices):
        ACCEPTED = "accepted"
        RATED = "rated"
        RETURNED = "returned"
        ABANDONED = "abandoned"
        SUBMITTED = "submitted"
        APPROVED = "approved"
        REJECTED = "rejected"

    publication = models.ForeignKey(Publication, models.CASCADE, related_name="assignments")
    listing = models.ForeignKey(Listing, models.PROTECT, related_name="assignments")
    participation = models.ForeignKey(
        Participation, models.PROTECT, related_name="crowd_assignments"
    )
    assignment = models.ForeignKey(
        Assignment, models.PROTECT, null=True, related_name="crowd_assignments"
    )
    provider_id = models.CharField(max_length=100)
    status = models.CharField(max_length=9, choices=Status, default=Status.ACCEPTED)
    answer = SealedField(null=True, help_text="What the provider says was submitted.")
    problem = models.CharField(max_length=300, blank=True)
    feedback = models.TextField(blank=True)
    accepted_at = models.DateTimeField(null=True)
    rated_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    approves_itself_at = models.DateTimeField(null=True)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["publication", "provider_id"], name="one_row_per_crowd_assignment"
            ),
        ]
        indexes = [models.Index(fields=["publication", "status"], name="crowd_assignment_states")]

    def __str__(self) -> str:
        return f"{self.participation.worker} at {self.listing}"


class CrowdCall(Leased):
    """A call to a provider, written down before it is made.

    `key` is the provider's idempotency token (at most 64 characters); for as long as a provider
    remembers it, sending twice does no more than once. After that, and where a provider takes
    none, a call that was begun before is looked for at the provider first. `rank` orders them:
    none is made before all of a lower rank are done. `cents` is what it may spend at most.
    """

    class Status(models.TextChoices):
        WAITING = "waiting"
        STARTED = "started"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    WAITING, HELD = Status.WAITING, Status.STARTED

    publication = models.ForeignKey(Publication, models.CASCADE, related_name="calls")
    kind = models.CharField(max_length=20)
    rank = models.PositiveSmallIntegerField(default=5)
    key = models.CharField(max_length=64, unique=True)
    payload = models.JSONField(default=dict)
    listing = models.ForeignKey(Listing, models.PROTECT, null=True, related_name="calls")
    crowd_assignment = models.ForeignKey(
        CrowdAssignment, models.PROTECT, null=True, related_name="calls"
    )
    cents = models.PositiveBigIntegerField(default=0)
    status = models.CharField(max_length=9, choices=Status, default=Status.WAITING)
    not_before = models.DateTimeField(null=True)
    first_tried_at = models.DateTimeField(null=True)
    result = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    created_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["rank", "pk"]
        indexes = [
            models.Index(
                fields=["publication", "rank", "id"],
                condition=Q(status__in=("waiting", "started")),
                name="calls_to_make",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class Payment(models.Model):
    """Money that a provider confirmed to have paid a worker, with its fee; append-only."""

    class Kind(models.TextChoices):
        REWARD = "reward"
        BONUS = "bonus"

    crowd_assignment = models.ForeignKey(CrowdAssignment, models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=6, choices=Kind)
    cents = models.PositiveBigIntegerField()
    fee_cents = models.PositiveBigIntegerField()
    reason = models.TextField(blank=True)
    call = models.OneToOneField(CrowdCall, models.PROTECT, null=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["crowd_assignment"], condition=Q(kind="reward"), name="one_reward_each"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.cents} cents for {self.crowd_assignment}"


class CrowdEvent(models.Model):
    """A notification that was taken in; queues deliver some twice."""

    publication = models.ForeignKey(Publication, models.CASCADE, related_name="events")
    key = models.CharField(max_length=200)
    kind = models.CharField(max_length=40)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["publication", "key"], name="one_row_per_event"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
