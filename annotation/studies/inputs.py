"""What people enter about studies and candidates, on pages and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotation.studies import intake
from annotation.studies.models import SLUG, SLUG_HELP, Study, StudyInstance
from annotation.studies.services.uploads import USES
from concord.bounds import REQUIRED, Text, choice, items, number, text
from concord.formats import Limits
from concord.protocols.protocol import MAX_DRAWN_QUESTIONS
from core.column_bounds import max_length

SLUG_TEXT = Text(max_length(Study, "slug"), REQUIRED, pattern=SLUG, pattern_help=SLUG_HELP)
TITLE_TEXT = Text(max_length(Study, "title"), REQUIRED)
FORMATS = {
    intake.CONCORD: "Concord JSON Lines or Parquet",
    "csv": "Table: CSV or TSV",
    "xlsx": "Table: Excel (XLSX)",
    "parquet": "Table: Parquet",
    "json": "Table: JSON",
    "jsonl": "Table: JSON Lines",
}


@dataclass(frozen=True, slots=True)
class UploadInput:
    """A file of candidates: its format and its use."""

    format: str = field(
        default="",
        metadata=choice(
            {"": "By the file's content", **{name: FORMATS[name] for name in intake.FORMATS}},
            label="Format",
            help=f"One of {', '.join(intake.FORMATS)}. Default: by the file's content.",
        ),
    )
    use: str = field(default="rated", metadata=choice(USES, label="Contents"))


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options for the import of an upload.

    Span-based constituents may have another number of ratings.
    """

    span_based: tuple[str, ...] = field(
        default=(),
        metadata=items(
            1000,
            each=Text(500, REQUIRED),
            label="Span-based constituents",
            help="Constituents whose answers are spans of the passage.",
        ),
    )
    draw_questions: int | None = field(
        default=None,
        metadata=number(
            1,
            MAX_DRAWN_QUESTIONS,
            label="Number of questions to rate, selected at random",
            help="Number of questions to rate, selected at random from those uploaded. Null: all. "
            "Absent: as in the protocol.",
        ),
    )


@dataclass(frozen=True, slots=True)
class NewPair:
    """Two answers to an instance of the study, one better than the other."""

    instance: str = field(
        metadata=text(
            max_length(StudyInstance, "key"),
            required=REQUIRED,
            label="Instance",
            help="Key of an instance of the study.",
        )
    )
    better: str = field(
        metadata=text(
            Limits.max_field_chars, required=REQUIRED, multiline=True, label="Better answer"
        )
    )
    worse: str = field(
        metadata=text(
            Limits.max_field_chars, required=REQUIRED, multiline=True, label="Worse answer"
        )
    )
    phenomenon: str = field(
        default="",
        metadata=text(
            Limits.max_name_chars, label="Phenomenon", help="For example, negation or syntax."
        ),
    )
