"""How often rules end at each of the three exits, where the truth is known.

At the bound, the two wrong answers have 2.5% each. Away from it, the wrong one is rarer, and the
right one is frequent once the passages are enough.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest

from concord.gate.policy import read_policy

pytestmark = pytest.mark.slow

SETS = 200
PASSAGES = 60
# Three standard deviations above 3% of so many sets; with 60 passages, the bootstrap's ends are a
# little too near.
MAX_WRONG = 0.07
# The variance of answers is 4 between passages and 1/4 between two systems, that of ratings 1 more.
ALPHA = 4.25 / 5.25
CORRELATION = 0.6


def sets(rng):
    """A set: answers of two systems to each passage, with two ratings each, and a metric's scores.
    The second system is better by 1, and the mean of the first is 0."""
    passages = rng.normal(0, 2, PASSAGES)
    rows, scores = [], []
    for k, level in enumerate(passages):
        for system, gain in (("first", 0), ("second", 1)):
            ratings = level + gain + rng.normal(0, 1, 2)
            key = f"{k}-{system}"
            rows.append(
                {"id": key, "instance": f"q{k}", "question": f"q{k}?", "references": ["a"]}
                | {"candidate": "a", "system": system, "score": float(ratings.mean())}
                | {"ratings": [{"worker": f"w{w}", "value": x} for w, x in enumerate(ratings)]}
            )
    gold = np.array([row["score"] for row in rows])
    # The mean of two ratings has a variance of 4.25 + 1/2.
    noise = rng.normal(0, np.sqrt(4.75 * (1 / CORRELATION**2 - 1)), len(gold))
    scores = [
        {"id": row["id"], "scores": {"m": value}}
        for row, value in zip(rows, (gold + noise).tolist(), strict=True)
    ]
    return rows, scores


# (keys, the true figure, a distance from it)
KINDS = {
    "agreement": ('level = "interval"\ndraws = 300', ALPHA, 0.18),
    "metric": ('scores = "s.jsonl"\nmetric = "m"', CORRELATION, 0.25),
    "mean": ('system = "first"', 0.0, 1.2),
    "difference": ('system = "second"\nbaseline = "first"', 1.0, 0.6),
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """{(kind, side): share of each verdict}; side is that of the bound: -1, 0 (the truth) or 1."""
    folder = tmp_path_factory.mktemp("sets")
    tables = [
        f'[rules."{kind}"]\nkind = "{kind}"\nfiles = "a.jsonl"\n{keys}\nat_least = {truth}\n'
        for kind, (keys, truth, _) in KINDS.items()
    ]
    (folder / "policy.toml").write_text("".join(tables))
    policy = read_policy(folder / "policy.toml")
    rng, counts = np.random.default_rng(3), defaultdict(Counter)
    for _ in range(SETS):
        for name, rows in zip(("a.jsonl", "s.jsonl"), sets(rng), strict=True):
            (folder / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        for kind, (_, truth, distance) in KINDS.items():
            measured = policy.rules[kind].measure(folder)
            for side in (-1, 0, 1):
                bound = truth + side * distance
                counts[kind, side][replace(measured, at_least=bound).verdict] += 1 / SETS
    return counts


@pytest.mark.parametrize("kind", KINDS)
def test_at_the_bound_both_errors_are_rare(verdicts, kind):
    shares = verdicts[kind, 0]
    assert shares["holds"] <= MAX_WRONG
    assert shares["falls short"] <= MAX_WRONG
    assert shares["not enough evidence"] >= 0.88


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("side", "right", "wrong"), [(-1, "holds", "falls short"), (1, "falls short", "holds")]
)
def test_away_from_the_bound_the_right_answer_is_frequent(verdicts, kind, side, right, wrong):
    shares = verdicts[kind, side]
    assert shares[wrong] == 0
    assert shares[right] >= 0.8
