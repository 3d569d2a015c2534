"""The command line of the judges: `train lerc`, `train sts`, `train ava`, and `evaluate`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorers.errors import TrainingError
from scorers.learned.settings import TrainingSettings
from scorers.training_options import (
    TrainingProgress,
    add_training_options,
    command_line,
    share,
    shown,
    training_settings,
)

if TYPE_CHECKING:
    from scorers.judges.form import Head
    from scorers.judges.plan import Recipe
    from scorers.judges.training import Run
    from scorers.learned.card import Card

JUDGMENT_FORMATS = ("concord", "mocha", "sts")
_SELECTION_FORMATS = ("trecqa", "wikiqa", "tsv")
_KEYPHRASE_FORMATS = ("squad", "hotpotqa", "msmarco", "qamr", "trecqa")
_PARTS = ("passage", "question", "reference", "candidate")


def add_lerc(kinds: Any) -> None:
    """Add `train lerc` and `train sts`."""
    # The defaults are those of scorers.lerc.training, which is not imported to show a help page.
    settings = TrainingSettings(epochs=3, batch_size=32, max_tokens=512, best_by="pearson")
    for kind, what in (("lerc", "LERC"), ("sts", "the sentence similarity baseline")):
        parser = _parser(kinds, kind, what)
        option = parser.add_argument
        add_judgment_options(parser, JUDGMENT_FORMATS)
        parts = _PARTS if kind == "lerc" else _PARTS[2:]
        option("--parts", type=_words, default=parts, metavar="PART[,PART...]",
               help=f"what the input has, of {', '.join(_PARTS)}")  # fmt: skip
        option("--reading", choices=("joined", "match"), default="joined",
               help="one input of all parts, or reference and candidate matched")  # fmt: skip
        option("--layer", type=int, default=0, help="the hidden layer a match compares")
        option("--keyphrases", action="append", default=[], metavar="FORMAT:FILE",
               help="learn keyphrases beside, from " + ", ".join(_KEYPHRASE_FORMATS))  # fmt: skip
        option("--keyphrase-weight", type=float, default=0.5, help="what their loss weighs")
        add_head_options(parser, "mse")
        if kind == "sts":
            settings = TrainingSettings(epochs=4, batch_size=32, max_tokens=256, best_by="pearson")
        add_training_options(parser, settings, ((1e-5, 2e-5, 3e-5), (1, 2, 3)))
        option("--best-by", default="pearson", help="the dev figure that says what is best")
        parser.set_defaults(run=_train_lerc, kind=kind, defaults=settings)


def add_ava(kinds: Any) -> None:
    """Add `train ava`."""
    # As in scorers.ava.training.
    settings = TrainingSettings(epochs=2, batch_size=32, max_tokens=128, best_by="f1")
    parser = _parser(kinds, "ava", "AVA")
    option = parser.add_argument
    add_judgment_options(parser, (*JUDGMENT_FORMATS, *_SELECTION_FORMATS))
    option("--design", choices=("linear", "A0", "A1", "A2"), default="A2")
    option("--pairs", type=_words, default=None, metavar="PAIR[,PAIR...]",
           help="of q-r,q-t,r-t (A0) and q-rt,r-qt,t-qr (A1); all of its own by default, and "
                "r-qt,t-qr for A2")  # fmt: skip
    option("--shared", action="store_true", help="one encoder for all, not one for each")
    option("--peer", choices=("other", "own", "cross"), default="other",
           help="what A2's second pass receives")  # fmt: skip
    option("--most", type=int, default=None,
           help="the most positives, and negatives, made of a question")  # fmt: skip
    option("--correct-from", type=share, default=0.5,
           help="the share of the scale from which a judged answer is correct")  # fmt: skip
    add_head_options(parser, None)
    add_training_options(parser, settings, ((1e-6,), (1,)))
    option("--best-by", default="f1", help="the dev figure that says what is best")
    parser.set_defaults(run=_train_ava, defaults=settings)


def add_judgment_options(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """The options that say which judgments to train on, and on which parts of them."""
    option = parser.add_argument
    option("--data", action="append", required=True, metavar="FORMAT:FILE",
           help=f"judgments as {', '.join(formats)}; may be given several times")  # fmt: skip
    option("--dev", action="append", default=[], metavar="FORMAT:FILE",
           help="dev judgments, instead of a draw")  # fmt: skip
    option("--dev-share", type=share, default=0.1, help="dev, as a share of the passages")
    option("--test-share", type=share, default=0.0, help="test, never trained on, likewise")
    option("--split-seed", type=int, default=1, help="draws the parts")
    option("--without", action="append", default=[], metavar="CONSTITUENT",
           help="leave a constituent out of train and dev")  # fmt: skip
    option("--references", choices=("all", "closest", "first"), default="all",
           help="a training example for each reference, or for one")  # fmt: skip
    option("--augment", type=_words, default=(), metavar="identity,flip",
           help="make more examples of those there are")  # fmt: skip


def add_head_options(parser: argparse.ArgumentParser, loss: str | None) -> None:
    """The options of the head and of what a training starts from; a loss where it is a choice."""
    option = parser.add_argument
    if loss:
        option("--loss", choices=("mse", "logistic"), default=loss)
    option("--pretrained", default="", metavar="DIR",
           help="start from the encoder of this checkpoint, whatever its kind")  # fmt: skip
    option("--features", type=_words, default=(), metavar="METRIC[,METRIC...]",
           help="scores of metrics without training as inputs to the head")  # fmt: skip
    option("--bound", type=float, default=None, metavar="B",
           help="the most the network adds to the features' score; 0: nothing")  # fmt: skip
    option("--hold-features", action="store_true", help="leave their weights as first fitted")
    option("--graded", type=share, default=0.0, metavar="SHARE",
           help="draw the gold scores to the features' mean by this share")  # fmt: skip


def head_of(parsed: argparse.Namespace) -> Head:
    """The head asked for; TrainingError where it cannot be."""
    from scorers.judges.form import Head

    try:
        return Head(1, parsed.features, parsed.bound, parsed.hold_features)
    except ValueError as error:
        raise TrainingError(str(error)) from error


def recipe_of(parsed: argparse.Namespace) -> Recipe:
    """The recipe asked for; TrainingError where it cannot be."""
    from scorers.judges.plan import Recipe, Split

    keyphrases = [data_file(value, _KEYPHRASE_FORMATS) for value in _given(parsed, "keyphrases")]
    try:
        return Recipe(
            references=parsed.references,
            augment=parsed.augment,
            graded=parsed.graded,
            without=tuple(parsed.without),
            split=Split(parsed.dev_share, parsed.test_share, parsed.split_seed),
            start=parsed.pretrained,
            keyphrases=tuple(keyphrases),
            keyphrase_weight=getattr(parsed, "keyphrase_weight", 0.5),
        )
    except ValueError as error:
        raise TrainingError(str(error)) from error


def run_of(parsed: argparse.Namespace, progress: TrainingProgress | None = None) -> Run:
    """Where and how to train."""
    from dataclasses import replace

    from scorers.judges.training import Run

    settings = training_settings(parsed, parsed.defaults)
    return Run(
        out=parsed.out,
        settings=replace(settings, best_by=parsed.best_by),
        rates=parsed.learning_rate,
        seeds=parsed.seeds,
        encoder=parsed.encoder,
        device=parsed.device,
        half=parsed.half,
        licence=parsed.licence,
        command=command_line(parsed),
        notes=parsed.notes,
        progress=progress.report if progress else None,
    )


def data_file(value: str, formats: Sequence[str]) -> tuple[Path, str]:
    """A file given as FORMAT:FILE; TrainingError where it is not."""
    format_, colon, path = value.partition(":")
    if not colon or format_ not in formats:
        raise TrainingError(f"{value}: must be FORMAT:FILE, the format one of {', '.join(formats)}")
    return Path(path), format_


def report(out: Path, card: Card) -> int:
    """Print what a training reached."""
    print(f"{out}: {shown(card.figures)}")
    return 0


def _train_lerc(parsed: argparse.Namespace) -> int:
    from scorers.lerc.form import LercForm
    from scorers.lerc.training import train_lerc

    try:
        form = LercForm(parsed.parts, parsed.reading, parsed.layer)
    except ValueError as error:
        raise TrainingError(str(error)) from error
    with TrainingProgress() as progress:
        card = train_lerc(
            [data_file(value, JUDGMENT_FORMATS) for value in parsed.data],
            [data_file(value, JUDGMENT_FORMATS) for value in parsed.dev],
            run_of(parsed, progress),
            form,
            kind=parsed.kind,
            head=head_of(parsed),
            recipe=recipe_of(parsed),
            loss=parsed.loss,
        )
    return report(parsed.out, card)


def _train_ava(parsed: argparse.Namespace) -> int:
    from scorers.ava.construction import Construction
    from scorers.ava.form import BEST, PAIRS, AvaForm
    from scorers.ava.training import train_ava

    pairs = parsed.pairs or tuple(PAIRS.get(parsed.design, BEST))
    try:
        form = None
        if parsed.design != "linear":
            form = AvaForm(parsed.design, pairs, parsed.shared, parsed.peer)
        construction = Construction(parsed.most, parsed.correct_from, parsed.split_seed)
    except ValueError as error:
        raise TrainingError(str(error)) from error
    formats = (*JUDGMENT_FORMATS, *_SELECTION_FORMATS)
    with TrainingProgress() as progress:
        card = train_ava(
            [data_file(value, formats) for value in parsed.data],
            [data_file(value, formats) for value in parsed.dev],
            run_of(parsed, progress),
            form,
            construction=construction,
            head=head_of(parsed),
            recipe=recipe_of(parsed),
        )
    return report(parsed.out, card)


def add_evaluation_options(parser: argparse.ArgumentParser) -> None:
    """The options of `evaluate` that only judges have."""
    option = parser.add_argument
    option("--part", choices=("all", "train", "dev", "test"), default="all",
           help="the part of the file that the checkpoint's own split makes so")  # fmt: skip
    option("--by", choices=("constituent", "system"), default=None, help="figures for each")


def evaluate_on_judgments(parsed: argparse.Namespace) -> int:
    """Print a judge's figures on a file of judgments."""
    from scorers.judges.evaluating import evaluate_judge

    figures = evaluate_judge(
        parsed.name, parsed.file, parsed.format, parsed.device, parsed.part, parsed.by
    )
    if parsed.json:
        print(json.dumps(figures))
        return 0
    print(shown({name: value for name, value in figures.items() if name != "groups"}))
    for name, group in figures.get("groups", {}).items():
        print(f"{name}: {shown(group)}")
    return 0


def _parser(kinds: Any, name: str, what: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        name, help=what, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    return parser


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _given(parsed: argparse.Namespace, name: str) -> list[str]:
    values: list[str] = getattr(parsed, name, [])
    return values


def add_judges(kinds: Any) -> None:
    """Add the training of every judge to the command line's `train`."""
    add_lerc(kinds)
    add_ava(kinds)
