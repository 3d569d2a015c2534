"""The command line of AVA: `train ava`."""

from __future__ import annotations

import argparse
from typing import Any

from scorers.ava.defaults import RATES, SEEDS, SETTINGS
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
from scorers.training_options import TrainingProgress, add_training_options, parse_share

_SELECTION_FORMATS = ("trecqa", "wikiqa", "tsv")


def add_ava_command(kinds: Any) -> None:
    """Add `train ava`."""
    parser = judge_parser(kinds, "ava", "AVA")
    option = parser.add_argument
    add_judgment_options(parser, (*JUDGMENT_FORMATS, *_SELECTION_FORMATS))
    option("--design", choices=("linear", "A0", "A1", "A2"), default="A2")
    option("--pairs", type=split_names, default=None, metavar="PAIR[,PAIR...]",
           help="of q-r,q-t,r-t (A0) and q-rt,r-qt,t-qr (A1); all of its own by default, and "
                "r-qt,t-qr for A2")  # fmt: skip
    option("--shared", action="store_true", help="one encoder for all, not one for each")
    option("--peer", choices=("other", "own", "cross"), default="other",
           help="what A2's second pass receives")  # fmt: skip
    option("--most", type=int, default=None,
           help="the most positives, and negatives, made of a question")  # fmt: skip
    option("--correct-from", type=parse_share, default=0.5,
           help="the share of the scale from which a judged answer is correct")  # fmt: skip
    option("--combine", choices=("mean", "max"), default="mean",
           help="how the scores by several references become one")  # fmt: skip
    add_head_options(parser, None)
    add_training_options(parser, SETTINGS, (RATES, SEEDS))
    option("--best-by", default="f1", help="the dev figure that says what is best")
    parser.set_defaults(run=_train_ava, defaults=SETTINGS)


def _train_ava(parsed: argparse.Namespace) -> int:
    from scorers.ava.construction import Construction
    from scorers.ava.form import BEST_PAIRS, PAIRS, AvaForm
    from scorers.ava.training import train_ava

    pairs = parsed.pairs or tuple(PAIRS.get(parsed.design, BEST_PAIRS))
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
            build_run(parsed, progress),
            form,
            construction=construction,
            head=build_head(parsed),
            recipe=build_recipe(parsed),
            combine=parsed.combine,
        )
    return print_figures(parsed.out, card)
