"""The command `train` and its kinds."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from concord.arguments import number, share, whole
from concord.metrics.names import split_names
from scorers.datasets import choices, judgments, questions, selection
from scorers.encoders import DEFAULT
from scorers.errors import TrainingError
from scorers.learned.settings import (
    NAMES,
    PAPER,
    QUICK,
    TrainingDefaults,
    TrainingSettings,
    training_defaults,
)

if TYPE_CHECKING:
    from scorers.learned.card import CheckpointCard
    from scorers.learned.loop import ProgressReport
    from scorers.learned.model import Head
    from scorers.learned.training import TrainingFiles, TrainingRecipe
    from scorers.learned.trials import File, TrainingRun
    from scorers.lerc.metrics import LercForm

Built = TypeVar("Built")

# The options whose values are those of `TrainingDefaults` if they are not given.
_DEFAULT_OF = {
    "epochs": "epochs",
    "batch_size": "batch_size",
    "learning_rate": "rates",
    "seeds": "seeds",
    "max_tokens": "max_tokens",
    "lora_rank": "lora_rank",
    "patience": "patience",
    "dev_share": "dev_share",
    "references": "references",
    "design": "design",
    "shared": "shared",
    "made_questions": "made",
}
_PARTS = ("passage", "question", "reference", "candidate")


def add_train_command(commands: Any) -> None:
    """Add the command `train`, with a subcommand for each kind."""
    training = commands.add_parser("train", help="train a learned metric")
    kinds = training.add_subparsers(required=True, metavar="NAME")
    _add_kpqa(kinds)
    for kind, help in (("lerc", "LERC"), ("sts", "the sentence similarity baseline")):
        _add_lerc(_kind_parser(kinds, kind, help), kind)
    _add_choices(_kind_parser(kinds, "lerc-choices", "LERC's pre-training on multiple-choice sets"))
    _add_ava(_kind_parser(kinds, "ava", "AVA"))


def _kind_parser(kinds: Any, name: str, what: str, **texts: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        name, help=what, formatter_class=argparse.ArgumentDefaultsHelpFormatter, **texts
    )
    return parser


def _add_kpqa(kinds: Any) -> None:
    parser = _kind_parser(
        kinds,
        "kpqa",
        "the keyphrase predictor",
        description="Train the keyphrase predictor. The dev examples of all trainings are those "
        "of a tenth of the passages, drawn by the first seed.",
        epilog=f"Deviations from KPQA's data. {' '.join(questions.DEVIATIONS.values())}",
    )
    option = parser.add_argument
    _add_data(parser, "a question answering set; formats", tuple(questions.FORMATS))
    option("--no-question", action="store_true",
           help="train the KP ablation: the same examples, without the question in the "
                "input")  # fmt: skip
    option("--labels", choices=("mean", "first", "majority"), default="mean",
           help="a word's label: the share of annotators who marked it, whether the first one "
                "did, or whether more than half did")  # fmt: skip
    option("--made-questions", type=share, metavar="SHARE",
           help="number of generated yes/no and either/or questions, as a share of the "
                "examples")  # fmt: skip
    option("--share", type=share, default=1.0, help="share of the examples to train on")
    add_training_options(parser, "kpqa", _train_kpqa)


def _train_kpqa(parsed: argparse.Namespace, run: TrainingRun) -> CheckpointCard:
    from scorers.keyphrases.training import KeyphraseRecipe, train_predictor

    recipe = KeyphraseRecipe(
        not parsed.no_question, parsed.labels, parsed.made_questions, parsed.share
    )
    return train_predictor(_training_files(parsed).train, run, recipe)


def _add_lerc(parser: argparse.ArgumentParser, kind: str) -> None:
    option = parser.add_argument
    _add_judgments(parser, judgments.FORMATS)
    _add_parts(parser, _PARTS if kind == "lerc" else _PARTS[2:])
    option("--reading", choices=("joined", "match"), default="joined",
           help="one input of all parts, or reference and candidate matched")  # fmt: skip
    option("--layer", type=int, default=0, help="the hidden layer that a match compares")
    option("--keyphrases", action="append", default=[], metavar="FORMAT:FILE",
           help="question answering set for the auxiliary keyphrase task; formats: "
                + ", ".join(questions.FORMATS))  # fmt: skip
    option("--keyphrase-weight", type=number, default=0.5, help="the weight of the keyphrase loss")
    _add_head(parser, "mse")
    add_training_options(parser, kind, _train_lerc)


def _train_lerc(parsed: argparse.Namespace, run: TrainingRun) -> CheckpointCard:
    from scorers.lerc.training import train_lerc

    return train_lerc(
        _training_files(parsed),
        run,
        _lerc_form(parsed, parsed.reading, parsed.layer),
        kind=parsed.kind,
        head=_head(parsed),
        recipe=_recipe(parsed),
        loss=parsed.loss,
    )


def _add_choices(parser: argparse.ArgumentParser) -> None:
    _add_data(parser, "multiple-choice set; formats", tuple(choices.FORMATS))
    parser.add_argument("--dev", action="append", default=[], metavar="FORMAT:FILE")
    _add_shares(parser)
    parser.add_argument("--pretrained", default="", metavar="DIR",
                        help="a checkpoint whose encoder weights are the initial ones")  # fmt: skip
    _add_parts(parser, _PARTS)
    add_training_options(parser, "lerc-choices", _train_choices)


def _train_choices(parsed: argparse.Namespace, run: TrainingRun) -> CheckpointCard:
    from scorers.lerc.training import pretrain_lerc

    return pretrain_lerc(
        _training_files(parsed),
        run,
        form=_lerc_form(parsed),
        start=parsed.pretrained,
        dev_share=parsed.dev_share,
        split_seed=parsed.split_seed,
        train_share=parsed.train_share,
    )


def _add_ava(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    _add_judgments(parser, (*judgments.FORMATS, *selection.FORMATS))
    option("--design", choices=("linear", "A0", "A1", "A2"))
    option("--pairs", type=_names, default=None, metavar="PAIR[,PAIR...]",
           help="A0 has q-r,q-t,r-t and A1 q-rt,r-qt,t-qr, by default all of them; A2 has two of "
                "these, by default r-qt,t-qr")  # fmt: skip
    option("--shared", action=argparse.BooleanOptionalAction,
           help="use one encoder for all pairs instead of one for each")  # fmt: skip
    option("--peer", choices=("other", "own", "cross"), default="other",
           help="the state that A2's second pass receives")  # fmt: skip
    option("--max-pairs", "--most", type=int, default=None, metavar="N",
           help="maximum number of positives, and of negatives, for a question")  # fmt: skip
    option("--correct-from", type=share, default=0.5,
           help="the share of the scale from which a judged answer counts as correct")  # fmt: skip
    option("--combine", choices=("mean", "max"), default="mean",
           help="how the scores by several references are combined")  # fmt: skip
    _add_head(parser, None)
    add_training_options(parser, "ava", _train_ava)


def _train_ava(parsed: argparse.Namespace, run: TrainingRun) -> CheckpointCard:
    from scorers.ava.metrics import BEST_PAIRS, PAIRS, AvaForm
    from scorers.ava.training import Construction, train_ava

    form = None
    if parsed.design != "linear":
        pairs = parsed.pairs or tuple(PAIRS.get(parsed.design, BEST_PAIRS))
        form = _checked(lambda: AvaForm(parsed.design, pairs, parsed.shared, parsed.peer))
    return train_ava(
        _training_files(parsed),
        run,
        form,
        construction=_checked(
            lambda: Construction(parsed.max_pairs, parsed.correct_from, parsed.split_seed)
        ),
        head=_head(parsed),
        recipe=_recipe(parsed),
        combine=parsed.combine,
    )


def _add_data(parser: argparse.ArgumentParser, what: str, formats: Sequence[str]) -> None:
    parser.add_argument("--data", action="append", required=True, metavar="FORMAT:FILE",
                        help=f"{what}: {', '.join(formats)}; repeatable")  # fmt: skip
    parser.set_defaults(formats=formats)


def _add_shares(parser: argparse.ArgumentParser, *, test: bool = False) -> None:
    option = parser.add_argument
    option("--dev-share", type=share, help="share of the passages for dev")
    if test:
        option("--test-share", type=share, default=0.0, help="share of the passages for test")
    option("--split-seed", type=int, default=1, help="the seed of the split")
    option("--train-share", type=share, default=1.0,
           help="share of the other passages to train on")  # fmt: skip


def _add_judgments(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Add the options for the judgments to train on."""
    option = parser.add_argument
    _add_data(parser, "judgments; formats", formats)
    option("--dev", action="append", default=[], metavar="FORMAT:FILE",
           help="dev judgments, instead of a random part")  # fmt: skip
    _add_shares(parser, test=True)
    option("--without", action="append", default=[], metavar="CONSTITUENT",
           help="a constituent to leave out of train and dev; repeatable")  # fmt: skip
    option("--references", choices=("all", "closest", "first"),
           help="the references that make a training example")  # fmt: skip
    option("--augment", type=_names, default=(), metavar="identity,flip",
           help="methods of data augmentation")  # fmt: skip


