"""The scores of a judge of pairs, and those that apply to the pairs of a set's next version.

A judge gives the answers of a pair scores that compare them with each other. So a pair's scores are
carried over to a pair of the same two answers only, in either order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.runs.models import MetricRun, Submission
from benchmarks.runs.services.runs import item_keys
from benchmarks.sets.models import JudgmentSet

Scores = NDArray[np.float64]


def pair_ids(judgment_set: JudgmentSet) -> list[str]:
    """The ids of the pairs that a judge is asked about, by position."""
    return list(judgment_set.pairs.order_by("position").values_list("key", flat=True))


def pair_scores(submission: Submission) -> Scores:
    """The scores of the members of a judge's pairs, (n_pairs, 2), NaN where it has none."""
    if submission.known_scores is not None:
        scores = np.frombuffer(bytes(submission.known_scores), dtype="<f8")
    else:
        run = MetricRun.objects.defer(None).get(submission=submission)
        scores = run.score_array[submission.judgment_set.n_candidates :]
    return scores.reshape(-1, 2)


def run_scores(judgment_set: JudgmentSet, scores: Scores) -> Scores:
    """The scores of a run, (n_items,), with those of the pairs, (n_pairs, 2)."""
    return np.concatenate([np.full(judgment_set.n_candidates, np.nan), scores.ravel()])


def carried_scores(source: Submission, judgment_set: JudgmentSet) -> tuple[Scores, bool]:
    """The scores of the set's pairs, (n_pairs, 2), NaN without one, and whether the judge was
    asked about all of them.

    Of pairs with the same texts, one with the same id comes first. A complete source was asked
    about all its pairs; those without scores had an invalid answer.
    """
    scores = pair_scores(source)
    is_asked: NDArray[np.bool_] = np.isfinite(scores).all(axis=1)
    if source.known_scores is None:
        is_asked = np.ones_like(is_asked)
    by_pair: dict[tuple[str, bytes, bytes], Scores] = {}
    by_texts: dict[tuple[bytes, bytes], Scores] = {}
    asked = [
        (pair_id, texts, row)
        for (pair_id, texts), row, known in zip(
            _identities(source.judgment_set), scores, is_asked.tolist(), strict=True
        )
        if known
    ]
    for pair_id, (first, second), row in asked:  # a pair in the same order overwrites these
        by_pair[pair_id, second, first] = by_texts[second, first] = row[::-1]
    for pair_id, (first, second), row in asked:
        by_pair[pair_id, first, second] = by_texts[first, second] = row
    rows = [
        by_pair.get((pair_id, *texts), by_texts.get(texts))
        for pair_id, texts in _identities(judgment_set)
    ]
    missing = np.full(2, np.nan)
    carried = np.array([missing if row is None else row for row in rows]).reshape(-1, 2)
    return carried, all(row is not None for row in rows)


def _identities(judgment_set: JudgmentSet) -> list[tuple[str, tuple[bytes, bytes]]]:
    """The id of each pair, and the hashes of its members with their context, by position."""
    members = item_keys(judgment_set, context=True)[judgment_set.n_candidates :]
    texts = zip(members[::2], members[1::2], strict=True)
    return list(zip(pair_ids(judgment_set), texts, strict=True))
