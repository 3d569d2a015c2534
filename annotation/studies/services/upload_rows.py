"""Reading uploaded files of candidates: their rows, and a summary of them."""

from __future__ import annotations

import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from annotation.studies import intake
from annotation.studies.errors import UploadError
from annotation.studies.intake import Item
from annotation.studies.models import Study, Upload
from annotation.studies.services import checks
from annotation.studies.services.candidates import PAIRS
from concord.formats import FileReport
from concord.formats.detection import detect_formats
from concord.formats.tables import IGNORED, PreviewRow

HEAD_BYTES = 10_000
# MOCHA's constituents whose answers are spans of the passage.
SPAN_BASED = frozenset({"drop", "quoref"})


@dataclass(frozen=True)
class RowProblem:
    """A row to check before a file is added, and what is unusual about it.

    It is no error: the row is added.
    """

    item: Item
    problem: str


@dataclass(frozen=True)
class UploadSummary:
    """A summary of an upload: counts, the first items, and, of a table, which columns were
    read as what and which were ignored, in sentences.

    problems: the rows to check, in the order of the file.
    """

    candidates: int
    pairs: int
    instances: int
    passages: int
    without_score: int
    constituents: list[tuple[str, int]]
    systems: list[tuple[str, int]]
    splits: list[tuple[str, int]]
    first: list[Item]
    columns: list[str]
    problems: list[RowProblem]

    def likely_span_based(self) -> list[str]:
        """The constituents whose answers are known to be spans."""
        return [name for name, _ in self.constituents if name.casefold() in SPAN_BASED]


def read_content(upload: Upload) -> bytes:
    """The file as it was uploaded."""
    return zlib.decompress(bytes(upload.content))


def is_table(upload: Upload) -> bool:
    return upload.format != intake.CONCORD


def has_pairs(study: Study, use: str) -> bool:
    """Whether a file of this use has pairs or sets, as concord-pairs."""
    return use == PAIRS or (use in checks.USES and study.current.protocol.compares)


class TableColumns(PreviewRow):
    """A table's headings and first rows, and the meaning of each column; none before a choice."""

    meanings: list[str]


def items_of(upload: Upload, columns: TableColumns | None = None) -> list[Item]:
    """The upload's items; of a table with these columns, by default the chosen ones.

    Raises UploadError for an invalid file, and for a table without chosen columns.
    """
    columns = columns or upload.columns
    meanings = columns["meanings"] if columns else []
    if is_table(upload) and not meanings:
        raise UploadError("Choose the columns of the file first.")
    protocol, content = upload.study.current.protocol, read_content(upload)
    has_keys = upload.use in checks.USES
    if has_keys and protocol.compares:
        formats = detect_formats(content[:HEAD_BYTES].decode(errors="replace"))
        if formats and formats[0].kind != "pairs":
            raise UploadError(checks.NEEDED[protocol.unit])
    with on_disk(upload.name, content) as path:
        return intake.read_items(
            path,
            upload.format,
            [one or IGNORED for one in meanings],
            columns.get("sheet") if columns else None,
            keys_for=protocol if has_keys else None,
            pairs=upload.use == PAIRS,
            row_prefix=_row_prefix(upload) if is_table(upload) else "",
        )


def summarise(upload: Upload) -> UploadSummary:
    """A summary of the upload. Adds nothing. Raises UploadError for an invalid file."""
    items = items_of(upload)
    if not items:
        raise UploadError("The file contains no candidates.")
    instances = {item.instance.key: item.instance for item in items}
    return UploadSummary(
        candidates=len(items),
        pairs=len(items) if upload.use == PAIRS else 0,
        instances=len(instances),
        passages=len({i.passage for i in instances.values() if i.passage}),
        without_score=sum(item.test_key.value is None for item in items),
        constituents=_count(item.instance.constituent for item in items),
        systems=_count(item.system for item in items),
        splits=_count(item.instance.split for item in items),
        first=items[:3],
        columns=_column_lines(upload),
        problems=list(_row_problems(items)),
    )


def _row_problems(items: Sequence[Item]) -> Iterator[RowProblem]:
    """Candidates without a text, and those that repeat another of their instance."""
    first: dict[tuple[str, str], Item] = {}
    for item in items:
        if len(item.parts) > 1:
            continue
        if not item.text.strip():
            yield RowProblem(item, "The answer is empty.")
        original = first.setdefault((item.instance.key, item.text), item)
        if original is not item:
            yield RowProblem(item, f"The same answer to the same question as {original.key}.")


def _column_lines(upload: Upload) -> list[str]:
    columns = upload.columns or {}
    report = FileReport([upload.name], upload.format)
    header = columns.get("header", [])
    meanings = zip(header, columns.get("meanings", []), strict=False)
    report.see(header, {name: meaning for name, meaning in meanings if meaning})
    return report.column_lines()


def _row_prefix(upload: Upload) -> str:
    """The beginning of ids that are row numbers: none in the study's first table without ids, the
    name of the file in a later one, with a number where that is taken too."""
    stem = Path(upload.name).stem
    prefixes = chain(("", f"{stem}/"), (f"{stem}-{number}/" for number in count(2)))
    candidates = upload.study.candidates
    return next(p for p in prefixes if not candidates.filter(key__startswith=f"{p}row-").exists())


@contextmanager
def on_disk(name: str, content: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (Path(name).name or "upload")
        path.write_bytes(content)
        yield path


def _count(values: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(values).items(), key=lambda row: (-row[1], row[0]))
