"""Open files: check kind, size and encoding, and parse JSON.

Text is UTF-8, with or without a byte order mark, or UTF-16 with one.
"""

from __future__ import annotations

import codecs
import json
import re
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO
from zipfile import BadZipFile

from concord.formats import parquet
from concord.formats.errors import FormatError, Problem, Problems, quote
from concord.formats.fields import json_type
from concord.formats.limits import Limits

HEAD_BYTES = 64 * 1024
CHUNK_BYTES = 1024 * 1024
UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Documents of our formats open a few lists and objects per row. A file of brackets alone would
# take a hundred times its size in memory.
MAX_BRACKETS_PER_ROW = 20

_MAGIC = (
    (b"\x1f\x8b", "is compressed with gzip; unpack it first"),
    (b"PK\x03\x04", "is a zip archive or an Office document; unpack it or save it as text"),
    (b"BZh", "is compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ\x00", "is compressed with xz; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstandard; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive; unpack it first"),
    (b"%PDF-", "is a PDF"),
    (b"PAR1", "is a Parquet file, which this format does not read; export it as text"),
    (b"\xd0\xcf\x11\xe0", "is an old or encrypted Office file; save it as XLSX or CSV"),
    (b"SQLite format 3\x00", "is an SQLite database; export it as text"),
    (b"\xff\xfe\x00\x00", "is encoded in UTF-32; save it as UTF-8"),
    (b"\x00\x00\xfe\xff", "is encoded in UTF-32; save it as UTF-8"),
)
# What `zipfile` raises for archives that are damaged, encrypted or of another kind.
BAD_ARCHIVE = (BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError)
# Files that are not text, by the first bytes.
BINARY = {b"PK\x03\x04": "zip", b"PAR1": "parquet"}
TEXT = "text"


