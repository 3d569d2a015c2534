"""Readers of WMT campaigns with error spans as judgments: ESA and MQM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from concord.formats.collector import RecordCollector
from concord.formats.files import SourceFile
from concord.formats.marks import RaterMarks
from concord.formats.options import ReadOptions
from concord.formats.records import (
    CandidateRecord,
    InstanceRecord,
    MarksRecord,
    RatingRecord,
    gold_score,
)
from concord.formats.spans import COLUMNS, meanings_of, read_spans
from concord.formats.texts import read_texts

OPTIONS = frozenset({"texts", "split", "constituent"})
# Of the score that raters of ESA give besides marking errors.
SCALE = (0.0, 100.0)


def read_esa(collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions) -> None:
    """Read answers with each rater's error spans and score from 0 to 100 (see `_read`)."""
    collector.scale = SCALE
    _read(collector, files, options, "esa")


def read_mqm(collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions) -> None:
    """Read answers with each rater's error spans (see `_read`). They have no score."""
    _read(collector, files, options, "mqm")


def _read(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions, format: str
) -> None:
    """Read the answers that raters marked; the id is `system/document/item`.

    The files have no texts. With the option `texts`, a file in the format concord whose ids are
    these, candidates and instances are its; answers that it lacks are left out, and spans must lie
    within the text. Without it, the texts are empty, and instances have no references. Controls
    and the answers of a tutorial are left out.
    """
    texts = None if options.texts is None else read_texts(collector, options.texts)
    collector.report.see(COLUMNS, meanings_of(format))
    for file in files:
        contents = read_spans(file.path, format, collector.limits)
        by_answer: dict[tuple[str, str, str], list[RaterMarks]] = {}
        controls = set()
        for one in contents.marks:
            if one.is_control:
                controls.add(one.answer)
            else:
                by_answer.setdefault(one.answer, []).append(one)
        training = {one.answer for one in contents.training}
        left_out = {
            "controls, which were made worse on purpose": len(controls),
            "answers of the tutorial": len(training),
        }
        for reason, count in left_out.items():
            if count:
                collector.count_row(file.name, None, count)
                collector.leave_out(reason, count)
        for answer, marks in by_answer.items():
            collector.count_row(file.name, None)
            _add(collector, file, "/".join(answer), marks, texts, options)
        if contents.repeated:
            collector.note(f"Earlier marks that the same rater replaced: {contents.repeated:,}.")
    if texts is None:
        collector.note("The files have no texts, so metrics cannot score the answers.")


def marks_of(candidates: Iterable[CandidateRecord]) -> Iterator[RaterMarks]:
    """The marks of candidates, each with its rater's score, if any. Instances are parts of
    documents, named `document/segment` as by the readers above."""
    for candidate in candidates:
        document, _, segment = candidate.instance.key.rpartition("/")
        scores = {one.worker: one.value for one in candidate.ratings}
        for one in candidate.marks:
            yield RaterMarks(
                one.worker,
                candidate.system,
                document or segment,
                segment,
                one.spans,
                scores.get(one.worker),
            )


def _add(
    collector: RecordCollector,
    file: SourceFile,
    key: str,
    marks: Sequence[RaterMarks],
    texts: dict[str, CandidateRecord] | None,
    options: ReadOptions,
) -> None:
    first = marks[0]
    source = None if texts is None else texts.get(key)
    if texts is not None and source is None:
        if collector.claim_id(key, file.name, None, "item"):
            collector.leave_out("answers without a text in the file of texts")
        return
    if source is None:
        record = InstanceRecord(
            f"{first.document}/{first.segment}",
            (),
            split=options.split or "",
            constituent=options.constituent or "",
            named_by_file=True,
        )
        text = ""
    else:
        record, text = source.instance, source.text
        ends = (span.end or 0 for one in marks for span in one.spans)
        if (last := max(ends, default=0)) > len(text):
            message = f"a span ends at character {last:,}, but the text has {len(text):,}"
            collector.problems.add(file.name, None, key, message)
    ratings = tuple(RatingRecord(one.rater, one.score) for one in marks if one.score is not None)
    candidate = CandidateRecord(
        key,
        collector.pool.share(record),
        text,
        collector.pool.name(first.system),
        gold_score(None, ratings),
        ratings,
        marks=tuple(MarksRecord(one.rater, one.spans) for one in marks),
    )
    collector.add_candidate(candidate, file.name, None, "item", score_in_file=False)
