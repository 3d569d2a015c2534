"""Exports of sets as Parquet, and as dataset folders with a dataset card.

A dataset folder has the form of the Hugging Face hub (`concord.formats.dataset_folder`). Importing
it makes the same set, except for the workers' names.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from benchmarks.exports.services import exports
from benchmarks.exports.services.dataset_card import UNKNOWN_LICENSE, dataset_card
from benchmarks.exports.services.spreadsheets import Output
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services.pseudonyms import pseudonyms
from concord.formats import write_judgments_parquet
from concord.formats.concord_writer import judgment_rows, pair_rows
from concord.formats.dataset_folder import CARD, write_part

BLOCK_BYTES = 1 << 20


def judgments_parquet(judgment_set: JudgmentSet, file: BinaryIO | Path) -> int:
    """Write the set's candidates as Parquet. Returns their number."""
    candidates = exports.visible_candidates(judgment_set)
    names = pseudonyms(judgment_set)
    return write_judgments_parquet(file, candidates, judgment_set.scale, names)


def stream_parquet(judgment_set: JudgmentSet) -> Iterator[bytes]:
    """The set's candidates as a Parquet file, in blocks."""
    with tempfile.TemporaryFile() as file:
        judgments_parquet(judgment_set, file)
        file.seek(0)
        while block := file.read(BLOCK_BYTES):
            yield block


def write_dataset(judgment_set: JudgmentSet, folder: Path, license: str = UNKNOWN_LICENSE) -> None:
    """Write the set as a dataset folder into an existing, empty folder."""
    scale, names = judgment_set.scale, pseudonyms(judgment_set)
    candidates = exports.visible_candidates(judgment_set)
    pairs = pair_rows(exports.visible_pairs(judgment_set), worker_names=names)
    parts = {
        "judgments": write_part(folder, "judgments", judgment_rows(candidates, scale, names)),
        "pairs": write_part(folder, "pairs", pairs),
    }
    card = dataset_card(judgment_set, parts, license)
    (folder / CARD).write_text(card, encoding="utf-8")


def stream_dataset(judgment_set: JudgmentSet, license: str = UNKNOWN_LICENSE) -> Iterator[bytes]:
    """The dataset folder as a zip archive, in blocks."""
    with tempfile.TemporaryDirectory(prefix="concord-dataset-") as temporary:
        folder = Path(temporary)
        write_dataset(judgment_set, folder, license)
        output = Output()
        with ZipFile(output, "w") as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_dir():
                    continue
                # Parquet is compressed already.
                kind = ZIP_STORED if path.suffix == ".parquet" else ZIP_DEFLATED
                archive.write(path, path.relative_to(folder), compress_type=kind)
                yield output.take()
        yield output.take()
