"""The way into the readers of judgments: a file and the name of its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from scorers.jsonl import FileError
from scorers.judgments import concord, mocha, similarity
from scorers.judgments.records import Judgment

FORMATS: Mapping[str, Callable[[Path], Iterator[Judgment]]] = MappingProxyType(
    {"concord": concord.read, "mocha": mocha.read, "sts": similarity.read}
)


def read_judgments(path: Path, format_: str) -> list[Judgment]:
    """The judged candidates of a file in a published form, in its order.

    All or nothing: FileError, naming file, place and field, for a file that is not of the format
    or has no judged candidate.
    """
    if format_ not in FORMATS:
        raise FileError(f"there is no format {format_!r}; there are {', '.join(FORMATS)}")
    judgments = list(FORMATS[format_](path))
    if not judgments:
        raise FileError(f"{path} has no judged candidate")
    return judgments
