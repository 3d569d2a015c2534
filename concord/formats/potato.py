"""Ratings of Potato: its `user_state.json` files are read, and its items are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from concord.formats.collector import RecordCollector
from concord.formats.errors import FormatError, Problem, json_path_part, quote
from concord.formats.fields import Fields, json_type, number_in, text_fault
from concord.formats.files import SourceFile
from concord.formats.options import ReadOptions
from concord.formats.records import CandidateRecord, CriterionRecord, RatingRecord, gold_score
from concord.formats.texts import read_texts

OPTIONS = frozenset({"texts", "criterion"})

Line = dict[str, object]
STATE = "instance_id_to_label_to_value"
# The name of each rater's file, in a folder of the rater's.
STATE_FILE = "user_state.json"
FOLDER = f"*/{STATE_FILE}"
NEEDS_TEXTS = (
    "the files of raters have no texts: name a file in the format concord with the items' texts, "
    "whose ids are Potato's"
)


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read one `user_state.json` a rater, or a folder with one in each rater's folder.

    Each schema whose values are numbers is a criterion. The candidates are those of the file
    `texts` (the format concord) that somebody rated; their ids are those of Potato's items. Values
    that are no numbers are counted and left out. No scale is stated. Raises FormatError for an item
    that the file of texts lacks.
    """
    if options.texts is None:
        raise FormatError([Problem("", None, "texts", NEEDS_TEXTS)])
    texts = read_texts(collector, options.texts)
    ratings: dict[str, dict[str, list[RatingRecord]]] = {}
    others = 0
    for file in files:
        state = file.document(collector.problems)
        if type(state) is not dict or type(state.get(STATE)) is not dict:
            message = f"is {json_type(state)}; an object with `{STATE}` is expected"
            raise collector.problems.fatal(file.name, None, None, message)
        collector.report.see(state, {"user_id": "rater", STATE: "ratings"})
        fields = Fields(state, collector.problems, collector.limits, file.name)
        worker = collector.pool.name(fields.name("user_id", required=True))
        for item, labels in state[STATE].items():
            path = f"{STATE}.{json_path_part(item)}"
            if item not in texts:
                collector.problems.add(file.name, None, path, "the file of texts lacks this item")
                continue
            others += _read_labels(
                collector, file, path, worker, labels, ratings.setdefault(item, {})
            )
    names = tuple(dict.fromkeys(name for own in ratings.values() for name in own))
    chosen = options.criteria(names)
    collector.report.criterion = options.criterion or ""
    for key, own in ratings.items():
        collector.count_row(files[0].name, None)
        judgments = [
            CriterionRecord(name, None, gold_score(None, values), tuple(values))
            for name in chosen
            if (values := own.get(name, [])) or options.criterion
        ]
        candidate = texts[key]
        record = CandidateRecord(
            key,
            collector.pool.share(candidate.instance),
            candidate.text,
            candidate.system,
            **options.judgment_fields(judgments),
        )
        collector.add_candidate(record, files[0].name, None, key, score_in_file=False)
    if others:
        collector.note(f"Values that are no numbers: {others:,}.")
    collector.note("The files have no scale.")


def _read_labels(
    collector: RecordCollector,
    file: SourceFile,
    path: str,
    worker: str,
    labels: object,
    ratings: dict[str, list[RatingRecord]],
) -> int:
    """Add one rater's labels of an item, [{"schema", "name"}, value] each; the number of values
    that are no numbers."""
    others = 0
    if type(labels) is not list:
        message = f"is {json_type(labels)}; a list of labels is expected"
        collector.problems.add(file.name, None, path, message)
        return 0
    for position, label in enumerate(labels):
        is_label = type(label) is list and len(label) == 2 and type(label[0]) is dict
        schema = label[0].get("schema") if is_label else None
        if type(schema) is not str or not schema:
            message = 'a label such as [{"schema": "fluency", "name": "4"}, "4"] is expected'
            collector.problems.add(file.name, None, f"{path}[{position}]", message)
            continue
        if fault := text_fault(schema, collector.limits.max_name_chars):
            collector.problems.add(file.name, None, f"{path}[{position}]", f"the schema {fault}")
            continue
        value = number_in(label[1])
        if isinstance(value, str):
            others += 1
            continue
        own = ratings.setdefault(collector.pool.name(schema), [])
        if any(one.worker == worker for one in own):
            message = f"{quote(worker)} has two values of {quote(schema)}"
            collector.problems.add(file.name, None, f"{path}[{position}]", message)
        else:
            own.append(RatingRecord(worker, value))
    return others


def item_rows(candidates: Iterable[CandidateRecord]) -> Iterator[Line]:
    """Items of a `data_files` of Potato: id, and text with passage, question and answer."""
    for candidate in candidates:
        instance = candidate.instance
        parts = (instance.passage, instance.question_text, candidate.text)
        yield {"id": candidate.key, "text": "\n\n".join(part for part in parts if part)}
