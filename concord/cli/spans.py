"""`concord spans FILE`: systems and raters of a study of error spans."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from concord.cli.command import CommandResult, argument, command, option
from concord.cli.files import StatedFormat, format_option, print_report
from concord.formats import RECIPES, FormatRecipe, detect_any, read_judgments
from concord.formats.span_judgments import marks_of
from concord.formats.spans import SPAN_FORMATS, SpanFile, read_spans
from concord.spans import Weights, report_spans

SPAN_RECIPES = tuple(one.name for one in RECIPES.values() if one.marks is not None)


@dataclass(frozen=True, kw_only=True)
class SpanFormat(StatedFormat):
    """The format of a file of error spans."""

    source: str | None = format_option(
        (*SPAN_FORMATS, "concord", *SPAN_RECIPES), "a recipe that fits it, concord, else esa"
    )


@dataclass(frozen=True, kw_only=True)
class SpansInputs:
    """A file of error spans, and what errors cost."""

    file: Path = argument("FILE")
    format: SpanFormat
    weights: str = option(f"what errors cost (default: {Weights().signature})", "",
                          metavar="NAME=NUMBER,...")  # fmt: skip

    def read(self) -> SpanFile:
        """The marks of the file, by a recipe or as those of a WMT campaign. Raises FormatError."""
        format = self.format.stated
        if format is None:
            detected = detect_any(self.file)
            is_marked = isinstance(detected, FormatRecipe) and detected.marks is not None
            format = detected if is_marked or detected == "concord" else "esa"
        if isinstance(format, str) and format in SPAN_FORMATS:
            return read_spans(self.file, format, on_report=print_report)
        read = read_judgments([self.file], format)
        print_report(read.report)
        return SpanFile(list(marks_of(read.candidates)), [], 0)


@command("systems and raters of a study of error spans")
def spans(inputs: SpansInputs) -> CommandResult:
    """Systems' scores, and agreement of the raters."""
    weights = Weights.parse(inputs.weights)
    file, name = inputs.read(), inputs.file.name
    report = report_spans(file.marks, file.training, weights)
    repeated = f"Earlier marks of the same answer that were replaced: {file.repeated:,}."
    return CommandResult(
        results={name: report},
        document={**report.to_json(), "file": name, "repeated": file.repeated},
        closing=[repeated],
    )
