"""Publications of stages on crowd platforms: listings, submissions, calls and payments.

Every call that creates or spends is stored before it is made (`CrowdCall`). Every payment is stored
once the platform has confirmed it (`Payment`). Credentials that are entered on a page are stored
encrypted (`CrowdAccount`).
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.identities.models import SealedField
from annotation.rating.models import Assignment, Hit, Participation
from annotation.rating.models.people import CODE_CHARS, new_completion_code
from annotation.studies.models import Stage
from core.jobs.models import Leased


class CrowdAccount(models.Model):
    """Credentials that an administrator entered for one service of a provider.

    `service` is empty for the provider's own service, else the URL of another one with its API.
    `sealed` is a JSON object of the credentials by name (`services.accounts`). `problem` is what
    the last test found; empty where the service accepted them.
    """

    provider = models.CharField(max_length=20)
    service = models.CharField(max_length=300, blank=True)
    sealed = models.TextField()
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    entered_at = models.DateTimeField()
    tested_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True)

    class Meta:
        ordering = ["provider", "service"]
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "service"], name="one_account_per_crowd_service"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.service}".strip()


class Publication(models.Model):
    """A stage published on one crowd platform.

    `offer` is what workers are offered. `environment` names the platform's environment: `sandbox`,
    `production`, a URL, or the name of a panel.
    """

    class Status(models.TextChoices):
        DRAFT = "draft"
        LIVE = "live"
        ENDED = "ended"

    stage = models.ForeignKey(Stage, models.CASCADE, related_name="publications")
    provider = models.CharField(max_length=20)
    environment = models.CharField(max_length=300, blank=True)
    site = models.CharField(
        max_length=300, help_text="Base URL under which workers reach this site."
    )
    offer = models.JSONField()
    uid = models.CharField(
        max_length=16, unique=True, help_text="Identifies its calls at the provider."
    )
    completion_code = models.CharField(
        max_length=CODE_CHARS,
        default=new_completion_code,
        help_text="The code of a platform with one code for all participants.",
    )
    status = models.CharField(max_length=6, choices=Status, default=Status.DRAFT)
    budget_cents = models.PositiveBigIntegerField(null=True)
    provider_ids = models.JSONField(
        default=dict, help_text="Ids assigned by the provider, such as HIT types and tests."
    )
    confirmed_cents = models.PositiveBigIntegerField(null=True)
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    confirmed_at = models.DateTimeField(null=True)
    problem = models.TextField(
        blank=True, help_text="Why its calls are paused until a person acts."
    )
    synced_at = models.DateTimeField(null=True)
    sync_requested_at = models.DateTimeField(null=True)
    audit = models.JSONField(
        null=True, help_text="The payment totals that the provider reported last."
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
    """An item listed at a provider: a HIT of MTurk or a study of Prolific.

    `places` is the number of workers it asks for. A HIT whose ratings are split over several
    listings has several parts. `provider_id` is empty until the provider has created the listing.
    """

    publication = models.ForeignKey(Publication, models.CASCADE, related_name="listings")
    hit = models.ForeignKey(Hit, models.PROTECT, null=True, related_name="listings")
    part = models.PositiveSmallIntegerField(default=1)
    places = models.PositiveIntegerField()
    pay_cents = models.PositiveIntegerField()
    key = models.CharField(max_length=60, unique=True, help_text="Identifies it at the provider.")
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
    """A worker's assignment of a listing as the provider reports it.

    RATED means that the worker has finished here; only the provider reports SUBMITTED and later
    states. `assignment` is the assignment of the HIT here. A worker who returned a HIT and accepted
    it again has two rows. `provider_id` never identifies a person: where the platform has no
    session ids, one is made here.
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
    answer = SealedField(
        null=True, help_text="The submission's answer as the provider reported it."
    )
    problem = models.CharField(max_length=300, blank=True)
    feedback = models.TextField(blank=True)
    accepted_at = models.DateTimeField(null=True)
    rated_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    auto_approval_at = models.DateTimeField(null=True)
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
    """A call to a provider, stored before it is made.

    `key` is the provider's idempotency token (at most 64 characters): while the provider remembers
    it, a repeated call has no further effect. After that, and for providers without tokens, the
    provider is first asked whether the call was carried out. `rank` orders calls: a call waits
    until all preparations of lower rank are done. `cents` is the most it may spend.
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
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
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
    """A payment to a worker that a provider confirmed, with its fee. Append-only."""

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
    """A processed notification. Queues may deliver one several times."""

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
