"""The life of a training: requested, completed, stopped, resumed, deleted. Callers send the tasks.

Each step may be called twice, also by two processes at the same time, and has its effect once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F

from benchmarks.sets.models import JudgmentSet
from benchmarks.trainings.models import Checkpoint, Training, TrainingFile
from benchmarks.trainings.services.choices import KINDS, TrainingOptions
from benchmarks.trainings.services.starting import start_checkpoints
from core import audit
from scorers import names
from scorers.learned.checkpoint import current_name, shipped_names

Status = Training.Status


class TrainingRefusedError(Exception):
    """The training is refused; the message says why. `field` is the invalid field, or None."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


def request(
    name: str,
    kind: str,
    choices: TrainingOptions,
    judgment_sets: Sequence[JudgmentSet],
    files: Sequence[tuple[str, bytes]],
    *,
    by: User,
    at: datetime,
) -> Training:
    """Store a training, queued. files: uploads as (name, content).

    Raises TrainingRefusedError if the name is taken, there is nothing to train on, or the kind does
    not support the choices.
    """
    check_name_is_free(name)
    _check_choices(kind, choices, judgment_sets, has_files=bool(files))
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
                "judgment_sets": [str(judgment_set) for judgment_set in judgment_sets],
                "files": [path for path, _ in files],
                "choices": choices.to_json(),
            }
            audit.record(by, "training.started", training, after=about)
    except IntegrityError as error:
        raise TrainingRefusedError(_taken(name), "name") from error
    return training


def _check_choices(
    kind: str, choices: TrainingOptions, judgment_sets: Sequence[JudgmentSet], *, has_files: bool
) -> None:
    try:
        choices.check(kind)
    except ValueError as error:
        raise TrainingRefusedError(str(error)) from error
    # Only names are allowed, so that nobody can make the server read any folder.
    if choices.pretrained and choices.pretrained not in (names := start_checkpoints()):
        raise TrainingRefusedError(
            f"there is no checkpoint {choices.pretrained} to start from; available: "
            + ", ".join(names),
            "pretrained",
        )
    constituents = {
        row["constituent"]
        for judgment_set in judgment_sets
        for row in judgment_set.statistics.get("constituents", ())
    }
    unknown = [name for name in choices.without if name not in constituents]
    if unknown and not has_files:
        available = ", ".join(sorted(constituents - {""})) or "none"
        raise TrainingRefusedError(
            f"no set has the constituent {unknown[0]}; available: {available}", "without"
        )


def check_name_is_free(name: str) -> None:
    """Raises TrainingRefusedError if a metric, checkpoint or training has this name."""
    is_taken = (
        name in names()
        or current_name(name) in shipped_names()
        or Training.objects.filter(name=name).exists()
        or Checkpoint.objects.filter(name=name).exists()
    )
    if is_taken:
        raise TrainingRefusedError(_taken(name), "name")


def store_state(training: Training, changed: dict[str, bytes]) -> bool:
    """Store the state from which another worker can continue.

    Returns False if another attempt has taken over.
    """
    with transaction.atomic():
        # Progress resets the number of tries.
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
    """Save the checkpoint and complete the training, unless another attempt has taken over."""
    with transaction.atomic():
        if not training.held.select_for_update().exists():
            return False
        checkpoint.save(force_insert=True)
        training.complete(at=at, checkpoint=checkpoint, step=F("steps"))
        TrainingFile.objects.filter(training=training, role="state").delete()
    return True


def stop(training: Training, *, at: datetime) -> bool:
    """Stop a training that has not ended. It can be resumed from its stored state."""
    with transaction.atomic():
        stopped = training.cancel(at=at)
        if stopped:
            audit.record(None, "training.stopped", training)
    return stopped


def resume(training: Training, *, at: datetime) -> bool:
    """Queue a stopped or failed training again; it continues from its stored state."""
    with transaction.atomic():
        queued = training.queue_again(at=at)
        if queued:
            audit.record(None, "training.taken up", training)
    return queued


def delete(training: Training) -> bool:
    """Delete an ended training and its checkpoint. Returns False if it is active."""
    with transaction.atomic():
        rows = Training.objects.select_for_update().filter(pk=training.pk)
        ended = rows.exclude(status__in=Training.ACTIVE).first()
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
    return f"{name} is the name of another metric, checkpoint or training; choose another name"
