"""Multiple-choice reading comprehension sets: questions with right and wrong answers."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scorers.datasets.lines import (
    check_texts,
    first_json,
    json_document,
    json_lines,
    published_format,
    read_records,
    text_lines,
)
from scorers.datasets.questions import QuestionAnswer, Span, read_qamr
from scorers.errors import FileError


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question about a passage, with its right and its wrong answers in the file's order.

    `several` means that the set allows more than one right answer. `group` names the passage; a
    split never divides a group.
    """

    passage: str
    question: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    group: str
    several: bool = False


def read_choices(path: Path, format_: str) -> list[ChoiceQuestion]:
    """Read the questions of a file.

    Raises FileError, which names file and line, for an invalid file and for a file without
    questions.
    """
    return read_records(path, format_, FORMATS, "question")


def read_boolq(path: Path) -> Iterator[ChoiceQuestion]:
    """BoolQ (Clark et al., 2019): JSON Lines of yes/no questions.

    A line has `question`, `passage` and `answer` (true or false; `label` in SuperGLUE's copy). It
    becomes a question with the answers "yes" and "no".
    """
    for _, where, row in json_lines(path):
        with published_format(where, "BoolQ"):
            answer = row.get("answer", row.get("label"))
            if not isinstance(answer, bool):
                raise FileError(f"{where}, field answer: must be true or false")
            question, passage = row["question"], row["passage"]
            check_texts(question, passage)
            yes_no = ("yes", "no") if answer else ("no", "yes")
            yield ChoiceQuestion(passage, question, yes_no[:1], yes_no[1:], passage)


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
        columns = [_without_escapes(column) for column in line.split("\t")]
        if len(columns) != _FIRST + _QUESTIONS * _WIDTH:
            raise FileError(f"{path}, line {number}: has {len(columns)} columns, not 23")
        right = letters.split("\t")
        if len(right) != _QUESTIONS or any(letter not in (*_LETTERS,) for letter in right):
            raise FileError(
                f"{answers_path}, line {answers_line}: must be four letters from A to D, with tabs"
            )
        for index, letter in enumerate(right):
            start = _FIRST + index * _WIDTH
            question = columns[start].partition(":")[2].strip() or columns[start]
            choices = columns[start + 1 : start + _WIDTH]
            right_answer = choices[_LETTERS.index(letter)]
            wrong = tuple(choice for choice in choices if choice != right_answer)
            yield ChoiceQuestion(columns[2], question, (right_answer,), wrong, columns[0])


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
            with published_format(where, "RACE"):
                columns = (document[name] for name in ("questions", "options", "answers"))
                group = str(document.get("id", f"{file.stem}-{number}"))
                for question, choices, letter in zip(*columns, strict=True):
                    right = ord(letter) - ord("A")
                    if not 0 <= right < len(choices):
                        raise FileError(
                            f"{where}, field answers: {letter!r} is none of the options"
                        )
                    check_texts(document["article"], question, *choices)
                    wrong = (*choices[:right], *choices[right + 1 :])
                    yield ChoiceQuestion(
                        document["article"], question, (choices[right],), wrong, group
                    )


_SENTENCE = re.compile(r"<b>\s*Sent \d+:\s*</b>|<br\s*/?>", re.IGNORECASE)
_MARK = re.compile(r"</?[a-zA-Z][^<>]*>")


def read_multirc(path: Path) -> Iterator[ChoiceQuestion]:
    """MultiRC (Khashabi et al., 2018): questions with one or more right answers.

    Two published formats: the authors' JSON, `{"data": [{"id", "paragraph": {"text", "questions":
    [{"question", "answers": [{"text", "isAnswer"}]}]}}]}`, whose text has HTML tags and sentence
    numbers; and SuperGLUE's JSON Lines, `{"idx", "passage": {"text", "questions": [{"question",
    "answers": [{"text", "label"}]}]}}`.
    """
    for where, group, paragraph in _multirc_paragraphs(path):
        with published_format(where, "MultiRC"):
            marked = _MARK.sub(" ", _SENTENCE.sub(" ", paragraph["text"]))
            passage = " ".join(html.unescape(marked).split())
            for question in paragraph["questions"]:
                yield _multirc_question(question, where, passage, group)


