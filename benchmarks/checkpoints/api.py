"""REST API of checkpoints of learned metrics: list, import, export, delete."""

from __future__ import annotations

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.checkpoints import services as checkpoints
from benchmarks.checkpoints.forms import CheckpointName
from benchmarks.checkpoints.models import Checkpoint
from benchmarks.checkpoints.services import require_researcher
from concord.documents.checkpoints import CheckpointDocument
from concord.documents.conversion import fill
from core.refusals import RefusedError
from core.rest.derived import DataclassSerializer
from core.rest.operations import FORM, operation
from core.rest.views import ApiView
from core.security.declarations import costs
from scorers.learned.card import CheckpointCard, describe_card

ZIP = "application/zip"


def checkpoint_document(checkpoint: Checkpoint) -> CheckpointDocument:
    return fill(
        CheckpointDocument,
        checkpoint,
        description=describe_card(CheckpointCard.of(checkpoint.card, checkpoint.name)),
    )


class NewCheckpoint(DataclassSerializer):
    dataclass = CheckpointName

    file = serializers.FileField(
        help_text="A zip file: the folder of a training by the command line, or an export."
    )


@costs(files=checkpoints.file_limits)
class Checkpoints(ApiView):
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
        checkpoint = checkpoints.import_checkpoint(body["name"], body["file"], at=now())
        return self.answer(checkpoint, location=reverse("api-checkpoint", args=[checkpoint.name]))


class OneCheckpoint(ApiView):
    @operation("Download a checkpoint", scope="sets:read", sends=ZIP, tag="learned metrics")
    def get(self, request: Request, checkpoint: str) -> HttpResponse:
        """The checkpoint's folder as a zip file, which `Import a checkpoint` accepts."""
        require_researcher(request.user)
        content = checkpoints.export(checkpoint)
        response = HttpResponse(content, content_type=ZIP)
        response["Content-Disposition"] = f'attachment; filename="{checkpoint}.zip"'
        return response


def _check_size(file: UploadedFile[bytes]) -> None:
    max_bytes = settings.CHECKPOINT_MAX_BYTES
    if (file.size or 0) > max_bytes:
        raise RefusedError(
            f"The file has {file.size:,} bytes; at most {max_bytes:,} are allowed.",
            "body-too-large",
        )