class _DuplicateNameError(ValueError):
    """A name occurs twice in a JSON object; `json` would silently use the last one."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise _DuplicateNameError(name)
            seen.add(name)
    return data


_decode = json.JSONDecoder(object_pairs_hook=_object).decode


def parse_json(text: str) -> tuple[Any, str | None, int | None]:
    """(value, None, None), or (None, message, line) where the text is not valid JSON."""
    try:
        return _decode(text), None, None
    except json.JSONDecodeError as error:
        return None, f"is not valid JSON: {error.msg} at column {error.colno}", error.lineno
    except _DuplicateNameError as error:
        return None, f"the name {quote(error.name)} occurs twice in one object", None
    except RecursionError:
        return None, "is JSON nested too deeply", None
    except ValueError:  # an integer of more digits than int() converts
        return None, "contains a number with too many digits", None


class SourceFile:
    """A file that passed the checks of `open_files`.

    `kind` is "text", "zip" or "parquet"; `head` is the beginning of a text.
    """

    def __init__(self, path: Path, head: bytes, limits: Limits) -> None:
        self.path = path
        self.name = printable_path(path)
        self.size = path.stat().st_size
        self.kind = next((kind for magic, kind in BINARY.items() if head.startswith(magic)), TEXT)
        self.encoding = "utf-16" if head.startswith(UTF16_BOMS) else "utf-8"
        self.head = head.removeprefix(UTF8_BOM).decode(self.encoding, errors="replace")
        self.bytes_read = 0
        self._limits = limits
        self._checked_encoding = ""

    def check_encoding(self) -> None:
        """Read the whole text, once and in bounded memory. Raises FormatError where it is not in
        its encoding."""
        if self.kind != TEXT or self._checked_encoding == self.encoding:
            return
        decoder = codecs.getincrementaldecoder(self.encoding)()
        offset = 0
        with self.path.open("rb") as file:
            while True:
                chunk = file.read(CHUNK_BYTES)
                carried = decoder.getstate()[0]
                if self.encoding == "utf-8" and chunk.isascii() and chunk and not carried:
                    offset += len(chunk)
                    continue
                data = carried + chunk
                start = offset + len(chunk) - len(data)
                try:
                    decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as error:
                    at = start + error.start
                    message = _undecodable(self.encoding, data[error.start], at)
                    raise FormatError(
                        [Problem(self.name, self._line_at(at), None, message)]
                    ) from None
                if not chunk:
                    self._checked_encoding = self.encoding
                    return
                offset += len(chunk)

    def _line_at(self, offset: int) -> int:
        """The line of a byte."""
        decoder = codecs.getincrementaldecoder(self.encoding)("ignore")
        with self.path.open("rb") as file:
            sizes = (min(CHUNK_BYTES, offset - at) for at in range(0, offset, CHUNK_BYTES))
            return 1 + sum(decoder.decode(file.read(size)).count("\n") for size in sizes)

    def text(self, problems: Problems) -> str:
        """The whole text with its line ends. Raises FormatError where it is not in its encoding."""
        with self.path.open("rb") as file:
            data = file.read(self._limits.max_bytes + 1)
        if len(data) > self._limits.max_bytes:
            raise problems.fatal(self.name, None, None, _too_large(len(data), self._limits))
        self.bytes_read = len(data)
        try:
            return data.removeprefix(UTF8_BOM).decode(self.encoding)
        except UnicodeDecodeError as error:
            start = error.start + (len(UTF8_BOM) if data.startswith(UTF8_BOM) else 0)
            message = _undecodable(self.encoding, data[start], start)
            raise problems.fatal(self.name, self._line_at(start), None, message) from None

    def stream(self, problems: Problems) -> TextIO:
        """The text as a stream with its line ends, not held in memory. Raises FormatError where it
        is not in its encoding."""
        try:
            self.check_encoding()
        except FormatError:
            self.text(problems)  # it says so among the other problems
            raise
        self.bytes_read = self.size
        encoding = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        return self.path.open(encoding=encoding, newline="")

    def document(self, problems: Problems) -> Any:
        """The value of the file as one JSON document. Raises FormatError where it is not one."""
        text = self.text(problems)
        if text.count("[") + text.count("{") > MAX_BRACKETS_PER_ROW * self._limits.max_rows:
            message = f"has more lists and objects than {self._limits.max_rows:,} rows can have"
            raise problems.fatal(self.name, None, None, message)
        value, fault, line = parse_json(text)
        if fault is not None:
            start = text.lstrip()
            if not start.startswith(("{", "[")):
                message = f"begins with {quote(start, 20)}; a JSON document is expected"
                raise problems.fatal(self.name, None, None, message)
            if (
                fault.startswith("is not valid JSON: Extra data")
                and parse_json(first_line(text))[1] is None
            ):
                message = "has a JSON value on each line; one JSON document is expected"
                raise problems.fatal(self.name, None, None, message)
            if line is None and (name := re.search(r'the name (".*") occurs twice', fault)):
                line = _second_line(text, name[1])
            raise problems.fatal(self.name, line, None, fault)
        return value

    def objects(self, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
        """(line number, object) for each line of JSON Lines; blank lines are skipped.

        A line that is not a JSON object in UTF-8 is a problem, and reading goes on with the next.
        A file that does not begin with an object raises FormatError at once. A Parquet file has
        a row for each object, without its nulls.
        """
        if self.kind == "parquet":
            for number, row in parquet.rows(self.path, self.name, self._limits, problems):
                yield number, row
            self.bytes_read = self.size
            return
        start = self.head.lstrip()
        if start and not start.startswith("{"):
            message = f"begins with {quote(start, 20)}; one JSON object per line is expected"
            raise problems.fatal(self.name, None, None, message)
        is_first = True
        for number, text in self.lines(problems):
            if not text.strip():
                continue
            value, fault, _ = parse_json(text)
            if fault is not None:
                if is_first and fault.startswith("is not valid JSON") and continues(text):
                    message = "is a JSON document of several lines; one object per line is expected"
                    raise problems.fatal(self.name, None, None, message)
                problems.add(self.name, number, None, fault)
            elif type(value) is not dict:
                message = f"is {json_type(value)}; one JSON object per line is expected"
                problems.add(self.name, number, None, message)
            else:
                yield number, value
            is_first = False

    def lines(self, problems: Problems) -> Iterator[tuple[int, str]]:
        """The numbered lines; a line that is not UTF-8 is a problem and is left out."""
        if self.encoding != "utf-8":
            yield from enumerate(self.text(problems).split("\n"), start=1)
            return
        offset = 0
        with self.path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                begin, offset = offset, offset + len(raw)
                self.bytes_read = offset
                if number == 1 and raw.startswith(UTF8_BOM):
                    begin, raw = len(UTF8_BOM), raw[len(UTF8_BOM) :]
                try:
                    yield number, raw.decode("utf-8")
                except UnicodeDecodeError as error:
                    message = _undecodable("utf-8", raw[error.start], begin + error.start)
                    problems.add(self.name, number, None, message)


def open_files(paths: list[Path], limits: Limits, binary: Collection[str] = ()) -> list[SourceFile]:
    """Open the files. Raises FormatError for paths that are not files within the limits.

    A file is text, or of one of the kinds in `binary`: "zip", "parquet".
    """
    problems = Problems()
    files = []
    for path in paths:
        head, fault = _head(path, limits, binary)
        if fault is not None:
            problems.add(printable_path(path), None, None, fault)
        else:
            files.append(SourceFile(path, head, limits))
    if not paths:
        problems.add("", None, None, "no file is given")
    problems.raise_if_any()
    return files


@contextmanager
def reading(
    path: str | Path, limits: Limits | None = None, binary: Collection[str] = ()
) -> Iterator[tuple[SourceFile, Problems]]:
    """A file that is read in the block, and its problems. Raises FormatError where there are any,
    or where the file cannot be read. binary: as in `open_files`."""
    path, problems = Path(path), Problems()
    try:
        (file,) = open_files([path], limits or Limits(), binary)
        yield file, problems
    except OSError as error:
        raise unreadable_error(error, [path]) from error
    problems.raise_if_any()


def first_line(text: str) -> str:
    """The first line that is not blank."""
    return text.lstrip().partition("\n")[0]


def continues(line: str) -> bool:
    """Whether a line that is no JSON by itself begins a document over several lines: it ends where
    a member or value follows."""
    return line.rstrip().endswith(("{", "[", ","))


def unreadable_error(error: OSError, paths: list[Path]) -> FormatError:
    """The FormatError for an OSError while reading."""
    file = printable_path(error.filename or (paths[0] if len(paths) == 1 else ""))
    reason = error.strerror or str(error)
    return FormatError([Problem(file, None, None, f"cannot be read: {reason}")])


def printable_path(path: object) -> str:
    """A path as text that can be stored and printed, whatever bytes it contains."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def _head(path: Path, limits: Limits, binary: Collection[str]) -> tuple[bytes, str | None]:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            return b"", "is a folder; give a file"
        if not stat.S_ISREG(status.st_mode):
            return b"", "is not a regular file"
        if status.st_size > limits.max_bytes:
            return b"", _too_large(status.st_size, limits)
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except FileNotFoundError:
        return b"", "no such file"
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        return b"", f"cannot be read: {getattr(error, 'strerror', None) or error}"
    if not head:
        return b"", "is empty"
    if any(kind in binary and head.startswith(magic) for magic, kind in BINARY.items()):
        return head, None
    for magic, message in _MAGIC:
        if head.startswith(magic):
            return b"", message
    if b"\0" in head and not head.startswith(UTF16_BOMS):
        # Latin text in UTF-16 has a NUL in every second byte.
        wide = head[0::2].count(0) > len(head) // 3 or head[1::2].count(0) > len(head) // 3
        return (
            b"",
            "looks like UTF-16 without a byte order mark; save it as UTF-8"
            if wide
            else "is a binary file",
        )
    return head, None


def _too_large(size: int, limits: Limits) -> str:
    return f"has {size:,} bytes; at most {limits.max_bytes:,} are allowed"


def _undecodable(encoding: str, byte: int, offset: int) -> str:
    return (
        f"is not {encoding.upper()}: byte 0x{byte:02x} at offset {offset:,}; save the file as UTF-8"
    )


def _second_line(text: str, literal: str) -> int | None:
    """The line of the second member that has this name; `literal` is the name as JSON."""
    matches = list(re.finditer(re.escape(literal) + r"\s*:", text))
    return text.count("\n", 0, matches[1].start()) + 1 if len(matches) > 1 else None
