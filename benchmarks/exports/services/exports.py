"""Exports: sets as JSON Lines; scores and ratings as JSON Lines, CSV and spreadsheets.

All exports are streamed. Raters have the set's pseudonyms (`sets.services.pseudonyms`). Labels that
are hidden from the set's viewer are left out: the scores and ratings of candidates, and minimal
pairs, whose order is the label.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from benchmarks.exports.services import spreadsheets
from benchmarks.exports.services.spreadsheets import Sheet
from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.runs.services.listing import column_names, display_name
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, hidden, judged_pairs, storage
from benchmarks.sets.services.pseudonyms import pseudonyms
from benchmarks.sets.viewers import OPERATOR
from concord.formats.concord_writer import json_lines, judgment_rows, pair_rows
from concord.formats.records import CandidateRecord, PairRecord, shown_value
from concord.tables.cells import csv_blocks
from core import audit
from core.refusals import RefusedError

Row = list[str | float | None]
BLOCK_LINES = 500
BLOCK_ROWS = 5000


def record_export(judgment_set: JudgmentSet, what: str) -> None:
    """Record an export by a member in the audit log; `what` is the file's name."""
    viewer = judgment_set.viewer
    if viewer.role is not None or viewer == OPERATOR:
        details = {"what": what}
        audit.record(None, "set.exported", judgment_set, after=details, judgment_set=judgment_set)


def judgments(judgment_set: JudgmentSet) -> Iterator[str]:
    """The set's candidates as lines of concord-judgments."""
    candidates = visible_candidates(judgment_set)
    return json_lines(judgment_rows(candidates, judgment_set.scale, pseudonyms(judgment_set)))


def pairs(judgment_set: JudgmentSet) -> Iterator[str]:
    """The set's minimal pairs, then its judged pairs, as lines of concord-pairs."""
    return json_lines(pair_rows(visible_pairs(judgment_set), worker_names=pseudonyms(judgment_set)))


def join_in_blocks(lines: Iterator[str]) -> Iterator[str]:
    """The lines joined in blocks, since a response sends each string separately."""
    while block := "".join(islice(lines, BLOCK_LINES)):
        yield block


def select_runs(judgment_set: JudgmentSet, metrics: Sequence[str] | None) -> list[MetricRun]:
    """The complete runs that the set's viewer may see; with `metrics` only theirs, in that order.

    `NAME/joint` selects the run with joint references, `NAME` every run of the metric. Raises
    RefusedError if one of `metrics` has no complete run.
    """
    runs = list(visible_runs(judgment_set).filter(status=MetricRun.Status.COMPLETE))
    if metrics is None:
        return runs
    names = [{run.metric, display_name(run.metric, run.multi_ref)} for run in runs]
    missing = [name for name in metrics if not any(name in of_run for of_run in names)]
    if missing:
        complete = ", ".join(column_names(runs)) or "none"
        raise RefusedError(
            f"{judgment_set} has no complete run of {', '.join(missing)}; complete: {complete}.",
            "not-there-yet",
        )
    named = [
        run for name in metrics for run, of_run in zip(runs, names, strict=True) if name in of_run
    ]
    return list(dict.fromkeys(named))


def scores_jsonl(judgment_set: JudgmentSet, runs: Sequence[MetricRun]) -> Iterator[str]:
    """Lines of `{"id", "system", "score", "scores": {metric: value}}`, null where undefined."""
    names = column_names(runs)
    for key, system, gold, scores in _score_rows(judgment_set, runs):
        by_name = dict(zip(names, scores, strict=True))
        line = {"id": key, "system": system, "score": gold, "scores": by_name}
        yield json.dumps(line, ensure_ascii=False) + "\n"


def scores_csv(judgment_set: JudgmentSet, runs: Sequence[MetricRun]) -> Iterator[str]:
    """CSV lines: id, system, score, then a column for each metric."""
    header = ["id", "system", "score", *column_names(runs)]
    rows = (
        [key, system, gold, *scores]
        for key, system, gold, scores in _score_rows(judgment_set, runs)
    )
    return csv_blocks(header, rows)


def ratings_csv(judgment_set: JudgmentSet) -> Iterator[str]:
    """CSV lines, one for each rating, with RATING_COLUMNS."""
    return csv_blocks(RATING_COLUMNS, _rating_rows(judgment_set))


