"""Read the rows of a Parquet file, within the limits that its metadata states."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.formats.errors import Problems
from concord.formats.limits import Limits

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH_ROWS = 200
# Values of all columns, as lists have several in a row.
MAX_VALUES_PER_ROW = 20
# The schema and the positions of the row groups, at the end of the file.
MAX_METADATA_BYTES = 16 * 1024 * 1024


def rows(
    path: Path, name: str, limits: Limits, problems: Problems
) -> Iterator[tuple[int, dict[str, Any]]]:
    """(row number from 1, {column: value}) for each row; nulls are left out.

    Sizes are checked by the metadata before anything is unpacked. Raises FormatError for a file
    that is not Parquet or exceeds the limits.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise problems.fatal(name, None, None, missing_package("pyarrow")) from error
    try:
        metadata = pq.read_metadata(path)
        fault = _metadata_fault(metadata, limits)
        if fault is not None:
            raise problems.fatal(name, None, None, fault)
        texts = [
            metadata.schema.column(at).path
            for at in range(metadata.num_columns)
            if metadata.schema.column(at).physical_type == "BYTE_ARRAY"
        ]
        # A dictionary is unpacked once, whatever the number of rows that refer to it.
        file = pq.ParquetFile(
            path,
            read_dictionary=texts,
            thrift_string_size_limit=MAX_METADATA_BYTES,
            thrift_container_size_limit=MAX_METADATA_BYTES,
        )
        with file:
            yield from _rows(file, name, limits, problems)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, (FileNotFoundError, PermissionError)) or hasattr(error, "problems"):
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise problems.fatal(name, None, None, f"cannot be read as Parquet: {reason}") from error


def missing_package(package: str) -> str:
    """The message where an optional package is not installed."""
    return f'needs the package {package}: pip install "concord-judgments[tables]"'


def column_names(path: Path) -> list[str]:
    """The names of a file's columns; none for a file that is not Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowException, OSError, ValueError):
        return []


def _metadata_fault(metadata: pq.FileMetaData, limits: Limits) -> str | None:
    if metadata.num_columns > limits.max_columns:
        return f"has {metadata.num_columns:,} columns; at most {limits.max_columns:,} are allowed"
    if metadata.num_rows > limits.max_rows:
        return f"has {metadata.num_rows:,} rows; at most {limits.max_rows:,} are allowed"
    unpacked, values = 0, 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        columns = [group.column(at) for at in range(group.num_columns)]
        size = sum(max(0, column.total_uncompressed_size) for column in columns)
        if size > limits.max_group_bytes:
            return (
                f"row group {number + 1} has {size:,} bytes unpacked; at most "
                f"{limits.max_group_bytes:,} are allowed; write it with smaller row groups"
            )
        unpacked += size
        values += sum(column.num_values for column in columns)
    if unpacked > limits.max_unpacked_bytes:
        return f"has {unpacked:,} bytes unpacked; at most {limits.max_unpacked_bytes:,} are allowed"
    if values > MAX_VALUES_PER_ROW * limits.max_rows:
        return (
            f"has {values:,} values; at most {MAX_VALUES_PER_ROW * limits.max_rows:,} are allowed"
        )
    return None


def _rows(
    file: pq.ParquetFile, name: str, limits: Limits, problems: Problems
) -> Iterator[tuple[int, dict[str, Any]]]:
    number = chars = 0
    for batch in file.iter_batches(batch_size=BATCH_ROWS):
        for field, column in zip(batch.schema.names, batch.columns, strict=True):
            if _longest(column) > 4 * limits.max_field_chars:
                message = f"a text has more than {limits.max_field_chars:,} characters"
                raise problems.fatal(name, number + 1, field, message)
        for row in batch.to_pylist():
            number += 1
            chars += sum(_chars(value) for value in row.values())
            if chars > limits.max_unpacked_bytes:
                message = f"has more than {limits.max_unpacked_bytes:,} characters of text"
                raise problems.fatal(name, number, None, message)
            try:
                yield number, {key: _without_nulls(value) for key, value in row.items()
                               if value is not None}  # fmt: skip
            except UnicodeDecodeError:
                raise problems.fatal(name, number, None, "has text that is not UTF-8") from None


def _longest(column: pa.Array) -> int:
    """The bytes of the longest text of a column, in lists and objects too."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        return _longest(column.dictionary)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _longest(column.values)
    if pa.types.is_struct(kind):
        return max((_longest(column.field(at)) for at in range(kind.num_fields)), default=0)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
        return pc.max(pc.binary_length(column)).as_py() or 0
    return 0


def _chars(value: Any) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, list):
        return sum(map(_chars, value))
    return sum(map(_chars, value.values())) if isinstance(value, dict) else 8


def _without_nulls(value: Any) -> Any:
    """A value without the null members of its objects, which Parquet gives to all rows."""
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value
