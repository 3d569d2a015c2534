"""Learned metrics: trained, followed, brought along and taken away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from concord.client.documents import Checkpoint, JudgmentSet, Training
from concord.client.retrying import Asking, FilePath, part, without_none


class LearnedMetrics(Asking):
    """For researchers alone."""

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
        or both; it will be called `name`. `answers` is MCTest's second file. `choices`: epochs,
        rates, seeds, features, bound, lora_rank, pretrained, parts, reading, layer, without and
        whatever else the page has. See `wait`."""
        refs = [one.ref if isinstance(one, JudgmentSet) else one for one in sets]
        told = {"kind": kind, "name": name, "sets": refs or None, "format": format, **choices}
        fields = {key: _listed(value) for key, value in without_none(told).items()}
        sent = {"file": file, "answers": answers}
        files = [(key, Path(path)) for key, path in sent.items() if path is not None]
        return Training.of(self._transport.upload("/trainings", fields, files).json())

    def trainings(self) -> Iterator[Training]:
        """Yours, latest first."""
        return self._every(Training, "/trainings")

    def training(self, number: int) -> Training:
        """One of yours, as far as it is; `raw` has its choices and curves."""
        return self._one(Training, f"/trainings/{number}")

    def stop_training(self, which: Training) -> Training:
        """Stop it; what it reached is kept."""
        return self._change_training(which, "stop")

    def take_training_up(self, which: Training) -> Training:
        """Have one that was stopped or failed go on from where it was."""
        return self._change_training(which, "take-up")

    def delete_training(self, which: Training) -> None:
        """Delete one that has ended, with its checkpoint."""
        self._transport.send("DELETE", f"/trainings/{which.id}")

    def checkpoints(self) -> Iterator[Checkpoint]:
        """The learned metrics that were trained or brought here, by name."""
        return self._every(Checkpoint, "/checkpoints")

    def download_checkpoint(self, name: str, to: FilePath) -> Path:
        """Its folder with its card, as a zip file."""
        return self._download(f"/checkpoints/{part(name)}", to)

    def import_checkpoint(self, name: str, file: FilePath) -> Checkpoint:
        """Make what was downloaded from an installation a metric by this name."""
        files = [("file", Path(file))]
        return Checkpoint.of(self._transport.upload("/checkpoints", {"name": name}, files).json())

    def _change_training(self, which: Training, change: str) -> Training:
        path = f"/trainings/{which.id}/{change}"
        return Training.of(self._transport.send("POST", path).json())


def _listed(value: Any) -> Any:
    """Several values as a form has them."""
    return list(value) if isinstance(value, list | tuple) else value
