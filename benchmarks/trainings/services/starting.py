"""Which checkpoints a training may start from."""

from __future__ import annotations

from benchmarks.trainings.models import Checkpoint
from scorers.encoders import DEFAULT
from scorers.learned.card import Card
from scorers.learned.checkpoint import checkpoint_folder, shipped_names


def startable() -> list[str]:
    """The names of the checkpoints on the default encoder: those trained or brought here, then
    those in the box."""
    here = Checkpoint.objects.filter(card__encoder=DEFAULT).order_by("name")
    shipped = [
        name for name in shipped_names() if Card.read(checkpoint_folder(name)).encoder == DEFAULT
    ]
    return [*here.values_list("name", flat=True), *shipped]
