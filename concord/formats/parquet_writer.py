"""Writer of judgments and minimal pairs as Parquet, with the fields of the format `concord`.

Empty fields are null. `pyarrow` is imported on use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from concord.formats.concord_writer import judgment_rows, pair_rows
from concord.formats.records import CandidateRecord, PairRecord

if TYPE_CHECKING:
    import pyarrow as pa

# Small groups keep the memory of readers small.
GROUP_ROWS = 1000
TEXT, TEXTS, NUMBER, NUMBERS, RATINGS = "string", "strings", "number", "numbers", "ratings"
INSTANCE_COLUMNS = {
    "instance": TEXT,
    "constituent": TEXT,
    "split": TEXT,
    "passage": TEXT,
    "question": TEXT,
    "references": TEXTS,
    "short_answer": TEXT,
    "category": TEXT,
}
JUDGMENT_COLUMNS = {
    "id": TEXT,
    **INSTANCE_COLUMNS,
    "candidate": TEXT,
    "system": TEXT,
    "scale": NUMBERS,
    "score": NUMBER,
    "ratings": RATINGS,
}
PAIR_COLUMNS = {
    "id": TEXT,
    **INSTANCE_COLUMNS,
    "candidate1": TEXT,
    "score1": NUMBER,
    "candidate2": TEXT,
    "score2": NUMBER,
    "phenomenon": TEXT,
    "scale": NUMBERS,
}
RATING_COLUMNS = {"worker": "string", "value": "float64", "group": "string", "simulated": "bool"}


def write_judgments_parquet(
    file: BinaryIO | Path,
    candidates: Iterable[CandidateRecord],
    scale: tuple[float, float] | None,
    worker_names: Callable[[str], str],
) -> int:
    """Write candidates as Parquet, as `write_judgments` does. Returns the number of rows."""
    return _write(file, JUDGMENT_COLUMNS, judgment_rows(candidates, scale, worker_names))


def write_pairs_parquet(
    file: BinaryIO | Path,
    pairs: Iterable[PairRecord],
    scale: tuple[float, float] | None = None,
) -> int:
    """Write minimal pairs as Parquet. Returns the number of rows."""
    return _write(file, PAIR_COLUMNS, pair_rows(pairs, scale))


def _write(file: Any, columns: dict[str, str], rows: Iterable[dict[str, object]]) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema(columns)
    count = 0
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for group in _groups(rows):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
            count += len(group)
    return count


def _groups(rows: Iterable[dict[str, object]]) -> Iterator[list[dict[str, object]]]:
    every = iter(rows)
    while group := list(islice(every, GROUP_ROWS)):
        yield group


def _schema(columns: dict[str, str]) -> pa.Schema:
    import pyarrow as pa

    rating = pa.struct(
        [
            (name, getattr(pa, kind.replace("bool", "bool_"))())
            for name, kind in RATING_COLUMNS.items()
        ]
    )
    kinds = {
        TEXT: pa.string(),
        TEXTS: pa.list_(pa.string()),
        NUMBER: pa.float64(),
        NUMBERS: pa.list_(pa.float64()),
        RATINGS: pa.list_(rating),
    }
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
