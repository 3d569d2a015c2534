"""An import's files, kept in pieces in the database until it ends.

There and not in a folder, since whoever takes the upload and whoever works on it may be two
machines.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from benchmarks.imports.models import SetImport, SetImportPart

PART_BYTES = 4 * 1024 * 1024
COPY = "COPY {} (set_import_id, file, position, content) FROM STDIN (FORMAT BINARY)"


def keep(set_import: SetImport, paths: Sequence[Path]) -> None:
    """Store the files, a part at a time: memory holds one. By binary COPY, since an INSERT has
    every byte written as two digits."""
    table = SetImportPart._meta.db_table
    with connection.cursor() as cursor, cursor.copy(COPY.format(table)) as copy:
        copy.set_types(["int8", "int2", "int4", "bytea"])
        for number, path in enumerate(paths):
            with path.open("rb") as file:
                for position, content in enumerate(iter(lambda: file.read(PART_BYTES), b"")):
                    copy.write_row((set_import.pk, number, position, content))


@contextmanager
def on_disk(set_import: SetImport) -> Iterator[list[Path]]:
    """The files under their names, in their order, gone after the block."""
    with tempfile.TemporaryDirectory(prefix="concord-import-") as folder:
        paths = []
        for number, told in enumerate(set_import.files):
            path = Path(folder) / str(number) / told["name"]
            path.parent.mkdir()
            parts = set_import.parts.filter(file=number).order_by("position")
            with path.open("wb") as file:
                for part in parts.iterator(chunk_size=1):
                    file.write(part.bytes)
            paths.append(path)
        yield paths


def drop(set_import: SetImport) -> None:
    """Remove what is kept of its files."""
    set_import.parts.all().delete()
