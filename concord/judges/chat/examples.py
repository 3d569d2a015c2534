"""Few-shot examples: rated candidates of a train split, for the field {examples} of a template."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from concord.frames import cluster_codes
from concord.judges.chat.prompts import TemplateError, escape

if TYPE_CHECKING:
    import pandas as pd


def draw_examples(frame: pd.DataFrame, shots: int, *, split: str, rng: np.random.Generator) -> str:
    """Examples from the judged candidates of a split, at most one a passage.

    frame: with all columns (`complete_frame`). The scores, rounded to whole numbers, are as
    different as the split allows: the rarest of those drawn so far comes next. Raises
    TemplateError where the split has too few passages, or a passage of the split is in another
    one, too: a judge that has seen it would be tested on what it was shown.
    """
    is_train = (frame["split"] == split).to_numpy()
    passages = cluster_codes(frame)
    if shared := set(passages[is_train].tolist()) & set(passages[~is_train].tolist()):
        raise TemplateError(
            f"{len(shared):,} passages of the split '{split}' are in other splits, too: examples "
            "from it would be shown with their own scores"
        )
    gold = frame["score"].to_numpy(np.float64)
    rows = rng.permutation(np.flatnonzero(is_train & np.isfinite(gold)))
    if len(np.unique(passages[rows])) < shots:
        raise TemplateError(
            f"the split '{split}' has judged candidates of {len(np.unique(passages[rows]))} "
            f"passages; {shots} examples need as many"
        )
    drawn: list[int] = []
    counts: dict[int, int] = {}
    while len(drawn) < shots:
        used = {int(passages[row]) for row in drawn}
        free = [row for row in rows.tolist() if int(passages[row]) not in used]
        row = min(free, key=lambda row: counts.get(round(gold[row]), 0))
        drawn.append(row)
        counts[round(gold[row])] = counts.get(round(gold[row]), 0) + 1
    return "\n".join(_example(frame.iloc[row], round(gold[row])) for row in drawn)


def _example(row: pd.Series, score: int) -> str:
    references = "\n".join(row["references"])
    parts = (
        ("question", row["question"]),
        ("passage", row["passage"]),
        ("references", references),
        ("answer", row["candidate"]),
    )
    lines = [f"<{name}>{escape(text)}</{name}>" for name, text in parts if text]
    return "\n".join(["<example>", *lines, f"People's rating: {score}", "</example>"])
