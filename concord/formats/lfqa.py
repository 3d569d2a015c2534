"""Reader of experts' choices between long answers (Xu et al., ACL 2023)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from concord.formats.collector import RecordCollector
from concord.formats.errors import quote
from concord.formats.fields import Fields, json_type, text_fault
from concord.formats.files import SourceFile
from concord.formats.instances import pair_key
from concord.formats.options import ReadOptions
from concord.formats.records import Choice, ChoiceRecord, InstanceRecord, PairRecord

OPTIONS = frozenset({"split", "constituent", "for_ranking"})

_CHOICES: dict[object, Choice] = {"Answer A": 1, "Answer B": 2}
# The labels: whether a model's answer is among the two, and the kind of the first answer.
_LABEL = re.compile(r"(HH|HM)([HhM])\[")
_SWAPPED: dict[Choice, Choice] = {1: 2, 2: 1}


_MEANINGS = {
    "q_id": "instance",
    "question_text": "question",
    "answer1": "candidate1",
    "answer2": "candidate2",
    "answer1_label": "system1 and system2",
    "BetterAnswer": "choice",
    "DifficultToChoose": "hard",
    "annotator": "rater",
}


@dataclass
class _Pair:
    """A pair with the choices of all files. file, position: of its first row."""

    instance: InstanceRecord
    answers: tuple[str, str]
    systems: tuple[str, str]
    file: str
    position: int
    choices: list[ChoiceRecord] = field(default_factory=list)


def read_pairs(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read the choices of one expert a file; choices on the same two answers make one pair.

    The systems are H (human answers with more upvotes), h (with fewer) and M (a model's). The first
    answer was shown first. There are no references. A choice that its expert called difficult is
    marked as hard.
    """
    pairs: dict[tuple[str, frozenset[str]], _Pair] = {}
    for file in files:
        rows = file.document(collector.problems)
        if type(rows) is not list:
            message = f"is {json_type(rows)}; a list of choices is expected"
            raise collector.problems.fatal(file.name, None, None, message)
        for position, row in enumerate(rows):
            if type(row) is dict:
                prefix = f"[{position}]."
                collector.report.see(row, _MEANINGS, "[].")
                fields = Fields(row, collector.problems, collector.limits, file.name, None, prefix)
                _read_row(collector, fields, position, pairs, options)
            else:
                message = f"is {json_type(row)}; an object is expected"
                collector.problems.add(file.name, None, f"[{position}]", message)
    for pair in pairs.values():
        collector.count_row(pair.file, None)
        key = pair_key(pair.instance, *pair.answers)
        record = PairRecord(
            key,
            pair.instance,
            pair.answers[0],
            None,
            pair.answers[1],
            None,
            systems=pair.systems,
            choices=tuple(pair.choices),
        )
        collector.add_pair(record, pair.file, None, f"[{pair.position}]")
    collector.note("There are no references. H is the human answer with more upvotes, h the other.")


def _read_row(
    collector: RecordCollector,
    fields: Fields,
    position: int,
    pairs: dict[tuple[str, frozenset[str]], _Pair],
    options: ReadOptions,
) -> None:
    label = _LABEL.match(fields.text("answer1_label", required=True))
    choice = _CHOICES.get(fields.text("BetterAnswer", required=True))
    question = fields.name("q_id", required=True)
    text = fields.text("question_text")
    answers = [fields.text(f"answer{number}", required=True) for number in (1, 2)]
    worker = fields.data.get("annotator")
    if label is None:
        fields.fault("answer1_label", "a label such as HMM[2] is expected")
    if choice is None:
        fields.fault("BetterAnswer", '"Answer A" or "Answer B" is expected')
    if type(worker) not in (int, str) or worker == "":
        fields.fault("annotator", "a name or number is expected")
    elif fault := text_fault(str(worker), fields.limits.max_name_chars):
        fields.fault("annotator", fault)
    if label is None or choice is None or fields.faults:
        return
    kinds, first = label[1], label[2]
    others = {"H": "M" if kinds == "HM" else "h", "h": "H", "M": "H"}
    instance = collector.pool.share(
        InstanceRecord(
            question,
            (),
            question=text,
            split=options.split or "",
            constituent=options.constituent or "",
            named_by_file=True,
        )
    )
    pair = pairs.setdefault(
        (question, frozenset(answers)),
        _Pair(instance, (answers[0], answers[1]), (first, others[first]), fields.file, position),
    )
    name = str(worker)
    if any(one.worker == name for one in pair.choices):
        fields.fault("annotator", f"{quote(name)} chooses twice between these two answers")
        return
    is_swapped = answers[0] != pair.answers[0]
    hard = fields.text("DifficultToChoose").startswith("Yes")
    pair.choices.append(
        ChoiceRecord(
            name,
            _SWAPPED[choice] if is_swapped else choice,
            2 if is_swapped else 1,
            is_hard=hard,
        )
    )
