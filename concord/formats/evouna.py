"""EVOUNA's JSON lists (Wang et al., NeurIPS 2023): correct or not, for several QA systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from concord.formats.errors import Problems
from concord.formats.fields import Fields, kind
from concord.formats.files import SourceFile
from concord.formats.options import ReadOptions
from concord.formats.reading import Reading, Scale
from concord.formats.records import CandidateRecord, InstanceRecord

OPTIONS = frozenset({"split", "constituent"})

SCALE: Scale = (0.0, 1.0)

SYSTEMS = {
    "fid": "FiD",
    "gpt35": "GPT-3.5",
    "chatgpt": "ChatGPT-3.5",
    "gpt4": "GPT-4",
    "newbing": "New Bing",
}


def read_judgments(reading: Reading, files: Sequence[SourceFile], options: ReadOptions) -> None:
    """Read `answer_X` and `judge_X` of each system; true is 1 and false 0.

    `golden_answer` holds the references, apart by "/". Questions marked `improper` and
    judgments that are null are left out and counted; an answer that is null is empty. The id
    is `row/X`, rows counted from 1; with several files the file's name stands before.
    """
    reading.scale = SCALE
    unanswered = 0
    for file in files:
        items = file.document(reading.problems)
        if type(items) is not list:
            message = f"is {kind(items)}; a list of questions is expected"
            raise reading.problems.stop(file.name, None, None, message)
        systems = _systems_of(items, file, reading.problems)
        for position, item in enumerate(items):
            if type(item) is not dict:
                message = f"is {kind(item)}; an object is expected"
                reading.problems.add(file.name, None, f"[{position}]", message)
                continue
            fields = Fields(
                item, reading.problems, reading.limits, file.name, None, f"[{position}]."
            )
            reading.count_row(file.name, rows=len(systems))
            key = f"{reading.row_prefix(file)}{position + 1}"
            unanswered += _keep_question(reading, fields, key, systems, options)
    if unanswered:
        reading.note(f"Of the answers whose judgment is null, {unanswered:,} had no text.")


def _systems_of(items: list[Any], file: SourceFile, problems: Problems) -> list[str]:
    """The suffixes of the systems, from the first question; every question must have them."""
    first = items[0] if items and type(items[0]) is dict else {}
    found = [name for name in SYSTEMS if f"answer_{name}" in first or f"judge_{name}" in first]
    if items and not found:
        message = "the first question has no field answer_X of a known system: "
        raise problems.stop(file.name, None, "[0]", message + ", ".join(SYSTEMS))
    return found


def _keep_question(
    reading: Reading, fields: Fields, key: str, systems: list[str], options: ReadOptions
) -> int:
    """Keep the judged answers to one question; returns how many without judgment are empty."""
    improper = fields.data.get("improper")
    if type(improper) is not bool:
        fields.fault("improper", f"is {kind(improper)}; true or false is expected")
        return 0
    if improper:
        reading.leave_out("answers to questions marked improper", len(systems))
        return 0
    instance = _instance(reading, fields, options)
    unanswered = 0
    for name in systems:
        text = fields.text(f"answer_{name}")
        judged = fields.data.get(f"judge_{name}", "absent")
        if f"answer_{name}" not in fields.data:
            fields.fault(f"answer_{name}", "is missing; a string or null is expected")
        elif judged is None:
            reading.leave_out("answers whose judgment is null")
            unanswered += not text.strip()
        elif type(judged) is not bool:
            found = "is missing" if judged == "absent" else f"is {kind(judged)}"
            fields.fault(f"judge_{name}", f"{found}; true, false or null is expected")
        elif instance is not None and not fields.faults:
            candidate = CandidateRecord(
                f"{key}/{name}", instance, text, SYSTEMS[name], 1.0 if judged else 0.0
            )
            reading.keep(candidate, fields.file, None, fields.prefix + name, given=True)
    return unanswered


def _instance(reading: Reading, fields: Fields, options: ReadOptions) -> InstanceRecord | None:
    question = fields.text("question", required=True)
    golden = fields.text("golden_answer", required=True)
    references = tuple(part for piece in golden.split("/") if (part := piece.strip()))
    if not references and not fields.faults:
        fields.fault("golden_answer", "holds no answer")
    if len(references) > reading.limits.max_references:
        fields.fault("golden_answer", f"holds {len(references):,} answers")
    if fields.faults:
        return None
    return reading.pool.share_apart(
        InstanceRecord(
            reading.pool.key_of("", question, references),
            references,
            question=question,
            split=options.split or "",
            constituent=options.constituent or "",
        )
    )
