"""The commands `train lerc`, `train sts` and `train lerc-choices`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from concord.arguments import number, share
from scorers.errors import TrainingError
from scorers.judges.options import (
    JUDGMENT_FORMATS,
    KEYPHRASE_FORMATS,
    add_head_options,
    add_judgment_options,
    build_head,
    build_recipe,
    build_run,
    data_file,
    judge_parser,
    print_figures,
    split_names,
)
from scorers.training_options import (
    TrainingProgress,
    add_training_options,
    fill_defaults,
)

if TYPE_CHECKING:
    from scorers.lerc.form import LercForm

_PARTS = ("passage", "question", "reference", "candidate")
_CHOICE_FORMATS = ("mctest", "race", "boolq", "multirc", "qamr")


def add_lerc_commands(kinds: Any) -> None:
    """Add the commands `train lerc` and `train sts`."""
    for kind, help in (("lerc", "LERC"), ("sts", "the sentence similarity baseline")):
        parser = judge_parser(kinds, kind, help)
        option = parser.add_argument
        add_judgment_options(parser, JUDGMENT_FORMATS)
        parts = _PARTS if kind == "lerc" else _PARTS[2:]
        _add_parts(parser, parts)
        option("--reading", choices=("joined", "match"), default="joined",
               help="one input of all parts, or reference and candidate matched")  # fmt: skip
        option("--layer", type=int, default=0, help="the hidden layer that a match compares")
        option("--keyphrases", action="append", default=[], metavar="FORMAT:FILE",
               help="question answering set for the auxiliary keyphrase task; formats: "
                    + ", ".join(KEYPHRASE_FORMATS))  # fmt: skip
        option(
            "--keyphrase-weight", type=number, default=0.5, help="the weight of the keyphrase loss"
        )
        add_head_options(parser, "mse")
        add_training_options(parser, kind)
        option(
            "--best-by",
            default="pearson",
            help="the dev figure that selects the best epoch and training",
        )
        parser.set_defaults(run=_train_lerc)


def add_pretraining_command(kinds: Any) -> None:
    """Add the command `train lerc-choices`, LERC's pre-training."""
    parser = judge_parser(kinds, "lerc-choices", "LERC's pre-training on multiple-choice sets")
    option = parser.add_argument
    option("--data", action="append", required=True, metavar="FORMAT:FILE",
           help=f"set in a format of {', '.join(_CHOICE_FORMATS)}; repeatable")  # fmt: skip
    option("--dev", action="append", default=[], metavar="FORMAT:FILE")
    option("--dev-share", type=share, help="share of the passages for dev")
    option("--split-seed", type=int, default=1, help="the seed of the split")
    option("--train-share", type=share, default=1.0,
           help="share of the other passages to train on")  # fmt: skip
    option(
        "--pretrained",
        default="",
        metavar="DIR",
        help="a checkpoint whose encoder weights are the initial ones",
    )
    _add_parts(parser, _PARTS)
    add_training_options(parser, "lerc-choices")
    option(
        "--best-by",
        default="accuracy",
        help="the dev figure that selects the best epoch and training",
    )
    parser.set_defaults(run=_pretrain)


def _add_parts(parser: argparse.ArgumentParser, parts: tuple[str, ...]) -> None:
    parser.add_argument("--parts", type=split_names, default=parts, metavar="PART[,PART...]",
                        help=f"the parts of the input, of {', '.join(_PARTS)}")  # fmt: skip


def _form(parsed: argparse.Namespace, *options: Any) -> LercForm:
    from scorers.lerc.form import LercForm

    try:
        return LercForm(parsed.parts, *options)
    except ValueError as error:
        raise TrainingError(str(error)) from error


def _train_lerc(parsed: argparse.Namespace) -> int:
    from scorers.judges.plan import TrainingFiles
    from scorers.lerc.training import train_lerc

    fill_defaults(parsed)
    form = _form(parsed, parsed.reading, parsed.layer)
    with TrainingProgress() as progress:
        card = train_lerc(
            TrainingFiles(
                [data_file(value, JUDGMENT_FORMATS) for value in parsed.data],
                [data_file(value, JUDGMENT_FORMATS) for value in parsed.dev],
            ),
            build_run(parsed, progress),
            form,
            kind=parsed.kind,
            head=build_head(parsed),
            recipe=build_recipe(parsed),
            loss=parsed.loss,
        )
    return print_figures(parsed.out, card)


def _pretrain(parsed: argparse.Namespace) -> int:
    from scorers.judges.plan import TrainingFiles
    from scorers.lerc.pretraining import pretrain_lerc

    fill_defaults(parsed)
    form = _form(parsed)
    with TrainingProgress() as progress:
        card = pretrain_lerc(
            TrainingFiles(
                [data_file(value, _CHOICE_FORMATS) for value in parsed.data],
                [data_file(value, _CHOICE_FORMATS) for value in parsed.dev],
            ),
            build_run(parsed, progress),
            form=form,
            start=parsed.pretrained,
            dev_share=parsed.dev_share,
            split_seed=parsed.split_seed,
            train_share=parsed.train_share,
        )
    return print_figures(parsed.out, card)
