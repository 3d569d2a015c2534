"""Writer of score files and of the signatures beside them, each at once or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path


def write_scores(
    path: Path,
    ids: Sequence[str | int],
    scores: Mapping[str, Sequence[float | None]],
    signatures: Mapping[str, str],
) -> None:
    """Write the scores, one line per id, and the signatures of the metrics (`signature_file`).

    None is a missing score. Raises OSError.
    """
    names = list(scores)
    rows = zip(ids, zip(*scores.values(), strict=True), strict=True)
    write_signatures(path, signatures)
    replace_file(
        path,
        (
            json.dumps({"id": key, "scores": dict(zip(names, values, strict=True))}) + "\n"
            for key, values in rows
        ),
    )


def signature_file(path: Path) -> Path:
    """The file with the signatures of a file of scores."""
    return path.with_name(f"{path.name}.signatures.json")


def write_signatures(path: Path, signatures: Mapping[str, str]) -> None:
    """Write the signatures of the metrics of a file of scores. Raises OSError."""
    replace_file(signature_file(path), [json.dumps(dict(signatures), indent=1) + "\n"])


def read_signatures(path: Path) -> dict[str, str]:
    """The signatures of the metrics of a file of scores; none where there is no valid file."""
    try:
        signatures = json.loads(signature_file(path).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if type(signatures) is not dict:
        return {}
    return {name: text for name, text in signatures.items() if type(text) is str}


def replace_file(path: Path, lines: Iterable[str]) -> None:
    """Write a temporary file in the same folder, then rename it. Raises OSError."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(lines)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
