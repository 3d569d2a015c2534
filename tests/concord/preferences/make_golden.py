"""Writes choix.json beside this file: strengths of choix's Bradley-Terry on made-up choices.

    pip install choix==0.4.1
    python tests/concord/preferences/make_golden.py

in an environment of its own.
"""

import json
from pathlib import Path

import choix
import numpy as np

GOLDEN = Path(__file__).with_name("choix.json")


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


if __name__ == "__main__":
    main()
