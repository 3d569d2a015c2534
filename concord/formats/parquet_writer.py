"""Writer of judgments and minimal pairs as Parquet, with the fields of the format `concord`.

Empty fields are null. `pyarrow` is imported on use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from concord.formats.concord_writer import judgment_rows, pair_rows
from concord.formats.records import CandidateRecord, PairRecord

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, object]
# Small groups keep the memory of readers small.
GROUP_ROWS = 1000
# The type of a column: a type of Arrow, a list of one type, or an object with fields.
ColumnType: TypeAlias = "str | list[ColumnType] | dict[str, ColumnType]"
Columns = dict[str, ColumnType]
TEXT, NUMBER = "string", "float64"
INSTANCE_COLUMNS: Columns = {
    "instance": TEXT,
    "constituent": TEXT,
    "split": TEXT,
    "passage": TEXT,
    "question": TEXT,
    "messages": [{"role": TEXT, "content": TEXT}],
    "judged": TEXT,
    "references": [TEXT],
    "short_answer": TEXT,
    "category": TEXT,
}
_WORKER: Columns = {"group": TEXT, "simulated": "bool"}
_SPAN: Columns = {"start": "int64", "end": "int64", "severity": TEXT, "categories": [TEXT]}
_JUDGMENT: Columns = {
    "scale": [NUMBER],
    "values": [TEXT],
    "ordered": "bool",
    "score": NUMBER,
    "ratings": [{"worker": TEXT, "value": NUMBER, **_WORKER}],
}
JUDGMENT_COLUMNS: Columns = {
    "id": TEXT,
    **INSTANCE_COLUMNS,
    "candidate": TEXT,
    "system": TEXT,
    **_JUDGMENT,
    "criteria": [{"name": TEXT, **_JUDGMENT}],
    "marks": [{"worker": TEXT, **_WORKER, "spans": [_SPAN]}],
    "sampling": {"unit": TEXT, "probabilities": [NUMBER], "drawn": "int64"},
}
PAIR_COLUMNS: Columns = {
    "id": TEXT,
    **INSTANCE_COLUMNS,
    "id1": TEXT,
    "system1": TEXT,
    "candidate1": TEXT,
    "score1": NUMBER,
    "id2": TEXT,
    "system2": TEXT,
    "candidate2": TEXT,
    "score2": NUMBER,
    "phenomenon": TEXT,
    "set": TEXT,
    "ratings": [
        {"worker": TEXT, "choice": TEXT, "first_shown": "int64", "hard": "bool", **_WORKER}
    ],
    "scale": [NUMBER],
}
COLUMNS: dict[str, Columns] = {"judgments": JUDGMENT_COLUMNS, "pairs": PAIR_COLUMNS}


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
            group.append(_as_columns(row))
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


def _as_columns(row: Row) -> Row:
    """The row in columns of fixed names and types: `criteria` as a list of objects with a `name`,
    choices as text, words as their positions."""
    row = _in_positions(row)
    criteria, ratings = row.get("criteria"), row.get("ratings")
    if isinstance(criteria, dict):
        row = row | {
            "criteria": [{"name": name, **_in_positions(one)} for name, one in criteria.items()]
        }
    if isinstance(ratings, list) and ratings and "choice" in ratings[0]:
        row = row | {"ratings": [one | {"choice": str(one["choice"])} for one in ratings]}
    return row


def _in_positions(judgment: Row) -> Row:
    words, ratings = judgment.get("values"), judgment.get("ratings")
    if not isinstance(words, list) or not isinstance(ratings, list):
        return judgment
    return judgment | {"ratings": [one | {"value": words.index(one["value"])} for one in ratings]}


def _schema(columns: Columns) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(name, _arrow_type(kind)) for name, kind in columns.items()])


def _arrow_type(kind: ColumnType) -> pa.DataType:
    import pyarrow as pa

    if isinstance(kind, str):
        return pa.type_for_alias(kind)
    if isinstance(kind, list):
        return pa.list_(_arrow_type(kind[0]))
    return pa.struct([(name, _arrow_type(one)) for name, one in kind.items()])
