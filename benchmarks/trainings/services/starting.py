"""The checkpoints from which a training can start."""

from __future__ import annotations

from benchmarks.trainings.models import Checkpoint
from scorers.encoders import DEFAULT
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder, shipped_names


def start_checkpoints() -> list[str]:
    """The names of checkpoints with the default encoder: trained and imported, then shipped."""
    stored = Checkpoint.objects.filter(card__encoder=DEFAULT).order_by("name")
    shipped = [
        name
        for name in shipped_names()
        if CheckpointCard.read(checkpoint_folder(name)).encoder == DEFAULT
    ]
    return [*stored.values_list("name", flat=True), *shipped]
