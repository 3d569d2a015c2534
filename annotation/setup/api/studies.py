"""API of studies, their protocol versions, and the presets."""

from __future__ import annotations

import secrets

from django.urls import reverse
from django.utils.timezone import now
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.setup import inputs
from annotation.setup.services.study_creation import StudySource, change_protocol, create_study
from annotation.studies.api.access import edited, person, viewed
from annotation.studies.api.protocols import EXAMPLE, ProtocolDocument, protocol_of
from annotation.studies.models import ProtocolVersion, Study
from annotation.studies.services import access
from concord.documents.conversion import fill
from concord.documents.studies import PresetDocument, ProtocolVersionDocument, StudyDocument
from concord.protocols import PRESETS, current_version, preset
from core.accounts.roles import Role
from core.rest.derived import DataclassSerializer
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView

STUDY = {
    "slug": "my-study",
    "title": "Answers about short stories",
    "preset": "mocha-2020",
    "preset_version": 2,
    "origin": {},
    "seed": 7,
    "protocol_version": 1,
    "created_at": "2026-01-05T09:30:00Z",
    "published_at": None,
    "archived_at": None,
    "rater_language": "",
    "role": "owner",
}


def study_document(study: Study, request: Request) -> StudyDocument:
    role = study.role or access.role_on(request.user, study)
    return fill(
        StudyDocument,
        study,
        protocol_version=study.current.version,
        role=role.value if isinstance(role, Role) else None,
    )


def protocol_version_document(row: ProtocolVersion) -> ProtocolVersionDocument:
    return fill(ProtocolVersionDocument, row, protocol=row.protocol.to_json())


def preset_document(name: str) -> PresetDocument:
    return fill(
        PresetDocument,
        name=name,
        title=str(PRESETS[name][0]),
        version=current_version(name),
        protocol=preset(name).to_json(),
    )


class NewStudy(DataclassSerializer):
    dataclass = inputs.StudyInput
    optional = ("seed",)

    protocol = ProtocolDocument(required=False, help_text="Replaces the preset's protocol.")


class Presets(ApiView):
    @operation(
        "List presets",
        scope="studies:read",
        query=Paged,
        answer=preset_document,
        pages=True,
        tag="studies",
    )
    def get(self, request: Request) -> Response:
        """The protocols of papers, and a blank one."""
        return self.page_of_rows(sorted(PRESETS), lambda name: name)


class StudiesView(ApiView):
    @operation(
        "List your studies",
        scope="studies:read",
        query=Paged,
        answer=study_document,
        pages=True,
        answer_example={"results": [STUDY], "next": None},
    )
    def get(self, request: Request) -> Response:
        """Studies on which you have a role, latest first; for administrators all."""
        return self.page_of_query(access.studies_for(request.user), "-created_at", "-pk")

    @operation(
        "Create a study",
        scope="studies:write",
        body=NewStudy,
        answer=study_document,
        status=201,
        creates=True,
        example={"slug": "my-study", "title": "My study", "preset": "mocha-2020"},
        answer_example=STUDY,
    )
    def post(self, request: Request) -> Response:
        """From a preset or your own protocol. The study is private, and you are its owner."""
        owner = person(request)
        if not access.may_create_studies(owner):
            raise PermissionDenied(access.RESEARCHERS_ONLY)
        body = self.body()
        protocol = protocol_of(body["protocol"]) if "protocol" in body else None
        study = create_study(
            body["slug"],
            body["title"],
            protocol or preset(body["preset"]),
            source=StudySource(body["preset"]),
            owner=owner,
            seed=body.get("seed", secrets.randbits(62)),
            at=now(),
        )
        return self.answer(study, location=reverse("api-study", args=[study.slug]))


class OneStudy(ApiView):
    @operation("Read a study", scope="studies:read", answer=study_document, answer_example=STUDY)
    def get(self, request: Request, slug: str) -> Response:
        return self.answer(viewed(request, slug))


class CurrentProtocol(ApiView):
    @operation(
        "Read the protocol",
        scope="studies:read",
        answer=protocol_version_document,
        tag="protocols",
    )
    def get(self, request: Request, slug: str) -> Response:
        """The current version, which applies to new assignments."""
        return self.answer(viewed(request, slug).current)

    @operation(
        "Change the protocol",
        scope="studies:write",
        body=ProtocolDocument,
        answer=protocol_version_document,
        changes=lambda: CurrentProtocol,
        tag="protocols",
        example=EXAMPLE,
    )
    def put(self, request: Request, slug: str) -> Response:
        """Replaces the current version, or becomes the next one if the current one is in use."""
        study = edited(request, slug)
        return self.answer(change_protocol(study, protocol_of(self.body()), at=now()))
