"""Systems' ranked lists of TREC-QA or WikiQA as judgments, for AVA's Tables 5 and 7.

    python -m bench.ranked_lists FORMAT:FILE RUN [RUN ...] --out JUDGMENTS.jsonl
    python -m bench.ava_tables systems concord:JUDGMENTS.jsonl --checkpoint ava

FORMAT:FILE is the answer selection set: trecqa, wikiqa or tsv. A RUN is a file of trec_eval's form,
with a line for each sentence that a system ranked:

    QUESTION Q0 SENTENCE RANK SCORE SYSTEM

QUESTION is the number of the question in the file, SENTENCE the number of the sentence among the
lines of its question, both from 1. As in trec_eval, a higher score is a higher place and RANK is
not read, except for equal scores. A system's lists may be in several files.

A candidate's references are the other correct sentences of its question. So a question needs two
correct sentences, and a wrong one, as in the paper (Section 6.4); others are left out and counted.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorers.datasets.selection import FORMATS, LabelledSentence
from scorers.errors import FileError, TrainingError
from scorers.training_commands import data_file

_COLUMNS = ("QUESTION", "Q0", "SENTENCE", "RANK", "SCORE", "SYSTEM")


@dataclass(frozen=True, slots=True)
class Ranked:
    """One line of a run. question, sentence: numbers from 1."""

    question: int
    sentence: int
    rank: float
    score: float


Questions = Sequence[Sequence[LabelledSentence]]


def read_set(path: Path, format_: str) -> Questions:
    """The sentences of each question, in the file's order. Raises FileError."""
    questions: dict[str, list[LabelledSentence]] = {}
    for row in FORMATS[format_](path):
        questions.setdefault(row.question, []).append(row)
    return list(questions.values())


def read_runs(paths: Sequence[Path], questions: Questions) -> dict[str, list[Ranked]]:
    """The lines of run files by system, best first within a question.

    Raises FileError, which names file and line, for a line of another form, for a number that the
    set does not have, and for a sentence that a system ranks twice.
    """
    systems: dict[str, dict[tuple[int, int], Ranked]] = {}
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            place = f"{path}, line {number}"
            system, one = _read_line(line, place)
            if not 1 <= one.question <= len(questions):
                raise FileError(
                    f"{place}: the set has {len(questions)} questions, no {one.question}"
                )
            count = len(questions[one.question - 1])
            if not 1 <= one.sentence <= count:
                raise FileError(
                    f"{place}: question {one.question} has {count} sentences, no {one.sentence}"
                )
            ranked = systems.setdefault(system, {})
            if (key := (one.question, one.sentence)) in ranked:
                raise FileError(
                    f"{place}: {system} ranks sentence {one.sentence} of question {one.question} "
                    "twice"
                )
            ranked[key] = one
    return {
        system: sorted(ranked.values(), key=lambda one: (one.question, -one.score, one.rank))
        for system, ranked in systems.items()
    }


def judgments(questions: Questions, systems: Mapping[str, Sequence[Ranked]]) -> Iterator[Any]:
    """The ranked sentences as lines of concord-judgments, each system's in its order."""
    for system, ranked in systems.items():
        for one in ranked:
            sentences = questions[one.question - 1]
            if not is_counted(sentences):
                continue
            sentence = sentences[one.sentence - 1]
            correct = dict.fromkeys(row.sentence for row in sentences if row.correct)
            yield {
                "id": f"{system}-{one.question}-{one.sentence}",
                "question": sentence.question,
                "references": [text for text in correct if text != sentence.sentence],
                "candidate": sentence.sentence,
                "system": system,
                "scale": [0, 1],
                "score": int(sentence.correct),
            }


def is_counted(sentences: Sequence[LabelledSentence]) -> bool:
    """Whether a question has two different correct sentences and a wrong one."""
    correct = {row.sentence for row in sentences if row.correct}
    return len(correct) >= 2 and any(not row.correct for row in sentences)


def _read_line(line: str, place: str) -> tuple[str, Ranked]:
    cells = line.split()
    if len(cells) != len(_COLUMNS):
        raise FileError(f"{place}: has {len(cells)} columns, not {' '.join(_COLUMNS)}")
    question, _, sentence, rank, score, system = cells
    try:
        one = Ranked(int(question), int(sentence), float(rank), float(score))
    except ValueError as error:
        raise FileError(f"{place}: QUESTION, SENTENCE, RANK and SCORE must be numbers") from error
    if not (math.isfinite(one.rank) and math.isfinite(one.score)):
        raise FileError(f"{place}: RANK and SCORE must be finite numbers")
    return system, one


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("set", metavar="FORMAT:FILE")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--out", type=Path, required=True, metavar="JUDGMENTS.jsonl")
    parsed = parser.parse_args(arguments)
    try:
        path, format_ = data_file(parsed.set, tuple(FORMATS))
        questions = read_set(path, format_)
        systems = read_runs(parsed.runs, questions)
    except (FileError, TrainingError, OSError) as error:
        parser.error(str(error))
    rows = list(judgments(questions, systems))
    with parsed.out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    counted = sum(map(is_counted, questions))
    print(
        f"{parsed.out}: {len(rows)} judgments of {len(systems)} systems. {counted} of "
        f"{len(questions)} questions count; the others lack two correct sentences or a wrong one."
    )


if __name__ == "__main__":
    main()
