"""Learned metrics: start, read, stop, resume and delete trainings; import and export them."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpResponse
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.sets.services import access
from benchmarks.trainings import services as trainings
from benchmarks.trainings import tasks
from benchmarks.trainings.api.bodies import EXAMPLE, StartTraining, parse_choices
from benchmarks.trainings.inputs import CheckpointName
from benchmarks.trainings.models import Checkpoint, Training
from benchmarks.trainings.services.access import require_researcher, training_for, trainings_of
from concord.documents.conversion import fill
from concord.documents.trainings import CheckpointDocument, TrainingDetailDocument, TrainingDocument
from core.accounts.views.shared import person
from core.jobs import send_after_commit
from core.pages.errors import MissingError
from core.rest.derived import DataclassSerializer
from core.rest.operations import FORM, operation
from core.rest.parsers import BodyTooLargeError
from core.rest.problems import register
from core.rest.serializers import Paged
from core.rest.views import ApiView
from scorers.errors import CheckpointError
from scorers.judges.descriptions import describe_card
from scorers.learned.card import CheckpointCard

ZIP = "application/zip"


class TrainingAtWorkError(APIException):
    """An active training cannot be deleted."""

    status_code = 409
    default_detail = "The training has not ended. Stop it first."


register(TrainingAtWorkError, "training-at-work", 409, "The training has not ended")


def training_document(training: Training, request: Request) -> TrainingDocument:
    return fill(TrainingDocument, training, **_of_training(training, request))


def training_detail_document(training: Training, request: Request) -> TrainingDetailDocument:
    return fill(TrainingDetailDocument, training, **_of_training(training, request))


def _of_training(training: Training, request: Request) -> dict[str, object]:
    """The fields that are not those of the table."""
    sets = access.sets_for(request.user).filter(trainings=training)
    return {
        "judgment_sets": [str(judgment_set) for judgment_set in sets.order_by("pk")],
        "checkpoint": training.checkpoint and training.checkpoint.name,
    }


def checkpoint_document(checkpoint: Checkpoint) -> CheckpointDocument:
    return fill(
        CheckpointDocument,
        checkpoint,
        description=describe_card(CheckpointCard.of(checkpoint.card, checkpoint.name)),
    )


class NewCheckpoint(DataclassSerializer):
    dataclass = CheckpointName

    file = serializers.FileField(help_text="A zip file, as exported by an installation of Concord.")


class Trainings(ApiView):
    @operation(
        "List trainings",
        scope="sets:read",
        query=Paged,
        answer=training_document,
        pages=True,
        tag="learned metrics",
    )
    def get(self, request: Request) -> Response:
        """Your trainings, latest first. Administrators see all trainings."""
        require_researcher(request.user)
        return self.page_of_query(trainings_of(request.user), "-created_at", "-pk")

    @operation(
        "Start a training",
        scope="runs:write",
        body=StartTraining,
        takes=FORM,
        answer=training_detail_document,
        status=202,
        creates=True,
        also={404: "A judgment set does not exist, or you may not see it."},
        tag="learned metrics",
        example=EXAMPLE,
    )
    def post(self, request: Request) -> Response:
        """Train on judgment sets, a file, or both, but never on the test split of a set. A worker
        does it: poll the training at `Location` until it has ended."""
        require_researcher(request.user)
        body = self.body()
        choices = parse_choices(body)
        sets = [access.set_for(request.user, ref) for ref in body.get("sets", ())]
        uploads = trainings.read_uploads(body.get("file"), body.get("answers"), _content)
        with transaction.atomic():
            training = trainings.request(
                body["name"],
                body["kind"],
                choices,
                sets,
                uploads,
                by=person(request),
                at=now(),
            )
            send_after_commit(lambda: tasks.train.delay(training.pk))
        return self.answer(training, location=reverse("api-training", args=[training.pk]))


class OneTraining(ApiView):
    @operation(
        "Read a training",
        scope="sets:read",
        answer=training_detail_document,
        tag="learned metrics",
    )
    def get(self, request: Request, training: int) -> Response:
        """Progress and curves. Poll it until `status` is complete, failed or cancelled."""
        return self.answer(_own_training(request, training))

    @operation(
        "Delete a training",
        scope="runs:write",
        status=204,
        tag="learned metrics",
        also={409: "The training has not ended."},
    )
    def delete(self, request: Request, training: int) -> Response:
        """Delete the training and its checkpoint. Stop an active training first."""
        if not trainings.delete(_own_training(request, training)):
            raise TrainingAtWorkError
        return Response(status=204)


class StopTraining(ApiView):
    @operation(
        "Stop a training",
        scope="runs:write",
        answer=training_detail_document,
        changes=lambda: OneTraining,
        tag="learned metrics",
    )
    def post(self, request: Request, training: int) -> Response:
        """Its state is stored, so that it can be resumed. A training that has ended does not
        change."""
        trainings.stop(_own_training(request, training), at=now())
        return self.answer(_own_training(request, training))


class ResumeTraining(ApiView):
    @operation(
        "Resume a training",
        scope="runs:write",
        answer=training_detail_document,
        changes=lambda: OneTraining,
        tag="learned metrics",
    )
    def post(self, request: Request, training: int) -> Response:
        """A stopped or failed training continues from its last stored state. Other trainings do not
        change."""
        row = _own_training(request, training)
        with transaction.atomic():
            if trainings.resume(row, at=now()):
                send_after_commit(lambda: tasks.train.delay(row.pk))
        return self.answer(_own_training(request, training))


class Checkpoints(ApiView):
    @operation(
        "List checkpoints",
        scope="sets:read",
        query=Paged,
        answer=checkpoint_document,
        pages=True,
        tag="learned metrics",
    )
    def get(self, request: Request) -> Response:
        """Trained and imported checkpoints, without the shipped ones."""
        require_researcher(request.user)
        return self.page_of_query(Checkpoint.objects.all(), "name")

    @operation(
        "Import a checkpoint",
        scope="runs:write",
        body=NewCheckpoint,
        takes=FORM,
        answer=checkpoint_document,
        status=201,
        creates=True,
        tag="learned metrics",
        example={"name": "my-lerc", "file": "(a file)"},
    )
    def post(self, request: Request) -> Response:
        """The checkpoint is validated. It is then a metric with this name."""
        require_researcher(request.user)
        body = self.body()
        _check_size(body["file"])
        checkpoint = trainings.import_checkpoint(body["name"], body["file"], at=now())
        return self.answer(checkpoint, location=reverse("api-checkpoint", args=[checkpoint.name]))


class OneCheckpoint(ApiView):
    @operation("Download a checkpoint", scope="sets:read", sends=ZIP, tag="learned metrics")
    def get(self, request: Request, checkpoint: str) -> HttpResponse:
        """The checkpoint's folder as a zip file, which `Import a checkpoint` accepts."""
        require_researcher(request.user)
        try:
            content = trainings.export(checkpoint)
        except CheckpointError as error:
            raise MissingError(f"There is no checkpoint {checkpoint}.") from error
        response = HttpResponse(content, content_type=ZIP)
        response["Content-Disposition"] = f'attachment; filename="{checkpoint}.zip"'
        return response


def _own_training(request: Request, pk: int) -> Training:
    require_researcher(request.user)
    return training_for(person(request), pk)


def _content(file: UploadedFile[bytes]) -> bytes:
    _check_size(file)
    return cast(bytes, file.read())


def _check_size(file: UploadedFile[bytes]) -> None:
    max_bytes = settings.CHECKPOINT_MAX_BYTES
    if (file.size or 0) > max_bytes:
        raise BodyTooLargeError(
            f"The file has {file.size:,} bytes; at most {max_bytes:,} are allowed."
        )
