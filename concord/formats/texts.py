"""Texts of answers from a file of their own, for formats that have none."""

from __future__ import annotations

from pathlib import Path

from concord.formats import concord
from concord.formats.collector import RecordCollector
from concord.formats.files import open_files
from concord.formats.options import ReadOptions
from concord.formats.records import CandidateRecord


def read_texts(collector: RecordCollector, path: str) -> dict[str, CandidateRecord]:
    """The candidates of a file in the format concord by id; their judgments are not used.

    Instances may have no references. Raises FormatError.
    """
    files = open_files([Path(path)], collector.limits)
    reader = RecordCollector("concord", files, collector.limits, "candidates")
    concord.read_judgments(reader, files, ReadOptions(without_references=True))
    reader.finish()
    return {candidate.key: candidate for candidate in reader.candidates}
