"""Packing a checkpoint as a zip file, and unpacking and checking such a file."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import IO

from scorers.errors import CheckpointError
from scorers.learned.card import CARD, CheckpointCard
from scorers.learned.checkpoint import WEIGHTS, load_state
from scorers.learned.training_items import FILE as TRAINING_ITEMS
from scorers.learned.training_items import match_training_items

#: The files of a checkpoint; the last one is optional.
FILES = (CARD, WEIGHTS, TRAINING_ITEMS)

_MAX_CARD_BYTES = 1_000_000
_MAX_TRAINING_ITEMS_BYTES = 4_000_000


def pack(folder: Path) -> bytes:
    """The bytes of a zip file of a checkpoint, its files below the folder's name.

    The same folder always gives the same bytes. Raises CheckpointError when the folder is not a
    checkpoint.
    """
    CheckpointCard.read(folder)
    buffer = io.BytesIO()
    # Stored, because compression does not make weights smaller.
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in FILES:
            if (folder / name).is_file():
                entry = zipfile.ZipInfo(f"{folder.name}/{name}")
                archive.writestr(entry, (folder / name).read_bytes())
    return buffer.getvalue()


def unpack(file: IO[bytes], folder: Path, max_bytes: int) -> CheckpointCard:
    """Unpack the checkpoint of a zip file into a folder and return its card.

    The files may lie at the top level or in one folder; other files are ignored. No file larger
    than `max_bytes` is unpacked, whatever size the zip file states, and nothing in it is executed.
    Raises CheckpointError when the file is not a zip file or is too large, and when its weights or
    its training items are not those that its card names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    bounds = {CARD: _MAX_CARD_BYTES, WEIGHTS: max_bytes}
    try:
        with zipfile.ZipFile(file) as archive:
            for name, entry in _checkpoint_entries(archive).items():
                bound = min(max_bytes, bounds.get(name, _MAX_TRAINING_ITEMS_BYTES))
                with archive.open(entry) as source:
                    content = source.read(bound + 1)
                if len(content) > bound:
                    raise CheckpointError(
                        f"{name} is too large: at most {bound:,} bytes are accepted"
                    )
                (folder / name).write_bytes(content)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise CheckpointError(f"the file cannot be read as a zip file: {error}") from error
    return _check_folder(folder)


def _checkpoint_entries(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The checkpoint's files in an archive, which must lie in one folder, by name."""
    entries: dict[str, zipfile.ZipInfo] = {}
    folders = set()
    for entry in archive.infolist():
        folder, _, name = entry.filename.rpartition("/")
        if name not in FILES:
            continue
        if name in entries:
            raise CheckpointError(
                f"the zip file has {name} twice: give the zip file of one checkpoint"
            )
        entries[name] = entry
        folders.add(folder)
    missing = [name for name in (CARD, WEIGHTS) if name not in entries]
    if missing:
        raise CheckpointError(f"the zip file has no {' and no '.join(missing)}")
    if len(folders) > 1:
        raise CheckpointError(
            "the checkpoint's files lie in different folders of the zip file: put them in one"
        )
    return entries


def _check_folder(folder: Path) -> CheckpointCard:
    try:
        card = CheckpointCard.read(folder)
        load_state(folder, card)
        match_training_items(folder, [])
    except CheckpointError as error:
        # The sender of the file does not know the server's folder, so the message omits it.
        raise CheckpointError(
            str(error).replace(f"{folder}/", "").replace(str(folder), "it")
        ) from error
    except Exception as error:  # safetensors and numpy raise errors of many kinds
        raise CheckpointError(
            f"its weights or its training items cannot be read: {error}"
        ) from error
    return card
