"""The command `label`: label unjudged answers with AVA."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from concord.arguments import number
from concord.formats.score_writer import replace_file
from concord.metrics.metric import Metric
from scorers.answer_selection.labelling import (
    ScoredAnswer,
    check_threshold,
    labelled_lines,
    usable_answers,
)
from scorers.ava.metrics import Ava
from scorers.errors import MetricError
from scorers.jsonl import FileError, read_items
from scorers.registry import parse_metrics
from scorers.session import Session


def add_label_command(commands: Any) -> None:
    """Add the command `label`."""
    parser = commands.add_parser(
        "label", help="label answers with AVA, as training data for answer selection"
    )
    parser.add_argument("file", type=Path, metavar="IN.jsonl", help="input of the command score")
    parser.add_argument("--metric", default="ava", help="ava, or the name of an AVA checkpoint")
    parser.add_argument(
        "--threshold", type=number, default=None, metavar="P",
        help="the probability from which an answer is correct; by default the checkpoint's",
    )  # fmt: skip
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--out", type=Path, required=True, metavar="OUT.tsv")
    parser.set_defaults(run=_label)


def parse_ava_metric(name: str) -> Ava:
    """Parse the name of a metric that must be AVA. Raises MetricError for any other."""
    # References are combined as when the checkpoint's threshold was tuned.
    metrics: list[Metric] = parse_metrics(name, "joint")
    if len(metrics) != 1 or not isinstance(metrics[0], Ava):
        raise MetricError(f"--metric must be ava or the name of an AVA checkpoint, not {name!r}")
    return metrics[0]


def _label(parsed: argparse.Namespace) -> int:
    metric = parse_ava_metric(parsed.metric)
    threshold = metric.threshold if parsed.threshold is None else parsed.threshold
    try:
        check_threshold(threshold)
    except ValueError as error:
        raise MetricError(str(error)) from error
    ids, items = read_items(parsed.file, metric.needs)
    if not parsed.out.parent.is_dir():
        raise FileError(
            f"{parsed.out} cannot be written, because there is no folder {parsed.out.parent}: "
            "create it, or choose another --out"
        )
    with Session(parsed.device) as session:
        scores = session.score(metric, items).tolist()
    answers = [
        ScoredAnswer(str(name), item.question, item.candidate, score)
        for name, item, score in zip(ids, items, scores, strict=True)
    ]
    try:
        replace_file(parsed.out, labelled_lines(answers, threshold, metric.signature()))
    except OSError as error:
        raise FileError(f"{parsed.out}: {error.strerror}") from error
    labelled = list(usable_answers(answers))
    correct = sum(answer.probability >= threshold for answer in labelled)
    left_out = len(answers) - len(labelled)
    print(
        f"{parsed.out}: {len(labelled)} answers, {correct} correct (threshold {threshold:.4f})"
        + (f"; left out {left_out} without question or text" if left_out else "")
    )
    return 0
