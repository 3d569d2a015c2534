"""Ratings of Label Studio: its JSON export is read, and tasks with annotations are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree import ElementTree

from concord.formats.collector import RecordCollector
from concord.formats.errors import quote
from concord.formats.fields import Fields, json_type, number_in, text_fault
from concord.formats.files import SourceFile
from concord.formats.options import ReadOptions
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    RatingRecord,
    gold_score,
)

OPTIONS = frozenset({"criterion", "split", "constituent"})

Line = dict[str, object]
# The controls that hold a rating, and the key of its value.
CONTROLS = {"rating": "rating", "number": "number", "choices": "choices"}
# The control of a set's score, which has no name.
SCORE = "score"
# The fields of a task that raters read, and their headings.
TEXTS = {"passage": "Passage", "question": "Question", "candidate": "Answer"}
# The names of the objects that show the texts. Objects and controls may not share a name.
TEXT_NAMES = {name: f"{name}-text" for name in TEXTS}
RESERVED_NAMES = frozenset({SCORE, *TEXT_NAMES.values()})
# Ends the control's name of a criterion whose own name is reserved.
ESCAPE = "-criterion"
_TASK = {"id": "id, if data has none", "data": "texts", "annotations": "ratings"}
_DATA = {name: name for name in (*TEXTS, "id", "instance", "system")} | {"references": "reference"}


@dataclass
class _Task:
    """A task with the ratings of each control. position: in the file."""

    candidate: CandidateRecord
    file: str
    position: int
    ratings: dict[str, list[RatingRecord]] = field(default_factory=dict)


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read tasks; each control that holds a number is a criterion, with its `from_name`.

    A task's `data` has the fields of the format concord: candidate is required; references (a list
    or one text), passage, question, system, instance and id are optional. Controls are Rating,
    Number, and Choices with a number as the label; others are counted and left out. The worker is
    `completed_by`, an email, else an id; or the `rater` in a result's `meta`, as `task_rows` writes
    it. Skipped tasks (`was_cancelled`) have no rating. The export states no scale.
    `ReadOptions.criterion` is the name of a control.
    """
    tasks: list[_Task] = []
    others: dict[str, int] = {}
    for file in files:
        rows = file.document(collector.problems)
        if type(rows) is not list:
            message = f"is {json_type(rows)}; a list of tasks is expected"
            raise collector.problems.fatal(file.name, None, None, message)
        for position, row in enumerate(rows):
            collector.count_row(file.name, None)
            if type(row) is not dict or type(row.get("data")) is not dict:
                message = "is no task: an object with `data` is expected"
                collector.problems.add(file.name, None, f"[{position}]", message)
                continue
            task = _task(collector, file, position, row, options, others)
            if task is not None:
                tasks.append(task)
    names = list(dict.fromkeys(name for task in tasks for name in task.ratings))
    chosen = options.criteria(tuple(names)) if options.criterion else tuple(names)
    collector.report.criterion = options.criterion or ""
    for task in tasks:
        judgments = [_judgment(name, task.ratings.get(name, [])) for name in chosen]
        collector.add_candidate(
            _with_judgments(task.candidate, judgments, options),
            task.file,
            None,
            f"[{task.position}].data.id",
            score_in_file=False,
        )
    for kind, count in sorted(others.items()):
        collector.note(f"Results of the type {kind}, which are no ratings: {count:,}.")
    if names:
        collector.note("The file has no scale.")


def _with_judgments(
    candidate: CandidateRecord, judgments: Sequence[CriterionRecord], options: ReadOptions
) -> CandidateRecord:
    if options.criterion is not None:
        return replace(candidate, **options.judgment_fields(judgments))
    score = next((one for one in judgments if one.name == SCORE), CriterionRecord("", None, None))
    others = tuple(
        replace(one, name=_criterion_name(one.name)) for one in judgments if one.name != SCORE
    )
    return replace(candidate, score=score.score, ratings=score.ratings, criteria=others)


def _judgment(name: str, ratings: Sequence[RatingRecord]) -> CriterionRecord:
    return CriterionRecord(name, None, gold_score(None, ratings), tuple(ratings))


def _task(
    collector: RecordCollector,
    file: SourceFile,
    position: int,
    row: dict[str, Any],
    options: ReadOptions,
    others: dict[str, int],
) -> _Task | None:
    path = f"[{position}]."
    collector.report.see(row, _TASK, "[].")
    collector.report.see(row["data"], _DATA, "[].data.")
    data = Fields(
        dict(row["data"]), collector.problems, collector.limits, file.name, None, f"{path}data."
    )
    listed = data.data.get("references")
    if type(listed) is str:
        data.data["references"] = [listed]
    references = data.references("references") if listed else ()
    text = data.text("candidate", required=True)
    question, passage = data.text("question"), data.text("passage")
    fields = Fields(row, collector.problems, collector.limits, file.name, None, path)
    key = data.name("id") or str(_task_id(fields, position))
    instance_key = data.name("instance") or collector.pool.key_of(
        passage, question, references, key
    )
    system = collector.pool.name(data.name("system"))
    ratings = _ratings(collector, fields, others)
    if data.faults or fields.faults:
        return None
    instance = collector.pool.share_or_add(
        InstanceRecord(
            instance_key,
            references,
            passage,
            question,
            split=options.split or "",
            constituent=options.constituent or "",
            named_by_file=bool(data.data.get("instance")),
        )
    )
    return _Task(CandidateRecord(key, instance, text, system), file.name, position, ratings)


