"""Store uploaded files on disk for readers that need paths."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from core.refusals import RefusedError


@contextmanager
def on_disk(
    uploads: Sequence[UploadedFile[bytes]], *, max_bytes: int | None = None
) -> Iterator[list[Path]]:
    """Store the uploads as temporary files for the block.

    Their names are sanitized, and numbered where an earlier one has the same name.

    Raises RefusedError if they have more than `max_bytes` in total; the default is
    UPLOAD_MAX_BYTES.
    """
    max_bytes = settings.UPLOAD_MAX_BYTES if max_bytes is None else max_bytes
    size = sum(upload.size or 0 for upload in uploads)
    if size > max_bytes:
        raise RefusedError(
            f"The files have {size:,} bytes. The limit is {max_bytes:,} bytes.", "body-too-large"
        )
    with tempfile.TemporaryDirectory(prefix="concord-upload-") as folder:
        paths: list[Path] = []
        names: Counter[str] = Counter()
        for number, upload in enumerate(uploads):
            path = Path(folder) / str(number) / _sanitize(upload.name or "file")
            names[path.name] += 1
            if names[path.name] > 1:
                path = path.with_stem(f"{path.stem}-{names[path.name]}")
            path.parent.mkdir()
            with path.open("wb") as file:
                shutil.copyfileobj(upload, file, 1 << 20)
            paths.append(path)
        yield paths


def _sanitize(name: str) -> str:
    """A short file name of ASCII letters that keeps its suffixes."""
    name = re.sub(r"[^\w.+-]", "_", Path(name).name, flags=re.ASCII)
    return name[-80:].lstrip(".") or "file"
