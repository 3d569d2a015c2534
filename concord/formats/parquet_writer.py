"""Writer of judgments and minimal pairs as Parquet, with the fields of the format `concord`.

Empty fields are null. `pyarrow` is imported on use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from concord.formats.concord_writer import judgment_rows, pair_rows
from concord.formats.records import CandidateRecord, PairRecord

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, object]
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
COLUMNS = {"judgments": JUDGMENT_COLUMNS, "pairs": PAIR_COLUMNS}
RATING_FIELDS = {"worker": "string", "value": "float64", "group": "string", "simulated": "bool"}


def write_judgments_parquet(
    file: BinaryIO | Path,
    candidates: Iterable[CandidateRecord],
    scale: tuple[float, float] | None,
    worker_names: Callable[[str], str],
) -> int:
    """Write candidates as Parquet, as `write_judgments` does. Returns the number of rows."""
    return _write(file, "judgments", judgment_rows(candidates, scale, worker_names))


def write_pairs_parquet(
    file: BinaryIO | Path,
    pairs: Iterable[PairRecord],
    scale: tuple[float, float] | None = None,
) -> int:
    """Write minimal pairs as Parquet. Returns the number of rows."""
    return _write(file, "pairs", pair_rows(pairs, scale))


@contextmanager
def parquet_writer(file: BinaryIO | Path, kind: str) -> Iterator[Callable[[Row], None]]:
    """A function that writes one row of "judgments" or "pairs"; the file is complete after the
    block."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema(COLUMNS[kind])
    group: list[Row] = []
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:

        def write_group() -> None:
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
            group.clear()

        def write(row: Row) -> None:
            group.append(row)
            if len(group) >= GROUP_ROWS:
                write_group()

        yield write
        if group:
            write_group()


def _write(file: BinaryIO | Path, kind: str, rows: Iterable[Row]) -> int:
    count = 0
    with parquet_writer(file, kind) as write:
        for row in rows:
            write(row)
            count += 1
    return count


def _schema(columns: dict[str, str]) -> pa.Schema:
    import pyarrow as pa

    types = {"string": pa.string(), "float64": pa.float64(), "bool": pa.bool_()}
    kinds = {
        TEXT: pa.string(),
        TEXTS: pa.list_(pa.string()),
        NUMBER: pa.float64(),
        NUMBERS: pa.list_(pa.float64()),
        RATINGS: pa.list_(pa.struct([(name, types[one]) for name, one in RATING_FIELDS.items()])),
    }
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