def _task_id(task: Fields, position: int) -> object:
    """Label Studio's id of a task, its position without one."""
    value = task.data.get("id", position)
    return value if type(value) is int else task.name("id", required=True)


def _ratings(
    collector: RecordCollector, task: Fields, others: dict[str, int]
) -> dict[str, list[RatingRecord]]:
    ratings: dict[str, list[RatingRecord]] = {}
    for annotation in task.objects("annotations"):
        if annotation.flag("was_cancelled"):
            continue
        account = ""
        for result in annotation.objects("result"):
            worker = _rater(result)
            if not worker:
                worker = account = account or _worker(annotation)
            kind, name = result.text("type"), result.name("from_name", required=True)
            value = result.data.get("value")
            if kind not in CONTROLS:
                others[kind] = others.get(kind, 0) + 1
                continue
            number = _number(value.get(CONTROLS[kind]) if type(value) is dict else None)
            if number is None and kind == "choices":  # a label in words
                others[kind] = others.get(kind, 0) + 1
                continue
            own = ratings.setdefault(collector.pool.name(name), [])
            if number is None:
                result.fault("value", f"a number is expected in `{CONTROLS[kind]}`")
            elif any(one.worker == worker for one in own):
                result.fault("from_name", f"{quote(worker)} rates {quote(name)} twice in this task")
            else:
                own.append(RatingRecord(collector.pool.name(worker), number))
            annotation.faults += result.faults
        task.faults += annotation.faults
    return ratings


def _rater(result: Fields) -> str:
    """The rater whom `task_rows` named, "" without one."""
    meta = result.data.get("meta")
    if type(meta) is not dict:
        return ""
    fields = result.nested(meta, "meta.")
    name = fields.name("rater")
    result.faults += fields.faults
    return name


def _worker(annotation: Fields) -> str:
    by = annotation.data.get("completed_by")
    if type(by) is dict:
        by = by.get("email") or by.get("id")
    if type(by) not in (int, str) or by == "":
        annotation.fault("completed_by", "a worker's id or email is expected")
    elif fault := text_fault(str(by), annotation.limits.max_name_chars):
        annotation.fault("completed_by", fault)
    return str(by)


def _number(value: object) -> float | None:
    """A number; a list of one choice is its label."""
    if type(value) is list and len(value) == 1:
        value = value[0]
    number = number_in(value)
    return None if isinstance(number, str) else number


def task_rows(
    candidates: Iterable[CandidateRecord], worker_names: Callable[[str], str]
) -> Iterator[Line]:
    """Tasks that Label Studio imports, with the ratings as annotations of Number controls.

    A control has the name of its criterion, "score" for the set's score (`_control_name`). Raters
    are named in the `meta` of results, not in `completed_by`: Label Studio refuses accounts that it
    does not have, and assigns annotations without one to whoever imports them. Groups of raters and
    scales have no place in a task. Every task has all TEXTS, because Label Studio refuses a task
    without a field that the configuration shows.
    """
    for candidate in candidates:
        instance = candidate.instance
        texts: Line = {
            "passage": instance.passage,
            "question": instance.question_text,
            "candidate": candidate.text,
        }
        others: Line = {
            "id": candidate.key,
            "instance": instance.key,
            "references": list(instance.references),
            "system": candidate.system,
        }
        by_rater: dict[str, list[Line]] = {}
        for criterion, ratings in candidate.ratings_by_criterion:
            for rating in ratings:
                rater = worker_names(rating.worker)
                result: Line = {
                    "from_name": _control_name(criterion),
                    "to_name": TEXT_NAMES["candidate"],
                    "type": "number",
                    "value": {"number": rating.value},
                    "meta": {"rater": rater},
                }
                by_rater.setdefault(rater, []).append(result)
        yield {
            "data": texts | {name: value for name, value in others.items() if value},
            "annotations": [{"result": result} for result in by_rater.values()],
        }


def labelling_configuration(
    criteria: Mapping[str, tuple[float, float] | None], texts: Sequence[str]
) -> str:
    """The labelling configuration (XML) of a project for the tasks of `task_rows`.

    criteria: the scale of each, None where it is unknown; "" is the set's score. texts: which of
    TEXTS raters see. Each criterion is a Number control.
    """
    view = ElementTree.Element("View")
    for name, heading in TEXTS.items():
        if name in texts:
            ElementTree.SubElement(view, "Header", value=heading)
            ElementTree.SubElement(view, "Text", name=TEXT_NAMES[name], value=f"${name}")
    for criterion, scale in criteria.items():
        attributes = {"name": _control_name(criterion), "toName": TEXT_NAMES["candidate"]}
        if scale is not None:
            attributes |= {"min": f"{scale[0]:g}", "max": f"{scale[1]:g}"}
        ElementTree.SubElement(view, "Header", value=criterion or SCORE)
        ElementTree.SubElement(view, "Number", attributes)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def _control_name(criterion: str) -> str:
    """The name of a criterion's control: its own, SCORE for the set's score.

    A reserved name, with or without ESCAPE after it, is followed by ESCAPE, so that no two criteria
    have one control, and no control has the name of a text. `_criterion_name` is the inverse.
    """
    if criterion == "":
        return SCORE
    return criterion + ESCAPE if _base_name(criterion) in RESERVED_NAMES else criterion


def _criterion_name(control: str) -> str:
    """The name of the criterion that a control other than SCORE asks for."""
    return control.removesuffix(ESCAPE) if _base_name(control) in RESERVED_NAMES else control


def _base_name(name: str) -> str:
    """The name without ESCAPE at its end, however often."""
    while name.endswith(ESCAPE):
        name = name.removesuffix(ESCAPE)
    return name
