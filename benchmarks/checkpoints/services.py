"""Checkpoints in the database: loading by name, export, import and deletion."""

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

from benchmarks.checkpoints.models import Checkpoint
from core import audit
from core.accounts.roles import SiteUser
from core.refusals import RefusedError
from core.security.declarations import UploadLimits
from scorers import ModelError, names, parse_metrics
from scorers.encoders import DEFAULT
from scorers.errors import CheckpointError
from scorers.learned.card import CARD, CheckpointCard
from scorers.learned.checkpoint import (
    WEIGHTS,
    checkpoint_folder,
    current_name,
    shipped_names,
)
from scorers.learned.metric import LearnedMetric
from scorers.learned.package import pack, unpack
from scorers.learned.training_items import FILE as TRAINING_ITEMS
from scorers.lerc.training import CHOICES

ZIP_OVERHEAD = 10_000_000
# Kinds that are part of a metric or the start of a training, and no metric by themselves.
_PARTS = ("kpqa", "kp", CHOICES)


def file_limits() -> UploadLimits:
    """The limits of a checkpoint's zip file."""
    return UploadLimits(settings.CHECKPOINT_MAX_BYTES + ZIP_OVERHEAD, archives=True)


def require_researcher(user: SiteUser) -> None:
    """Raises RefusedError if the user is not a researcher."""
    if not user.is_staff:
        raise RefusedError(
            "Only researchers manage checkpoints. Ask an administrator for the role researcher.",
            "role-needed",
        )


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
    """The card of a shipped, trained or imported checkpoint. Raises RefusedError."""
    if current_name(name) in shipped_names():
        return CheckpointCard.read(checkpoint_folder(name))
    card = Checkpoint.objects.filter(name=name).values_list("card", flat=True).first()
    if card is None:
        raise RefusedError(f"There is no checkpoint {name}.", "not-found")
    return CheckpointCard.of(card, name)


def read_checkpoint(folder: Path, name: str, *, at: datetime) -> Checkpoint:
    """The checkpoint in a folder, not saved."""
    card = json.loads((folder / CARD).read_text("utf-8"), parse_constant=_null_for_nan)
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
    """A zip file of the checkpoint's folder with its card. Raises RefusedError."""
    folder = folder_of(name)
    if folder is None:
        raise RefusedError(f"There is no checkpoint {name}.", "not-found")
    content = pack(folder)
    audit.record(None, "checkpoint.exported", ("checkpoint", name), after={"bytes": len(content)})
    return content


def import_checkpoint(name: str, file: IO[bytes], *, at: datetime) -> Checkpoint:
    """Save a checkpoint from a zip file that `export` made, here or elsewhere.

    No model is loaded: web processes have none. Raises RefusedError if the name is taken,
    or if the file is invalid, is too large, or has a checkpoint of another encoder or kind.
    """
    _check_name_is_free(name)
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / name
        try:
            card = unpack(file, folder, settings.CHECKPOINT_MAX_BYTES)
            if card.encoder not in ("", DEFAULT):
                # Another encoder is a path, or a model to download.
                raise CheckpointError(
                    f"its encoder is {card.encoder}; imported checkpoints must use {DEFAULT}"
                )
            _check_kind(card.kind, folder)
        except (ModelError, KeyError, TypeError, ValueError) as error:
            message = str(error).replace(str(folder), "it")
            raise RefusedError(
                f"The checkpoint was not imported: {message}", "training-refused", "file"
            ) from error
        checkpoint = read_checkpoint(folder, name, at=at)
    checkpoint.full_clean()
    with transaction.atomic():
        checkpoint.save(force_insert=True)
        about = {"kind": checkpoint.kind, "weights_sha256": checkpoint.weights_sha256}
        audit.record(None, "checkpoint.imported", checkpoint, after=about)
    return checkpoint


def delete(name: str) -> None:
    """Delete a stored checkpoint; what was scored with it stays. Raises RefusedError."""
    with transaction.atomic():
        checkpoint = Checkpoint.objects.select_for_update().filter(name=name).first()
        if checkpoint is None:
            raise RefusedError(f"There is no checkpoint {name}.", "not-found")
        about = {"kind": checkpoint.kind, "weights_sha256": checkpoint.weights_sha256}
        audit.record(None, "checkpoint.deleted", checkpoint, before=about)
        checkpoint.delete()


def _check_name_is_free(name: str) -> None:
    """Raises RefusedError if a metric or checkpoint has this name."""
    if (
        name in names()
        or current_name(name) in shipped_names()
        or Checkpoint.objects.filter(name=name).exists()
    ):
        raise RefusedError(
            f"{name} is the name of another metric or checkpoint; choose another name",
            "training-refused",
            "name",
        )


def _check_kind(kind: str, folder: Path) -> None:
    """Raises ModelError, KeyError, TypeError or ValueError if no metric reads this kind."""
    if kind in _PARTS:
        return
    (metric,) = parse_metrics(f"{kind}(checkpoint={folder})")
    if not isinstance(metric, LearnedMetric):
        raise CheckpointError(f"its kind is {kind!r}, which is not a metric")


def _null_for_nan(_: str) -> None:
    """None in place of NaN, which is not JSON and which PostgreSQL rejects."""


def _write(checkpoint: Checkpoint, folder: Path) -> None:
    folder.mkdir()
    text = json.dumps(checkpoint.card, indent=1, ensure_ascii=False) + "\n"
    (folder / CARD).write_text(text, encoding="utf-8")
    (folder / WEIGHTS).write_bytes(bytes(checkpoint.weights))
    if checkpoint.training_items is not None:
        (folder / TRAINING_ITEMS).write_bytes(bytes(checkpoint.training_items))
