"""Uploaded files of a training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.core.files.uploadedfile import UploadedFile

from benchmarks.trainings.services.choices import safe_file_name

# Extension of MCTest's file of correct answers.
ANSWERS = ".ans"


def check_answers(format_: str | None, has_answers: bool) -> None:
    """Raises ValueError if MCTest's file of answers is missing, or another format has one."""
    if format_ == "mctest" and not has_answers:
        raise ValueError("MCTest needs its file of answers: the .ans file for the .tsv file.")
    if format_ != "mctest" and has_answers:
        raise ValueError("Only MCTest has a file of answers.")


def read_uploads(
    file: UploadedFile[bytes] | None,
    answers: UploadedFile[bytes] | None,
    read: Callable[[UploadedFile[bytes]], bytes],
) -> list[tuple[str, bytes]]:
    """Uploads as (name, content). The answers get the name that MCTest's reader expects."""
    if file is None:
        return []
    name = safe_file_name(file.name or "")
    uploads = [(name, read(file))]
    if answers is not None:
        uploads.append((str(Path(name).with_suffix(ANSWERS)), read(answers)))
    return uploads