def _add_parts(parser: argparse.ArgumentParser, parts: tuple[str, ...]) -> None:
    parser.add_argument("--parts", type=_names, default=parts, metavar="PART[,PART...]",
                        help=f"the parts of the input, of {', '.join(_PARTS)}")  # fmt: skip


def _add_head(parser: argparse.ArgumentParser, loss: str | None) -> None:
    """Add the options of head and initial weights, and `--loss` with the default `loss`, if any."""
    option = parser.add_argument
    if loss:
        option("--loss", choices=("mse", "logistic"), default=loss)
    option("--pretrained", default="", metavar="DIR",
           help="a checkpoint of any kind whose encoder weights are the initial ones")  # fmt: skip
    option("--features", type=_names, default=(), metavar="METRIC[,METRIC...]",
           help="metrics whose scores are inputs to the head")  # fmt: skip
    option("--bound", type=number, default=None, metavar="B",
           help="the most that the network adds to the features' score; 0: nothing")  # fmt: skip
    option("--hold-features", action="store_true", help="keep the features' initial weights")
    option("--cache", type=Path, default=None, metavar="DIR",
           help="store features here for other trainings on the same data")  # fmt: skip
    option("--graded", type=share, default=0.0, metavar="SHARE",
           help="share by which gold scores move to the features' mean")  # fmt: skip


