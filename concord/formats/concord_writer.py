"""Writer of Concord's JSON Lines. It streams, one line at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from concord.documents.conversation import Conversation, ConversationFields, is_whole
from concord.formats.choices import BOTH_BAD
from concord.formats.records import (
    CandidateRecord,
    ChoiceRecord,
    CriterionRecord,
    InstanceRecord,
    MarksRecord,
    PairRecord,
    RatingRecord,
    Span,
    WordScale,
    shown_value,
)

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


# The fields of a line in the order of the format, without the empty ones.
Line = dict[str, object]


def write_judgments(
    file: TextIO,
    candidates: Iterable[CandidateRecord],
    scale: tuple[float, float] | None,
    worker_names: Callable[[str], str],
) -> int:
    """Write `concord-judgments`, one candidate per line. Returns the number of lines.

    `file` is a text file in UTF-8. `worker_names` returns each worker's pseudonym, a different
    one for each worker. Empty fields are left out. Reading the lines again gives equal records,
    except for the names of workers, and for candidates with ratings and no score: these get the
    mean of their ratings. Raises ValueError for a value that is not finite.
    """
    return _write(file, judgment_rows(candidates, scale, worker_names))


def judgment_rows(
    candidates: Iterable[CandidateRecord],
    scale: tuple[float, float] | None,
    worker_names: Callable[[str], str],
) -> Iterator[Line]:
    """The fields of each candidate, without empty ones."""
    for candidate in candidates:
        line: Line = {
            "id": candidate.key,
            **_instance(candidate.instance),
            "candidate": candidate.text,
        }
        if candidate.system:
            line["system"] = candidate.system
        main = CriterionRecord("", scale, candidate.score, candidate.ratings)
        line |= _judgment(main, worker_names)
        if candidate.criteria:
            line["criteria"] = {
                one.name: _judgment(one, worker_names) for one in candidate.criteria
            }
        if candidate.marks:
            line["marks"] = [_marks(one, worker_names) for one in candidate.marks]
        if candidate.sampling is not None:
            line["sampling"] = {
                "unit": candidate.sampling.unit,
                "probabilities": list(candidate.sampling.probabilities),
                "drawn": candidate.sampling.drawn,
            }
        yield line


def write_pairs(
    file: TextIO,
    pairs: Iterable[PairRecord],
    scale: tuple[float, float] | None = None,
    worker_names: Callable[[str], str] = str,
) -> int:
    """Write `concord-pairs`, one pair per line; `worker_names` as in `write_judgments`. Returns the
    number of lines."""
    return _write(file, pair_rows(pairs, scale, worker_names))


def pair_rows(
    pairs: Iterable[PairRecord],
    scale: tuple[float, float] | None = None,
    worker_names: Callable[[str], str] = str,
) -> Iterator[Line]:
    """The fields of each pair; `worker_names` as in `write_judgments`."""
    for pair in pairs:
        line: Line = {"id": pair.key, **_instance(pair.instance)}
        for number, key, system, text, score in zip(
            (1, 2),
            pair.candidate_keys,
            pair.systems,
            (pair.candidate1, pair.candidate2),
            (pair.score1, pair.score2),
            strict=True,
        ):
            named = {f"id{number}": key, f"system{number}": system}
            line |= {name: value for name, value in named.items() if value}
            line[f"candidate{number}"] = text
            line[f"score{number}"] = None if score is None else _number(score)
        line["phenomenon"] = pair.phenomenon or None
        if pair.set_key:
            line["set"] = pair.set_key
        if pair.choices:
            line["ratings"] = [_choice(choice, worker_names) for choice in pair.choices]
        _add_scale(line, scale)
        yield line


def json_lines(rows: Iterable[Line]) -> Iterator[str]:
    """The lines that `write_judgments` and `write_pairs` write of rows."""
    return (_encode(row) + "\n" for row in rows)


def _write(file: TextIO, rows: Iterable[Line]) -> int:
    count = 0
    for line in json_lines(rows):
        file.write(line)
        count += 1
    return count


def _instance(record: InstanceRecord) -> Line:
    turns = conversation_fields(record.conversation)
    fields = {
        "instance": record.key,
        "constituent": record.constituent,
        "split": record.split,
        "passage": record.passage,
        "question": "" if turns else record.question,
        **turns,
        "references": list(record.references),
        "short_answer": record.short_answer,
        "category": record.category,
    }
    # References are required, though some sets have none.
    return {name: value for name, value in fields.items() if value or name == "references"}


def conversation_fields(conversation: Conversation | None) -> ConversationFields:
    """The fields of a line with a conversation, in place of the question; none without."""
    if conversation is None:
        return {}
    fields: ConversationFields = {"messages": conversation["messages"]}
    return fields | {"judged": conversation["judged"]} if is_whole(conversation) else fields


def _judgment(judgment: CriterionRecord, worker_names: Callable[[str], str]) -> Line:
    line: Line = {}
    _add_scale(line, judgment.scale)
    if judgment.score is not None:
        line["score"] = _number(judgment.score)
    if judgment.ratings:
        line["ratings"] = [
            {
                "worker": worker_names(rating.worker),
                "value": _value(rating.value, judgment.scale),
                **_worker(rating),
            }
            for rating in judgment.ratings
        ]
    return line


def _value(value: float, scale: tuple[float, float] | None) -> float | int | str:
    shown = shown_value(value, scale)
    return shown if isinstance(shown, str) else _number(shown)


def _marks(marks: MarksRecord, worker_names: Callable[[str], str]) -> Line:
    spans = [span_row(span) for span in marks.spans]
    return {"worker": worker_names(marks.worker), "spans": spans, **_worker(marks)}


def _choice(choice: ChoiceRecord, worker_names: Callable[[str], str]) -> Line:
    answer = BOTH_BAD if choice.is_both_bad else choice.choice
    line: Line = {"worker": worker_names(choice.worker), "choice": answer}
    if choice.first_shown is not None:
        line["first_shown"] = choice.first_shown
    if choice.is_hard:
        line["hard"] = True
    return line | _worker(choice)


def _worker(given: RatingRecord | MarksRecord | ChoiceRecord) -> Line:
    line: Line = {}
    if given.group:
        line["group"] = given.group
    if given.simulated:
        line["simulated"] = True
    return line


def span_row(span: Span) -> Line:
    """The fields of an error span."""
    line: Line = {"start": span.start, "end": span.end, "severity": span.severity}
    return line | ({"categories": list(span.categories)} if span.categories else {})


def _add_scale(line: Line, scale: tuple[float, float] | None) -> None:
    if isinstance(scale, WordScale):
        line["values"] = list(scale.words)
        line |= {"ordered": True} if scale.is_ordered else {}
    elif scale is not None:
        line["scale"] = [_number(scale[0]), _number(scale[1])]


def _number(value: float) -> float | int:
    """4.0 as 4; a number that an int cannot hold exactly is unchanged."""
    value = float(value)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
