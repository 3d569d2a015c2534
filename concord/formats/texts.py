"""Texts of answers from a file of their own, for formats that have none."""

from __future__ import annotations

from pathlib import Path

from concord.formats import concord
from concord.formats.collector import RecordCollector
from concord.formats.detection import detect_formats
from concord.formats.files import TEXT, open_files
from concord.formats.options import ReadOptions
from concord.formats.recipes import assigned
from concord.formats.records import CandidateRecord
from concord.formats.tables import TABLE_FILES


def read_texts(collector: RecordCollector, path: str) -> dict[str, CandidateRecord]:
    """The candidates of a table or a file in the format concord by id, without judgments.

    Instances may have no references. Raises FormatError.
    """
    files = open_files([Path(path)], collector.limits, TABLE_FILES)
    found = detect_formats(files[0].head) if files[0].kind == TEXT else []
    is_concord = any(one.format == "concord" for one in found) or '"candidate"' in files[0].head
    reader = RecordCollector("concord", files, collector.limits, "candidates")
    read = concord.read_judgments if is_concord else assigned.read_judgments
    read(reader, files, ReadOptions(without_references=True))
    reader.finish()
    return {candidate.key: candidate for candidate in reader.candidates}
