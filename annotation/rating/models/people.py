"""Raters: one worker and one participation per person and study."""

from __future__ import annotations

import base64
import secrets

from django.db import models

from annotation.identities.models import SealedField
from annotation.identities.sealing import lookups
from annotation.studies.models.studies import ProtocolVersion, Study

CODE_CHARS = 10


def new_completion_code() -> str:
    """Letters and digits that show a panel that a worker took part. They cannot be guessed."""
    return base64.b32encode(secrets.token_bytes(CODE_CHARS)).decode()[:CODE_CHARS]


class WorkerQuerySet(models.QuerySet["Worker"]):
    def known_as(self, provider: str, provider_id: str) -> WorkerQuerySet:
        """Workers with this id at the provider: one row in each of their studies."""
        return self.filter(provider=provider, identity_key__in=lookups(provider, provider_id))


class Worker(models.Model):
    """A rater of one study. `name` is what researchers see.

    The id on a platform is sealed, and opened only to pay, admit or exclude the worker there. A
    person who takes part in two studies has a row and a name in each, so that their data cannot be
    joined. `identity` is null after it was removed; `identity_key` finds it. `erased_at` is set
    when the person asked to be erased, `released_at` when the retention period of ids ended.
    """

    name = models.CharField(max_length=100, unique=True)
    study = models.ForeignKey(Study, models.CASCADE, related_name="workers")
    provider = models.CharField(max_length=40, default="link")
    identity = SealedField(null=True)
    identity_key = models.CharField(max_length=64, null=True)
    simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    erased_at = models.DateTimeField(null=True)
    released_at = models.DateTimeField(null=True)

    objects = WorkerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "provider", "identity_key"], name="one_row_per_worker"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def is_known_as(self, provider_id: str) -> bool:
        """Whether this is the worker's id at the provider; opens nothing."""
        return self.identity_key in lookups(self.provider, provider_id)


class RetiredLookupKey(models.Model):
    """A lookup key that `rotate_identity_keys` retired.

    It is needed to recognise erased workers who return. It identifies nobody else, because all
    other rows use a newer key. It is sealed, so that a copy of the database cannot be used to guess
    ids.
    """

    key = SealedField()
    fingerprint = models.CharField(max_length=32, unique=True)
    retired_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.fingerprint


class Participation(models.Model):
    """A worker in a study: consent, qualification, exclusion.

    An excluded worker gets no more HITs, and a step of the ledger excludes the ratings from the
    gold score. Pay is not affected.
    """

    class Qualified(models.TextChoices):
        NOT_YET = "not yet"
        PASSED = "passed"
        FAILED = "failed"

    study = models.ForeignKey(Study, models.CASCADE, related_name="participations")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="participations")
    qualified = models.CharField(max_length=10, choices=Qualified, default=Qualified.NOT_YET)
    tries = models.PositiveSmallIntegerField(default=0)
    consented_at = models.DateTimeField(null=True)
    consented_to = models.ForeignKey(
        ProtocolVersion,
        models.PROTECT,
        null=True,
        related_name="consents",
        help_text="The protocol version whose consent text the worker agreed to.",
    )
    language = models.CharField(
        max_length=10, blank=True, help_text="The language that the worker chose."
    )
    excluded_at = models.DateTimeField(null=True)
    exclusion_reason = models.TextField(blank=True)
    withdrawn_at = models.DateTimeField(null=True)
    completion_code = models.CharField(max_length=CODE_CHARS, default=new_completion_code)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "worker"], name="one_participation_each"),
        ]

    def __str__(self) -> str:
        return f"{self.worker} in {self.study}"


class Message(models.Model):
    """A message to the researcher: a question, an appeal or a withdrawal."""

    class Kind(models.TextChoices):
        QUESTION = "question"
        APPEAL = "appeal"
        WITHDRAWAL = "withdrawal"

    participation = models.ForeignKey(Participation, models.CASCADE, related_name="messages")
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.QUESTION)
    text = models.TextField()
    created_at = models.DateTimeField()
    answer = models.TextField(blank=True)
    answered_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.participation}"
