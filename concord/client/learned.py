"""Learned metrics: trainings and checkpoints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from concord.client.base import ApiMethods, FilePath, drop_none, path_part
from concord.client.documents import Checkpoint, JudgmentSet, Training, TrainingDetail


class LearnedMetrics(ApiMethods):
    """Methods for trainings and checkpoints; for researchers only."""

    def train(
        self,
        kind: str,
        name: str,
        *,
        sets: Sequence[JudgmentSet | str] = (),
        file: FilePath | None = None,
        format: str | None = None,
        answers: FilePath | None = None,
        **choices: Any,
    ) -> Training:
        """Train a kind (lerc, lerc-choices, ava, sts, kpqa) on judgment sets, a file in `format`,
        or both; it will be called `name`. `answers` is MCTest's second file. `choices`: defaults,
        epochs, rates, seeds, features, bound, lora_rank, pretrained, parts, reading, without and
        whatever else the page has. See `wait`."""
        refs = [
            judgment_set.ref if isinstance(judgment_set, JudgmentSet) else judgment_set
            for judgment_set in sets
        ]
        values = {"kind": kind, "name": name, "sets": refs or None, "format": format, **choices}
        fields = {key: _form_values(value) for key, value in drop_none(values).items()}
        sent = {"file": file, "answers": answers}
        files = [(key, Path(path)) for key, path in sent.items() if path is not None]
        return Training.of(self._transport.upload("/trainings", fields, files).json())

    def trainings(self) -> Iterator[Training]:
        """Your trainings, latest first."""
        return self._list(Training, "/trainings")

    def training(self, number: int) -> TrainingDetail:
        """The current state of your training, with its choices and curves."""
        return self._get(TrainingDetail, f"/trainings/{number}")

    def stop_training(self, which: Training) -> Training:
        """Stop a training; its last snapshot is kept."""
        return self._change_training(which, "stop")

    def resume_training(self, which: Training) -> Training:
        """Resume a training that was stopped or failed."""
        return self._change_training(which, "resume")

    def delete_training(self, which: Training) -> None:
        """Delete a finished training and its checkpoint."""
        self._transport.send("DELETE", f"/trainings/{which.id}")

    def checkpoints(self) -> Iterator[Checkpoint]:
        """Learned metrics that were trained or imported, by name."""
        return self._list(Checkpoint, "/checkpoints")

    def download_checkpoint(self, name: str, to: FilePath) -> Path:
        """Download its folder and card as a zip file."""
        return self._download(f"/checkpoints/{path_part(name)}", to)

    def import_checkpoint(self, name: str, file: FilePath) -> Checkpoint:
        """Import a downloaded checkpoint as the metric `name`."""
        files = [("file", Path(file))]
        return Checkpoint.of(self._transport.upload("/checkpoints", {"name": name}, files).json())

    def _change_training(self, which: Training, change: str) -> Training:
        path = f"/trainings/{which.id}/{change}"
        return Training.of(self._transport.send("POST", path).json())


def _form_values(value: Any) -> Any:
    """Values as form fields."""
    return list(value) if isinstance(value, list | tuple) else value
