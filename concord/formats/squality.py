"""SQuALITY's human evaluation (Wang et al., EMNLP 2022), JSON Lines, one story a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from concord.formats.errors import path_part, quoted
from concord.formats.fields import Fields, kind, off_scale, text_fault
from concord.formats.files import SourceFile
from concord.formats.options import ReadOptions
from concord.formats.reading import Reading, Scale
from concord.formats.records import CandidateRecord, InstanceRecord, RatingRecord, gold_score

OPTIONS = frozenset({"criterion", "reference_system", "split", "constituent"})

SCALE: Scale = (0.0, 100.0)
CRITERIA = ("correctness", "selection", "overall")
REFERENCE_SYSTEM = "human"


def read_judgments(reading: Reading, files: Sequence[SourceFile], options: ReadOptions) -> None:
    """Read one criterion; the gold score is the mean of the workers' ratings, 0 to 100.

    All three criteria are rated from 0 to 100. The reference is the response of
    `reference_system` (human), which is left out as a candidate. Workers keep their ids. The
    id is `passage-id/question number/system`.

    The file has neither stories nor questions: passage and question are empty, and the
    instance is named `passage-id/question number`, so that the five instances of a story can
    still be told by their names though no grouping by passage finds them.
    """
    reading.scale = SCALE
    criterion = reading.report.criterion = options.chosen_criterion(CRITERIA)
    chosen = options.reference_system or REFERENCE_SYSTEM
    for file in files:
        for line, data in file.objects(reading.problems):
            fields = Fields(data, reading.problems, reading.limits, file.name, line)
            story = fields.name("passage-id", required=True)
            for number, answers in _objects(fields, "questions"):
                _read_question(reading, answers, f"{story}/{number}", criterion, chosen, options)
    reading.note(f"The responses by {chosen} are the references.")
    reading.note(
        "The file has no text of its stories: passages are empty, so nothing is grouped by "
        "story; the name of an instance begins with its story's passage-id."
    )


def _objects(fields: Fields, name: str) -> Iterator[tuple[str, Fields]]:
    """(name, fields) of the objects inside an object; what is none is a fault."""
    given = fields.data.get(name)
    if type(given) is not dict:
        found = "is missing" if given is None else f"is {kind(given)}"
        fields.fault(name, f"{found}; an object is expected")
        return
    for key, value in given.items():
        path = f"{name}.{path_part(key)}"
        if type(value) is dict:
            yield key, fields.below(value, f"{path}.")
        else:
            fields.fault(path, f"is {kind(value)}; an object is expected")


def _read_question(
    reading: Reading,
    answers: Fields,
    key: str,
    criterion: str,
    chosen: str,
    options: ReadOptions,
) -> None:
    """Keep the answers to one question; all of them are left out when it has no reference."""
    file, line = answers.file, answers.line
    texts: dict[str, str] = {}
    ratings: dict[str, tuple[RatingRecord, ...]] = {}
    faults = 0
    for system, value in answers.data.items():
        reading.count_row(file, line)
        if type(value) is not dict:
            answers.fault(path_part(system), f"is {kind(value)}; an object is expected")
            continue
        if fault := text_fault(f"{key}/{system}", reading.limits.max_name_chars):
            answers.fault(path_part(system), f"the id {fault}")
        fields = answers.below(value, f"{path_part(system)}.")
        texts[system] = fields.text("response", required=True)
        ratings[system] = _ratings(reading, fields, f"{criterion}-rating")
        faults += fields.faults
    if faults or answers.faults:
        return
    if chosen not in texts:
        reading.leave_out(f"answers to questions that {chosen} has not answered", len(texts))
        return
    record = InstanceRecord(
        key,
        (texts[chosen],),
        split=options.split or "",
        constituent=options.constituent or "",
        named_by_file=True,
    )
    instance = reading.pool.share(record)
    for system, text in texts.items():
        gold = gold_score(None, ratings[system])
        candidate = CandidateRecord(
            f"{key}/{system}", instance, text, reading.pool.name(system), gold, ratings[system]
        )
        if system != chosen:
            reading.keep(candidate, file, line, answers.prefix + path_part(system), given=False)
        elif reading.claim(candidate.key, file, line, answers.prefix + path_part(system)):
            reading.leave_out(f"answers by {chosen}, which are the references")


def _ratings(reading: Reading, fields: Fields, name: str) -> tuple[RatingRecord, ...]:
    reviews = fields.objects("reviews", required=True)
    if len(reviews) > reading.limits.max_ratings:
        limit = reading.limits.max_ratings
        fields.fault("reviews", f"{len(reviews):,} reviews; at most {limit:,} are taken")
        return ()
    ratings = []
    workers: set[str] = set()
    for review in reviews:
        worker = reading.pool.name(review.name("worker_id", required=True))
        value = review.number(name, required=True)
        if worker and worker in workers:
            review.fault("worker_id", f"{quoted(worker)} reviews this answer twice")
        workers.add(worker)
        if value is not None and (fault := off_scale(value, SCALE)):
            review.fault(name, fault)
        elif value is not None:
            ratings.append(RatingRecord(worker, value))
        fields.faults += review.faults
    return tuple(ratings)
