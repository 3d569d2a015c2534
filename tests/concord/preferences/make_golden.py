"""Writes choix.json and choix_sets.json beside this file: strengths of choix on made-up choices, by
Bradley and Terry's model of pairs, and by Plackett and Luce's of orders of three.

    pip install choix==0.4.1
    python tests/concord/preferences/make_golden.py

in an environment of its own.
"""

import json
from pathlib import Path

import choix
import numpy as np

GOLDEN = Path(__file__).with_name("choix.json")
SETS = GOLDEN.with_name("choix_sets.json")


def main() -> None:
    cases = []
    for seed, systems, choices in ((1, 3, 60), (2, 6, 400), (3, 12, 3000)):
        rng = np.random.default_rng(seed)
        truth = rng.normal(0, 1, systems)
        rows = []
        for _ in range(choices):
            i, j = rng.choice(systems, 2, replace=False)
            wins = rng.random() < 1 / (1 + np.exp(truth[j] - truth[i]))
            rows.append([int(i), int(j)] if wins else [int(j), int(i)])
        strengths = choix.opt_pairwise(systems, rows, alpha=0.0, tol=1e-12)
        strengths -= strengths.mean()
        cases.append({"systems": systems, "choices": rows, "strengths": strengths.tolist()})
    GOLDEN.write_text(json.dumps(cases) + "\n", encoding="utf-8")
    SETS.write_text(json.dumps(orders()) + "\n", encoding="utf-8")


def orders():
    """A best and a worst of three are an order of all three."""
    cases = []
    for seed, systems, choices in ((4, 3, 40), (5, 5, 400)):
        rng = np.random.default_rng(seed)
        truth = rng.normal(0, 1, systems)
        rows = []
        for _ in range(choices):
            members = rng.choice(systems, 3, replace=False)
            heard = truth[members] + rng.gumbel(size=3)
            rows.append([int(member) for member in members[np.argsort(-heard)]])
        strengths = choix.opt_rankings(systems, rows, alpha=0.0, tol=1e-12)
        strengths -= strengths.mean()
        cases.append({"systems": systems, "choices": rows, "strengths": strengths.tolist()})
    return cases


if __name__ == "__main__":
    main()
