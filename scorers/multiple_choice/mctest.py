"""MCTest (Richardson et al., 2013): one story a line, with an `.ans` file of right answers.

A line of `NAME.tsv` has id, properties, story, then four questions with four answers each. A
question begins with `one:` or `multiple:`, the number of sentences needed to answer it. `NAME.ans`
has the letters of the right answers.
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
            choices = [_plain(choice) for choice in columns[start + 1 : start + _WIDTH]]
            right_answer = choices[_LETTERS.index(letter)]
            yield ChoiceQuestion(
                _plain(columns[2]),
                _plain(question),
                (right_answer,),
                tuple(choice for choice in choices if choice != right_answer),
                columns[0],
            )


def _plain(text: str) -> str:
    """Replace the file's escapes for line ends and tabs."""
    return text.replace("\\newline", "\n").replace("\\tab", "\t").strip()