def workbook(judgment_set: JudgmentSet, runs: Sequence[MetricRun]) -> Iterator[bytes]:
    """A spreadsheet (xlsx) with a sheet of scores and texts, one of ratings and one of runs."""
    texts = ("question", "reference", "candidate", "system", "constituent", "split", "score")
    origin = [[run.metric, run.multi_ref, run.signature, str(run.finished_at)] for run in runs]
    origin.append(["judgment set", str(judgment_set), hidden.content_hash(judgment_set), ""])
    columns = ["id", *texts, *column_names(runs)]
    sheets = [
        Sheet("scores", columns, _text_rows(judgment_set, runs)),
        Sheet("ratings", RATING_COLUMNS, _rating_rows(judgment_set)),
        Sheet("about", ["metric", "references", "signature", "finished"], origin),
    ]
    return spreadsheets.stream(sheets)


# The criterion of a rating of the set's score is empty.
RATING_COLUMNS = ["id", "system", "worker", "group", "value", "simulated", "criterion"]


def visible_pairs(judgment_set: JudgmentSet) -> Iterator[PairRecord]:
    """The set's minimal pairs, then its judged pairs, without those that are hidden from its
    viewer."""
    masks = hidden.viewer_masks(judgment_set)
    for position, pair in enumerate(storage.load_pairs(judgment_set)):
        if not masks.pairs[position]:
            yield pair
    splits = hidden.viewer_splits(judgment_set)
    for pair in judged_pairs.load(judgment_set):
        if not splits & {hidden.WHOLE, pair.instance.split}:
            yield pair


def visible_candidates(judgment_set: JudgmentSet) -> Iterator[CandidateRecord]:
    """The set's candidates; those with hidden labels have no scores, ratings and marks.

    Probabilities of being drawn depend on scores of other candidates. Where they are unequal, one
    hidden label hides all labels, since scores without their probabilities would mislead.
    """
    masked = hidden.viewer_masks(judgment_set).candidates
    hides_all = judgment_set.has_unequal_sampling and masked.any()
    for position, candidate in enumerate(storage.load_candidates(judgment_set)):
        if hides_all or masked[position]:
            candidate = replace(
                candidate, score=None, ratings=(), criteria=(), marks=(), sampling=None
            )
        yield candidate


def _scores_by_position(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun]
) -> Iterator[list[float | None]]:
    """The scores of each candidate; None for a missing score or a hidden label."""
    arrays = [run.score_array for run in runs]
    masked = hidden.viewer_masks(judgment_set).candidates
    for start in range(0, judgment_set.n_candidates, BLOCK_ROWS):
        part = slice(start, min(start + BLOCK_ROWS, judgment_set.n_candidates))
        block = np.array([scores[part] for scores in arrays]).reshape(
            len(runs), part.stop - part.start
        )
        block[:, masked[part]] = np.nan
        for row in block.T.tolist():
            yield [x if x == x else None for x in row]


def _score_rows(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun]
) -> Iterator[tuple[str, str, float | None, list[float | None]]]:
    rows = judgment_set.candidates.order_by("position").values_list(
        "position", "key", "system", "gold"
    )
    masked = hidden.viewer_masks(judgment_set).candidates
    every = zip(
        rows.iterator(chunk_size=BLOCK_ROWS), _scores_by_position(judgment_set, runs), strict=True
    )
    for (position, key, system, gold), scores in every:
        yield key, system, None if masked[position] else gold, scores


def _text_rows(judgment_set: JudgmentSet, runs: Sequence[MetricRun]) -> Iterator[Row]:
    rows = judgment_set.candidates.order_by("position").values_list(
        "position",
        "key",
        "instance__question",
        "instance__references",
        "text",
        "system",
        "instance__constituent",
        "instance__split",
        "gold",
    )
    masked = hidden.viewer_masks(judgment_set).candidates
    every = zip(
        rows.iterator(chunk_size=BLOCK_ROWS), _scores_by_position(judgment_set, runs), strict=True
    )
    for (position, key, question, references, *rest, gold), scores in every:
        visible_gold = None if masked[position] else gold
        yield [key, question, " | ".join(references), *rest, visible_gold, *scores]


def _rating_rows(judgment_set: JudgmentSet) -> Iterator[Row]:
    names = pseudonyms(judgment_set)
    scales = criteria.scales(judgment_set)
    for candidate in visible_candidates(judgment_set):
        for criterion, ratings in candidate.ratings_by_criterion:
            for rating in ratings:
                yield [
                    candidate.key,
                    candidate.system,
                    names(rating.worker),
                    rating.group,
                    shown_value(rating.value, scales[criterion]),
                    rating.simulated,
                    criterion,
                ]
