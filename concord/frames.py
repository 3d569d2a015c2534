"""Judgments as pandas DataFrames, one row a candidate, and what the statistics need of them.

Columns of a judgment frame, as in the `concord-judgments` format: `id`, `instance`, `constituent`,
`split`, `category`, `passage`, `question`, `references` (tuple of str), `short_answer`,
`candidate`, `system` (str, empty where unknown), `score` (float64, NaN where not judged) and
`ratings` (tuple of dicts with `worker`, `value`, `group`, `simulated`). Only `candidate` and
`references` are required. `frame.attrs["scale"]` is (lowest, highest), or None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from concord import formats
from concord.formats import JudgmentFile, ReadOptions, instance_key, passage_key
from concord.meta.board import SetFrame
from concord.meta.breakdowns import answer_length, question_type, reference_count
from concord.reliability import Ratings

INSTANCE_COLUMNS = ("constituent", "split", "category", "passage", "question", "short_answer")
_TEXT_COLUMNS = ("id", "instance", *INSTANCE_COLUMNS, "system")


class RatingRow(TypedDict):
    """One rating in the `ratings` of a judgment frame."""

    worker: str
    value: float
    group: NotRequired[str | None]
    simulated: NotRequired[bool]


class FrameError(ValueError):
    """A DataFrame that is not a judgment frame; the message names the column."""


def read_judgments(
    path: str | Path | Sequence[str | Path], format: str = "concord", **options: Any
) -> pd.DataFrame:
    """Read one file, or several files of one format, into a judgment frame.

    `options` are those of `concord.formats.ReadOptions` that the format takes, such as
    `references=5` (kpqa) or `criterion="coherence"` (thumb). Raises FormatError, naming file, line
    and field, and then nothing is read.
    """
    paths = [path] if isinstance(path, str | Path) else list(path)
    file = formats.read_judgments([Path(one) for one in paths], format, ReadOptions(**options))
    return to_frame(file)


def to_frame(file: JudgmentFile) -> pd.DataFrame:
    """The judgment frame of what `concord.formats.read_judgments` returns."""
    rows = [
        {
            "id": candidate.key,
            "instance": candidate.instance.key,
            **{name: getattr(candidate.instance, name) for name in INSTANCE_COLUMNS},
            "references": candidate.instance.references,
            "candidate": candidate.text,
            "system": candidate.system,
            "score": np.nan if candidate.score is None else candidate.score,
            "ratings": tuple(asdict(rating) for rating in candidate.ratings),
        }
        for candidate in file.candidates
    ]
    frame = pd.DataFrame(rows)
    frame.attrs.update(scale=file.scale, notes=file.report.lines())
    return frame


def complete(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy with every column of a judgment frame; missing ones are filled with empty values.

    Rows without `instance` get the hash of passage, question and references, rows without `id`
    their position. Raises FrameError where `candidate` or `references` is missing or unfit.
    """
    for name in ("candidate", "references"):
        if name not in frame:
            raise FrameError(f"the frame has no column {name!r}")
    made = frame.reset_index(drop=True).copy()
    made["references"] = [_references(value, row) for row, value in enumerate(made["references"])]
    if "id" not in made:
        made["id"] = made.index.astype(str)
    for name in _TEXT_COLUMNS:
        made[name] = made[name].fillna("").astype(str) if name in made else ""
    repeated = made["id"][made["id"].duplicated()]
    if len(repeated):
        raise FrameError(f"column 'id': the ids must differ, and {repeated.iloc[0]!r} is repeated")
    unnamed = made["instance"] == ""
    made.loc[unnamed, "instance"] = [
        instance_key(*parts)
        for parts in made.loc[unnamed, ["passage", "question", "references"]].itertuples(
            index=False
        )
    ]
    if "ratings" not in made:
        made["ratings"] = [()] * len(made)
    if "score" not in made:
        made["score"] = np.nan
    made["score"] = made["score"].astype(np.float64)
    return made


def clusters(frame: pd.DataFrame) -> NDArray[np.int64]:
    """The passage of each row as a code from 0, or its instance where the passage is empty."""
    keys = [
        passage_key(passage) or f"instance {instance}"
        for passage, instance in zip(frame["passage"], frame["instance"], strict=True)
    ]
    return np.unique(np.array(keys, dtype=np.str_), return_inverse=True)[1].astype(np.int64)


def set_frame(frame: pd.DataFrame) -> SetFrame:
    """The arrays that board statistics are computed from, of a completed judgment frame."""
    labels = {
        name: frame[name].to_numpy(dtype=np.str_)
        for name in ("constituent", "system", "category", "split")
    }
    labels["type"] = _labels(map(question_type, frame["question"], frame["category"]))
    labels["length"] = _labels(map(answer_length, frame["candidate"]))
    labels["references"] = _labels(reference_count(len(texts)) for texts in frame["references"])
    return SetFrame(frame["score"].to_numpy(np.float64), clusters(frame), labels)


def ratings_of(frame: pd.DataFrame, raters: str | None = None) -> Ratings:
    """The single ratings of a judgment frame by one group of raters, clustered by passage.

    Raises FrameError without single ratings, for a group that does not exist, and where there are
    several groups and none is named.
    """
    judged = complete(frame)
    rows = [
        (str(key), cluster, rating)
        for key, cluster, ratings in zip(
            judged["id"], clusters(judged).tolist(), judged["ratings"], strict=True
        )
        for rating in ratings
    ]
    groups = sorted({rating.get("group") or "" for _, _, rating in rows})
    if not groups:
        raise FrameError("there are no single ratings: agreement cannot be computed")
    named = ", ".join(name or '""' for name in groups)
    if raters is None and len(groups) > 1:
        raise FrameError(f"several groups of raters: name one of {named}")
    if raters is not None and raters not in groups:
        raise FrameError(f"there are no ratings by {raters!r}: there are {named}")
    group = groups[0] if raters is None else raters
    chosen = [row for row in rows if (row[2].get("group") or "") == group]
    return Ratings.of(
        ((key, rating["worker"], float(rating["value"])) for key, _, rating in chosen),
        {key: cluster for key, cluster, _ in chosen},
    )


def _references(value: Any, row: int) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else tuple(value)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise FrameError(f"row {row}, column 'references': a text or a list of texts is needed")
    return texts


def _labels(values: Any) -> NDArray[np.str_]:
    return np.array(list(values), dtype=np.str_)
