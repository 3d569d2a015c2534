"""Doing a claimed training: its data into a folder, the training itself, its checkpoint."""

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
from benchmarks.trainings.services.choices import CHOICES, KINDS, Choices
from benchmarks.trainings.services.folder import Files, TrainingFolder
from benchmarks.trainings.services.requests import TrainingRefusedError
from concord.sentences import to_sentence
from core.jobs import performing
from core.jobs.performing import StoppedError
from scorers.ava.form import BEST_PAIRS, PAIRS, AvaForm
from scorers.ava.training import train_ava
from scorers.errors import ModelError, TrainingError
from scorers.jsonl import FileError
from scorers.judges.training import Run
from scorers.keyphrases.training import KeyphraseRecipe, train_predictor
from scorers.learned.loop import ProgressReport
from scorers.lerc.pretraining import pretrain_lerc
from scorers.lerc.training import train_lerc

# Between two looks at the database, and between two copies of the state into it.
BEAT_SECONDS = 1.0
KEEP_SECONDS = settings.TRAINING_SNAPSHOT_SECONDS
#: Trainings draw from one generator of random numbers, so a process makes one at a time.
ONE_AT_A_TIME = threading.Lock()
# What the data or the choices are to blame for.
EXPECTED_ERRORS = (FileError, ModelError, TrainingError, ValueError, TrainingRefusedError)


def perform(pk: int) -> bool:
    """Do a training unless somebody holds it or it has ended; False when this process is busy.

    The reason of a failure is written to it; one of the program's own faults is raised as well.
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
    place = settings.VAR_DIR / "trainings"
    place.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{training.pk}-", dir=place))

    def fail(reason: str, refusal: Exception | None) -> None:
        text = str(refusal).replace(f"{folder}/", "") if refusal else ""
        training.fail(to_sentence(text) if refusal else reason, at=now())

    try:
        performing.perform(
            training,
            lambda: _to_checkpoint(training, folder),
            expected_errors=EXPECTED_ERRORS,
            fail=fail,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _to_checkpoint(training: Training, folder: Path) -> None:
    work = TrainingFolder(training, folder)
    files = work.fill()
    reporter = _Reporter(training, work)
    _train(training, files, work, reporter)
    reporter.last_beat()
    card = checkpoints.made(work.out, training.name, at=now())
    requests.complete(training, card, at=now())


def _train(training: Training, files: Files, work: TrainingFolder, reporter: _Reporter) -> None:
    choices, kind = Choices.of(training.choices), KINDS[training.kind]
    run = Run(
        out=work.out,
        settings=choices.settings(kind.best_by),
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
        train_predictor(
            files,
            run.out,
            run.settings,
            KeyphraseRecipe(made=choices.made),
            rates=run.rates,
            seeds=run.seeds,
            half=True,
            licence=run.licence,
            command=run.command,
            notes=run.notes,
            progress=run.progress,
        )
    elif training.kind == "ava":
        form = None
        if choices.design != "linear":
            pairs = tuple(PAIRS.get(choices.design, BEST_PAIRS))
            form = AvaForm(choices.design, pairs, shared=True)  # type: ignore[arg-type]
        train_ava(files, [], run, form, head=choices.head(), recipe=choices.recipe())
    elif training.kind == CHOICES:
        pretrain_lerc(
            files,
            [],
            run,
            form=choices.form(CHOICES),
            start=choices.pretrained,
            dev_share=choices.dev_share,
            split_seed=choices.split_seed,
        )
    else:
        train_lerc(
            files,
            [],
            run,
            choices.form(training.kind),
            kind=training.kind,
            head=choices.head(),
            recipe=choices.recipe(),
        )


class _Reporter:
    """Stores the progress that a training reports, at most once a second."""

    def __init__(self, training: Training, work: TrainingFolder) -> None:
        choices = Choices.of(training.choices)
        self._training, self._work = training, work
        self._runs = len(choices.rates) * len(choices.seeds)
        self._beaten = self._kept = time.monotonic()
        self._steps = 0

    def report(self, report: ProgressReport) -> None:
        """Raises StoppedError when the training is stopped or another's; its state is then kept as
        it was written last."""
        self._steps = report.steps * self._runs
        at = time.monotonic()
        if report.dev is None and at - self._beaten < BEAT_SECONDS:
            return
        if at - self._kept >= KEEP_SECONDS:
            self._kept = at
            if not self._work.keep():
                raise StoppedError
        self._beat(at)

    def last_beat(self) -> None:
        """The whole of the curves."""
        self._beat(time.monotonic())

    def _beat(self, at: float) -> None:
        curves = self._work.curves()
        step = sum(curve["step"] for curve in curves)
        passed, self._beaten = at - self._beaten, at
        if not self._training.advance(
            at=now(),
            curves=curves,
            step=step,
            steps=max(self._steps, step),
            seconds=F("seconds") + passed,
        ):
            raise StoppedError
