"""AVA's constructed pairs in a file, with the counts of Table 2."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TextIO

from scorers.ava.training import Construction, make_pairs
from scorers.datasets.selection import SelectionQuestion, read_questions
from scorers.errors import FileError

#: The column heads of Table 2, in the order of the fields of TrainingPairCounts.
TABLE_COLUMNS = ("#Qs", "#As", "#wrong-As", "#Qs, multiple As", "#As", "#wrong-As",
         "positives", "negatives", "total")  # fmt: skip


@dataclass
class TrainingPairCounts:
    """A row of AVA's Table 2.

    It counts the questions, correct and wrong answers of the whole set, the same of the questions
    with at least two correct answers, and the pairs made from the latter.
    """

    questions: int = 0
    correct: int = 0
    wrong: int = 0
    multiple_questions: int = 0
    multiple_correct: int = 0
    multiple_wrong: int = 0
    positives: int = 0
    negatives: int = 0

    def add(self, question: SelectionQuestion, positives: int, negatives: int) -> None:
        """Count a question and its pairs."""
        self.questions += 1
        self.correct += len(question.correct)
        self.wrong += len(question.wrong)
        if len(question.correct) >= 2:
            self.multiple_questions += 1
            self.multiple_correct += len(question.correct)
            self.multiple_wrong += len(question.wrong)
        self.positives += positives
        self.negatives += negatives

    def cells(self) -> list[int]:
        """The counts as a row of Table 2, with the sum of pairs last."""
        return [
            *(getattr(self, field.name) for field in fields(self)),
            self.positives + self.negatives,
        ]


def write_pairs(
    out: Path, files: Iterable[tuple[str, Path, str]], construction: Construction
) -> dict[str, TrainingPairCounts]:
    """Write the pairs of files of (split, path, format) as concord-judgments.

    Returns the counts of each split. The score is 1 for a positive and 0 for a negative pair. Lines
    have no instance: the pairs of a question have several references, so an import makes an
    instance of each question and reference, and a training groups by question. `out` is replaced
    only after all files were read. Raises FileError for an invalid file.
    """
    counts: dict[str, TrainingPairCounts] = {}
    partial = out.with_name(f".{out.name}.part")
    try:
        with partial.open("w", encoding="utf-8") as file:
            for split, path, format_ in files:
                split_counts = counts.setdefault(split, TrainingPairCounts())
                for question in read_questions(path, format_):
                    _write(file, split, question, construction, split_counts)
        os.replace(partial, out)
    except OSError as error:
        raise FileError(f"{out}: cannot be written: {error}") from error
    finally:
        partial.unlink(missing_ok=True)
    return counts


def _write(
    file: TextIO,
    split: str,
    question: SelectionQuestion,
    construction: Construction,
    counts: TrainingPairCounts,
) -> None:
    pairs = make_pairs(question, construction)
    first = counts.positives + counts.negatives
    for number, pair in enumerate(pairs, start=first):
        row = {
            "id": f"{split}-{number}",
            "split": split,
            "question": pair.question,
            "references": list(pair.references),
            "candidate": pair.candidate,
            "scale": [0, 1],
            "score": int(pair.gold),
        }
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
    positives = sum(pair.gold == 1 for pair in pairs)
    counts.add(question, positives, len(pairs) - positives)


def counts_table(counts: dict[str, TrainingPairCounts]) -> str:
    """Table 2 as Markdown, with a row for each split."""
    lines = [f"| split | {' | '.join(TABLE_COLUMNS)} |", "|---" * (len(TABLE_COLUMNS) + 1) + "|"]
    for split, row in counts.items():
        lines.append(f"| {split} | {' | '.join(f'{value:,}' for value in row.cells())} |")
    return "\n".join(lines)
