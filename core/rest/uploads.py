"""Uploaded files on disk, where readers want them."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from core.rest.parsers import BodyTooLargeError


@contextmanager
def on_disk(
    uploads: Sequence[UploadedFile[bytes]], *, most: int | None = None
) -> Iterator[list[Path]]:
    """The uploads as files of their own names (made harmless), gone after the block.

    Raises BodyTooLargeError when together they have more than `most` bytes, by default
    UPLOAD_MAX_BYTES.
    """
    most = settings.UPLOAD_MAX_BYTES if most is None else most
    size = sum(upload.size or 0 for upload in uploads)
    if size > most:
        raise BodyTooLargeError(f"The files have {size:,} bytes; at most {most:,} are taken.")
    with tempfile.TemporaryDirectory(prefix="concord-upload-") as folder:
        found = []
        for number, upload in enumerate(uploads):
            path = Path(folder) / str(number) / _harmless(upload.name or "file")
            path.parent.mkdir()
            with path.open("wb") as file:
                shutil.copyfileobj(upload, file, 1 << 20)
            found.append(path)
        yield found


def _harmless(name: str) -> str:
    """A file's name, short, of plain letters, with its endings."""
    plain = re.sub(r"[^\w.+-]", "_", Path(name).name, flags=re.ASCII)
    return plain[-80:].lstrip(".") or "file"
