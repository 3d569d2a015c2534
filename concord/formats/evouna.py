"""Reader of EVOUNA (Wang et al., NeurIPS 2023): answers of QA systems, correct or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from concord.formats.collector import RecordCollector, Scale
from concord.formats.errors import Problems
from concord.formats.fields import Fields, json_type
from concord.formats.files import SourceFile
from concord.formats.options import ReadOptions
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


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read `answer_X` and `judge_X` of each system; true is 1 and false 0.

    `golden_answer` holds the references, separated by "/". Questions marked `improper` and
    judgments that are null are left out and counted. An answer that is null is empty. The id is
    `row/X`, with rows counted from 1; with several files it begins with the file's name.
    """
    collector.scale = SCALE
    unanswered = 0
    for file in files:
        items = file.document(collector.problems)
        if type(items) is not list:
            message = f"is {json_type(items)}; a list of questions is expected"
            raise collector.problems.fatal(file.name, None, None, message)
        systems = _systems_of(items, file, collector.problems)
        for position, item in enumerate(items):
            if type(item) is not dict:
                message = f"is {json_type(item)}; an object is expected"
                collector.problems.add(file.name, None, f"[{position}]", message)
                continue
            fields = Fields(
                item, collector.problems, collector.limits, file.name, None, f"[{position}]."
            )
            collector.report.see(item, _meanings(systems), "[].")
            collector.count_row(file.name, rows=len(systems))
            key = f"{collector.row_prefix(file)}{position + 1}"
            unanswered += _keep_question(collector, fields, key, systems, options)
    if unanswered:
        collector.note(f"Of the answers whose judgment is null, {unanswered:,} had no text.")


def _systems_of(items: list[Any], file: SourceFile, problems: Problems) -> list[str]:
    """The suffixes of the systems in the first question; every question must have the same."""
    first = items[0] if items and type(items[0]) is dict else {}
    names = [name for name in SYSTEMS if f"answer_{name}" in first or f"judge_{name}" in first]
    if items and not names:
        message = "the first question has no field answer_X of a known system: "
        raise problems.fatal(file.name, None, "[0]", message + ", ".join(SYSTEMS))
    return names


def _meanings(systems: Sequence[str]) -> dict[str, str]:
    """The meaning of each field of a question."""
    meanings = {"question": "question", "golden_answer": "reference"}
    meanings |= {"improper": "left out where true"}
    meanings |= {f"answer_{name}": f"candidate of {SYSTEMS[name]}" for name in systems}
    return meanings | {f"judge_{name}": f"score of {SYSTEMS[name]}" for name in systems}


def _keep_question(
    collector: RecordCollector, fields: Fields, key: str, systems: list[str], options: ReadOptions
) -> int:
    """Add the judged answers to one question. Returns the number of empty unjudged answers."""
    improper = fields.data.get("improper")
    if type(improper) is not bool:
        fields.fault("improper", f"is {json_type(improper)}; true or false is expected")
        return 0
    if improper:
        collector.leave_out("answers to questions marked improper", len(systems))
        return 0
    instance = _instance(collector, fields, options)
    unanswered = 0
    for name in systems:
        text = fields.text(f"answer_{name}")
        judged = fields.data.get(f"judge_{name}", "absent")
        if f"answer_{name}" not in fields.data:
            fields.fault(f"answer_{name}", "is missing; a string or null is expected")
        elif judged is None:
            collector.leave_out("answers whose judgment is null")
            unanswered += not text.strip()
        elif type(judged) is not bool:
            state = "is missing" if judged == "absent" else f"is {json_type(judged)}"
            fields.fault(f"judge_{name}", f"{state}; true, false or null is expected")
        elif instance is not None and not fields.faults:
            candidate = CandidateRecord(
                f"{key}/{name}", instance, text, SYSTEMS[name], 1.0 if judged else 0.0
            )
            collector.add_candidate(
                candidate, fields.file, None, fields.prefix + name, score_in_file=True
            )
    return unanswered


def _instance(
    collector: RecordCollector, fields: Fields, options: ReadOptions
) -> InstanceRecord | None:
    question = fields.text("question", required=True)
    golden = fields.text("golden_answer", required=True)
    references = tuple(part for piece in golden.split("/") if (part := piece.strip()))
    if not references and not fields.faults:
        fields.fault("golden_answer", "is empty; an answer is expected")
    if len(references) > collector.limits.max_references:
        fields.fault("golden_answer", f"holds {len(references):,} answers")
    if fields.faults:
        return None
    return collector.pool.share_or_add(
        InstanceRecord(
            collector.pool.key_of("", question, references),
            references,
            question=question,
            split=options.split or "",
            constituent=options.constituent or "",
        )
    )
