"""Checkpoints in the database: found by name wherever a metric is opened, exported, imported."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from datetime import datetime
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import ProgrammingError, transaction

from benchmarks.trainings.models import Checkpoint
from benchmarks.trainings.services.choices import CHOICES
from benchmarks.trainings.services.folder import undefined
from benchmarks.trainings.services.requests import TrainingRefusedError, refuse_taken_name
from core import audit
from scorers import ModelError, parse_metrics
from scorers.encoders import DEFAULT
from scorers.errors import CheckpointError
from scorers.judges.metric import JudgeMetric
from scorers.keyphrases.predictor import KeyphrasePredictor
from scorers.learned.card import CARD, Card
from scorers.learned.checkpoint import (
    WEIGHTS,
    checkpoint_folder,
    current_name,
    load_state,
    shipped_names,
)
from scorers.learned.package import pack, unpack
from scorers.learned.training_items import FILE as TRAINING_ITEMS

_KEYPHRASE_KINDS = ("kpqa", "kp")


def folder_of(name: str) -> Path | None:
    """The folder of a checkpoint of this name, written here from the database; None without one.

    Its path has a hash of its weights and card in it, since another database may have another one
    of that name, and it appears whole or not at all.
    """
    known = Checkpoint.objects.filter(name=name).values_list("pk", "weights_sha256", "card")
    try:
        found = known.first()
    except ProgrammingError:  # not migrated yet
        return None
    if found is None:
        return None
    pk, sha256, card = found
    place = settings.VAR_DIR / "checkpoints"
    described = hashlib.sha256(json.dumps([sha256, card], sort_keys=True).encode()).hexdigest()
    folder: Path = place / f"{name}-{described[:16]}" / name
    if not (folder / CARD).is_file():
        place.mkdir(parents=True, exist_ok=True)
        checkpoint = Checkpoint.objects.defer(None).get(pk=pk)
        fresh = Path(tempfile.mkdtemp(dir=place))
        try:
            _write(checkpoint, fresh / name)
            fresh.replace(folder.parent)
        except OSError:
            if not (folder / CARD).is_file():  # else another process was first
                raise
            shutil.rmtree(fresh, ignore_errors=True)
    return folder


def card_of(name: str) -> Card:
    """The card of a shipped checkpoint or of one that was trained or imported here.

    Raises CheckpointError where there is none of this name.
    """
    if current_name(name) in shipped_names():
        return Card.read(checkpoint_folder(name))
    found = Checkpoint.objects.filter(name=name).values_list("card", flat=True).first()
    if found is None:
        raise CheckpointError(f"there is no checkpoint {name!r}")
    return Card.of(found, name)


def made(folder: Path, name: str, *, at: datetime) -> Checkpoint:
    """A checkpoint, not yet saved, of a folder that a training or an import wrote."""
    card = json.loads((folder / CARD).read_text("utf-8"), parse_constant=undefined)
    items = folder / TRAINING_ITEMS
    return Checkpoint(
        name=name,
        kind=card["kind"],
        card=card,
        weights=(folder / WEIGHTS).read_bytes(),
        weights_sha256=card["weights_sha256"],
        training_items=items.read_bytes() if items.is_file() else None,
        created_at=at,
    )


def exported(name: str) -> bytes:
    """A zip file of the checkpoint's folder, card and all. CheckpointError where it is none."""
    folder = folder_of(name)
    if folder is None:
        raise CheckpointError(f"there is no checkpoint {name!r}")
    content = pack(folder)
    audit.record(None, "checkpoint.exported", ("checkpoint", name), after={"bytes": len(content)})
    return content


def imported(name: str, file: IO[bytes], *, at: datetime) -> Checkpoint:
    """Save a checkpoint from a zip file that `exported` made, here or elsewhere.

    Raises TrainingRefusedError where the name is taken, or the file is none, is too large, or
    holds what this installation cannot open.
    """
    refuse_taken_name(name)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / name
        try:
            card = unpack(file, folder, settings.CHECKPOINT_MAX_BYTES)
            if card.encoder not in ("", DEFAULT):
                # An encoder by another name is a path, or would be fetched from elsewhere.
                raise CheckpointError(
                    f"it stands on the encoder {card.encoder}, and those that are sent here must "
                    f"stand on {DEFAULT}"
                )
            _open(card.kind, folder)
        except (ModelError, KeyError, TypeError, ValueError) as error:
            message = str(error).replace(str(folder), "it")
            raise TrainingRefusedError(
                f"The checkpoint was not taken: {message}", "file"
            ) from error
        checkpoint = made(folder, name, at=at)
    checkpoint.full_clean()
    with transaction.atomic():
        checkpoint.save(force_insert=True)
        about = {"kind": checkpoint.kind, "weights_sha256": checkpoint.weights_sha256}
        audit.record(None, "checkpoint.imported", checkpoint, after=about)
    return checkpoint


def _open(kind: str, folder: Path) -> None:
    """Open a checkpoint as a worker would. ModelError, KeyError, TypeError or ValueError where its
    card describes nothing that this version knows."""
    if kind in _KEYPHRASE_KINDS:
        KeyphrasePredictor(folder, "cpu")
        return
    if kind == CHOICES:
        load_state(folder, Card.read(folder))
        return
    (metric,) = parse_metrics(f"{kind}(checkpoint={folder})")
    if not isinstance(metric, JudgeMetric):
        raise CheckpointError(f"it holds a {kind!r}, which is no metric")
    metric.open("cpu")


def _write(checkpoint: Checkpoint, folder: Path) -> None:
    folder.mkdir()
    text = json.dumps(checkpoint.card, indent=1, ensure_ascii=False) + "\n"
    (folder / CARD).write_text(text, encoding="utf-8")
    (folder / WEIGHTS).write_bytes(bytes(checkpoint.weights))
    if checkpoint.training_items is not None:
        (folder / TRAINING_ITEMS).write_bytes(bytes(checkpoint.training_items))
