"""Trainings from request to result: asked for, claimed, kept alive, ended, taken up again.

Nothing here enqueues a task; callers do, with the primary keys. Every step may be taken twice, by
two processes at once: it works once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from benchmarks.sets.models import JudgmentSet
from benchmarks.trainings.models import Checkpoint, Training, TrainingFile
from benchmarks.trainings.services.choices import KINDS, Choices
from benchmarks.trainings.services.starting import startable
from core import audit
from scorers import names
from scorers.learned.checkpoint import current_name, shipped_names

Status = Training.Status


class TrainingRefusedError(Exception):
    """A training that cannot be; the message says why. `field` is the form's, or None."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


def request(
    name: str,
    kind: str,
    choices: Choices,
    judgment_sets: Sequence[JudgmentSet],
    files: Sequence[tuple[str, bytes]],
    *,
    by: Any,
    at: datetime,
) -> Training:
    """A new training, queued; `files` are uploads as (name, content).

    Raises TrainingRefusedError for a name that is taken, with nothing to train on, and for choices
    that the kind cannot be trained with.
    """
    refuse_taken_name(name)
    _refuse_choices(kind, choices, judgment_sets, has_files=bool(files))
    if not KINDS[kind].takes_sets and judgment_sets:
        raise TrainingRefusedError(f"{kind} is not trained on judgments: send a file", "sets")
    if not judgment_sets and not files:
        raise TrainingRefusedError("choose a judgment set or send a file to train on", "sets")
    try:
        with transaction.atomic():
            training = Training.objects.create(
                name=name, kind=kind, choices=choices.to_json(), by=by, created_at=at, sent_at=at
            )
            training.judgment_sets.set(judgment_sets)
            TrainingFile.objects.bulk_create(
                TrainingFile(training=training, role="data", path=path, content=content)
                for path, content in files
            )
            about = {
                "kind": kind,
                "judgment_sets": [str(one) for one in judgment_sets],
                "files": [path for path, _ in files],
                "choices": choices.to_json(),
            }
            audit.record(by, "training.started", training, after=about)
    except IntegrityError as error:
        raise TrainingRefusedError(_taken(name), "name") from error
    return training


def _refuse_choices(
    kind: str, choices: Choices, judgment_sets: Sequence[JudgmentSet], *, has_files: bool
) -> None:
    try:
        choices.check(kind)
    except ValueError as error:
        raise TrainingRefusedError(str(error)) from error
    # A name alone: the server reads no folder that somebody asks for.
    if choices.pretrained and choices.pretrained not in (known := startable()):
        raise TrainingRefusedError(
            f"there is no checkpoint {choices.pretrained} to start from; there are: "
            + ", ".join(known),
            "pretrained",
        )
    constituents = {
        row["constituent"]
        for one in judgment_sets
        for row in one.statistics.get("constituents", ())
    }
    strange = [name for name in choices.without if name not in constituents]
    if strange and not has_files:
        there = ", ".join(sorted(constituents - {""})) or "none"
        raise TrainingRefusedError(
            f"no set has the constituent {strange[0]}; there are: {there}", "without"
        )


def refuse_taken_name(name: str) -> None:
    """Raises TrainingRefusedError where a metric, a checkpoint or a training has this name."""
    taken = (
        name in names()
        or current_name(name) in shipped_names()
        or Training.objects.filter(name=name).exists()
        or Checkpoint.objects.filter(name=name).exists()
    )
    if taken:
        raise TrainingRefusedError(_taken(name), "name")


def keep_state(training: Training, changed: dict[str, bytes]) -> bool:
    """Store what another worker would go on from; False when the training is another's by now."""
    with transaction.atomic():
        # What got further may be tried as often again.
        if not training.held.update(tries=1):
            return False
        states = TrainingFile.objects.filter(training=training, role="state")
        states.filter(path__in=list(changed)).delete()
        TrainingFile.objects.bulk_create(
            TrainingFile(training=training, role="state", path=path, content=content)
            for path, content in changed.items()
        )
    return True


def complete(training: Training, checkpoint: Checkpoint, *, at: datetime) -> bool:
    """Save the checkpoint and end the training, unless another attempt took over."""
    with transaction.atomic():
        if not training.held.select_for_update().exists():
            return False
        checkpoint.save(force_insert=True)
        training.complete(at=at, checkpoint=checkpoint, step=F("steps"))
        TrainingFile.objects.filter(training=training, role="state").delete()
    return True


def stop(training: Training, *, at: datetime) -> bool:
    """Stop one that has not ended. What it reached is stored: it may be taken up again."""
    with transaction.atomic():
        stopped = training.cancel(at=at)
        if stopped:
            audit.record(None, "training.stopped", training)
    return stopped


def take_up(training: Training, *, at: datetime) -> bool:
    """Queue a stopped or failed one again; it goes on from the last state that was stored."""
    with transaction.atomic():
        queued = training.queue_again(at=at)
        if queued:
            audit.record(None, "training.taken up", training)
    return queued


def delete(training: Training) -> bool:
    """Delete one that has ended, and the checkpoint that came of it; False where it is active."""
    with transaction.atomic():
        found = Training.objects.select_for_update().filter(pk=training.pk)
        ended = found.exclude(status__in=Training.ACTIVE).first()
        if ended is None:
            return False
        checkpoint = ended.checkpoint
        about = {"status": ended.status, "checkpoint": checkpoint.name if checkpoint else None}
        audit.record(None, "training.deleted", ended, before=about)
        ended.delete()
        if checkpoint is not None:
            checkpoint.delete()
    return True


def _taken(name: str) -> str:
    return f"{name} is the name of another metric, checkpoint or training: choose another"
