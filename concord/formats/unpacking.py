"""Compressed files and texts that are not Unicode, for the readers that take them."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Protocol
from zipfile import ZipFile

from concord.formats.errors import FormatError, Problem, quote_names
from concord.formats.files import BAD_ARCHIVE, SourceFile, printable_path
from concord.formats.limits import Limits
from concord.formats.tables.workbooks import WORKBOOK

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
# Of files that are not Unicode: what Windows writes in Western Europe.
FALLBACK_ENCODING = "cp1252"


# Inspect's logs are archives of different files, which newer versions compress with zstd.
INSPECT_LOG = "write the log as JSON: inspect log convert LOG.eval --to json --output-dir FOLDER"
# The files of an archive that are read together, such as one of each rater.
MAX_FILES = 100


@contextmanager
def unpacked(path: Path, limits: Limits) -> Iterator[list[Path]]:
    """The file, or what a gzip file has, or the files of a zip archive: one, or several of one
    ending in one folder, without empty ones. Raises FormatError."""
    name = printable_path(path)
    try:
        with path.open("rb") if path.is_file() else nullcontext() as file:  # a pipe would block
            head = file.read(4) if file else b""
    except (OSError, ValueError):
        head = b""  # the reader says what is wrong
    if not head.startswith((GZIP, ZIP)) or (head == ZIP and _is_workbook(path)):
        yield [path]
        return
    with TemporaryDirectory() as folder:
        target = Path(folder) / path.name.removesuffix(".gz").removesuffix(".zip")
        targets, size = [], 0
        try:
            if head.startswith(GZIP):
                with gzip.open(path) as packed:
                    _copy(packed, target, limits, name)
                targets.append(target)
            else:
                with ZipFile(path) as archive:
                    parts = _files(archive, name)
                    for part in parts:
                        inner = target if len(parts) == 1 else Path(folder) / PurePath(part).name
                        with archive.open(part) as packed:
                            size = _copy(packed, inner, limits, name, size)
                        targets.append(inner)
        except FormatError:
            raise
        except (zlib.error, *BAD_ARCHIVE) as error:
            raise _refused(name, f"cannot be unpacked: {error}") from error
        yield targets


def _files(archive: ZipFile, name: str) -> list[str]:
    """The names of the files of an archive. Raises FormatError for different sorts of files."""
    parts = [part.filename for part in archive.infolist()
             if part.file_size and not part.filename.startswith("__MACOSX/")]  # fmt: skip
    paths = [PurePath(part) for part in parts]
    kinds = {(path.parent, path.suffix) for path in paths}
    is_plain = all(path.name not in ("", "..") for path in paths) and len(set(paths)) == len(paths)
    if len(kinds) != 1 or not is_plain or len(paths) > MAX_FILES:
        advice = INSPECT_LOG if Path(name).suffix == ".eval" else "give one of them"
        raise _refused(name, f"has {len(parts)} files, {quote_names(parts)}; {advice}")
    return parts


class _Packed(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _copy(packed: _Packed, target: Path, limits: Limits, name: str, size: int = 0) -> int:
    """Unpack a file, and return the bytes unpacked so far, with `size` from the files before."""
    with target.open("wb") as file:
        while chunk := packed.read(1 << 20):
            size += len(chunk)
            if size > limits.max_unpacked_bytes:
                message = f"has more than {limits.max_unpacked_bytes:,} bytes unpacked"
                raise _refused(name, message)
            file.write(chunk)
    return size


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
