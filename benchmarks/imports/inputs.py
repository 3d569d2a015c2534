"""What people enter to import a judgment set, besides its files, on pages and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.conf import settings

from benchmarks.imports.services.parameters import ImportParameters
from benchmarks.sets.bounds import SET_NAME, SET_TITLE
from benchmarks.sets.services.importing import SetInfo
from concord.bounds import REQUIRED, Text, choice, choice_of, described, flag, items, number, text
from concord.formats import (
    DATASET,
    JUDGMENT_FORMATS,
    PAIR_FORMATS,
    RECIPES,
    TABLE,
    Limits,
    ReadOptions,
    option_help,
)
from concord.formats.tables import IGNORED, JUDGED_MEANINGS
from core.security.declarations import MAX_LINES_PER_ROW, UploadLimits

# Of the judgments; settings.DATA_UPLOAD_MAX_NUMBER_FILES counts pairs and texts, too.
MAX_FILES = 100
OWN = {
    TABLE: "Table: CSV, TSV, XLSX, Parquet, JSON, JSON Lines",
    "concord": "Concord: JSON Lines or Parquet",
    DATASET: "Dataset: zip archive of a dataset folder",
}
PAIRS = {name: RECIPES[name].title for name in PAIR_FORMATS if name not in JUDGMENT_FORMATS}
OTHERS = {name: RECIPES[name].title if name in RECIPES else name.upper()
          for name in JUDGMENT_FORMATS if name not in OWN}  # fmt: skip
# By the headings under which a menu lists them.
GROUPS = {
    "Own files": OWN,
    "Pairs and rankings": PAIRS,
    "Tools and published judgments": OTHERS,
}
FORMATS = {"": "By the file's content"} | OWN | PAIRS | OTHERS
RECIPE_HELP = (
    "A recipe of your own in place of a format: a TOML file that you wrote, or that you downloaded "
    "where you assigned columns."
)
OPTION = Text(Limits.max_name_chars, REQUIRED)
# The fields of the reader's options; the texts are a file.
OPTIONS = (
    *("systems", "references", "criterion", "order", "reference_system"),
    *("columns", "sheet", "split", "constituent"),
)


def file_limits() -> UploadLimits:
    """The limits of a file of judgments. It may be one JSON value on one line."""
    max_lines = Limits().max_rows * MAX_LINES_PER_ROW
    return UploadLimits(settings.UPLOAD_MAX_BYTES, max_lines, zip=True)


@dataclass(frozen=True, slots=True)
class NewSet:
    """The set to import files into, what is said about it, and the options of some formats."""

    name: str = field(
        metadata=described(
            SET_NAME, help="Name of the set. If it exists, the file becomes its next version."
        )
    )
    format: str = field(
        default="",
        metadata=choice(
            FORMATS,
            help="By default, by the first file's content; of pairs alone, concord.",
        ),
    )
    title: str = field(default="", metadata=described(SET_TITLE))
    description: str = field(default="", metadata=text(20_000, multiline=True))
    add: bool = field(
        default=False,
        metadata=flag("Add the files' candidates to those of the set.", label="Add to the set"),
    )
    illustrative: bool = field(
        default=False, metadata=flag("An invented example: not the judgments of people.")
    )
    systems: tuple[str, ...] = field(
        default=(),
        metadata=items(
            100,
            unit="names",
            each=Text(Limits.max_name_chars),
            separator=",",
            help=option_help("systems"),
        ),
    )
    references: int | None = field(
        default=None, metadata=number(1, 100, label="References", help=option_help("references"))
    )
    criterion: str | None = field(
        default=None, metadata=described(OPTION, help=option_help("criterion"))
    )
    order: tuple[str, ...] = field(
        default=(),
        metadata=items(
            100,
            unit="words",
            each=Text(Limits.max_name_chars),
            separator=",",
            label="Order of words",
            help=option_help("order"),
        ),
    )
    reference_system: str | None = field(
        default=None, metadata=described(OPTION, help=option_help("reference_system"))
    )
    columns: tuple[str, ...] = field(
        default=(),
        metadata=items(
            Limits.max_columns,
            each=choice_of((*JUDGED_MEANINGS, IGNORED)),
            help=option_help("columns"),
        ),
    )
    sheet: str | None = field(default=None, metadata=described(OPTION, help=option_help("sheet")))
    split: str | None = field(default=None, metadata=described(OPTION, help=option_help("split")))
    constituent: str | None = field(
        default=None, metadata=described(OPTION, help=option_help("constituent"))
    )

    def about_judgments(self) -> list[str]:
        """The fields with a value that needs a file of judgments."""
        names = ("title", "description", "illustrative", "add", *OPTIONS)
        return [name for name in names if getattr(self, name)]

    def parameters(self) -> ImportParameters:
        options = ReadOptions(**{name: getattr(self, name) for name in OPTIONS})
        about = (self.title, self.description, self.illustrative)
        return ImportParameters(options, self.add, SetInfo(*about) if any(about) else None)
