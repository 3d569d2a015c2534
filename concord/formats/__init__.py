"""Readers and writers of files of human judgments.

`read_judgments` and `read_pairs` take the name of a format and return records. A file with an
error is rejected as a whole: FormatError lists the first twenty problems. `write_judgments` and
`write_pairs` write Concord's JSON Lines. `tables` reads CSV, TSV, XLSX, Parquet and JSON.
"""

from concord.formats.concord_writer import write_judgments, write_pairs
from concord.formats.errors import FormatError, Problem
from concord.formats.instances import instance_key, passage_key
from concord.formats.limits import Limits
from concord.formats.options import USER_OPTIONS, ReadOptions
from concord.formats.parquet_writer import write_judgments_parquet, write_pairs_parquet
from concord.formats.recipes import RECIPES, FormatRecipe, read_recipe
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    JudgmentFile,
    MarksRecord,
    PairFile,
    PairRecord,
    RatingRecord,
    SamplingRecord,
    Span,
    has_unequal_draws,
)
from concord.formats.registry import (
    ALL_FORMATS,
    DATASET,
    JUDGMENT_FORMATS,
    PAIR_FORMATS,
    TABLE,
    accepts,
    check_files,
    detect_any,
    detect_format,
    detect_judgments,
    detect_recipe,
    find_recipes,
    has_pairs,
    option_help,
    read_judgments,
    read_pairs,
    with_kind,
)
from concord.formats.report import FileReport, ImportReport

__all__ = [
    "ALL_FORMATS",
    "DATASET",
    "JUDGMENT_FORMATS",
    "PAIR_FORMATS",
    "RECIPES",
    "TABLE",
    "USER_OPTIONS",
    "CandidateRecord",
    "CriterionRecord",
    "FileReport",
    "FormatError",
    "FormatRecipe",
    "ImportReport",
    "InstanceRecord",
    "JudgmentFile",
    "Limits",
    "MarksRecord",
    "PairFile",
    "PairRecord",
    "Problem",
    "RatingRecord",
    "ReadOptions",
    "SamplingRecord",
    "Span",
    "accepts",
    "check_files",
    "detect_any",
    "detect_format",
    "detect_judgments",
    "detect_recipe",
    "find_recipes",
    "has_pairs",
    "has_unequal_draws",
    "instance_key",
    "option_help",
    "passage_key",
    "read_judgments",
    "read_pairs",
    "read_recipe",
    "with_kind",
    "write_judgments",
    "write_judgments_parquet",
    "write_pairs",
    "write_pairs_parquet",
]
