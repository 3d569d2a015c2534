"""Metric scores of a judgment frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from concord.documents.board import ScoringRow
from concord.formats.errors import quote
from concord.frames import FrameError, complete_frame, conversations
from concord.metrics import Corpus, Item, Metric, MultiRef, scoring_engine
from concord.metrics.signature import model_variant
from concord.sentences import counted

Device = Literal["auto", "cpu", "cuda"]
Progress = Callable[[int, int], None]


def frame_items(frame: pd.DataFrame) -> list[Item]:
    """The rows of a judgment frame with all columns, as items to score."""
    columns = ["candidate", "references", "question", "passage", "short_answer"]
    return [
        Item(
            candidate=candidate,
            references=references,
            question=question,
            passage=passage,
            short_answer=short_answer,
            conversation=conversation,
        )
        for (candidate, references, question, passage, short_answer), conversation in zip(
            frame[columns].itertuples(index=False), conversations(frame), strict=True
        )
    ]


def parse_metrics(metrics: str | Sequence[str], multi_ref: MultiRef = "max") -> list[Metric]:
    """The metrics named in a comma-separated text or a list. Raises MetricError."""
    text = metrics if isinstance(metrics, str) else ",".join(metrics)
    parsed: list[Metric] = scoring_engine().parse_metrics(text, multi_ref)
    return parsed


def score(
    frame: pd.DataFrame,
    metrics: str | Sequence[str],
    *,
    multi_ref: MultiRef = "max",
    device: Device = "auto",
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Score every candidate. Returns the frame's index and one float64 column per metric.

    `metrics` are names such as `"bleu-1,rouge-l"` or `["aev(alpha=0.3,n=2)"]`. With several
    references, `multi_ref="max"` takes the best single-reference score, "joint" the metric's own
    method. `attrs["metrics"]` describes each column: signature, direction, multi_ref, device,
    items per second (of the metric alone, without start-up; see `scorers.speed`). Raises
    MetricError for an unknown metric, FrameError for a frame without candidates or references,
    ModelError or JavaError where a metric cannot run.
    """
    parsed = parse_metrics(metrics, multi_ref)
    judged = complete_frame(frame)
    _refuse_missing_references(judged, parsed)
    rows = frame_items(judged)
    # A metric that reads no reference depends on no corpus.
    corpus = None
    if any(metric.facts.reads_references for metric in parsed):
        corpus = Corpus.from_references(item.references for item in rows)
    columns: dict[str, NDArray[np.float64]] = {}
    descriptions: dict[str, ScoringRow] = {}
    with scoring_engine().Session(device) as session:
        for position, metric in enumerate(parsed):
            columns[metric.name] = session.score(
                metric, rows, corpus=corpus, progress=_over_all(progress, position, len(parsed))
            )
            signature = metric.signature(corpus)
            descriptions[metric.name] = {
                "multi_ref": metric.multi_ref,
                "signature": signature,
                "variant": model_variant(signature),
                "higher_is_better": metric.higher_is_better,
                "items_per_second": session.items_per_second(metric, rows, corpus),
                "device": session.device(metric),
            }
    scores = pd.DataFrame(columns, index=frame.index)
    scores.attrs["metrics"] = descriptions
    return scores


def is_higher_better(name: str) -> bool:
    """Whether higher scores are better by the metric of this name, with its options or not.

    True for a name that no metric has.
    """
    base = name.partition("(")[0]
    return base not in scoring_engine().names() or parse_metrics(base)[0].higher_is_better


def metric_descriptions(scores: pd.DataFrame) -> dict[str, ScoringRow]:
    """The description of each column of a result of `score`."""
    rows: dict[str, ScoringRow] = scores.attrs["metrics"]
    return rows


def _over_all(progress: Progress | None, position: int, metrics: int) -> Progress | None:
    """A callback that turns the progress of one metric into the progress over all of them."""
    if progress is None:
        return None
    return lambda done, total: progress(position * total + done, metrics * total)


def _refuse_missing_references(frame: pd.DataFrame, metrics: Sequence[Metric]) -> None:
    """Raise FrameError where candidates have no references and metrics compare with them."""
    metrics = [metric for metric in metrics if metric.facts.reads_references]
    if not metrics:
        return
    without = frame["id"][[not texts for texts in frame["references"]]]
    if len(without):
        names = ", ".join(metric.name for metric in metrics)
        raise FrameError(
            f"{counted(len(without), 'candidate')} without references, such as "
            f"{quote(without.iloc[0])}: the metrics {names} compare candidates with them"
        )
