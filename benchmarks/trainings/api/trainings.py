"""Learned metrics: trained, watched, stopped, taken up, brought along and taken away."""

from __future__ import annotations

import logging
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpResponse
from django.urls import reverse
from django.utils.timezone import now
from kombu.exceptions import OperationalError
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.sets.services import access
from benchmarks.trainings import services as trainings
from benchmarks.trainings import tasks
from benchmarks.trainings.api.bodies import EXAMPLE, MetricName, StartTraining, choices_of
from benchmarks.trainings.models import Checkpoint, Training
from benchmarks.trainings.services.access import require_researcher, training_for, trainings_of
from core.pages.errors import MissingError
from core.rest.operations import FORM, operation
from core.rest.parsers import BodyTooLargeError
from core.rest.problems import register
from core.rest.serializers import Paged, Strict
from core.rest.views import ApiView
from core.rest.work import WorkDocument
from scorers.errors import CheckpointError
from scorers.judges.descriptions import describe_card
from scorers.learned.card import Card

logger = logging.getLogger(__name__)

ZIP = "application/zip"


class TrainingAtWorkError(APIException):
    """What is at work cannot be deleted."""

    status_code = 409
    default_detail = "The training has not ended: stop it first."


register(TrainingAtWorkError, "training-at-work", 409, "The training has not ended")


class TrainingDocument(WorkDocument):
    """A training of a learned metric, which will have its name."""

    name = serializers.CharField()
    kind = serializers.CharField()
    judgment_sets = serializers.SerializerMethodField(help_text="NAME@VERSION of each you may see.")
    step = serializers.IntegerField()
    steps = serializers.IntegerField(help_text="0 until they are counted.")
    seconds = serializers.FloatField()
    checkpoint = serializers.CharField(
        source="checkpoint.name", allow_null=True, default=None, help_text="Null until complete."
    )

    def get_judgment_sets(self, found: Training) -> list[str]:
        mine = access.sets_for(self.context["request"].user)
        return [str(one) for one in mine.filter(trainings=found).order_by("pk")]


class TrainingDetailDocument(TrainingDocument):
    """A training, with what was chosen and how it went."""

    choices = serializers.DictField()
    curves = serializers.ListField(
        child=serializers.DictField(),
        help_text="Reports of progress, a list for each learning rate and seed.",
    )


class CheckpointDocument(serializers.Serializer[Checkpoint]):
    """A learned metric's weights, with the card that says what they were trained on and how."""

    name = serializers.CharField()
    kind = serializers.CharField()
    weights_sha256 = serializers.CharField()
    created_at = serializers.DateTimeField()
    description = serializers.SerializerMethodField(
        help_text="One sentence on what it is; empty for a keyphrase predictor without one."
    )
    card = serializers.DictField(
        help_text="`known_failures` are published examples that it gets wrong."
    )

    def get_description(self, found: Checkpoint) -> str:
        return describe_card(Card.of(found.card, found.name))


class NewCheckpoint(Strict):
    name = MetricName()
    file = serializers.FileField(help_text="A zip file, as downloaded from such an installation.")


class Trainings(ApiView):
    @operation(
        "List trainings",
        scope="sets:read",
        query=Paged,
        answer=TrainingDocument,
        pages=True,
        tag="learned metrics",
    )
    def get(self, request: Request) -> Response:
        """Yours, latest first; administrators see everybody's."""
        require_researcher(request.user)
        return self.page_of_query(trainings_of(request.user), "-created_at", "-pk")

    @operation(
        "Start a training",
        scope="runs:write",
        body=StartTraining,
        takes=FORM,
        answer=TrainingDetailDocument,
        status=202,
        creates=True,
        also={404: "There is no such judgment set, or none that you may see."},
        tag="learned metrics",
        example=EXAMPLE,
    )
    def post(self, request: Request) -> Response:
        """On judgment sets, a file, or both; candidates of a set's test split are never trained
        on. A worker makes it: ask again, at `Location`, until it has ended."""
        require_researcher(request.user)
        given = self.body()
        choices = choices_of(given)
        sets = [access.set_for(request.user, ref) for ref in given.get("sets", ())]
        uploads = trainings.uploaded(given.get("file"), given.get("answers"), _content)
        with transaction.atomic():
            made = trainings.request(
                given["name"],
                given["kind"],
                choices,
                sets,
                uploads,
                by=request.user,
                at=now(),
            )
            transaction.on_commit(lambda: _send(made))
        return self.answer(made, location=reverse("api-training", args=[made.pk]))


