"""Trainings of learned metrics, and their checkpoints."""

from __future__ import annotations

import builtins

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from benchmarks.sets.models import JudgmentSet
from core.jobs.models import LeasedJob

# Names in lists of metrics have no comma, parenthesis, equals sign or slash.
NAME = r"[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*"
NAME_HELP = "Lower-case letters, digits, hyphens and periods; the first character is a letter."


class CheckpointManager(models.Manager["Checkpoint"]):
    """Defers the checkpoints' weights."""

    def get_queryset(self) -> models.QuerySet[Checkpoint]:
        return super().get_queryset().defer("weights", "training_items")


class Checkpoint(models.Model):
    """The weights and card of a learned metric, which any worker can load by its name.

    It never changes; each training has another name. `kind` is that of the card.
    """

    name = models.CharField(
        max_length=60, unique=True, validators=[RegexValidator(rf"^{NAME}\Z", NAME_HELP)]
    )
    kind = models.CharField(max_length=40)
    card = models.JSONField()
    weights = models.BinaryField()
    weights_sha256 = models.CharField(max_length=64)
    training_items = models.BinaryField(
        null=True, help_text="Hashes of the items it was trained on."
    )
    created_at = models.DateTimeField()

    objects = CheckpointManager()

    class Meta:
        base_manager_name = "objects"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Training(LeasedJob):
    """A training of one kind of metric on judgment sets and files, which makes a checkpoint.

    `choices`: `services.Choices` as JSON. `curves`: reports of progress for each learning rate and
    seed. `files` include the state from which another worker can continue.
    """

    name = models.CharField(
        max_length=60, unique=True, validators=[RegexValidator(rf"^{NAME}\Z", NAME_HELP)]
    )
    kind = models.CharField(max_length=40)
    choices = models.JSONField()
    judgment_sets = models.ManyToManyField(JudgmentSet, related_name="trainings", blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="trainings"
    )
    checkpoint = models.OneToOneField(
        Checkpoint, models.CASCADE, null=True, blank=True, related_name="training"
    )
    curves = models.JSONField(default=list)
    step = models.PositiveIntegerField(default=0)
    steps = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0.0)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(status="complete") | Q(checkpoint__isnull=False),
                name="a_complete_training_has_a_checkpoint",
            ),
        ]
        indexes = [
            models.Index(fields=["status", "lease_until", "sent_at"], name="open_trainings"),
        ]

    def __str__(self) -> str:
        return f"the training of {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("training", args=[self.pk])

    @property
    def progress(self) -> tuple[int, int]:
        """Steps of the optimiser in all runs: done, and in all."""
        return self.step, self.steps


class TrainingFile(models.Model):
    """A file of a training: uploaded data, or state from which another worker can continue."""

    class Role(models.TextChoices):
        DATA = "data"
        STATE = "state"

    training = models.ForeignKey(Training, models.CASCADE, related_name="files")
    role = models.CharField(max_length=10, choices=Role)
    path = models.CharField(max_length=300)
    content = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["training", "role", "path"], name="one_training_file_per_path"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.path} of {self.training_id}"

    @property
    def bytes(self) -> builtins.bytes:
        """The content as bytes; psycopg returns a memoryview."""
        return builtins.bytes(self.content)
