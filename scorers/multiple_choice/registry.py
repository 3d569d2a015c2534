"""Readers of multiple-choice sets, by format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scorers.jsonl import FileError
from scorers.keyphrases.sources.lines import json_lines, text_lines
from scorers.multiple_choice import multirc, qamr
from scorers.multiple_choice.records import ChoiceQuestion


def read_boolq(path: Path) -> Iterator[ChoiceQuestion]:
    """BoolQ (Clark et al., 2019): JSON Lines of yes/no questions.

    A line has `question`, `passage` and `answer` (true or false; `label` in SuperGLUE's copy). It
    becomes a question with the answers "yes" and "no".
    """
    for _, where, row in json_lines(path):
        if not isinstance(row, dict):
            raise FileError(f"{where}: must be a JSON object")
        answer = row.get("answer", row.get("label"))
        if not isinstance(answer, bool):
            raise FileError(f"{where}, field answer: must be true or false")
        for name in ("question", "passage"):
            if not isinstance(row.get(name), str):
                raise FileError(f"{where}, field {name}: must be a string")
        yes_no = ("yes", "no") if answer else ("no", "yes")
        yield ChoiceQuestion(
            row["passage"], row["question"], yes_no[:1], yes_no[1:], row["passage"]
        )


_LETTERS = "ABCD"
_FIRST, _QUESTIONS, _WIDTH = 3, 4, 5


def read_mctest(path: Path) -> Iterator[ChoiceQuestion]:
    """MCTest (Richardson et al., 2013): one story a line, with an `.ans` file of right answers.

    A line of `NAME.tsv` has id, properties, story, then four questions with four answers each. A
    question begins with `one:` or `multiple:`, the number of sentences needed to answer it.
    `NAME.ans` has the letters of the right answers.
    """
    stories = list(text_lines(path))
    answers_path = path.with_suffix(".ans")
    answers = list(text_lines(answers_path))
    if len(answers) != len(stories):
        raise FileError(
            f"{answers_path} has answers for {len(answers)} stories, but {path.name} has "
            f"{len(stories)} stories"
        )
    for (number, line), (answers_line, letters) in zip(stories, answers, strict=True):
        columns = line.split("\t")
        if len(columns) != _FIRST + _QUESTIONS * _WIDTH:
            raise FileError(f"{path}, line {number}: has {len(columns)} columns, not 23")
        right = letters.split("\t")
        if len(right) != _QUESTIONS or any(letter not in (*_LETTERS,) for letter in right):
            raise FileError(
                f"{answers_path}, line {answers_line}: must be four letters from A to D, with tabs"
            )
        for index, letter in enumerate(right):
            start = _FIRST + index * _WIDTH
            question = columns[start].partition(":")[2].strip() or columns[start].strip()
            choices = [_without_escapes(choice) for choice in columns[start + 1 : start + _WIDTH]]
            right_answer = choices[_LETTERS.index(letter)]
            yield ChoiceQuestion(
                _without_escapes(columns[2]),
                _without_escapes(question),
                (right_answer,),
                tuple(choice for choice in choices if choice != right_answer),
                columns[0],
            )


def _without_escapes(text: str) -> str:
    """Replace the file's escapes for line ends and tabs."""
    return text.replace("\\newline", "\n").replace("\\tab", "\t").strip()


def read_race(path: Path) -> Iterator[ChoiceQuestion]:
    """RACE (Lai et al., 2017): one JSON document for each passage, in files of one or more lines.

    A document has `article`, `questions`, `options` (a list for each question) and `answers`
    (letters). A folder stands for all files in it and its subfolders, sorted by name.
    """
    files = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
    if not files:
        raise FileError(f"the folder {path} has no .txt file")
    for file in files:
        for number, where, document in json_lines(file):
            yield from _race_questions(document, where, f"{file.stem}-{number}")


def _race_questions(document: Any, where: str, group: str) -> Iterator[ChoiceQuestion]:
    names = ("questions", "options", "answers")
    if not isinstance(document, dict) or not isinstance(document.get("article"), str):
        raise FileError(f"{where}, field article: must be a string")
    lists = [document.get(name) for name in names]
    if not all(isinstance(values, list) for values in lists):
        raise FileError(f"{where}: {', '.join(names)} must be lists")
    questions, options, answers = (list(values or ()) for values in lists)
    if not len(questions) == len(options) == len(answers):
        raise FileError(f"{where}: {', '.join(names)} must have the same length")
    for question, choices, letter in zip(questions, options, answers, strict=True):
        right = ord(letter) - ord("A") if isinstance(letter, str) and len(letter) == 1 else -1
        if not isinstance(choices, list) or not 0 <= right < len(choices):
            raise FileError(f"{where}, field answers: {letter!r} is none of the options")
        if not all(isinstance(text, str) for text in (question, *choices)):
            raise FileError(f"{where}: questions and options must be strings")
        yield ChoiceQuestion(
            document["article"],
            question,
            (choices[right],),
            tuple(choice for index, choice in enumerate(choices) if index != right),
            str(document.get("id", group)),
        )


FORMATS: Mapping[str, Callable[[Path], Iterator[ChoiceQuestion]]] = MappingProxyType(
    {
        "mctest": read_mctest,
        "race": read_race,
        "boolq": read_boolq,
        "multirc": multirc.read,
        "qamr": qamr.read,
    }
)


def read_choices(path: Path, format_: str) -> list[ChoiceQuestion]:
    """Read the questions of a file.

    Raises FileError, which names file and line, for an invalid file and for a file without
    questions.
    """
    if format_ not in FORMATS:
        raise FileError(f"the format must be one of {', '.join(FORMATS)}, not {format_!r}")
    questions = list(FORMATS[format_](path))
    if not questions:
        raise FileError(f"{path} has no question")
    return questions
