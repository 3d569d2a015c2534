"""The commands on files beside `score` and `train`: evaluate, baseline, label, pairs, encoders."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, TypedDict

from concord.arguments import number
from concord.formats.score_writer import replace_file
from scorers.ava.metrics import Ava
from scorers.ava.training import Construction, counts_table, write_pairs
from scorers.datasets import judgments, questions, selection
from scorers.datasets.items import check_folder, read_items
from scorers.datasets.lines import text_lines
from scorers.datasets.selection import (
    ScoredAnswer,
    check_threshold,
    labelled_lines,
    usable_answers,
)
from scorers.encoders import DEFAULT
from scorers.encoders.fetch import add_encoder
from scorers.encoders.locate import KNOWN, KnownEncoder, added_folder, is_added
from scorers.errors import FileError, MetricError, TrainingError
from scorers.registry import parse_metrics
from scorers.session import Session
from scorers.training_commands import data_file, format_figures

DEVICES = ("auto", "cpu", "cuda")
SPLITS = ("train", "dev", "test")


def add_file_commands(commands: Any) -> None:
    """Add the commands of this module."""
    _add_evaluate(commands.add_parser("evaluate", help="evaluate a learned metric on a file"))
    _add_baseline(
        commands.add_parser("baseline", help="compute BERTScore of unrelated texts, for rescaling")
    )
    _add_label(
        commands.add_parser(
            "label", help="label answers with AVA, as training data for answer selection"
        )
    )
    _add_pairs(
        commands.add_parser(
            "pairs", help="make AVA's pairs from answer selection files, and count them"
        )
    )
    _add_encoders(commands.add_parser("encoders", help="list the known encoders, or add one"))


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("name", metavar="NAME",
           help="a shipped checkpoint, such as kpqa or lerc-features, or a folder")  # fmt: skip
    option("file", type=Path, metavar="FILE")
    option("--format", required=True, choices=(*questions.FORMATS, *judgments.FORMATS))
    option("--part", choices=("all", *SPLITS), default="all",
           help="the part of the file, by the checkpoint's own split")  # fmt: skip
    option("--by", choices=("constituent", "system"), default=None,
           help="also print figures for each group")  # fmt: skip
    option("--device", choices=DEVICES, default="auto")
    option("--json", action="store_true")
    parser.set_defaults(run=_evaluate)


def _evaluate(parsed: argparse.Namespace) -> int:
    if parsed.format in judgments.FORMATS:
        from scorers.learned.evaluation import evaluate_on_judgments

        figures: dict[str, Any] = evaluate_on_judgments(
            parsed.name, parsed.file, parsed.format, parsed.device, parsed.part, parsed.by
        )
    else:
        from scorers.keyphrases.training import evaluate_predictor

        figures = {**evaluate_predictor(parsed.name, parsed.file, parsed.format, parsed.device)}
    if parsed.json:
        print(json.dumps(figures))
        return 0
    groups = figures.pop("groups", {})
    print(format_figures(figures))
    for name, group in groups.items():
        print(f"{name}: {format_figures(group)}")
    return 0


def _add_baseline(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("file", type=Path, metavar="TEXTS", help="texts in UTF-8, one a line")
    option("--encoder", default=DEFAULT)
    option("--pairs", type=int, default=20_000)
    option("--seed", type=int, default=1)
    option("--source", default="", help="a description of the texts, stored in the file")
    option("--out", type=Path, required=True, metavar="OUT.json")
    option("--device", choices=DEVICES, default="auto")
    parser.set_defaults(run=_baseline)


def _baseline(parsed: argparse.Namespace) -> int:
    from scorers.bertscore.baseline import compute_baseline
    from scorers.models import Models

    texts = [line for _, line in text_lines(parsed.file)]
    try:
        baseline = compute_baseline(
            texts,
            parsed.encoder,
            parsed.pairs,
            parsed.seed,
            parsed.source or parsed.file.name,
            Models(parsed.device),
        )
    except ValueError as error:
        raise FileError(f"{parsed.file}: {error}") from error
    baseline.write(parsed.out)
    print(f"{parsed.out}: F1 {', '.join(f'{f:.4f}' for _, _, f in baseline.layers)} by layer")
    return 0


def _add_label(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("file", type=Path, metavar="IN.jsonl", help="input of the command score")
    option("--metric", default="ava", help="ava, or the name of an AVA checkpoint")
    option("--threshold", type=number, default=None, metavar="P",
           help="the probability from which an answer is correct; by default the "
                "checkpoint's")  # fmt: skip
    option("--device", choices=DEVICES, default="auto")
    option("--out", type=Path, required=True, metavar="OUT.tsv")
    parser.set_defaults(run=_label)


def _label(parsed: argparse.Namespace) -> int:
    # References are combined as when the checkpoint's threshold was tuned.
    metric, *others = parse_metrics(parsed.metric, "joint")
    if others or not isinstance(metric, Ava):
        raise MetricError(
            f"--metric must be ava or the name of an AVA checkpoint, not {parsed.metric!r}"
        )
    threshold = metric.threshold if parsed.threshold is None else parsed.threshold
    try:
        check_threshold(threshold)
    except ValueError as error:
        raise MetricError(str(error)) from error
    ids, items = read_items(parsed.file, metric.needs)
    check_folder(parsed.out)
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


def _add_pairs(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    for split in SPLITS:
        option(f"--{split}", action="append", default=[], metavar="FORMAT:FILE",
               help=f"formats: {', '.join(selection.FORMATS)}; repeatable")  # fmt: skip
    option("--max-pairs", "--most", type=int, default=None, metavar="N",
           help="maximum positives, and negatives, for a question")  # fmt: skip
    option("--seed", type=int, default=1, help="the seed of the draw")
    option("--out", type=Path, required=True, metavar="OUT.jsonl")
    parser.set_defaults(run=_pairs)


def _pairs(parsed: argparse.Namespace) -> int:
    files = [
        (split, *data_file(value, tuple(selection.FORMATS)))
        for split in SPLITS
        for value in getattr(parsed, split)
    ]
    if not files:
        raise TrainingError("no file: add --train, --dev or --test FORMAT:FILE")
    try:
        construction = Construction(most=parsed.max_pairs, seed=parsed.seed)
    except ValueError as error:
        raise TrainingError(str(error)) from error
    print(counts_table(write_pairs(parsed.out, files, construction)))
    return 0


class EncoderRow(TypedDict):
    """`folder` is null for the encoder that is installed with Concord, and for absent ones."""

    name: str
    parameters: int
    licence: str
    origin: str
    sha256: str
    layers: int
    bertscore_layer: int
    available: bool
    folder: str | None


def _add_encoders(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print all facts as JSON")
    parser.set_defaults(run=_list_encoders)
    actions = parser.add_subparsers(metavar="ACTION")
    adding = actions.add_parser("add", help="download an encoder, verify it and store it")
    adding.add_argument("name", metavar="NAME", help="such as all-mpnet-base-v2")
    adding.set_defaults(run=_add_encoder)


def _list_encoders(parsed: argparse.Namespace) -> int:
    rows = [_encoder_row(known) for known in KNOWN.values()]
    if parsed.json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        print(f"{row['name']}  {row['parameters'] / 1e6:.0f} million parameters, {row['licence']}")
        print(f"    From {row['origin']}.")
        print(f"    Weights: SHA-256 {row['sha256']}")
        if not row["available"]:
            print(f"    Not here: python -m scorers encoders add {row['name']}")
        else:
            print(f"    In {row['folder']}" if row["folder"] else "    Installed with Concord")
    return 0


def _encoder_row(known: KnownEncoder) -> EncoderRow:
    added = is_added(known.name)
    return {
        "name": known.name,
        "parameters": known.parameters,
        "licence": known.licence,
        "origin": known.origin,
        "sha256": known.sha256,
        "layers": known.layers,
        "bertscore_layer": known.bertscore_layer,
        "available": added or known.archive is None,
        "folder": str(added_folder(known.name)) if added else None,
    }


def _add_encoder(parsed: argparse.Namespace) -> int:
    folder = add_encoder(parsed.name, lambda line: print(line, file=sys.stderr))
    print(f"{parsed.name} is in {folder}")
    return 0
