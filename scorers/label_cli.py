"""The command line's `label`: answers that nobody judged, labelled by AVA."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from concord.metrics.metric import Metric
from scorers.answer_selection.labelling import (
    ScoredAnswer,
    check_threshold,
    labelled_lines,
    usable,
)
from scorers.ava.metrics import Ava
from scorers.errors import MetricError
from scorers.jsonl import FileError, read_items, replace_file
from scorers.registry import parse_metrics
from scorers.session import Session


def add_label(commands: Any) -> None:
    """Add `label`."""
    parser = commands.add_parser(
        "label", help="label answers with AVA, as training data for answer selection"
    )
    parser.add_argument("file", type=Path, metavar="IN.jsonl", help="as for score")
    parser.add_argument("--metric", default="ava", help="ava, or a checkpoint of it")
    parser.add_argument(
        "--threshold", type=float, default=None, metavar="P",
        help="the probability from which an answer is correct; the checkpoint's own by default",
    )  # fmt: skip
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--out", type=Path, required=True, metavar="OUT.tsv")
    parser.set_defaults(run=_label)


def judge_of(named: str) -> Ava:
    """The one metric named, which must be AVA. Raises MetricError."""
    metrics: list[Metric] = parse_metrics(named)
    if len(metrics) != 1 or not isinstance(metrics[0], Ava):
        raise MetricError(f"answers are labelled by ava or a checkpoint of it, not by {named}")
    return metrics[0]


def _label(parsed: argparse.Namespace) -> int:
    metric = judge_of(parsed.metric)
    threshold = metric.threshold if parsed.threshold is None else parsed.threshold
    try:
        check_threshold(threshold)
    except ValueError as error:
        raise MetricError(str(error)) from error
    ids, items = read_items(parsed.file, metric.needs)
    if not parsed.out.parent.is_dir():
        raise FileError(f"{parsed.out}: there is no folder {parsed.out.parent}")
    with Session(parsed.device) as session:
        scores = session.score(metric, items).tolist()
    answers = [
        ScoredAnswer(str(name), item.question, item.candidate, score)
        for name, item, score in zip(ids, items, scores, strict=True)
    ]
    replace_file(parsed.out, labelled_lines(answers, threshold, metric.signature()))
    kept = list(usable(answers))
    correct = sum(one.probability >= threshold for one in kept)
    left_out = len(answers) - len(kept)
    print(
        f"{parsed.out}: {len(kept)} answers, {correct} correct from {threshold:.4f} on"
        + (f"; {left_out} without question or text left out" if left_out else "")
    )
    return 0
