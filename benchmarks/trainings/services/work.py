"""Work on a claimed training: write its data, train, and store the checkpoint."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from pathlib import Path

from django.conf import settings
from django.db.models import F
from django.utils.timezone import now

from benchmarks.trainings.models import Training
from benchmarks.trainings.services import checkpoints, requests
from benchmarks.trainings.services.choices import CHOICES, TrainingOptions
from benchmarks.trainings.services.folder import Files, TrainingFolder
from benchmarks.trainings.services.requests import TrainingRefusedError
from concord.sentences import to_sentence
from core.jobs import performing
from core.jobs.performing import StoppedError
from scorers.ava.form import BEST_PAIRS, PAIRS, AvaForm
from scorers.ava.training import train_ava
from scorers.errors import ModelError, TrainingError
from scorers.jsonl import FileError
from scorers.judges.plan import TrainingFiles
from scorers.keyphrases.training import KeyphraseRecipe, train_predictor
from scorers.learned.loop import ProgressReport
from scorers.learned.training_run import TrainingRun
from scorers.lerc.pretraining import pretrain_lerc
from scorers.lerc.training import train_lerc
from scorers.training_defaults import training_defaults

# Intervals of heartbeats, and of storing the state.
BEAT_SECONDS = 1.0
STORE_SECONDS = settings.TRAINING_SNAPSHOT_SECONDS
#: Trainings use one global generator of random numbers, so a process does one at a time.
ONE_AT_A_TIME = threading.Lock()
# Errors of the data or the choices.
EXPECTED_ERRORS = (FileError, ModelError, TrainingError, ValueError, TrainingRefusedError)


def perform(pk: int) -> bool:
    """Do a training, unless another worker has it or it has ended.

    Returns False if this process is busy. The reason of a failure is stored; unexpected errors are
    raised as well.
    """
    if not ONE_AT_A_TIME.acquire(blocking=False):
        return False
    try:
        training = Training.claim(pk, at=now())
        if training is not None:
            _perform(training)
    finally:
        ONE_AT_A_TIME.release()
    return True


def _perform(training: Training) -> None:
    root = settings.VAR_DIR / "trainings"
    root.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{training.pk}-", dir=root))

    def fail(reason: str, refusal: Exception | None) -> None:
        text = str(refusal).replace(f"{folder}/", "") if refusal else ""
        training.fail(to_sentence(text) if refusal else reason, at=now())

    try:
        performing.perform(
            training,
            lambda: _make_checkpoint(training, folder),
            expected_errors=EXPECTED_ERRORS,
            fail=fail,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _make_checkpoint(training: Training, folder: Path) -> None:
    work = TrainingFolder(training, folder)
    files = work.fill()
    reporter = _Reporter(training, work)
    _train(training, files, work, reporter)
    reporter.store_progress()
    checkpoint = checkpoints.read_checkpoint(work.out, training.name, at=now())
    requests.complete(training, checkpoint, at=now())


def _train(training: Training, files: Files, work: TrainingFolder, reporter: _Reporter) -> None:
    choices = TrainingOptions.from_json(training.choices)
    run = TrainingRun(
        out=work.out,
        settings=choices.settings(training_defaults(training.kind).best_by),
        rates=choices.rates,
        seeds=choices.seeds,
        half=True,
        licence=choices.licence,
        command=f"a training on the page of learned metrics: {training.name}",
        notes=choices.notes,
        cache=work.cache,
        progress=reporter.report,
    )
    if training.kind == "kpqa":
        train_predictor(files, run, KeyphraseRecipe(made=choices.made))
    elif training.kind == "ava":
        form = None
        if choices.design != "linear":
            pairs = tuple(PAIRS.get(choices.design, BEST_PAIRS))
            form = AvaForm(choices.design, pairs, shared=choices.shared)  # type: ignore[arg-type]
        train_ava(TrainingFiles(files), run, form, head=choices.head(), recipe=choices.recipe())
    elif training.kind == CHOICES:
        pretrain_lerc(
            TrainingFiles(files),
            run,
            form=choices.form(CHOICES),
            start=choices.pretrained,
            dev_share=choices.dev_share,
            split_seed=choices.split_seed,
        )
    else:
        train_lerc(
            TrainingFiles(files),
            run,
            choices.form(training.kind),
            kind=training.kind,
            head=choices.head(),
            recipe=choices.recipe(),
        )


class _Reporter:
    """Stores the progress that a training reports, at most once a second."""

    def __init__(self, training: Training, work: TrainingFolder) -> None:
        choices = TrainingOptions.from_json(training.choices)
        self._training, self._work = training, work
        self._runs = len(choices.rates) * len(choices.seeds)
        self._last_beat = self._stored_at = time.monotonic()
        self._steps = 0

    def report(self, report: ProgressReport) -> None:
        """Raises StoppedError if the training was stopped or belongs to another worker."""
        self._steps = report.steps * self._runs
        at = time.monotonic()
        if report.dev is None and at - self._last_beat < BEAT_SECONDS:
            return
        if at - self._stored_at >= STORE_SECONDS:
            self._stored_at = at
            if not self._work.store_state():
                raise StoppedError
        self._beat(at)

    def store_progress(self) -> None:
        """Store the complete curves."""
        self._beat(time.monotonic())

    def _beat(self, at: float) -> None:
        curves = self._work.curves()
        step = sum(curve["step"] for curve in curves)
        elapsed, self._last_beat = at - self._last_beat, at
        if not self._training.advance(
            at=now(),
            curves=curves,
            step=step,
            steps=max(self._steps, step),
            seconds=F("seconds") + elapsed,
        ):
            raise StoppedError
