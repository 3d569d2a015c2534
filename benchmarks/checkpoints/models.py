"""Checkpoints of learned metrics."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models

# Names in lists of metrics have no comma, parenthesis, equals sign or slash.
NAME = r"[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*"
NAME_HELP = "Lower-case letters, digits, hyphens and periods; the first character is a letter."


class CheckpointManager(models.Manager["Checkpoint"]):
    """Defers the checkpoints' weights."""

    def get_queryset(self) -> models.QuerySet[Checkpoint]:
        return super().get_queryset().defer("weights", "training_items")


class Checkpoint(models.Model):
    """The weights and card of a learned metric, which any worker can load by its name.

    It never changes. `kind` is that of the card.
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
