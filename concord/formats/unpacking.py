"""Compressed files and texts that are not Unicode, for the readers that take them."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Protocol
from zipfile import ZipFile

from concord.formats.errors import FormatError, Problem, quote_names
from concord.formats.files import BAD_ARCHIVE, SourceFile, printable_path
from concord.formats.limits import Limits
from concord.formats.tables.workbooks import WORKBOOK

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
# Of files that are not Unicode: what Windows writes in Western Europe.
FALLBACK_ENCODING = "cp1252"


@contextmanager
def unpacked(path: Path, limits: Limits) -> Iterator[Path]:
    """The file, or what a gzip file or a zip archive of one file has. Raises FormatError."""
    name = printable_path(path)
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except (OSError, ValueError):
        yield path  # the reader says what is wrong
        return
    if not head.startswith((GZIP, ZIP)) or (head == ZIP and _is_workbook(path)):
        yield path
        return
    with TemporaryDirectory() as folder:
        target = Path(folder) / path.name.removesuffix(".gz").removesuffix(".zip")
        try:
            if head.startswith(GZIP):
                with gzip.open(path) as packed, target.open("wb") as file:
                    _copy(packed, file, limits, name)
            else:
                with ZipFile(path) as archive:
                    part = _only_file(archive, name)
                    with archive.open(part) as packed, target.open("wb") as file:
                        _copy(packed, file, limits, name)
        except FormatError:
            raise
        except (zlib.error, *BAD_ARCHIVE) as error:
            raise _refused(name, f"cannot be unpacked: {error}") from error
        yield target


def _only_file(archive: ZipFile, name: str) -> str:
    parts = [part.filename for part in archive.infolist()
             if not part.is_dir() and not part.filename.startswith("__MACOSX/")]  # fmt: skip
    if len(parts) != 1:
        raise _refused(name, f"has {len(parts)} files, {quote_names(parts)}; give one of them")
    return parts[0]


class _Packed(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _copy(packed: _Packed, file: IO[bytes], limits: Limits, name: str) -> None:
    size = 0
    while chunk := packed.read(1 << 20):
        size += len(chunk)
        if size > limits.max_unpacked_bytes:
            message = f"has more than {limits.max_unpacked_bytes:,} bytes unpacked"
            raise _refused(name, message)
        file.write(chunk)


def _is_workbook(path: Path) -> bool:
    try:
        with ZipFile(path) as archive:
            return WORKBOOK in archive.namelist()
    except BAD_ARCHIVE:
        return False


def _refused(name: str, message: str) -> FormatError:
    return FormatError([Problem(name, None, None, message)])


def accept_encoding(file: SourceFile) -> str:
    """Let a text that is not Unicode be read as FALLBACK_ENCODING; its name, "" of others.

    Raises FormatError where it cannot be that either.
    """
    try:
        file.check_encoding()
    except FormatError:
        try:
            data = file.path.read_bytes()
            data.decode(FALLBACK_ENCODING)
        except UnicodeDecodeError:
            data = b"\0"
        if file.encoding != "utf-8" or b"\0" in data:
            raise
        file.encoding = FALLBACK_ENCODING
        file.head = data[: len(file.head)].decode(FALLBACK_ENCODING)
    return "Windows-1252" if file.encoding == FALLBACK_ENCODING else ""