class OneTraining(ApiView):
    @operation(
        "Read a training",
        scope="sets:read",
        answer=TrainingDetailDocument,
        tag="learned metrics",
    )
    def get(self, request: Request, training: int) -> Response:
        """Its progress and curves; ask again until `status` is complete, failed or cancelled."""
        return self.answer(_mine(request, training))

    @operation(
        "Delete a training",
        scope="runs:write",
        status=204,
        tag="learned metrics",
        also={409: "It has not ended."},
    )
    def delete(self, request: Request, training: int) -> Response:
        """With the checkpoint that came of it; one at work has to be stopped first."""
        if not trainings.delete(_mine(request, training)):
            raise TrainingAtWorkError
        return Response(status=204)


class StopTraining(ApiView):
    @operation(
        "Stop a training",
        scope="runs:write",
        answer=TrainingDetailDocument,
        changes=lambda: OneTraining,
        tag="learned metrics",
    )
    def post(self, request: Request, training: int) -> Response:
        """What it reached is kept. One that has ended stays as it is."""
        trainings.stop(_mine(request, training), at=now())
        return self.answer(_mine(request, training))


class TakeTrainingUp(ApiView):
    @operation(
        "Take a training up again",
        scope="runs:write",
        answer=TrainingDetailDocument,
        changes=lambda: OneTraining,
        tag="learned metrics",
    )
    def post(self, request: Request, training: int) -> Response:
        """One that was stopped or failed goes on from where it was; others stay as they are."""
        found = _mine(request, training)
        with transaction.atomic():
            if trainings.take_up(found, at=now()):
                transaction.on_commit(lambda: _send(found))
        return self.answer(_mine(request, training))


class Checkpoints(ApiView):
    @operation(
        "List checkpoints",
        scope="sets:read",
        query=Paged,
        answer=CheckpointDocument,
        pages=True,
        tag="learned metrics",
    )
    def get(self, request: Request) -> Response:
        """Those that were trained or brought here; those in the box are not among them."""
        require_researcher(request.user)
        return self.page_of_query(Checkpoint.objects.all(), "name")

    @operation(
        "Import a checkpoint",
        scope="runs:write",
        body=NewCheckpoint,
        takes=FORM,
        answer=CheckpointDocument,
        status=201,
        creates=True,
        tag="learned metrics",
        example={"name": "my-lerc", "file": "(a file)"},
    )
    def post(self, request: Request) -> Response:
        """A metric by this name, once it is opened and found whole."""
        require_researcher(request.user)
        given = self.body()
        _refuse_large(given["file"])
        made = trainings.imported(given["name"], given["file"], at=now())
        return self.answer(made, location=reverse("api-checkpoint", args=[made.name]))


class OneCheckpoint(ApiView):
    @operation("Download a checkpoint", scope="sets:read", sends=ZIP, tag="learned metrics")
    def get(self, request: Request, checkpoint: str) -> HttpResponse:
        """Its folder with its card, as a zip file that `Import a checkpoint` takes."""
        require_researcher(request.user)
        try:
            content = trainings.exported(checkpoint)
        except CheckpointError as error:
            raise MissingError(f"There is no checkpoint {checkpoint}.") from error
        response = HttpResponse(content, content_type=ZIP)
        response["Content-Disposition"] = f'attachment; filename="{checkpoint}.zip"'
        return response


def _mine(request: Request, pk: int) -> Training:
    require_researcher(request.user)
    return training_for(cast(User, request.user), pk)


def _content(file: UploadedFile[bytes]) -> bytes:
    _refuse_large(file)
    return cast(bytes, file.read())


def _refuse_large(file: UploadedFile[Any]) -> None:
    most = settings.CHECKPOINT_MAX_BYTES
    if (file.size or 0) > most:
        raise BodyTooLargeError(f"The file has {file.size:,} bytes; at most {most:,} are taken.")


def _send(training: Training) -> None:
    """Without a broker the training waits: workers look for such when they start."""
    try:
        tasks.train.delay(training.pk)
    except OperationalError:
        logger.warning("no broker: training %s waits for a worker's sweep", training.pk)
