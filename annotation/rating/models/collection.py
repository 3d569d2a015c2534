"""HITs, their assignments to workers, and the ratings."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from annotation.rating.models.people import Worker
from annotation.studies.models.studies import ProtocolVersion, Stage, StudyCandidate


class Hit(models.Model):
    """Candidates that are rated together. `open_slots` of the `wanted` assignments are still open.

    open_slots = wanted - assignments in progress - submitted assignments that count. The services
    change it only with the row locked.
    """

    stage = models.ForeignKey(Stage, models.CASCADE, related_name="hits")
    index = models.PositiveIntegerField()
    wanted = models.PositiveSmallIntegerField()
    open_slots = models.PositiveSmallIntegerField()
    pay_cents = models.PositiveIntegerField()
    candidates = models.ManyToManyField(StudyCandidate, through="HitCandidate", related_name="hits")

    class Meta:
        ordering = ["stage", "index"]
        constraints = [
            models.UniqueConstraint(fields=["stage", "index"], name="one_hit_per_index"),
            models.CheckConstraint(
                condition=Q(open_slots__lte=models.F("wanted")), name="no_more_slots_than_wanted"
            ),
        ]
        indexes = [
            # In the order in which HITs are assigned, so that the first is found without sorting.
            models.Index(
                "stage",
                models.F("open_slots").desc(),
                "index",
                condition=Q(open_slots__gt=0),
                name="open_hits",
            ),
        ]

    def __str__(self) -> str:
        return f"HIT {self.index} of {self.stage}"


class HitCandidate(models.Model):
    hit = models.ForeignKey(Hit, models.CASCADE, related_name="members")
    candidate = models.ForeignKey(StudyCandidate, models.CASCADE, related_name="memberships")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["hit", "position"]
        constraints = [
            models.UniqueConstraint(fields=["hit", "candidate"], name="once_in_a_hit"),
            models.UniqueConstraint(fields=["hit", "position"], name="one_per_place_in_hit"),
        ]

    def __str__(self) -> str:
        return f"{self.candidate} in {self.hit}"


class Assignment(models.Model):
    """One worker's assignment of one HIT, with a lease.

    HELD until `lease_until`, then EXPIRED, which frees the slot. SUBMITTED assignments count.
    SURPLUS was submitted late when its HIT was complete: it is stored and paid but not counted.
    RETURNED was returned by the worker.
    """

    class Status(models.TextChoices):
        HELD = "held"
        SUBMITTED = "submitted"
        EXPIRED = "expired"
        RETURNED = "returned"
        SURPLUS = "surplus"

    # An expired assignment may still be rated and submitted.
    OPEN = (Status.HELD, Status.EXPIRED)

    hit = models.ForeignKey(Hit, models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="assignments")
    protocol_version = models.ForeignKey(ProtocolVersion, models.PROTECT)
    status = models.CharField(max_length=10, choices=Status, default=Status.HELD)
    seed = models.BigIntegerField(
        help_text="Seed of the order in which this worker sees the candidates."
    )
    lease_until = models.DateTimeField()
    started_at = models.DateTimeField()
    retried_at = models.DateTimeField(
        null=True, help_text="When the present try of a test began, if it is not the first."
    )
    submitted_at = models.DateTimeField(null=True)
    pay_cents = models.PositiveIntegerField()
    graded = models.BooleanField(
        default=False, help_text="Whether this try of a qualification test was counted."
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["hit", "worker"], name="one_hold_per_worker_and_hit"),
        ]
        indexes = [
            models.Index(fields=["lease_until"], condition=Q(status="held"), name="held_leases"),
            models.Index(fields=["worker", "status"], name="a_workers_assignments"),
        ]

    def __str__(self) -> str:
        return f"{self.hit} by {self.worker}"


class RatingQuerySet(models.QuerySet["Rating"]):
    def made_in(self, assignment: Assignment) -> RatingQuerySet:
        """The ratings of an assignment; of a test that is taken again, those of the present try."""
        rows = self.filter(assignment=assignment)
        if assignment.retried_at is not None:
            rows = rows.filter(updated_at__gte=assignment.retried_at)
        return rows


class Rating(models.Model):
    """One worker's value for one candidate; `value` is null if the worker could not judge.

    `answers` are those to the protocol's criteria, by name (`concord.protocols.answers`).
    `simulated` is copied from the worker, so that no export can lose it.
    """

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="ratings")
    candidate = models.ForeignKey(StudyCandidate, models.PROTECT, related_name="ratings")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="ratings")
    value = models.SmallIntegerField(null=True)
    answers = models.JSONField(
        default=dict, blank=True, help_text="Answers to the protocol's criteria, by name."
    )
    shown = ArrayField(
        models.PositiveSmallIntegerField(),
        default=list,
        blank=True,
        help_text="Order in which compared candidates were shown; empty for a single candidate.",
    )
    comment = models.TextField(blank=True)
    seconds = models.FloatField(
        null=True, help_text="Time from showing the candidate to its rating."
    )
    simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = RatingQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["worker", "candidate"], name="no_worker_rates_a_candidate_twice"
            ),
        ]
        indexes = [models.Index(fields=["candidate", "created_at"], name="a_candidates_ratings")]

    def __str__(self) -> str:
        return f"{self.value} for {self.candidate} by {self.worker}"


class RatingDraft(models.Model):
    """An answer that its worker has not finished: questions are open, or a mark has no category.

    It is newer than the worker's rating of the candidate, if there is one, and is deleted when the
    rating is complete. `choice` is that of the form: a value, "cannot", or empty.
    """

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="drafts")
    candidate = models.ForeignKey(StudyCandidate, models.CASCADE, related_name="drafts")
    choice = models.CharField(max_length=10, blank=True)
    answers = models.JSONField(default=dict, blank=True)
    comment = models.TextField(blank=True)
    seconds = models.FloatField(null=True)
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "candidate"], name="one_draft_each"),
        ]

    def __str__(self) -> str:
        return f"draft for {self.candidate} in {self.assignment}"


class RatingChange(models.Model):
    """The previous value of a rating that was changed. Append-only."""

    rating = models.ForeignKey(Rating, models.PROTECT, related_name="changes")
    value = models.SmallIntegerField(null=True)
    answers = models.JSONField(default=dict, blank=True)
    comment = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["rating", "at"]

    def __str__(self) -> str:
        return f"{self.rating} was {self.value}"
