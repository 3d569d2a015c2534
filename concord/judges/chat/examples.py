"""Few-shot examples: rated candidates of a train split, for the field {examples} of a template."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from concord.arrays import Floats, Integers
from concord.judges.chat.prompts import TemplateError, shown_texts
from concord.metrics import Item
from concord.sentences import counted


def draw_examples(
    splits: NDArray[np.str_],
    gold: Floats,
    clusters: Integers,
    shots: int,
    *,
    split: str,
    rng: np.random.Generator,
) -> list[int]:
    """Rows of judged candidates of a split, at most one a passage.

    splits, gold (NaN where nobody judged) and clusters (passages): (n,). The scores, rounded to
    whole numbers, are as different as the split allows: the rarest of those drawn so far comes
    next. Raises TemplateError where the split has too few passages, or a passage of the split is in
    another one, too: a judge that has seen it would be tested on what it was shown.
    """
    is_train = splits == split
    if shared := set(clusters[is_train].tolist()) & set(clusters[~is_train].tolist()):
        raise TemplateError(
            f"{counted(len(shared), 'passage')} of the split '{split}' in other splits, too: "
            "examples from it would be shown with their own scores"
        )
    rows = rng.permutation(np.flatnonzero(is_train & np.isfinite(gold)))
    if len(np.unique(clusters[rows])) < shots:
        raise TemplateError(
            f"the split '{split}' has judged candidates of {len(np.unique(clusters[rows]))} "
            f"passages; {shots} examples need as many"
        )
    drawn: list[int] = []
    labels = [round(score) for score in np.nan_to_num(gold).tolist()]
    counts: dict[int, int] = {}
    while len(drawn) < shots:
        used = {int(clusters[row]) for row in drawn}
        free = [row for row in rows.tolist() if int(clusters[row]) not in used]
        row = min(free, key=lambda row: counts.get(labels[row], 0))
        drawn.append(row)
        counts[labels[row]] = counts.get(labels[row], 0) + 1
    return drawn


def examples_text(
    examples: Iterable[tuple[Item, float]], fields: Collection[str], scale: tuple[int, int]
) -> str:
    """Candidates with people's scores, rounded to whole numbers, as a template shows them.

    fields: of a candidate that are shown, the template's `sent_fields`. scale: of the judge's
    labels. Raises TemplateError for a score that is not on it: the judge would be shown other
    labels than it may answer.
    """
    rounded = [(item, round(score)) for item, score in examples]
    for _, score in rounded:
        if not scale[0] <= score <= scale[1]:
            raise TemplateError(
                f"people's rating of an example is {score}, and the judge's scale is {scale[0]} to "
                f"{scale[1]}: ask for labels on the scale of the ratings"
            )
    return "\n".join(_example(item, score, fields) for item, score in rounded)


def _example(item: Item, score: int, fields: Collection[str]) -> str:
    texts = shown_texts(item)
    tags = {field: field for field in ("question", "passage", "references")} | {
        "candidate": "answer"
    }
    lines = [
        f"<{tag}>{texts[field]}</{tag}>"
        for field, tag in tags.items()
        if texts[field] and field in fields
    ]
    return "\n".join(["<example>", *lines, f"People's rating: {score}", "</example>"])
