"""Checkpoints in the database: loading by name, export and import."""

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
from benchmarks.trainings.services.folder import null_for_nan
from benchmarks.trainings.services.requests import TrainingRefusedError, check_name_is_free
from core import audit
from scorers import ModelError, parse_metrics
from scorers.encoders import DEFAULT
from scorers.errors import CheckpointError
from scorers.judges.metric import JudgeMetric
from scorers.keyphrases.predictor import KeyphrasePredictor
from scorers.learned.card import CARD, CheckpointCard
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
    """The folder of the checkpoint with this name, written from the database; None without one.

    Its path contains a hash of weights and card, because another database may have another
    checkpoint of this name. It is created in one step.
    """
    rows = Checkpoint.objects.filter(name=name).values_list("pk", "weights_sha256", "card")
    try:
        row = rows.first()
    except ProgrammingError:  # not migrated yet
        return None
    if row is None:
        return None
    pk, sha256, card = row
    root = settings.VAR_DIR / "checkpoints"
    digest = hashlib.sha256(json.dumps([sha256, card], sort_keys=True).encode()).hexdigest()
    folder: Path = root / f"{name}-{digest[:16]}" / name
    if not (folder / CARD).is_file():
        root.mkdir(parents=True, exist_ok=True)
        checkpoint = Checkpoint.objects.defer(None).get(pk=pk)
        new_folder = Path(tempfile.mkdtemp(dir=root))
        try:
            _write(checkpoint, new_folder / name)
            new_folder.replace(folder.parent)
        except OSError:
            if not (folder / CARD).is_file():  # else another process wrote it
                raise
            shutil.rmtree(new_folder, ignore_errors=True)
    return folder


def card_of(name: str) -> CheckpointCard:
    """The card of a shipped, trained or imported checkpoint. Raises CheckpointError."""
    if current_name(name) in shipped_names():
        return CheckpointCard.read(checkpoint_folder(name))
    card = Checkpoint.objects.filter(name=name).values_list("card", flat=True).first()
    if card is None:
        raise CheckpointError(f"there is no checkpoint {name!r}")
    return CheckpointCard.of(card, name)


def read_checkpoint(folder: Path, name: str, *, at: datetime) -> Checkpoint:
    """The checkpoint in a folder, not saved."""
    card = json.loads((folder / CARD).read_text("utf-8"), parse_constant=null_for_nan)
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


def export(name: str) -> bytes:
    """A zip file of the checkpoint's folder with its card. Raises CheckpointError."""
    folder = folder_of(name)
    if folder is None:
        raise CheckpointError(f"there is no checkpoint {name!r}")
    content = pack(folder)
    audit.record(None, "checkpoint.exported", ("checkpoint", name), after={"bytes": len(content)})
    return content


def import_checkpoint(name: str, file: IO[bytes], *, at: datetime) -> Checkpoint:
    """Save a checkpoint from a zip file that `export` made, here or elsewhere.

    Raises TrainingRefusedError if the name is taken, or if the file is invalid, is too large, or
    has a checkpoint that this installation cannot open.
    """
    check_name_is_free(name)
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / name
        try:
            card = unpack(file, folder, settings.CHECKPOINT_MAX_BYTES)
            if card.encoder not in ("", DEFAULT):
                # Another encoder is a path, or a model to download.
                raise CheckpointError(
                    f"its encoder is {card.encoder}; imported checkpoints must use {DEFAULT}"
                )
            _open(card.kind, folder)
        except (ModelError, KeyError, TypeError, ValueError) as error:
            message = str(error).replace(str(folder), "it")
            raise TrainingRefusedError(
                f"The checkpoint was not imported: {message}", "file"
            ) from error
        checkpoint = read_checkpoint(folder, name, at=at)
    checkpoint.full_clean()
    with transaction.atomic():
        checkpoint.save(force_insert=True)
        about = {"kind": checkpoint.kind, "weights_sha256": checkpoint.weights_sha256}
        audit.record(None, "checkpoint.imported", checkpoint, after=about)
    return checkpoint


def _open(kind: str, folder: Path) -> None:
    """Open a checkpoint as a worker does.

    Raises ModelError, KeyError, TypeError or ValueError if this version cannot read it.
    """
    if kind in _KEYPHRASE_KINDS:
        KeyphrasePredictor(folder, "cpu")
        return
    if kind == CHOICES:
        load_state(folder, CheckpointCard.read(folder))
        return
    (metric,) = parse_metrics(f"{kind}(checkpoint={folder})")
    if not isinstance(metric, JudgeMetric):
        raise CheckpointError(f"its kind is {kind!r}, which is not a metric")
    metric.open("cpu")


def _write(checkpoint: Checkpoint, folder: Path) -> None:
    folder.mkdir()
    text = json.dumps(checkpoint.card, indent=1, ensure_ascii=False) + "\n"
    (folder / CARD).write_text(text, encoding="utf-8")
    (folder / WEIGHTS).write_bytes(bytes(checkpoint.weights))
    if checkpoint.training_items is not None:
        (folder / TRAINING_ITEMS).write_bytes(bytes(checkpoint.training_items))
