"""Language models on this machine that users may choose as judges."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from django.conf import settings

from benchmarks.judging.models import ModelJudge
from concord.judges.chat import READER_VERSION, LocalClient
from core.workers.devices import local_device


class LocalModelError(RuntimeError):
    """The model is not offered, not on this machine, or no causal language model."""


def open_client(judge: ModelJudge) -> LocalClient:
    """The client of a judge's model. Nothing is downloaded. Raises LocalModelError."""
    if judge.model not in settings.LOCAL_JUDGES:
        raise LocalModelError(f"This site does not offer the model {judge.model} any more.")
    try:
        return LocalClient.for_template(
            _folder_of(judge.model),
            judge.parsed_template,
            (judge.low, judge.high),
            max_completion=judge.max_completion,
            device=local_device(),
        )
    except ValueError as error:
        raise LocalModelError(f"The model cannot be used: {error}.") from error


def content_key(judge: ModelJudge, client: LocalClient, prompt: str) -> str:
    """The SHA-256 (hex) of all that fixes the score of an answer: the model's files, how its
    answers are read, and the prompt."""
    template = judge.parsed_template
    how = [template.is_reasoned, template.marks_errors, READER_VERSION]
    reading = [judge.low, judge.high, *how]
    content = [client.model, client.max_completion, client.logprobs, reading, prompt]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _folder_of(name: str) -> Path:
    """A folder, or that of a model of the Hugging Face Hub in this machine's cache."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    if Path(name).is_dir():
        return Path(name)
    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError) as error:
        raise LocalModelError(f"The model {name} is not on this machine.") from error