def add_training_options(
    parser: argparse.ArgumentParser,
    kind: str,
    train: Callable[[argparse.Namespace, TrainingRun], CheckpointCard],
) -> None:
    """Add the options of every training. Call it last: it describes the defaults of all options."""
    option = parser.add_argument
    option("--defaults", choices=tuple(NAMES), default=PAPER,
           help="the values of the options that are not given: "
                + "; ".join(f"{name}, {meaning}" for name, meaning in NAMES.items()))  # fmt: skip
    option("--out", type=Path, required=True, metavar="DIR", help="the checkpoint's folder")
    option("--encoder", default=DEFAULT, help="a folder in Hugging Face's form, or a hub name")
    option("--epochs", type=int)
    option("--batch-size", type=int)
    option("--learning-rate", type=_list_of(number), metavar="RATE[,RATE...]",
           help="one training for each; the best on the dev examples is used")  # fmt: skip
    option("--seeds", "--seed", type=_list_of(whole), metavar="SEED[,SEED...]",
           help="one training for each; the best of the best learning rate is used")  # fmt: skip
    option("--max-tokens", type=int)
    option("--lora-rank", type=int, help="0 trains every weight")
    option("--precision", choices=("float32", "bf16"), default="float32")
    option("--patience", type=int, help="epochs without a better dev figure after which to stop")
    option("--half", action="store_true", help="store the weights in half precision")
    option("--licence", default="", help="the licence of the data, for the card")
    option("--notes", default="", help="remarks for users, for the card")
    option("--device", choices=("auto", "cpu", "cuda"), default="auto")
    paper, quick = (training_defaults(kind, name) for name in (PAPER, QUICK))
    for action in parser._actions:
        if field := _DEFAULT_OF.get(action.dest):
            action.default = argparse.SUPPRESS
            action.help = (
                f"{action.help + ' ' if action.help else ''}(default: "
                f"{paper.text(field)}; {QUICK}: {quick.text(field)})"
            ).replace("%", "%%")
    if kind != "kpqa":
        option("--best-by", default=paper.best_by,
               help="the dev figure that selects the best epoch and training")  # fmt: skip
    parser.set_defaults(kind=kind, run=_run, train=train)


def _run(parsed: argparse.Namespace) -> int:
    with _progress_bar() as report:
        run = replace(build_run(parsed), progress=report)
        card: CheckpointCard = parsed.train(parsed, run)
    print(f"{parsed.out}: {format_figures(card.figures)}")
    return 0


def build_run(parsed: argparse.Namespace) -> TrainingRun:
    """The run of the parsed options; those that were not given have their defaults.

    Raises TrainingError when they are invalid.
    """
    from scorers.learned.trials import TrainingRun

    defaults = training_defaults(parsed.kind, parsed.defaults)
    for option, field in _DEFAULT_OF.items():
        if not hasattr(parsed, option):
            setattr(parsed, option, getattr(defaults, field))
    return TrainingRun(
        out=parsed.out,
        settings=_checked(lambda: _settings(parsed, defaults)),
        rates=parsed.learning_rate,
        seeds=parsed.seeds,
        encoder=parsed.encoder,
        device=parsed.device,
        half=parsed.half,
        licence=parsed.licence,
        command=_command_line(),
        notes=parsed.notes,
        cache=getattr(parsed, "cache", None),
    )