def _multirc_paragraphs(path: Path) -> Iterator[tuple[str, str, Any]]:
    row = first_json(path)
    if isinstance(row, dict) and "passage" in row:
        for number, where, row in json_lines(path):
            with published_format(where, "MultiRC"):
                yield where, str(row.get("idx", number)), row["passage"]
        return
    document = json_document(path)
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, list):
        raise FileError(f"{path} is not a MultiRC file: it has neither data nor passages")
    for index, entry in enumerate(data):
        where = f"{path}, data[{index}]"
        with published_format(where, "MultiRC"):
            yield where, str(entry.get("id", index)), entry["paragraph"]


def _multirc_question(question: Any, where: str, passage: str, group: str) -> ChoiceQuestion:
    is_right: dict[str, bool] = {}
    for answer in question["answers"]:
        right = answer.get("isAnswer", answer.get("label"))
        if right not in (0, 1):
            raise FileError(f"{where}: an answer must say whether it is right")
        is_right[answer["text"]] = is_right.get(answer["text"], False) or bool(right)
    check_texts(question["question"], *is_right)
    return ChoiceQuestion(
        passage,
        question["question"],
        tuple(text for text, right in is_right.items() if right),
        tuple(text for text, right in is_right.items() if not right),
        group,
        several=True,
    )


MAX_WRONG = 2

Answer = tuple[Span, ...]


def read_qamr_choices(path: Path) -> Iterator[ChoiceQuestion]:
    """QAMR (Michael et al., 2018) as a multiple-choice set: questions with a right and a wrong
    answer, in the file's order.

    QAMR has no choices, but several questions about each sentence. Here the passage is the
    sentence. The right answers are the spans that the annotators marked. The wrong answers are the
    answers of other questions about the sentence that share no word with a right answer; at most
    `MAX_WRONG` of them are drawn by a hash of the question. An annotator's answer that shares no
    word with the question writer's answer is neither right nor wrong. `several` is set for a
    question with several different right answers. The files are those of
    `scorers.datasets.questions.read_qamr`.
    """
    questions = [one for one in read_qamr(path) if isinstance(one, QuestionAnswer)]
    by_sentence: dict[str, list[Answer]] = {}
    for question in questions:
        by_sentence.setdefault(question.group, []).append(question.answers[0])
    for question in questions:
        right = _right(question)
        wrong = _wrong(question, by_sentence[question.group])
        if wrong:
            yield ChoiceQuestion(
                question.passage,
                question.question,
                right,
                wrong,
                question.group,
                several=len(right) > 1,
            )


def _right(question: QuestionAnswer) -> tuple[str, ...]:
    """The distinct answers that share a word with the first one, by the question's writer."""
    first = {*question.answers[0]}
    right = [answer for answer in question.answers if first & {*answer}]
    return _texts(question.passage, right)


def _wrong(question: QuestionAnswer, others: Iterable[Answer]) -> tuple[str, ...]:
    """A draw of the other answers that share no word with any annotator's answer."""
    answer_spans = {span for answer in question.answers for span in answer}
    disjoint = [answer for answer in others if not answer_spans & {*answer}]
    texts = set(_texts(question.passage, disjoint))
    # The same words at another position in the sentence would be a right answer.
    texts -= set(_texts(question.passage, question.answers))
    drawn = sorted(texts, key=lambda text: _draw(question.question, text))
    return tuple(drawn[:MAX_WRONG])


def _texts(passage: str, answers: Iterable[Answer]) -> tuple[str, ...]:
    """The distinct texts of some answers; words that are not adjacent are joined by a space."""
    return tuple(dict.fromkeys(_text(passage, answer) for answer in answers))


def _text(passage: str, answer: Answer) -> str:
    text = ""
    end = -1
    for start, stop in sorted(answer):
        gap = passage[end:start] if end >= 0 else ""
        text += (gap if not gap.strip() else " ") + passage[start:stop]
        end = stop
    return text


def _draw(question: str, text: str) -> bytes:
    key = f"{question}\n{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(key, digest_size=8).digest()


FORMATS: Mapping[str, Callable[[Path], Iterator[ChoiceQuestion]]] = MappingProxyType(
    {
        "mctest": read_mctest,
        "race": read_race,
        "boolq": read_boolq,
        "multirc": read_multirc,
        "qamr": read_qamr_choices,
    }
)
