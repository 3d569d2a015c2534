"""A command: a function of a dataclass of inputs, whose fields are its options.

`option` and `argument` declare fields. A field whose type is a dataclass is a group of options that
several commands share. `--format`, `--plot` and what they do are added to every command that
returns a `CommandResult`.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from rich.console import Console
from rich.progress import Progress

from concord.documents.conversion import to_json, without_none
from concord.meta.inference.draws import Steps, run_steps
from concord.plots.forest import IntervalPlot
from concord.plots.png import png
from concord.tables.result import PlottedResult, Result
from concord.tables.terminal import console_for, print_lines, print_result

T = TypeVar("T")
PICTURES = (".svg", ".png")


def option(
    help: str = "",
    default: Any = None,
    parse: Callable[[str], Any] | None = None,
    *,
    choices: Sequence[str] | None = None,
    flag: str = "",
    metavar: str | tuple[str, ...] | None = None,
    repeated: bool = False,
) -> Any:
    """A field that is an option `--its-name`, or `flag`.

    Its type says how a text is read: a Literal has choices, a bool is a switch, a sequence takes
    several texts, of which `parse` reads one text as a whole; with `repeated`, one text each time.
    default: MISSING for a required option.
    """
    facts: dict[str, Any] = {
        "help": help or None,
        "parse": parse,
        "choices": choices,
        "metavar": metavar,
    }
    facts |= {"flag": flag, "repeated": repeated}
    return field(default=default, metadata={"option": facts})


def argument(metavar: str, help: str = "", default: Any = MISSING) -> Any:
    """A field that is a positional argument: a Path, or a sequence of them."""
    facts = {"help": help or None, "metavar": metavar, "flag": None}
    return field(default=default, metadata={"option": facts})


def group(title: str) -> Any:
    """A field that is a dataclass of options under a heading of their own."""
    return field(metadata={"group": title})


@dataclass(frozen=True, kw_only=True)
class CommandResult:
    """What a command prints: results by the names of their data, closing sentences; or `document`
    as JSON (by default the only result's), or one of `texts` by their formats. file: the name of
    the data in the plot (by default the first result's), which is of the first result."""

    results: Mapping[str, Result]
    document: object = None
    closing: Sequence[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    file: str = ""
    exit_code: int = 0

    def print_as(self, form: str) -> None:
        """Print it in a format on standard output. Raises ValueError as `print_json`."""
        if form == "json":
            (first, *_) = self.results.values()
            print_json(first if self.document is None else self.document)
        elif form in self.texts:
            print(self.texts[form], end="" if self.texts[form].endswith("\n") else "\n")
        else:
            for name, result in self.results.items():
                print_result(name, result, sys.stdout)
            print_lines(self.closing, console_for(sys.stdout))

    def write_plot(self, path: Path) -> None:
        """Write the picture of the first result's figures. Raises ValueError where the file cannot
        be written, and PngError."""
        name, result = next(iter(self.results.items()))
        if isinstance(result, PlottedResult):
            write_picture(path, result.forest(), self.file or name)


def command(
    help: str,
    *,
    formats: Sequence[str] = ("table", "json"),
    plot: bool = False,
    description: str | None = None,
) -> Callable[[Callable[[Any], CommandResult | None]], Command]:
    """Make a command of a function. formats: of its answer, the usual one first; none where it
    prints by itself."""

    def make(function: Callable[[Any], CommandResult | None]) -> Command:
        return Command(function, help, formats, plot, description)

    return make


@dataclass(frozen=True)
class Command:
    """A function with its options; see `command`."""

    function: Callable[[Any], CommandResult | None]
    help: str
    formats: Sequence[str]
    plot: bool
    description: str | None

    def add(self, commands: Any) -> None:
        """Add the command to the parser of all."""
        name = self.function.__name__.replace("_", "-")
        parser = commands.add_parser(name, help=self.help, description=self.description)
        (inputs,) = (kind for name, kind in get_type_hints(self.function).items()
                     if name != "return")  # fmt: skip
        _add_options(parser, inputs)
        if self.formats:
            parser.add_argument("--format", choices=self.formats, default=self.formats[0])
        if self.plot:
            parser.add_argument("--plot", type=_picture, metavar="FILE.svg|png",
                                help="write the figures with their intervals as a picture "
                                "too")  # fmt: skip
        parser.set_defaults(run=lambda parsed: self._run(_read(inputs, vars(parsed)), parsed))

    def _run(self, inputs: Any, parsed: argparse.Namespace) -> int:
        answer = self.function(inputs)
        if answer is None:
            return 0
        if self.plot and parsed.plot:
            answer.write_plot(parsed.plot)
        answer.print_as(parsed.format)
        return answer.exit_code


def _add_options(parser: Any, kind: Any) -> None:
    """Add the options of a dataclass; one with a method `add_to` adds its own."""
    if hasattr(kind, "add_to"):
        kind.add_to(parser)
        return
    hints = get_type_hints(kind)
    for one in dataclasses.fields(kind):
        hint, _ = without_none(hints[one.name])
        facts = one.metadata.get("option")
        if facts is None:
            title = one.metadata.get("group")
            _add_options(parser.add_argument_group(title) if title else parser, hint)
        elif facts["flag"] is None:
            options = {"nargs": "?", "default": one.default} if one.default is not MISSING else {}
            parser.add_argument(one.name, **_keywords(hint, facts), **options)
        else:
            flag = facts["flag"] or f"--{one.name.replace('_', '-')}"
            is_required = one.default is MISSING
            options = {"required": True} if is_required else {"default": one.default}
            if facts["repeated"]:  # argparse adds to the list of the default
                options |= {"action": "append", "default": []}
            parser.add_argument(flag, dest=one.name, **options | _keywords(hint, facts))


def _keywords(hint: Any, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of `add_argument` that say how a text is read as a value of a type."""
    if hint is bool:
        return {"action": "store_true", "help": facts["help"]}
    keywords: dict[str, Any] = {"help": facts["help"], "metavar": facts["metavar"]}
    parts, parse = get_args(hint), facts.get("parse")
    if get_origin(hint) is Literal:
        return keywords | {"choices": facts.get("choices") or parts}
    is_tuple = get_origin(hint) is tuple
    if parts and parse is None:
        hint = parts[0]
        if not facts.get("repeated"):
            is_open = not is_tuple or Ellipsis in parts
            keywords["nargs"] = "+" if is_open else len(parts)
    return keywords | {"type": parse or hint, "choices": facts.get("choices")}


def _read(kind: Any, values: Mapping[str, Any]) -> Any:
    """The dataclass of parsed options."""
    if hasattr(kind, "add_to"):
        return kind.of(values)
    hints = get_type_hints(kind)
    return kind(
        **{
            one.name: values[one.name]
            if "option" in one.metadata
            else _read(without_none(hints[one.name])[0], values)
            for one in dataclasses.fields(kind)
        }
    )


def run_with_bar(label: str, steps: Steps[T]) -> T:
    """Run a stepwise computation, with a progress bar on standard error."""
    with progress_bar(label) as progress:
        return run_steps(steps, lambda step: progress(step.done, step.total))


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A context manager that returns a function to show (done, total)."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def write_picture(path: Path, forest: IntervalPlot, title: str) -> None:
    """Write a plot as .svg or .png. Raises ValueError where it cannot be written, and PngError."""
    svg = forest.svg(title)
    picture = svg.encode() if path.suffix.lower() == ".svg" else png(svg)
    try:
        path.write_bytes(picture)
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from error


def _picture(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in PICTURES:
        raise argparse.ArgumentTypeError(f"'{text}': the file's name must end in .svg or .png")
    return path


def print_json(result: object) -> None:
    """Print a result, or a document, as JSON on standard output. Raises ValueError, which names the
    fields, for numbers that are not finite."""
    document = to_json(result)
    if fields := list(_infinite_fields(document, "")):
        raise ValueError(
            f"no finite number can be computed for {', '.join(fields)}: values of the file are too "
            "large or too small"
        )
    print(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))


def _infinite_fields(value: object, path: str) -> Iterator[str]:
    """The paths of numbers that are not finite."""
    if isinstance(value, float) and not math.isfinite(value):
        yield path
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _infinite_fields(part, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple):
        for position, part in enumerate(value):
            yield from _infinite_fields(part, f"{path}[{position}]")
