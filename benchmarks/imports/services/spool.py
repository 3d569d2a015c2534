"""The files of an import, stored in parts in the database until it ends.

Those of the latest failed imports stay for a while. They are not stored in a folder, because
web process and worker may run on different machines.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.db import connection
from django.db.models import QuerySet

from benchmarks.imports.models import SetImport, SetImportPart

PART_BYTES = 4 * 1024 * 1024
COPY = "COPY {} (set_import_id, file, position, content) FROM STDIN (FORMAT BINARY)"


def store(set_import: SetImport, paths: Sequence[Path]) -> None:
    """Store the files by binary COPY, with one part in memory at a time."""
    table = SetImportPart._meta.db_table
    with connection.cursor() as cursor, cursor.copy(COPY.format(table)) as copy:
        copy.set_types(["int8", "int2", "int4", "bytea"])
        for number, path in enumerate(paths):
            with path.open("rb") as file:
                for position, content in enumerate(iter(lambda: file.read(PART_BYTES), b"")):
                    copy.write_row((set_import.pk, number, position, content))


@contextmanager
def on_disk(set_import: SetImport) -> Iterator[list[Path]]:
    """The paths of temporary copies of the files, in order; deleted after the block."""
    with tempfile.TemporaryDirectory(prefix="concord-import-") as folder:
        paths = []
        for number, file in enumerate(set_import.files):
            path = Path(folder) / str(number) / file["name"]
            path.parent.mkdir()
            parts = set_import.parts.filter(file=number).order_by("position")
            with path.open("wb") as copy:
                for part in parts.iterator(chunk_size=1):
                    copy.write(part.bytes)
            paths.append(path)
        yield paths


def delete_failed(imports: QuerySet[SetImport]) -> None:
    """Delete the stored files of those that failed."""
    failed = imports.filter(status=SetImport.Status.FAILED)
    SetImportPart.objects.filter(set_import__in=failed).delete()


def delete(set_import: SetImport) -> None:
    """Delete the stored files."""
    set_import.parts.all().delete()
