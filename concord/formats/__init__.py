"""Readers and writers of files of human judgments.

`read_judgments` and `read_pairs` take the name of a format and return records. A file with an
error is rejected as a whole: FormatError lists the first twenty problems. `write_judgments` and
`write_pairs` write Concord's JSON Lines.
"""

from concord.formats.concord_writer import write_judgments, write_pairs
from concord.formats.errors import FormatError, Problem
from concord.formats.instances import instance_key, passage_key
from concord.formats.limits import Limits
from concord.formats.options import ReadOptions
from concord.formats.records import (
    CandidateRecord,
    ImportReport,
    InstanceRecord,
    JudgmentFile,
    PairFile,
    PairRecord,
    RatingRecord,
)
from concord.formats.registry import (
    JUDGMENT_FORMATS,
    PAIR_FORMATS,
    check_files,
    read_judgments,
    read_pairs,
)

__all__ = [
    "JUDGMENT_FORMATS",
    "PAIR_FORMATS",
    "CandidateRecord",
    "FormatError",
    "ImportReport",
    "InstanceRecord",
    "JudgmentFile",
    "Limits",
    "PairFile",
    "PairRecord",
    "Problem",
    "RatingRecord",
    "ReadOptions",
    "check_files",
    "instance_key",
    "passage_key",
    "read_judgments",
    "read_pairs",
    "write_judgments",
    "write_pairs",
]
