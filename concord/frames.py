"""Judgments as pandas DataFrames, one row per candidate.

Columns of a judgment frame, as in the `concord-judgments` format: `id`, `instance`, `constituent`,
`split`, `category`, `passage`, `question`, `references` (tuple of str), `short_answer`,
`candidate`, `system` (str, empty where unknown), `score` (float64, NaN where not judged) and
`ratings` (tuple of dicts with `worker`, `value`, `group`, `simulated`). Only `candidate` is
required; no metric can score a row whose `references` are empty. `sampling` (dict
with `unit`, `probabilities`, `drawn`, or None) is there where candidates were sampled,
`conversation` (dict with `messages` and `judged`, or None) where instances are conversations: their
`question` is that for metrics.
`frame.attrs["scale"]` is (lowest, highest), or None; `frame.attrs["report"]` says what was read of
the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain, compress, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from concord import formats
from concord.documents.conversation import Conversation
from concord.formats import (
    FormatError,
    FormatRecipe,
    JudgmentFile,
    Problem,
    ReadOptions,
    has_unequal_draws,
    instance_key,
    passage_key,
)
from concord.formats.errors import choices_of
from concord.formats.records import RatingRecord, order_fault
from concord.formats.registry import garbage_ignored
from concord.meta.board import SetArrays
from concord.meta.breakdowns import answer_length, question_type, reference_count
from concord.reliability import Ratings

if TYPE_CHECKING:
    import pandas as pd

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
    path: str | Path | Sequence[str | Path], format: str | FormatRecipe = "concord", **options: Any
) -> pd.DataFrame:
    """Read one file, or several files of one format, into a judgment frame.

    `format` is the name of a format or recipe, or a recipe (`concord.formats.read_recipe`).

    `options` are those of `concord.formats.ReadOptions` that the format takes, such as
    `references=5` (kpqa) or `criterion="coherence"` (thumb). A file with several criteria and no
    score besides needs `criterion`. Raises FormatError, which names file, line and field; a file
    with an error is rejected as a whole.
    """
    file = read_judgment_file(path, format, **options)
    if has_only_criteria(file):
        criteria = file.report.criteria
        message = f"the file has criteria and no score besides; {choices_of(criteria, 'criteria')}"
        raise FormatError([Problem("", line=None, field="criterion", message=message)])
    return to_frame(file)


def read_judgment_file(
    path: str | Path | Sequence[str | Path], format: str | FormatRecipe = "concord", **options: Any
) -> JudgmentFile:
    """The records that `read_judgments` makes a frame of. Raises FormatError."""
    paths = [path] if isinstance(path, str | Path) else list(path)
    if formats.accepts(format, "without_references"):
        options.setdefault("without_references", True)
    return formats.read_judgments([Path(name) for name in paths], format, ReadOptions(**options))


def has_only_criteria(file: JudgmentFile) -> bool:
    """Whether candidates have values of criteria, and no score besides."""
    return bool(file.report.criteria) and all(one.score is None for one in file.candidates)


def criteria_scores(file: JudgmentFile) -> pd.DataFrame:
    """One float64 column for each criterion, with the ids of candidates as index; NaN for none."""
    import pandas as pd

    rows = {
        candidate.key: {one.name: one.score for one in candidate.criteria if one.score is not None}
        for candidate in file.candidates
    }
    table = pd.DataFrame.from_dict(rows, orient="index", dtype=np.float64)
    return table.reindex(columns=list(file.report.criteria))


@garbage_ignored()
def to_frame(file: JudgmentFile) -> pd.DataFrame:
    """The judgment frame of a result of `concord.formats.read_judgments`."""
    import pandas as pd

    rows = [
        {
            "id": candidate.key,
            "instance": candidate.instance.key,
            **{name: getattr(candidate.instance, name) for name in INSTANCE_COLUMNS},
            "references": candidate.instance.references,
            "candidate": candidate.text,
            "system": candidate.system,
            "score": np.nan if candidate.score is None else candidate.score,
            "ratings": tuple([_rating_row(rating) for rating in candidate.ratings]),
        }
        for candidate in file.candidates
    ]
    frame = pd.DataFrame(rows)
    if any(candidate.sampling for candidate in file.candidates):
        frame["sampling"] = [
            None if one.sampling is None else asdict(one.sampling) for one in file.candidates
        ]
    if any(candidate.instance.conversation for candidate in file.candidates):
        frame["conversation"] = [one.instance.conversation for one in file.candidates]
    frame.attrs.update(scale=file.scale, notes=file.report.lines(), report=file.report)
    return frame


def complete_frame(source: pd.DataFrame) -> pd.DataFrame:
    """A copy with every column of a judgment frame; missing ones are filled with empty values.

    Rows without `instance` get the hash of passage, question, references and turns, rows without
    `id` their position. Raises FrameError where `candidate` is missing or `references` are invalid.
    """
    if "candidate" not in source:
        raise FrameError("the frame has no column 'candidate'")
    frame = source.reset_index(drop=True).copy()
    if "references" not in frame:
        frame["references"] = [()] * len(frame)
    frame["references"] = [_references(value, row) for row, value in enumerate(frame["references"])]
    if "id" not in frame:
        frame["id"] = frame.index.astype(str)
    for name in _TEXT_COLUMNS:
        frame[name] = frame[name].fillna("").astype(str) if name in frame else ""
    repeated = frame["id"][frame["id"].duplicated()]
    if len(repeated):
        raise FrameError(
            f"column 'id': {repeated.iloc[0]!r} occurs more than once; ids must be unique"
        )
    unnamed = frame["instance"] == ""
    parts = frame.loc[unnamed, ["passage", "question", "references"]].itertuples(index=False)
    turns = compress(conversations(frame), unnamed)
    frame.loc[unnamed, "instance"] = [
        instance_key(passage, question, references, conversation)
        for (passage, question, references), conversation in zip(parts, turns, strict=True)
    ]
    if "ratings" not in frame:
        frame["ratings"] = [()] * len(frame)
    if "score" not in frame:
        frame["score"] = np.nan
    frame["score"] = frame["score"].astype(np.float64)
    return frame


def conversations(frame: pd.DataFrame) -> list[Conversation | None]:
    """The conversation of each row; None where it has none."""
    if "conversation" not in frame:
        return [None] * len(frame)
    # pandas may have filled what is missing with NaN.
    return [cast(Conversation, one) if isinstance(one, dict) else None
            for one in frame["conversation"]]  # fmt: skip


def cluster_codes(frame: pd.DataFrame) -> NDArray[np.int64]:
    """A code from 0 for each row's passage, or for its instance where the passage is empty."""
    keys = [
        passage_key(passage) or f"instance {instance}"
        for passage, instance in zip(frame["passage"], frame["instance"], strict=True)
    ]
    return np.unique(np.array(keys, dtype=np.str_), return_inverse=True)[1].astype(np.int64)


