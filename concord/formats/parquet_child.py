"""A program that writes the rows of a Parquet file as JSON Lines, for `concord.formats.parquet`.

Started with the path and the limits as JSON. It imports nothing of Concord. The first line is
{"columns": [...]}; then there is a line {"row": {...}} for each row, without its nulls.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

MEMORY_BYTES = 4 * 1024**3
BATCH_ROWS = 200
# The schema and the positions of the row groups, at the end of the file.
METADATA_BYTES = 16 * 1024**2
# Members of the lists in a batch.
BATCH_VALUES = 1_000_000


class LimitExceededError(Exception):
    """The file exceeds a limit."""

    def __init__(self, message: str, row: int | None = None, column: str | None = None) -> None:
        super().__init__(message)
        self.row, self.column = row, column


def main(path: str, limits: dict[str, int]) -> None:
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    limit(resource.RLIMIT_AS, MEMORY_BYTES)
    limit(resource.RLIMIT_CPU, limits["seconds"])
    limit(resource.RLIMIT_CORE, 0)
    import pyarrow as pa

    pa.set_cpu_count(1)
    try:
        write_rows(path, limits)
    except LimitExceededError as error:
        send({"error": str(error), "at": error.row, "field": error.column})
    except MemoryError:
        send({"error": "needs too much memory"})
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        send({"error": f"cannot be read as Parquet: {reason}"})


def limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def write_rows(path: str, limits: dict[str, int]) -> None:
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    check_metadata(metadata, limits)
    columns = [metadata.schema.column(at) for at in range(metadata.num_columns)]
    file = pq.ParquetFile(
        path,
        # A dictionary is unpacked once, whatever the number of rows that refer to it.
        read_dictionary=[one.path for one in columns if one.physical_type == "BYTE_ARRAY"],
        thrift_string_size_limit=METADATA_BYTES,
        thrift_container_size_limit=METADATA_BYTES,
    )
    send({"columns": list(file.schema_arrow.names)})
    number = 0
    for batch in file.iter_batches(batch_size=BATCH_ROWS, use_threads=False):
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            check_column(column, name, number + 1, limits)
        for row in batch.to_pylist():
            number += 1
            send({"row": without_nulls(row)})


def check_metadata(metadata: Any, limits: dict[str, int]) -> None:
    n_columns, n_rows = metadata.num_columns, metadata.num_rows
    if n_columns > limits["columns"]:
        raise LimitExceededError(
            f"has {n_columns:,} columns; at most {limits['columns']:,} are allowed"
        )
    if n_rows > limits["rows"]:
        raise LimitExceededError(f"has {n_rows:,} rows; at most {limits['rows']:,} are allowed")
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    sizes = [max(0, group.total_byte_size) for group in groups]
    for number, size in enumerate(sizes, start=1):
        if size > limits["group_bytes"]:
            raise LimitExceededError(
                f"row group {number} has {size:,} bytes unpacked; at most "
                f"{limits['group_bytes']:,} are allowed; write it with smaller row groups"
            )
    if sum(sizes) > limits["bytes"]:
        raise LimitExceededError(
            f"has {sum(sizes):,} bytes unpacked; at most {limits['bytes']:,} are allowed"
        )


def check_column(column: Any, name: str, row: int, limits: dict[str, int]) -> None:
    """Check the lengths of texts and lists before they become objects of Python."""
    longest, values = measure(column)
    if longest > 4 * limits["chars"]:
        raise LimitExceededError(f"a text has more than {limits['chars']:,} characters", row, name)
    if values > BATCH_VALUES:
        message = f"the lists of the next {BATCH_ROWS} rows have {values:,} values"
        raise LimitExceededError(message, row, name)


def measure(column: Any) -> tuple[int, int]:
    """The bytes of the longest text of a column, in lists and objects too, and the number of
    members of its lists."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        return measure(column.dictionary)[0], 0
    if pa.types.is_nested(kind) and not pa.types.is_struct(kind):
        if not hasattr(column, "values"):
            raise LimitExceededError(f"has columns of the type {kind}")
        longest, values = measure(column.values)
        return longest, max(values, len(column.values))
    if pa.types.is_struct(kind):
        parts = [measure(column.field(at)) for at in range(kind.num_fields)]
        return max((one for one, _ in parts), default=0), max((n for _, n in parts), default=0)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
        return pc.max(pc.binary_length(column)).as_py() or 0, 0
    return 0, 0


def without_nulls(value: Any) -> Any:
    """A value for JSON, without the null members of objects: Parquet gives them to all rows."""
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [without_nulls(one) for one in value]
    if isinstance(value, datetime):
        is_date = value.time() == time() and value.tzinfo is None
        return str(value.date()) if is_date else str(value)
    if isinstance(value, date | time | Decimal):
        return str(value)
    # Other values have no text; a list of a number has none either.
    known = value is None or isinstance(value, str | int | float | bool)
    return value if known else [0]


def send(row: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
