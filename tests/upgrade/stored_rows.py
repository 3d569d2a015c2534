"""The rows that the values in `test_stored_values.py` name: their primary keys are fixed."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import connection
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, Listing, Publication
from annotation.rating.models import Participation
from annotation.studies.models import Study
from core.accounts.models import Invitation
from core.accounts.roles import SiteRole
from core.accounts.services import invitations
from tests.annotation.rating import scenes

FIRST_KEY = 4711
TABLES = (
    "accounts_invitation",
    "annotation_crowdassignment",
    "annotation_listing",
    "annotation_participation",
    "annotation_study",
)


@dataclass(frozen=True)
class StoredRows:
    """One row of each kind that a signed link names."""

    study: Study
    participation: Participation
    publication: Publication
    listing: Listing
    crowd_assignment: CrowdAssignment
    invitation: Invitation


def make_rows() -> StoredRows:
    """Make the rows, each with the primary key 4711."""
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s, false)", [table, FIRST_KEY]
            )
    made = scenes.make_study("harbour")
    stage = made.stage("full")
    publication = Publication.objects.create(
        stage=stage,
        provider="prolific",
        site="https://concord.example",
        offer={},
        uid="0123456789abcdef",
        created_at=now(),
    )
    listing = Listing.objects.create(publication=publication, places=3, pay_cents=10, key="key")
    crowd_assignment = CrowdAssignment.objects.create(
        publication=publication,
        listing=listing,
        participation=made.worker,
        provider_id="session",
    )
    administrator = User.objects.create_superuser("sue")
    invitation = invitations.invite(administrator, SiteRole.SUBMITTER, at=now())
    return StoredRows(made.study, made.worker, publication, listing, crowd_assignment, invitation)
