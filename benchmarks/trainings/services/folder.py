"""A training's folder on the worker that has it, and what of it is kept for another worker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

from django.conf import settings

from benchmarks.exports.services import exports
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from benchmarks.trainings.models import Training
from benchmarks.trainings.services import requests
from scorers.learned.loop import LOG

Files = list[tuple[Path, str]]


class TrainingCurve(TypedDict):
    """A run's reports: [step, loss], and by step its dev figures."""

    name: str
    step: int
    loss: list[list[float]]
    dev: list[dict[str, float]]


class TrainingFolder:
    """Data, state and outcome of a training, in a folder of one attempt.

    The data are written anew for each attempt, the state comes from the database and goes back
    there whenever it has changed, as far as it is no larger than TRAINING_STATE_MAX_BYTES: a
    training with more to keep begins anew after a crash.
    """

    def __init__(self, training: Training, folder: Path) -> None:
        self.training = training
        self.data, self.out = folder / "data", folder / "out"
        self.cache = self.out / "features"
        self._seen: dict[str, tuple[int, int]] = {}

    def fill(self) -> Files:
        """Write the data and the kept state; the data's files with their formats.

        Raises TrainingRefusedError where a judgment set may no longer be read.
        """
        self.data.mkdir(parents=True)
        self.out.mkdir()
        formats = self.training.choices.get("formats") or {}
        found: Files = []
        for judgment_set in self.training.judgment_sets.order_by("pk"):
            path = self.data / f"{judgment_set}.jsonl"
            with path.open("w", encoding="utf-8") as file:
                file.writelines(exports.judgments(self._as_its_owner_sees_it(judgment_set)))
            found.append((path, "concord"))
        for kept in self.training.files.order_by("pk"):
            # A path is a file's name, checked at the upload, or one that `keep` wrote.
            path = (self.data if kept.role == "data" else self.out) / kept.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(kept.bytes)
            if kept.role == "data":
                if kept.path in formats:  # a file of answers lies beside the one that has a format
                    found.append((path, formats[kept.path]))
            else:
                self._seen[kept.path] = _stamp(path)
        return found

    def keep(self) -> bool:
        """Store the state that has changed; False when the training is another attempt's by now."""
        names = {path.relative_to(self.out).as_posix(): path for path in self._state_files()}
        changed = {name for name, path in names.items() if self._seen.get(name) != _stamp(path)}
        total = sum(path.stat().st_size for path in names.values())
        if not changed or total > settings.TRAINING_STATE_MAX_BYTES:
            return True
        stamps = {name: _stamp(names[name]) for name in changed}
        held = requests.keep_state(self.training, {n: names[n].read_bytes() for n in changed})
        self._seen.update(stamps)
        return held

    def curves(self) -> list[TrainingCurve]:
        """Every run's reports.

        After a resumption steps are reported again; the later report counts.
        """
        found: list[TrainingCurve] = []
        for log in sorted(self.out.rglob(LOG)):
            lines = log.read_text("utf-8").splitlines()
            reports = [json.loads(line, parse_constant=undefined) for line in lines]
            loss = {r["step"]: r["loss"] for r in reports if r["loss"] is not None}
            dev = {r["step"]: r["dev"] for r in reports if r["dev"] is not None}
            name = log.parent.name
            found.append(
                {
                    "name": "" if name == "training" else name,
                    "step": max((r["step"] for r in reports), default=0),
                    "loss": [[step, value] for step, value in sorted(loss.items())],
                    "dev": [{"step": step, **figures} for step, figures in sorted(dev.items())],
                }
            )
        return found

    def _as_its_owner_sees_it(self, judgment_set: JudgmentSet) -> JudgmentSet:
        by = self.training.by
        try:
            if by is None or not by.is_active:
                raise access.SetMissingError("whoever asked for this training has no account now")
            return access.set_for(by, str(judgment_set))
        except access.SetMissingError as error:
            raise requests.TrainingRefusedError(str(error)) from error

    def _state_files(self) -> list[Path]:
        """What a resumption reads: states, best weights, logs, features; nothing half written."""
        folders = (self.out / "training", self.cache)
        found = [path for folder in folders if folder.is_dir() for path in folder.rglob("*")]
        return sorted(path for path in found if path.is_file() and ".partial" not in path.name)


def undefined(_: str) -> None:
    """What becomes of a NaN, which JSON has no word for and PostgreSQL refuses."""


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size