def shared_passages(frame: pd.DataFrame) -> dict[str, int] | None:
    """The code of each candidate's passage by its id; None where no two candidates share one."""
    codes = cluster_codes(frame).tolist()
    return dict(zip(frame["id"], codes, strict=True)) if len(set(codes)) < len(codes) else None


def is_sampled(frame: pd.DataFrame) -> bool:
    """Whether the candidates of a frame were drawn by a design."""
    return "sampling" in frame and bool(frame["sampling"].notna().any())


def has_unequal_sampling(frame: pd.DataFrame) -> bool:
    """Whether candidates were drawn with unequal probabilities in a wave."""
    if not is_sampled(frame):
        return False
    return has_unequal_draws(row["probabilities"] for row in frame["sampling"].dropna())


def refuse_unequal_sampling(frame: pd.DataFrame) -> None:
    """Raise FrameError where rated candidates were drawn with unequal probabilities in a wave.

    Correlations, agreement and plain means of such a sample describe the sample, not the set.
    """
    if has_unequal_sampling(frame):
        raise FrameError(
            "the candidates were drawn with unequal probabilities: unweighted figures of them "
            "would be biased. Use `concord estimate`, which weighs them"
        )


def refuse_unordered(frame: pd.DataFrame) -> None:
    """Raise FrameError where ratings are words without an order, for figures that compare them."""
    if fault := order_fault(frame.attrs.get("scale")):
        raise FrameError(fault)


def _rating_row(rating: RatingRecord) -> RatingRow:
    return {
        "worker": rating.worker,
        "value": rating.value,
        "group": rating.group,
        "simulated": rating.simulated,
    }


def to_set_arrays(frame: pd.DataFrame) -> SetArrays:
    """Arrays for the statistics of a board, from a frame with all columns (`complete_frame`)."""
    labels = {
        name: frame[name].to_numpy(dtype=np.str_)
        for name in ("constituent", "system", "category", "split")
    }
    labels["type"] = _labels(map(question_type, frame["question"], frame["category"]))
    labels["length"] = _labels(map(answer_length, frame["candidate"]))
    labels["references"] = _labels(reference_count(len(texts)) for texts in frame["references"])
    return SetArrays(frame["score"].to_numpy(np.float64), cluster_codes(frame), labels)


def extract_ratings(frame: pd.DataFrame, raters: str | None = None) -> Ratings:
    """The individual ratings of one group of raters, clustered by passage.

    Raises FrameError where the frame has no individual ratings, where the group does not exist,
    and where there are several groups and `raters` is None.
    """
    judged = complete_frame(frame)
    keys = judged["id"].tolist()
    ratings = list(chain.from_iterable(judged["ratings"]))
    units = list(chain.from_iterable(map(repeat, keys, map(len, judged["ratings"]))))
    groups_of = [rating.get("group") or "" for rating in ratings]
    groups = sorted(set(groups_of))
    if not groups:
        raise FrameError(
            "there are no ratings of single raters, which agreement needs; concord inspect FILE "
            "says what each column of a file was taken for"
        )
    group_names = ", ".join(name or '""' for name in groups)
    if raters is None and len(groups) > 1:
        raise FrameError(f"there are several groups of raters; choose one of {group_names}")
    if raters is not None and raters not in groups:
        raise FrameError(f"unknown group of raters {raters!r}; choose one of {group_names}")
    group = groups[0] if raters is None else raters
    if len(groups) > 1:
        is_chosen = [one == group for one in groups_of]
        ratings, units = list(compress(ratings, is_chosen)), list(compress(units, is_chosen))
    return Ratings.from_columns(
        units,
        [rating["worker"] for rating in ratings],
        [float(rating["value"]) for rating in ratings],
        dict(zip(keys, cluster_codes(judged).tolist(), strict=True)),
    )


def _references(value: Any, row: int) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else tuple(value)
    if not all(isinstance(text, str) for text in texts):
        raise FrameError(f"row {row}, column 'references': must be a string or a list of strings")
    return texts


def _labels(values: Any) -> NDArray[np.str_]:
    return np.array(list(values), dtype=np.str_)
