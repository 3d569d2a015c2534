"""Choosing one of several prompts (or judges) on a train split, and what the choice is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.inference import (
    MIN_CLUSTERS,
    Estimate,
    moment_sums,
    pearson_of_sums,
    resampled_estimate,
    resampled_sums,
)
from concord.sentences import counted


class SelectionError(ValueError):
    """The choice cannot be made; the message says why."""


@dataclass(frozen=True)
class Selection:
    """The prompt with the highest Pearson's r on the train part.

    train, test: r of each prompt on both parts, in the order of the names; test has intervals by
    the bootstrap over passages. optimism: r of the chosen one on train less that on test, with its
    interval; what the choice promised too much. others: how often, over resamples of the train
    passages, each prompt is the best one; in [0, 1].
    """

    names: tuple[str, ...]
    chosen: int
    train: list[Estimate]
    test: list[Estimate]
    optimism: Estimate
    others: list[float]


def select_on_train(
    names: tuple[str, ...],
    scores: NDArray[np.float64],
    gold: NDArray[np.float64],
    is_train: NDArray[np.bool_],
    clusters: NDArray[np.int64],
    *,
    rng: np.random.Generator,
    draws: int = 1000,
) -> Selection:
    """Choose one of M prompts by their scores (M, n) on the train items.

    gold: (n,), finite. clusters: passages; items of one passage are on one side and are drawn
    together. An item that a prompt did not score (NaN) is left out for all prompts: they are
    compared on the same items. A prompt that scored nothing of the train part, such as one with
    examples of it, is not chosen; it has a figure of the test part.

    Raises SelectionError for a passage on both sides, fewer than MIN_CLUSTERS passages on one, and
    a prompt whose scores, or gold that, do not vary there.
    """
    if both := set(clusters[is_train].tolist()) & set(clusters[~is_train].tolist()):
        raise SelectionError(
            f"{counted(len(both), 'passage')} in the train part and outside of it: what was chosen "
            "on them cannot be tested on them"
        )
    everyone = np.ones(len(scores), dtype=np.bool_)
    may_win = np.asarray(np.isfinite(scores[:, is_train]).any(axis=1))
    if not may_win.any():  # the error says what the train part lacks
        may_win = everyone
    sides = []
    for part, who, name in (
        (is_train, may_win, "train part"),
        (~is_train, everyone, "test part"),
    ):
        rows = np.flatnonzero(part & np.isfinite(scores[who]).all(axis=0))
        passages = len(np.unique(clusters[rows]))
        if passages < MIN_CLUSTERS:
            message = f"the {name} has {counted(passages, 'passage')} that every prompt scored"
            raise SelectionError(f"{message}; {MIN_CLUSTERS} or more are needed")
        sums = moment_sums(scores[np.ix_(who, rows)], gold[rows], clusters[rows])
        observed = pearson_of_sums(sums.sum(axis=-1))
        if np.isnan(observed).any():
            silent = np.flatnonzero(who)[int(np.argmax(np.isnan(observed)))]
            raise SelectionError(f"{names[silent]} or people gave all of the {name} the same score")
        # Every prompt is drawn with the same passages.
        sides.append((observed, pearson_of_sums(resampled_sums(sums, rng, draws)), passages))
    (of_train, drawn_of_train, train_passages), (of_test, test_draws, test_passages) = sides
    observed = np.full(len(names), np.nan)
    observed[may_win] = of_train
    chosen = int(np.nanargmax(observed))
    train_draws = np.full((len(names), draws), -np.inf)
    train_draws[may_win] = drawn_of_train
    best = np.bincount(np.nanargmax(train_draws, axis=0), minlength=len(names)) / draws
    gap = train_draws[chosen] - test_draws[chosen]
    optimism = float(observed[chosen] - of_test[chosen])
    return Selection(
        names=names,
        chosen=chosen,
        train=[
            Estimate(None, reason="it did not judge the train part")
            if np.isnan(value)
            else Estimate(float(value))
            for value in observed
        ],
        test=[
            resampled_estimate(drawn, float(value), test_passages, "correlation")
            for drawn, value in zip(test_draws, of_test, strict=True)
        ],
        optimism=resampled_estimate(
            gap, optimism, min(train_passages, test_passages), "difference"
        ),
        others=best.tolist(),
    )
