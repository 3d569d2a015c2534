"""Reader of SQuALITY's human evaluation (Wang et al., EMNLP 2022): one story per line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from concord.formats.collector import RecordCollector, Scale
from concord.formats.errors import json_path_part, quote
from concord.formats.fields import Fields, json_type, scale_fault, text_fault
from concord.formats.files import SourceFile
from concord.formats.options import ReadOptions
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    RatingRecord,
    gold_score,
)

OPTIONS = frozenset({"criterion", "reference_system", "split", "constituent"})

SCALE: Scale = (0.0, 100.0)
CRITERIA = ("correctness", "selection", "overall")
REFERENCE_SYSTEM = "human"
# The fields of an answer begin with its question's number and its system.
_ANSWER = "questions.*.*."


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read one criterion, or all three; the gold score is the mean of the workers' ratings, 0 to
    100.

    The reference is the response of `reference_system` (human), which is left out as a
    candidate. The id is `passage-id/question number/system`.

    The file has no text of stories and questions: passage and question are empty. The instance
    is named `passage-id/question number`, so only its name shows which story it belongs to;
    grouping by passage does not.
    """
    criteria = options.criteria(CRITERIA)
    collector.report.criterion = options.criterion or ""
    collector.scale = SCALE if options.criterion else None
    reference_system = options.reference_system or REFERENCE_SYSTEM
    for file in files:
        for line, data in file.objects(collector.problems):
            collector.report.see(data, {"passage-id": "instance", "questions": "candidates"})
            fields = Fields(data, collector.problems, collector.limits, file.name, line)
            story = fields.name("passage-id", required=True)
            for number, answers in _objects(fields, "questions"):
                _read_question(
                    collector, answers, f"{story}/{number}", criteria, reference_system, options
                )
    collector.note(f"The responses by {reference_system} are the references.")
    collector.note(
        "The file has no stories: passages are empty, and instances cannot be grouped by story. "
        "The name of an instance begins with the passage-id of its story."
    )


def _objects(fields: Fields, name: str) -> Iterator[tuple[str, Fields]]:
    """(name, fields) of each object in an object; a value of another type is a fault."""
    value = fields.data.get(name)
    if type(value) is not dict:
        state = "is missing" if value is None else f"is {json_type(value)}"
        fields.fault(name, f"{state}; an object is expected")
        return
    for key, item in value.items():
        path = f"{name}.{json_path_part(key)}"
        if type(item) is dict:
            yield key, fields.nested(item, f"{path}.")
        else:
            fields.fault(path, f"is {json_type(item)}; an object is expected")


def _read_question(
    collector: RecordCollector,
    answers: Fields,
    key: str,
    criteria: tuple[str, ...],
    reference_system: str,
    options: ReadOptions,
) -> None:
    """Add the answers to one question; all are left out where it has no reference."""
    file, line = answers.file, answers.line
    meanings = {"worker_id": "rater"} | {f"{name}-rating": f"rating of {name}" for name in criteria}
    texts: dict[str, str] = {}
    judgments: dict[str, tuple[CriterionRecord, ...]] = {}
    faults = 0
    for system, value in answers.data.items():
        collector.count_row(file, line)
        if type(value) is not dict:
            answers.fault(json_path_part(system), f"is {json_type(value)}; an object is expected")
            continue
        if fault := text_fault(f"{key}/{system}", collector.limits.max_name_chars):
            answers.fault(json_path_part(system), f"the id {fault}")
        collector.report.see(value, {"response": "candidate", "reviews": "ratings"}, _ANSWER)
        fields = answers.nested(value, f"{json_path_part(system)}.")
        texts[system] = fields.text("response", required=True)
        judgments[system] = tuple(_judgment(collector, fields, name, meanings) for name in criteria)
        faults += fields.faults
    if faults or answers.faults:
        return
    if reference_system not in texts:
        collector.leave_out(
            f"answers to questions without an answer by {reference_system}", len(texts)
        )
        return
    record = InstanceRecord(
        key,
        (texts[reference_system],),
        split=options.split or "",
        constituent=options.constituent or "",
        named_by_file=True,
    )
    instance = collector.pool.share(record)
    for system, text in texts.items():
        candidate = CandidateRecord(
            f"{key}/{system}",
            instance,
            text,
            collector.pool.name(system),
            **options.judgment_fields(judgments[system]),
        )
        if system != reference_system:
            collector.add_candidate(
                candidate, file, line, answers.prefix + json_path_part(system), score_in_file=False
            )
        elif collector.claim_id(candidate.key, file, line, answers.prefix + json_path_part(system)):
            collector.leave_out(f"answers by {reference_system}, which are the references")


def _judgment(
    collector: RecordCollector, fields: Fields, criterion: str, meanings: dict[str, str]
) -> CriterionRecord:
    ratings = _ratings(collector, fields, f"{criterion}-rating", meanings)
    return CriterionRecord(criterion, SCALE, gold_score(None, ratings), ratings)


def _ratings(
    collector: RecordCollector, fields: Fields, name: str, meanings: dict[str, str]
) -> tuple[RatingRecord, ...]:
    reviews = fields.objects("reviews", required=True)
    if len(reviews) > collector.limits.max_ratings:
        limit = collector.limits.max_ratings
        fields.fault("reviews", f"{len(reviews):,} reviews; at most {limit:,} are allowed")
        return ()
    ratings = []
    workers: set[str] = set()
    for review in reviews:
        collector.report.see(review.data, meanings, f"{_ANSWER}reviews[].")
        worker = collector.pool.name(review.name("worker_id", required=True))
        value = review.number(name, required=True)
        if worker and worker in workers:
            review.fault("worker_id", f"{quote(worker)} reviews this answer twice")
        workers.add(worker)
        if value is not None and (fault := scale_fault(value, SCALE)):
            review.fault(name, fault)
        elif value is not None:
            ratings.append(RatingRecord(worker, value))
        fields.faults += review.faults
    return tuple(ratings)
