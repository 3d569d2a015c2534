"""Writes crowd_kit_jury.json beside this file: crowd-kit's majority vote and Dawid-Skene of four
judges that all answer about every item.

    python tests/concord/judges/make_jury_golden.py

in the environment of tests/concord/aggregation/make_golden.py.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation.classification import DawidSkene, MajorityVote

GOLDEN = Path(__file__).with_name("crowd_kit_jury.json")


def main() -> None:
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 3, 90)
    right = rng.random((4, 90)) < np.array([0.9, 0.7, 0.6, 0.5])[:, None]
    answers = np.where(right, gold, rng.integers(0, 3, (4, 90)))
    rows = [(item, judge, int(answers[judge, item])) for item in range(90) for judge in range(4)]
    data = pd.DataFrame(rows, columns=["task", "worker", "label"])
    golden = {
        "gold": gold.tolist(),
        "answers": answers.tolist(),
        "dawid_skene": DawidSkene(n_iter=1000, tol=-1.0).fit_predict(data).sort_index().tolist(),
        "majority": MajorityVote().fit_predict(data).sort_index().tolist(),
    }
    GOLDEN.write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
