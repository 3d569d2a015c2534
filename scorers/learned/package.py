"""A checkpoint's folder as one zip file, and such a file checked and unpacked."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import IO

from scorers.errors import CheckpointError
from scorers.learned.card import CARD, Card
from scorers.learned.checkpoint import WEIGHTS, load_state
from scorers.learned.training_items import FILE as TRAINING_ITEMS
from scorers.learned.training_items import matches

#: What a checkpoint's folder holds; the last one may be missing.
FILES = (CARD, WEIGHTS, TRAINING_ITEMS)

_MOST_CARD_BYTES = 1_000_000
_MOST_TRAINING_ITEMS_BYTES = 4_000_000


def pack(folder: Path) -> bytes:
    """A zip file of a checkpoint's folder, its files below the folder's name.

    The same folder gives the same bytes. Raises CheckpointError where it is no checkpoint.
    """
    Card.read(folder)
    made = io.BytesIO()
    # Weights do not get smaller by it.
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for name in FILES:
            if (folder / name).is_file():
                entry = zipfile.ZipInfo(f"{folder.name}/{name}")
                archive.writestr(entry, (folder / name).read_bytes())
    return made.getvalue()


def unpack(file: IO[bytes], folder: Path, most_bytes: int) -> Card:
    """Write a zip file's checkpoint into a folder and return its card.

    The files may lie at the top or in one folder; other files are left out. Nothing larger than
    `most_bytes` is unpacked, whatever the zip file says of itself, and nothing in it is run. Raises
    CheckpointError, saying what is wrong, where it is no zip file, too large, or where its weights
    or its training items are not those of its card.
    """
    folder.mkdir(parents=True, exist_ok=True)
    bounds = {CARD: _MOST_CARD_BYTES, WEIGHTS: most_bytes}
    try:
        with zipfile.ZipFile(file) as archive:
            found = _entries(archive)
            for name, entry in found.items():
                bound = min(most_bytes, bounds.get(name, _MOST_TRAINING_ITEMS_BYTES))
                with archive.open(entry) as source:
                    content = source.read(bound + 1)
                if len(content) > bound:
                    raise CheckpointError(f"{name} is too large: at most {bound:,} bytes are taken")
                (folder / name).write_bytes(content)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise CheckpointError(f"this is no zip file that can be read: {error}") from error
    return _checked(folder)


def _entries(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The checkpoint's files in an archive, all of one folder."""
    found: dict[str, zipfile.ZipInfo] = {}
    folders = set()
    for entry in archive.infolist():
        folder, _, name = entry.filename.rpartition("/")
        if name not in FILES:
            continue
        if name in found:
            raise CheckpointError(f"{name} is there twice: give the zip file of one checkpoint")
        found[name] = entry
        folders.add(folder)
    missing = [name for name in (CARD, WEIGHTS) if name not in found]
    if missing:
        raise CheckpointError(f"the zip file has no {' and no '.join(missing)}")
    if len(folders) > 1:
        raise CheckpointError("the checkpoint's files do not lie in one folder of the zip file")
    return found


def _checked(folder: Path) -> Card:
    try:
        card = Card.read(folder)
        load_state(folder, card)
        matches(folder, [])
    except CheckpointError as error:
        # A message that names a folder of this machine is of no use to who sent the file.
        raise CheckpointError(
            str(error).replace(f"{folder}/", "").replace(str(folder), "it")
        ) from error
    except Exception as error:  # safetensors and numpy raise errors of many kinds
        raise CheckpointError(
            f"its weights or its training items cannot be read: {error}"
        ) from error
    return card
