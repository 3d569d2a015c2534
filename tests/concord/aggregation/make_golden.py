"""Writes crowd_kit.json beside this file: posteriors of crowd-kit's Dawid-Skene and MACE.

    pip install --no-deps crowd-kit==1.4.2
    pip install numpy scipy pandas scikit-learn tqdm attrs nltk
    python tests/concord/aggregation/make_golden.py

in an environment of its own: crowd-kit asks for transformers and pyarrow, which these two models do
not use. Both models run until nothing changes, so that where they stop does not matter.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation.classification import MACE, DawidSkene

GOLDEN = Path(__file__).with_name("crowd_kit.json")


def made_up_ratings(seed: int, units: int, raters: int, values: int) -> list[list[int]]:
    """[unit, rater, value]: most raters are right most of the time, one always says 2."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, values + 1, size=units)
    ability = rng.uniform(0.5, 0.95, size=raters)
    rows = []
    for unit in range(units):
        for rater in range(raters):
            if rng.random() < 0.35:
                continue
            right = rng.random() < ability[rater]
            value = int(truth[unit]) if right else int(rng.integers(1, values + 1))
            rows.append([unit, rater, 2 if rater == 0 else value])
    return rows


def mace_posterior(data: pd.DataFrame) -> list[list[float]]:
    """crowd-kit 1.4.2 numbers workers and labels by first appearance but tallies them sorted.

    So they are renamed such that both orders are one, and the columns put back afterwards.
    """
    renamed = data.copy()
    names = {}
    for column in data:
        renamed[column], names[column] = pd.factorize(data[column])
    table = MACE(n_restarts=1, n_iter=300).fit_predict_proba(renamed)
    table.index = names["task"][table.index]
    table.columns = names["label"][table.columns]
    return posterior(table)


def posterior(table: pd.DataFrame) -> list[list[float]]:
    return table.sort_index().sort_index(axis=1).to_numpy().tolist()


def main() -> None:
    cases = []
    for seed, shape in ((1, (60, 8, 4)), (2, (40, 5, 2)), (3, (80, 12, 5))):
        rows = made_up_ratings(seed, *shape)
        data = pd.DataFrame(rows, columns=["task", "worker", "label"])
        dawid_skene = DawidSkene(n_iter=1000, tol=-1.0).fit_predict_proba(data)
        cases.append(
            {"ratings": rows, "dawid_skene": posterior(dawid_skene), "mace": mace_posterior(data)}
        )
    GOLDEN.write_text(json.dumps(cases, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
