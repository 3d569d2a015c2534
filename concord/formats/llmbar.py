"""Reader of LLMBar's pairs of outputs with one objective preference (Zeng et al., ICLR 2024)."""

from __future__ import annotations

from collections.abc import Sequence

from concord.formats.collector import RecordCollector
from concord.formats.fields import Fields, json_type
from concord.formats.files import SourceFile
from concord.formats.instances import pair_key
from concord.formats.options import ReadOptions
from concord.formats.records import Choice, ChoiceRecord, InstanceRecord, PairRecord

OPTIONS = frozenset({"split", "constituent"})

# The labels are agreed among the authors; no person is named.
LABELLER = "authors"
_CHOICES: dict[object, Choice] = {1: 1, 2: 2}
_MEANINGS = {"input": "question", "output_1": "candidate1", "output_2": "candidate2"}
_MEANINGS |= {"label": "choice"}


def read_pairs(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read `dataset.json` files: an instruction (`input`) with two outputs and the better one's
    number (`label`).

    The question of an instance is the instruction. There are no references, systems and raters; the
    only choice on a pair is the authors' label.
    """
    for file in files:
        rows = file.document(collector.problems)
        if type(rows) is not list:
            message = f"is {json_type(rows)}; a list of pairs is expected"
            raise collector.problems.fatal(file.name, None, None, message)
        for position, row in enumerate(rows):
            collector.count_row(file.name, None)
            field = f"[{position}]"
            if type(row) is not dict:
                message = f"is {json_type(row)}; an object is expected"
                collector.problems.add(file.name, None, field, message)
                continue
            collector.report.see(row, _MEANINGS, "[].")
            fields = Fields(row, collector.problems, collector.limits, file.name, None, f"{field}.")
            question = fields.text("input", required=True)
            outputs = [fields.text(f"output_{number}", required=True) for number in (1, 2)]
            label = row.get("label")
            choice = _CHOICES.get(label) if type(label) is int else None
            if choice is None:
                fields.fault("label", "1 or 2 is expected")
            if choice is None or fields.faults:
                continue
            instance = collector.pool.share_or_add(
                InstanceRecord(
                    collector.pool.key_of("", question, ()),
                    (),
                    question=question,
                    split=options.split or "",
                    constituent=options.constituent or "",
                )
            )
            pair = PairRecord(
                pair_key(instance, *outputs),
                instance,
                outputs[0],
                None,
                outputs[1],
                None,
                choices=(ChoiceRecord(LABELLER, choice),),
            )
            collector.add_pair(pair, file.name, None, field)
    collector.note("The choices are the authors' labels; there are no raters and no references.")
