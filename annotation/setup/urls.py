"""URLs of a study's set-up pages, below a study's own."""

from django.urls import path

from annotation.setup.views import listing, membership, overview, protocols

STUDY = "<str:slug>/"

urlpatterns = [
    path("", listing.studies, name="studies"),
    path("new/", listing.new_study, name="study-new"),
    path(STUDY, overview.study, name="study"),
    path(
        f"{STUDY}candidates/imports/<int:pk>/next/",
        overview.after_import,
        name="study-after-import",
    ),
    path(f"{STUDY}members/", membership.study_members, name="study-members"),
    path(f"{STUDY}publishing/", membership.study_publishing, name="study-publishing"),
    path(f"{STUDY}public/", membership.public_study, name="study-public"),
    path(f"{STUDY}protocol/", protocols.task, name="study-protocol"),
    path(f"{STUDY}protocol/rules/", protocols.rules, name="study-protocol-rules"),
    path(
        f"{STUDY}protocol/<int:version>/", protocols.protocol_version, name="study-protocol-version"
    ),
]
