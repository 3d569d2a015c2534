"""What people enter to train a metric or import a checkpoint, on pages and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.trainings.models import NAME, NAME_HELP
from benchmarks.trainings.services import KINDS, TrainingOptions
from concord.bounds import REQUIRED, Text, choice, described, items
from scorers.training_defaults import NAMES, PAPER

FORMATS = tuple(sorted({name for kind in KINDS.values() for name in kind.formats}))
METRIC_NAME = described(
    Text(60, REQUIRED, pattern=rf"^{NAME}\Z", pattern_help=f"Allowed: {NAME_HELP.lower()}"),
    help=f"Name of the metric. {NAME_HELP}",
)


@dataclass(frozen=True, slots=True)
class CheckpointName:
    """A checkpoint to import, which becomes a metric of this name."""

    name: str = field(metadata=METRIC_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTraining(TrainingOptions):
    """Omitted fields have the value that `defaults` names, as on the page and in the commands."""

    name: str = field(metadata=METRIC_NAME)
    kind: str = field(metadata=choice(sorted(KINDS)))
    defaults: str = field(
        default=PAPER,
        metadata=choice(
            NAMES,
            label="Settings",
            help="; ".join(f"{name}: {meaning}" for name, meaning in NAMES.items()) + ".",
        ),
    )
    sets: tuple[str, ...] = field(
        default=(),
        metadata=items(
            50,
            each=Text(100, REQUIRED),
            label="Judgment sets",
            help="Judgment sets as NAME@VERSION.",
        ),
    )
    format: str = field(
        default="", metadata=choice(FORMATS, label="Its format", help="Format of the file.")
    )


# The fields of a new training that each kind has some of.
CHOSEN = (
    *("pretrained", "without", "parts", "reading", "layer", "design", "features", "bound"),
    *("made", "epochs", "patience", "rates", "seeds", "batch_size", "max_tokens", "lora_rank"),
    *("dev_share", "test_share", "split_seed", "licence", "notes"),
)