def _settings(parsed: argparse.Namespace, defaults: TrainingDefaults) -> TrainingSettings:
    """The settings, with the first of several learning rates and seeds."""
    return replace(
        defaults.settings,
        epochs=parsed.epochs,
        batch_size=parsed.batch_size,
        learning_rate=parsed.learning_rate[0],
        max_tokens=parsed.max_tokens,
        lora_rank=parsed.lora_rank,
        precision=parsed.precision,
        patience=parsed.patience,
        seed=parsed.seeds[0],
        best_by=getattr(parsed, "best_by", defaults.best_by),
    )


def _training_files(parsed: argparse.Namespace) -> TrainingFiles:
    from scorers.learned.training import TrainingFiles

    data, dev = (
        [data_file(value, parsed.formats) for value in values]
        for values in (parsed.data, getattr(parsed, "dev", []))
    )
    return TrainingFiles(data, dev)


def _lerc_form(parsed: argparse.Namespace, *options: Any) -> LercForm:
    from scorers.lerc.metrics import LercForm

    return _checked(lambda: LercForm(parsed.parts, *options))


def _head(parsed: argparse.Namespace) -> Head:
    from scorers.learned.model import Head

    return _checked(lambda: Head(1, parsed.features, parsed.bound, parsed.hold_features))


def _recipe(parsed: argparse.Namespace) -> TrainingRecipe:
    from scorers.datasets.judgments import Split
    from scorers.learned.training import TrainingRecipe

    keyphrases = tuple(
        data_file(value, tuple(questions.FORMATS)) for value in getattr(parsed, "keyphrases", [])
    )
    return _checked(
        lambda: TrainingRecipe(
            references=parsed.references,
            augment=parsed.augment,
            graded=parsed.graded,
            without=tuple(parsed.without),
            split=Split(parsed.dev_share, parsed.test_share, parsed.split_seed),
            start=parsed.pretrained,
            keyphrases=keyphrases,
            keyphrase_weight=getattr(parsed, "keyphrase_weight", 0.5),
            train_share=parsed.train_share,
        )
    )


def _checked(build: Callable[[], Built]) -> Built:
    """What `build` returns. Raises TrainingError where options are invalid."""
    try:
        return build()
    except ValueError as error:
        raise TrainingError(str(error)) from error


def data_file(value: str, formats: Sequence[str]) -> File:
    """Parse FORMAT:FILE. Raises TrainingError for any other text."""
    format_, colon, path = value.partition(":")
    if not colon or format_ not in formats:
        raise TrainingError(
            f"{value!r} must be FORMAT:FILE, with one of the formats {', '.join(formats)}"
        )
    return Path(path), format_


def _names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, split_names(text)))


def _list_of(parse: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    """A parser of values separated by commas, for argparse."""

    def parse_list(text: str) -> tuple[Any, ...]:
        return tuple(map(parse, text.split(",")))

    return parse_list


def _command_line() -> str:
    """The command line for the card, with file names instead of paths."""
    arguments = ["python", "-m", "scorers"]
    for argument in sys.argv[1:]:
        prefix, colon, path = argument.partition(":")
        if " " in argument:  # a note, not a path
            pass
        elif colon and prefix.isalnum():
            argument = f"{prefix}:{Path(path).name}"
        elif "/" in argument:
            argument = Path(argument).name
        arguments.append(argument)
    return shlex.join(arguments)


def format_figures(figures: Mapping[str, Any]) -> str:
    """Figures by name as one line of text."""
    return ", ".join(
        f"{name} {value:.4f}" if isinstance(value, float) else f"{name} {value}"
        for name, value in figures.items()
    )


@contextmanager
def _progress_bar() -> Iterator[Callable[[ProgressReport], None]]:
    """A progress bar on standard error, with a line for the dev figures of each epoch."""
    from rich.console import Console
    from rich.progress import Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:-1], TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("training", total=None)

        def report(step: ProgressReport) -> None:
            loss = f", loss {step.loss:.4f}" if step.loss is not None else ""
            bar.update(
                task,
                total=step.steps,
                completed=step.step,
                description=f"epoch {step.epoch + (step.dev is None)}{loss}",
            )
            if step.dev is not None:
                bar.console.print(f"epoch {step.epoch}: dev {format_figures(step.dev)}")

        yield report
