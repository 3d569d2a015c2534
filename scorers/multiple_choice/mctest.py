"""MCTest (Richardson et al., 2013): a story a line, its answers in the `.ans` file beside.

A line of `NAME.tsv`: id, properties, story, then four times question and four answers; a question
begins with `one:` or `multiple:`, for the sentences it takes. `NAME.ans` has the right letters.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scorers.jsonl import FileError
from scorers.keyphrases.sources.lines import text_lines
from scorers.multiple_choice.records import ChoiceQuestion

_LETTERS = "ABCD"
_FIRST, _QUESTIONS, _WIDTH = 3, 4, 5


def read(path: Path) -> Iterator[ChoiceQuestion]:
    """The four questions of each story."""
    stories = list(text_lines(path))
    answers_path = path.with_suffix(".ans")
    answers = list(text_lines(answers_path))
    if len(answers) != len(stories):
        raise FileError(
            f"{answers_path} has answers to {len(answers)} stories, {path.name} {len(stories)}"
        )
    for (number, line), (answered, letters) in zip(stories, answers, strict=True):
        columns = line.split("\t")
        if len(columns) != _FIRST + _QUESTIONS * _WIDTH:
            raise FileError(f"{path}, line {number}: has {len(columns)} columns, not 23")
        right = letters.split("\t")
        if len(right) != _QUESTIONS or any(letter not in (*_LETTERS,) for letter in right):
            raise FileError(
                f"{answers_path}, line {answered}: must be four letters from A to D, with tabs"
            )
        for at, letter in enumerate(right):
            start = _FIRST + at * _WIDTH
            question = columns[start].partition(":")[2].strip() or columns[start].strip()
            choices = [_plain(choice) for choice in columns[start + 1 : start + _WIDTH]]
            chosen = choices[_LETTERS.index(letter)]
            yield ChoiceQuestion(
                _plain(columns[2]),
                _plain(question),
                (chosen,),
                tuple(choice for choice in choices if choice != chosen),
                columns[0],
            )


def _plain(text: str) -> str:
    """Text without the file's own marks for ends of lines and tabs."""
    return text.replace("\\newline", "\n").replace("\\tab", "\t").strip()
