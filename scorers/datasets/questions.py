"""Question answering sets in their published formats: questions with marked answers.

A reader yields a `QuestionAnswer` for each question, or the reason why a question is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scorers.datasets.lines import (
    first_json,
    json_document,
    json_lines,
    published_format,
    read_records,
    text_lines,
)
from scorers.datasets.trec import detokenise, read_sentences
from scorers.errors import FileError

Span = tuple[int, int]

_NO_ANSWER = "without an answer"
_YES_NO = "yes/no"


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """A question about a passage, and the spans of its answer.

    answers: for each annotator (or accepted answer) the spans of its words in the passage, as
    (start, end) in characters. group: the passage's name; a split never divides a group.
    supporting: the spans of the sentences that support the answer (multi-hop); if empty, the
    sentence with the answer is used.
    """

    question: str
    passage: str
    answers: tuple[tuple[Span, ...], ...]
    group: str
    supporting: tuple[Span, ...] = ()


Questions = Iterator[QuestionAnswer | str]


def read(path: Path, format_: str) -> tuple[list[QuestionAnswer], Counter[str]]:
    """Read the questions of a file, and count those that are left out by their reason.

    Raises FileError, which names file, line and field, for an invalid file and for a file without a
    usable question.
    """
    records = read_records(path, format_, FORMATS, "question")
    questions = [record for record in records if isinstance(record, QuestionAnswer)]
    left_out = Counter(record for record in records if isinstance(record, str))
    if not questions:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
        raise FileError(f"{path} has no usable question; left out: {reasons}")
    return questions, left_out


def find_occurrences(passage: str, answer: str) -> tuple[Span, ...]:
    """All spans of an answer in a passage as whole words, ignoring case."""
    if not answer.strip():
        return ()
    spans = []
    lowered, searched = passage.lower(), answer.strip().lower()
    if len(lowered) != len(passage):  # the lower case of some letter is longer: keep the case
        lowered, searched = passage, answer.strip()
    start = lowered.find(searched)
    while start >= 0:
        end = start + len(searched)
        if not (_is_inside_word(lowered, start) or _is_inside_word(lowered, end)):
            spans.append((start, end))
        start = lowered.find(searched, start + 1)
    return tuple(spans)


def _is_inside_word(text: str, position: int) -> bool:
    """Whether a position lies inside a word of a text."""
    if not 0 < position < len(text):
        return False
    return text[position - 1].isalnum() and text[position].isalnum()


def read_squad(path: Path) -> Questions:
    """SQuAD 1.1 and 2.0 (Rajpurkar et al., 2016, 2018): spans of a paragraph.

    Published format: `{"data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question",
    "answers": [{"text", "answer_start"}], "is_impossible"}]}]}]}`. Impossible questions are left
    out; all answers of the dev sets are read, one for each annotator. A group is a paragraph.
    """
    document = json_document(path)
    with published_format(str(path), "SQuAD"):
        for a, article in enumerate(document["data"]):
            for p, paragraph in enumerate(article["paragraphs"]):
                passage: str = paragraph["context"]
                for entry in paragraph["qas"]:
                    where = f"{path}, data[{a}].paragraphs[{p}], question {entry.get('id')!r}"
                    answers = [(_squad_span(where, passage, one),) for one in entry["answers"]]
                    if entry.get("is_impossible") or not answers:
                        yield _NO_ANSWER
                    else:
                        yield QuestionAnswer(entry["question"], passage, tuple(answers), f"{a}/{p}")


def _squad_span(where: str, passage: str, answer: dict[str, Any]) -> Span:
    start = answer["answer_start"]
    end = start + len(answer["text"])
    if passage[start:end] != answer["text"]:
        raise FileError(f"{where}: the answer is not in the context at its answer_start, {start}")
    return start, end


#: How a reader deviates from KPQA (Section 3.1), by format: shown in the command's help and in the
#: card.
DEVIATIONS: Mapping[str, str] = MappingProxyType(
    {
        "hotpotqa": (
            "hotpotqa: the supporting sentences are the ones that HotpotQA's annotators marked, "
            "and the answer is marked where they hold it word for word; KPQA resolves coreference "
            "with SpanBERT to find them."
        )
    }
)


def read_hotpotqa(path: Path) -> Questions:
    """HotpotQA (Yang et al., 2018): questions with several supporting sentences.

    Published format: a list of `{"_id", "question", "answer", "context": [[title, [sentence, ...]],
    ...], "supporting_facts": [[title, sentence number], ...]}`. The passage is the supporting
    sentences' paragraphs; the answer is marked wherever it occurs in a supporting sentence. Yes/no
    questions are left out, and so are questions whose answer occurs in no supporting sentence. A
    group is the set of the passages' titles.
    """
    document = json_document(path)
    if not isinstance(document, list):
        raise FileError(f"{path} is not a HotpotQA file: it must be a list of questions")
    for number, entry in enumerate(document):
        with published_format(f"{path}, question {number}", "HotpotQA"):
            yield _hotpotqa_question(entry)


def _hotpotqa_question(entry: dict[str, Any]) -> QuestionAnswer | str:
    answer: str = entry["answer"]
    if answer.strip().lower() in ("yes", "no"):
        return _YES_NO
    supporting_keys = {(title, int(number)) for title, number in entry["supporting_facts"]}
    titles = {title for title, _ in supporting_keys}
    passage = ""
    supporting: list[Span] = []
    for title, sentences in entry["context"]:
        if title not in titles:
            continue
        for number, sentence in enumerate(sentences):
            text = sentence.strip()
            if passage and text:
                passage += " "
            if (title, number) in supporting_keys and text:
                supporting.append((len(passage), len(passage) + len(text)))
            passage += text
    spans = tuple(
        (start, end)
        for start, end in find_occurrences(passage, answer)
        if any(first <= start and end <= last for first, last in supporting)
    )
    if not spans:
        return "answer not in a supporting sentence"
    group = "/".join(sorted(titles))
    return QuestionAnswer(entry["question"], passage, (spans,), group, tuple(supporting))


def read_msmarco(path: Path) -> Questions:
    """MS MARCO Q&A 2.1 (Bajaj et al., 2016): answers that occur in a selected passage.

    Published formats: one JSON object of columns (`{"query": {"0": ...}, "answers": {...},
    "passages": {...}}`), and JSON Lines of `{"query", "query_id", "answers": [...], "passages":
    [{"passage_text", "is_selected"}, ...]}`. Questions without an answer ("No Answer Present."),
    yes/no questions, and answers that occur word for word in no selected passage are left out. A
    group is a passage.
    """
    for where, row in _msmarco_rows(path):
        with published_format(where, "MS MARCO"):
            yield _msmarco_question(row)


def _msmarco_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    row = first_json(path)
    if isinstance(row, dict) and isinstance(row.get("query"), str):
        for _, where, row in json_lines(path):
            yield where, row
        return
    columns = json_document(path)
    with published_format(str(path), "MS MARCO"):
        for key in columns["query"]:
            row = {name: column[key] for name, column in columns.items()}
            yield f"{path}, query {key}", row


def _msmarco_question(row: dict[str, Any]) -> QuestionAnswer | str:
    answers = [one for one in row["answers"] if one.strip().lower() != "no answer present."]
    if not answers:
        return _NO_ANSWER
    if all(answer.strip(" .").lower() in ("yes", "no") for answer in answers):
        return _YES_NO
    for passage in row["passages"]:
        if not passage.get("is_selected"):
            continue
        text: str = passage["passage_text"]
        occurrences = [find_occurrences(text, answer.rstrip(" .")) for answer in answers]
        answer_spans = tuple((spans[0],) for spans in occurrences if spans)
        if answer_spans:
            return QuestionAnswer(row["query"], text, answer_spans, text)
    return "answer not in a selected passage"


_QAMR_SENTENCES = "wiki-sentences.tsv"


def read_qamr(path: Path) -> Questions:
    """QAMR (Michael et al., 2018): questions to single sentences, answers by token positions.

    Published format: `dev.tsv`, `test.tsv`, `train.tsv` of eight columns or more, of which column 0
    is the sentence's id, 5 the question, 6 the answer's positions as its writer gave them, and 7
    and on those of validators as `worker:positions`, or `Invalid`; and `wiki-sentences.tsv` (the
    id, then the sentence's tokens) in the same folder. Every annotator's answer is read.
    """
    sentences = {}
    for number, line in text_lines(path.parent / _QAMR_SENTENCES):
        identity, tab, tokens = line.partition("\t")
        if not tab:
            where = f"{path.parent / _QAMR_SENTENCES}, line {number}"
            raise FileError(f"{where}: must be a sentence's id, a tab and its tokens")
        sentences[identity] = detokenise(tokens.split(" "))
    for number, line in text_lines(path):
        where = f"{path}, line {number}"
        columns = line.split("\t")
        if len(columns) < 7:
            raise FileError(f"{where}: has {len(columns)} columns, but QAMR needs 7 or more")
        identity, question = columns[0], columns[5]
        if identity not in sentences:
            raise FileError(f"{where}: the sentence {identity!r} is not in {_QAMR_SENTENCES}")
        text, spans = sentences[identity]
        others = [column.rpartition(":")[2] for column in columns[7:] if column]
        valid = [columns[6], *(one for one in others if not one.startswith("Invalid"))]
        answers = [_at_positions(one.split(), spans, where, first=0) for one in valid]
        marked = tuple(answer for answer in answers if answer)
        yield QuestionAnswer(question, text, marked, identity) if marked else _NO_ANSWER


def read_trecqa(path: Path) -> Questions:
    """TREC-QA (Wang et al., 2007): a question for each of its positive sentences."""
    for sentence in read_sentences(path):
        if not sentence.positive:
            yield "wrong sentences"
        elif len(sentence.lines) < 7:  # five lines of the tree, then the answer and its positions
            yield _NO_ANSWER
        else:
            text, spans = sentence.detokenised
            number, line = sentence.lines[-1]
            # "#" separates the parts of an answer.
            positions = [position for position in line.split() if position != "#"]
            answer = _at_positions(positions, spans, f"{path}, line {number}", first=1)
            yield QuestionAnswer(sentence.question, text, (answer,), sentence.group)


def _at_positions(
    positions: list[str], spans: list[Span], where: str, *, first: int
) -> tuple[Span, ...]:
    """The spans of tokens at positions counted from `first`. Raises FileError."""
    try:
        indices = [int(position) - first for position in positions]
        if any(index < 0 for index in indices):
            raise ValueError
        return tuple(spans[index] for index in indices)
    except (ValueError, IndexError):
        raise FileError(
            f"{where}: an answer must be positions from {first} of the sentence's "
            f"{len(spans)} tokens"
        ) from None


FORMATS: Mapping[str, Callable[[Path], Questions]] = MappingProxyType(
    {
        "squad": read_squad,
        "hotpotqa": read_hotpotqa,
        "msmarco": read_msmarco,
        "qamr": read_qamr,
        "trecqa": read_trecqa,
    }
)
