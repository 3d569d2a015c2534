"""The folder of a training on its worker, and the state that is stored for other workers."""

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
    """Reports of a run: loss as [step, loss], dev as figures with their step."""

    name: str
    step: int
    loss: list[list[float]]
    dev: list[dict[str, float]]


class TrainingFolder:
    """Data, state and result of a training, in a folder for one attempt.

    The data are written again for each attempt. The state is loaded from the database, and stored
    there when it has changed. State larger than TRAINING_STATE_MAX_BYTES is not stored: the
    training then starts again after a crash.
    """

    def __init__(self, training: Training, folder: Path) -> None:
        self.training = training
        self.data, self.out = folder / "data", folder / "out"
        self.cache = self.out / "features"
        # Modification times and sizes of the stored state files.
        self._stored: dict[str, tuple[int, int]] = {}

    def fill(self) -> Files:
        """Write the data and the stored state. Returns the files of data with their formats.

        Raises TrainingRefusedError if the owner may not read a judgment set any more.
        """
        self.data.mkdir(parents=True)
        self.out.mkdir()
        formats = self.training.choices.get("formats") or {}
        files: Files = []
        for judgment_set in self.training.judgment_sets.order_by("pk"):
            path = self.data / f"{judgment_set}.jsonl"
            with path.open("w", encoding="utf-8") as output:
                output.writelines(exports.judgments(self._visible_to_owner(judgment_set)))
            files.append((path, "concord"))
        for file in self.training.files.order_by("pk"):
            # A path is a safe file name of an upload, or was written by `store_state`.
            path = (self.data if file.role == "data" else self.out) / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.bytes)
            if file.role == "data":
                if file.path in formats:  # MCTest's file of answers has none
                    files.append((path, formats[file.path]))
            else:
                self._stored[file.path] = _stamp(path)
        return files

    def store_state(self) -> bool:
        """Store the changed state. Returns False if another attempt has taken over."""
        paths = {path.relative_to(self.out).as_posix(): path for path in self._state_files()}
        changed = {name for name, path in paths.items() if self._stored.get(name) != _stamp(path)}
        total = sum(path.stat().st_size for path in paths.values())
        if not changed or total > settings.TRAINING_STATE_MAX_BYTES:
            return True
        stamps = {name: _stamp(paths[name]) for name in changed}
        contents = {name: paths[name].read_bytes() for name in changed}
        is_stored = requests.store_state(self.training, contents)
        self._stored.update(stamps)
        return is_stored

    def curves(self) -> list[TrainingCurve]:
        """The reports of all runs. Of a step that was reported again after resuming, the later
        report counts."""
        curves: list[TrainingCurve] = []
        for log in sorted(self.out.rglob(LOG)):
            lines = log.read_text("utf-8").splitlines()
            reports = [json.loads(line, parse_constant=null_for_nan) for line in lines]
            loss = {r["step"]: r["loss"] for r in reports if r["loss"] is not None}
            dev = {r["step"]: r["dev"] for r in reports if r["dev"] is not None}
            name = log.parent.name
            curves.append(
                {
                    "name": "" if name == "training" else name,
                    "step": max((r["step"] for r in reports), default=0),
                    "loss": [[step, value] for step, value in sorted(loss.items())],
                    "dev": [{"step": step, **figures} for step, figures in sorted(dev.items())],
                }
            )
        return curves

    def _visible_to_owner(self, judgment_set: JudgmentSet) -> JudgmentSet:
        by = self.training.by
        try:
            if by is None or not by.is_active:
                raise access.SetMissingError("its account was deleted or disabled")
            return access.set_for(by, str(judgment_set))
        except access.SetMissingError as error:
            raise requests.TrainingRefusedError(str(error)) from error

    def _state_files(self) -> list[Path]:
        """The complete files that a resumed training reads: states, best weights, logs,
        features."""
        folders = (self.out / "training", self.cache)
        paths = [path for folder in folders if folder.is_dir() for path in folder.rglob("*")]
        return sorted(path for path in paths if path.is_file() and ".partial" not in path.name)


def null_for_nan(_: str) -> None:
    """None in place of NaN, which is not JSON and which PostgreSQL rejects."""


def _stamp(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size
