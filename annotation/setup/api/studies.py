"""API of studies, their protocol versions, and the presets."""

from __future__ import annotations

import secrets
from typing import Any

from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.setup.services.study_creation import change_protocol, create_study
from annotation.studies.api.access import edited, person, viewed
from annotation.studies.api.protocols import EXAMPLE, ProtocolDocument, protocol_of
from annotation.studies.models import (
    SLUG,
    SLUG_HELP,
    ProtocolVersion,
    Study,
)
from annotation.studies.services import access
from concord.protocols import PRESETS, current_version, preset
from core.accounts.roles import Role
from core.column_bounds import max_length
from core.rest.operations import operation
from core.rest.serializers import Paged, Strict
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


class StudyDocument(serializers.Serializer[Study]):
    """A rating study."""

    slug = serializers.CharField()
    title = serializers.CharField()
    preset = serializers.CharField(help_text="The preset of its protocol.")
    preset_version = serializers.IntegerField(
        help_text="The preset's version when the study was created."
    )
    origin = serializers.DictField(
        help_text="The judgment set, metric and items from which it was created, if any."
    )
    seed = serializers.IntegerField(help_text="Seed of packing, shuffling, splitting and sampling.")
    protocol_version = serializers.SerializerMethodField(help_text="The current version.")
    created_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    archived_at = serializers.DateTimeField(allow_null=True)
    rater_language = serializers.CharField(
        help_text="The language of the raters' pages; empty: that of each rater's browser."
    )
    role = serializers.SerializerMethodField(help_text="Your role; null for administrators.")

    def get_protocol_version(self, study: Study) -> int:
        return study.current.version

    def get_role(self, study: Study) -> str | None:
        role = study.role or access.role_on(self.context["request"].user, study)
        return role.value if isinstance(role, Role) else None


class ProtocolVersionDocument(serializers.Serializer[ProtocolVersion]):
    """A version of the protocol. It never changes after it was used."""

    version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    protocol = serializers.DictField(source="protocol.to_json", help_text="In the format of PUT.")


class PresetDocument(serializers.Serializer[str]):
    """A preset protocol."""

    name = serializers.SerializerMethodField()
    title = serializers.SerializerMethodField()
    version = serializers.SerializerMethodField()
    protocol = serializers.SerializerMethodField()

    def get_name(self, name: str) -> str:
        return name

    def get_title(self, name: str) -> str:
        return str(PRESETS[name][0])

    def get_version(self, name: str) -> int:
        return current_version(name)

    def get_protocol(self, name: str) -> dict[str, Any]:
        return preset(name).to_json()


class NewStudy(Strict):
    slug = serializers.RegexField(
        SLUG, max_length=max_length(Study, "slug"), help_text=f"Its name in URLs. {SLUG_HELP}"
    )
    title = serializers.CharField(max_length=max_length(Study, "title"))
    preset = serializers.ChoiceField(sorted(PRESETS), default="blank")
    protocol = ProtocolDocument(required=False, help_text="Replaces the preset's protocol.")
    seed = serializers.IntegerField(min_value=0, max_value=2**62, required=False)


class Presets(ApiView):
    @operation(
        "List presets",
        scope="studies:read",
        query=Paged,
        answer=PresetDocument,
        pages=True,
        tag="studies",
    )
    def get(self, request: Request) -> Response:
        """The protocols of papers, and a blank one."""
        return self.page_of_rows(sorted(PRESETS), lambda name: name)


class Studies(ApiView):
    @operation(
        "List your studies",
        scope="studies:read",
        query=Paged,
        answer=StudyDocument,
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
        answer=StudyDocument,
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
            preset=body["preset"],
            owner=owner,
            seed=body.get("seed", secrets.randbits(62)),
            at=now(),
        )
        return self.answer(study, location=reverse("api-study", args=[study.slug]))


class OneStudy(ApiView):
    @operation("Read a study", scope="studies:read", answer=StudyDocument, answer_example=STUDY)
    def get(self, request: Request, slug: str) -> Response:
        return self.answer(viewed(request, slug))


class CurrentProtocol(ApiView):
    @operation(
        "Read the protocol",
        scope="studies:read",
        answer=ProtocolVersionDocument,
        tag="protocols",
    )
    def get(self, request: Request, slug: str) -> Response:
        """The current version, which applies to new assignments."""
        return self.answer(viewed(request, slug).current)

    @operation(
        "Change the protocol",
        scope="studies:write",
        body=ProtocolDocument,
        answer=ProtocolVersionDocument,
        changes=lambda: CurrentProtocol,
        tag="protocols",
        example=EXAMPLE,
    )
    def put(self, request: Request, slug: str) -> Response:
        """Replaces the current version, or becomes the next one if the current one is in use."""
        study = edited(request, slug)
        return self.answer(change_protocol(study, protocol_of(self.body()), at=now()))


class Protocols(ApiView):
    @operation(
        "List a protocol's versions",
        scope="studies:read",
        query=Paged,
        answer=ProtocolVersionDocument,
        pages=True,
        tag="protocols",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Latest first."""
        study = viewed(request, slug)
        return self.page_of_query(study.protocol_versions.all(), "-version")
