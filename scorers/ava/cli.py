"""The command `train ava`."""

from __future__ import annotations

import argparse
from typing import Any

from concord.arguments import share
from scorers.errors import TrainingError
from scorers.judges.options import (
    JUDGMENT_FORMATS,
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
from scorers.training_options import TrainingProgress, add_training_options, fill_defaults

_SELECTION_FORMATS = ("trecqa", "wikiqa", "tsv")


def add_ava_command(kinds: Any) -> None:
    """Add the command `train ava`."""
    parser = judge_parser(kinds, "ava", "AVA")
    option = parser.add_argument
    add_judgment_options(parser, (*JUDGMENT_FORMATS, *_SELECTION_FORMATS))
    option("--design", choices=("linear", "A0", "A1", "A2"))
    option("--pairs", type=split_names, default=None, metavar="PAIR[,PAIR...]",
           help="A0 has q-r,q-t,r-t and A1 q-rt,r-qt,t-qr, by default all of them; A2 has two of "
                "these, by default r-qt,t-qr")  # fmt: skip
    option(
        "--shared",
        action=argparse.BooleanOptionalAction,
        help="use one encoder for all pairs instead of one for each",
    )
    option("--peer", choices=("other", "own", "cross"), default="other",
           help="the state that A2's second pass receives")  # fmt: skip
    option("--max-pairs", "--most", type=int, default=None, metavar="N",
           help="maximum number of positives, and of negatives, for a question")  # fmt: skip
    option("--correct-from", type=share, default=0.5,
           help="the share of the scale from which a judged answer counts as correct")  # fmt: skip
    option("--combine", choices=("mean", "max"), default="mean",
           help="how the scores by several references are combined")  # fmt: skip
    add_head_options(parser, None)
    add_training_options(parser, "ava")
    option(
        "--best-by", default="f1", help="the dev figure that selects the best epoch and training"
    )
    parser.set_defaults(run=_train_ava)


def _train_ava(parsed: argparse.Namespace) -> int:
    from scorers.ava.construction import Construction
    from scorers.ava.form import BEST_PAIRS, PAIRS, AvaForm
    from scorers.ava.training import train_ava
    from scorers.judges.plan import TrainingFiles

    fill_defaults(parsed)
    pairs = parsed.pairs or tuple(PAIRS.get(parsed.design, BEST_PAIRS))
    try:
        form = None
        if parsed.design != "linear":
            form = AvaForm(parsed.design, pairs, parsed.shared, parsed.peer)
        construction = Construction(parsed.max_pairs, parsed.correct_from, parsed.split_seed)
    except ValueError as error:
        raise TrainingError(str(error)) from error
    formats = (*JUDGMENT_FORMATS, *_SELECTION_FORMATS)
    with TrainingProgress() as progress:
        card = train_ava(
            TrainingFiles(
                [data_file(value, formats) for value in parsed.data],
                [data_file(value, formats) for value in parsed.dev],
            ),
            build_run(parsed, progress),
            form,
            construction=construction,
            head=build_head(parsed),
            recipe=build_recipe(parsed),
            combine=parsed.combine,
        )
    return print_figures(parsed.out, card)
