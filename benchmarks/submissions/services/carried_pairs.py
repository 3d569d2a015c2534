"""The scores of a judge of pairs, and those that apply to the pairs of a set's next version.

A judge gives the answers of a pair scores that compare them with each other. So a pair's scores are
carried over to a pair of the same two answers only, in either order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.runs.models import MetricRun, Submission
from benchmarks.runs.services.runs import item_keys
from benchmarks.sets.services import judged_pairs

Judged = Submission.Judged
Scores = NDArray[np.float64]


def _pair_ids(submission: Submission) -> list[str]:
    """The ids of the pairs that a judge is asked about, by position."""
    judgment_set = submission.judgment_set
    is_judged = submission.judged == Judged.JUDGED_PAIRS
    pairs = judgment_set.judged_pairs if is_judged else judgment_set.pairs
    return list(pairs.order_by("position").values_list("key", flat=True))


def pair_scores(submission: Submission) -> Scores:
    """The scores of the members of a judge's pairs, (n_pairs, 2), NaN where it has none."""
    if submission.judged == Judged.JUDGED_PAIRS:
        scores = np.frombuffer(bytes(submission.choice_scores or b""), dtype="<f8")
    else:
        run = MetricRun.objects.defer(None).get(submission=submission)
        scores = run.score_array[submission.judgment_set.n_candidates :]
    return scores.reshape(-1, 2)


def set_pair_scores(submission: Submission, scores: Scores) -> Scores:
    """Set the scores of the members of a judge's pairs, (n_pairs, 2). Returns those of its run,
    (n_items,)."""
    judgment_set = submission.judgment_set
    of_run = np.full(judgment_set.n_items, np.nan)
    if submission.judged == Judged.JUDGED_PAIRS:
        submission.choice_scores = scores.astype("<f8").tobytes()
    else:
        of_run[judgment_set.n_candidates :] = scores.ravel()
    return of_run


def carried_scores(source: Submission, copy: Submission) -> Scores | None:
    """The scores of the copy's pairs, (n_pairs, 2), NaN for an invalid answer; None where there are
    no pairs, or the judge was not asked about all of them.

    Of pairs with the same texts, one with the same id comes first.
    """
    scores = pair_scores(source)
    by_pair: dict[tuple[str, bytes, bytes], Scores] = {}
    by_texts: dict[tuple[bytes, bytes], Scores] = {}
    asked = [(*pair, row) for pair, row in zip(_identities(source), scores, strict=True)]
    for pair_id, (first, second), row in asked:  # a pair in the same order overwrites these
        by_pair[pair_id, second, first] = by_texts[second, first] = row[::-1]
    for pair_id, (first, second), row in asked:
        by_pair[pair_id, first, second] = by_texts[first, second] = row
    rows = [
        by_pair.get((pair_id, *texts), by_texts.get(texts)) for pair_id, texts in _identities(copy)
    ]
    if not rows or any(row is None for row in rows):
        return None
    return np.array(rows)


def _identities(submission: Submission) -> list[tuple[str, tuple[bytes, bytes]]]:
    """The id of each pair, and the hashes of its members with their context, by position."""
    judgment_set = submission.judgment_set
    keys = item_keys(judgment_set, context=True)
    if submission.judged == Judged.JUDGED_PAIRS:
        positions = judged_pairs.members(judgment_set)
        texts = [(keys[first], keys[second]) for first, second in positions]
    else:
        members = keys[judgment_set.n_candidates :]
        texts = list(zip(members[::2], members[1::2], strict=True))
    return list(zip(_pair_ids(submission), texts, strict=True))
