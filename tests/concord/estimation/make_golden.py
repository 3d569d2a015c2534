"""Writes ppi_python.json beside this file: estimates of ppi-python on made-up data.

    pip install ppi-python==0.2.3
    python tests/concord/estimation/make_golden.py

in an environment of its own. `lam` is always given: without it, ppi-python ignores `alternative`.
"""

import json
from pathlib import Path

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

GOLDEN = Path(__file__).with_name("ppi_python.json")


def main() -> None:
    cases = []
    for seed, rated, unrated in ((1, 30, 300), (2, 200, 200), (3, 60, 2000)):
        rng = np.random.default_rng(seed)
        truth = rng.normal(3, 1, rated + unrated)
        scores = np.round(0.4 * truth + rng.normal(0, 0.3, rated + unrated), 3)
        outcomes = np.clip(np.round(truth[:rated]), 1, 5)
        for lam in (0.0, 0.5, 1.0):
            arguments = (outcomes, scores[:rated], scores[rated:])
            low, high = ppi_mean_ci(*arguments, alpha=0.05, lam=lam)
            cases.append(
                {
                    "outcomes": outcomes.tolist(),
                    "scores": scores.tolist(),
                    "lam": lam,
                    "mean": float(ppi_mean_pointestimate(*arguments, lam=lam)[0]),
                    "ci": [float(low[0]), float(high[0])],
                }
            )
    GOLDEN.write_text(json.dumps(cases) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
