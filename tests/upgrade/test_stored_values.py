"""Links, tokens, keys and hashes that release 0.2.0 made still work.

Whoever has such a link, token or database gets nothing from a renamed salt or key label. The values
here were written by release 0.2.0 with the keys below and are never made anew.
"""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from annotation.crowds.services import pages
from annotation.identities.sealing import Sealed, lookups
from annotation.rating.models import Worker
from annotation.rating.services.participation import get_or_create_worker
from benchmarks.sets.services.pseudonyms import pseudonyms
from concord.formats.records import InstanceRecord
from core.accounts.models import ApiToken
from tests.upgrade.stored_rows import StoredRows, make_rows

WRITTEN_AT = 1795380395  # seconds since 1970
SECRET_KEY = "the signing key of values that were stored before"
IDENTITY_KEY = "the identity key of values that were stored before"

PARTICIPATION = "NDcxMQ:1xVESJ:4uK5t3iMJeO-3aLdWS4iR4p4zGQo1-iQ_fwd3RkPeuc"
STUDY_INVITATION = (
    "WzQ3MTEsImxpbmsiLCJnQUFBQUFCckExU3J4ZXhQaENRR0J3TlFTaHBrNXhOT2NzV3FXSjhhS3NOSnpENkpyNE5idElU"
    "X1ZLQmRJQzZVWEJ6ODBYOGpYU2M3ZU0xQV80YVRWQWxYMDNfUTlsQTdQQT09Iix0cnVlXQ:1xVESJ:"
    "yW_flVPD7lVJDQDCyHS06jEGl_LZYPVT1nB-QmLsK5k"
)
STUDY_PREVIEW = "NDcxMQ:1xVESJ:A3l2nqWefv3IsicMju6irolAE4RYWblSZkytxZ6-xXs"
CROWD_LISTING = "4711:6ceuCpqijQGbgghHc2s-usnqGK5hJTAU33TCn7A4DUA"
CROWD_ASSIGNMENT = (
    "WzQ3MTEsImh0dHBzOi8vcGFuZWwuZXhhbXBsZS9zdWJtaXQiXQ:4ORNNrlheFWqKaOscukxM48Us1H2ssxhTmbu_lr7PFc"
)
ACCOUNT_INVITATION = "NDcxMQ:1xVESJ:s2uiv-m_UhwPuw6um6043s7OqqcPcnwVezc3s_4yuw4"
SEALED = (
    "gAAAAABrA1Sri5buPfX7ZRWQWGk2Q2WT4WL5qiaJn3ZnxtVZzZM53IvH6zxDZ06y9Zfg5_ya6pvKS24rej1vXEYGm8496FK1"
    "XQ=="
)
LOOKUP = "74900b7ea1d7c0f2ce6b138d3c540b62b4f375f9dd3c95aaa13d2e7c8a8c5aaa"
TOKEN = "concord_Zq3mC0n5tR4yP8wK1vB6xJ2hL9dF7gS0aQeTuYiOpMn"
TOKEN_DIGEST = "58020a9705c43f4efe8ca6d48b99b2d6c4dea1877a88e2c025727af22b98cce6"
WEBHOOK_SECRET = "whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI="
WEBHOOK_SECRET_SEALED = (
    "gAAAAABrA1SrVuRGnEEC7RXEn9XbhIHLPSwrPGyH5fxzpRNgOY6UiIDCUcHFMDkjQWIC9fyOAQ75hdAjprgFiJPHK4DW"
    "SEBtdAJINQt9RQ-Jd8vQHjmXjxzLHMuFiNI8fQ95cZGuh-BQD6wgo6ef9QE_1oYvPImeHQ=="
)
WEBHOOK_HEADERS = {
    "webhook-id": "7a2f8e2c-6f0b-4d1c-9a55-0c7f5c0f6a11",
    "webhook-timestamp": "1790000000",
    "webhook-signature": "v1,5CY5XYtQonFhPJ+kaTLoRbq9kbQs1f6h909mRxSrEpU=",
}
CONTENT_HASH = "d4100149ed9ddb1412f366e5dfbe11c597da2e7fc6180b14b6fdfa4ac08662ee"
TEXT_KEY, CONTEXT_KEY = "de119e6e0f99da0ea51bfba66be89db0", "4f21740ed1b9e7aaaab4ee6f8bb37e96"
INSTANCE = InstanceRecord(
    "m-4",
    ("a kettle", "the kettle"),
    "Mira boiled water.",
    "In what?",
    constituent="harbour",
    split="test",
)


@pytest.fixture(autouse=True)
def keys(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys of the values above, at the time when they were written: links grow too old."""
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = SECRET_KEY, []
    settings.IDENTITY_KEYS = [IDENTITY_KEY]
    clock = SimpleNamespace(time=lambda: float(WRITTEN_AT))
    monkeypatch.setattr("django.core.signing.time", clock)


@pytest.fixture
def rows(db: None) -> StoredRows:
    return make_rows()


def test_a_raters_link_opens(rows: StoredRows, client: Client) -> None:
    assert client.get(f"/rate/{PARTICIPATION}/").status_code == 200
    assert client.get(f"/rate/{PARTICIPATION[:-1]}A/").status_code == 403


def test_an_invitation_to_a_study_opens(rows: StoredRows, client: Client) -> None:
    answer = client.get(f"/rate/join/{rows.study.slug}/?invite={STUDY_INVITATION}")
    assert answer.status_code == 303
    worker = Worker.objects.exclude(pk=rows.participation.worker_id).get()
    assert worker.identity is not None
    assert (worker.identity.open(), worker.provider, worker.simulated) == (
        "worker 17",
        "link",
        True,
    )


def test_a_preview_of_a_study_opens(rows: StoredRows, client: Client) -> None:
    address = f"/rate/preview/{rows.study.slug}/"
    assert client.get(f"{address}?key={STUDY_PREVIEW}").status_code == 200
    assert client.get(f"{address}?key={STUDY_PREVIEW[:-1]}A").status_code == 403


def test_a_listing_of_a_crowd_platform_opens(rows: StoredRows, client: Client) -> None:
    assert pages.listing_of(CROWD_LISTING) == rows.listing
    assert pages.url_of(rows.listing) == f"https://concord.example/rate/crowd/{CROWD_LISTING}/"


def test_a_crowd_workers_token_names_the_assignment(rows: StoredRows) -> None:
    assignment = pages.crowd_assignment_of(CROWD_ASSIGNMENT)
    assert assignment == (rows.crowd_assignment, "https://panel.example/submit")


def test_an_invitation_to_an_account_opens(rows: StoredRows, client: Client) -> None:
    assert client.get(f"/invitation/{ACCOUNT_INVITATION}/").status_code == 200
    assert client.get(f"/invitation/{ACCOUNT_INVITATION[:-1]}A/").status_code == 404


def test_completion_codes_are_stored_and_outlast_their_key(rows: StoredRows, settings: Any) -> None:
    import_module("annotation.migrations.0009_lasting_codes").store_codes(apps, None)
    settings.SECRET_KEY = "the signing key that comes after the first one"
    rows.participation.refresh_from_db()
    rows.publication.refresh_from_db()
    assert rows.participation.completion_code == "MABCRSOPBG"
    assert rows.publication.completion_code == "OJU2ADKZB7"


def test_a_sealed_identity_opens_and_is_looked_up() -> None:
    assert Sealed(SEALED).open() == "worker 17"
    assert lookups("prolific", "worker 17") == [LOOKUP]


def test_names_of_workers_stay(rows: StoredRows) -> None:
    worker = get_or_create_worker(rows.study, "link", "sim-1", simulated=True, at=now())
    assert worker.name == "w-c763fa09f0"


def test_pseudonyms_of_a_set_stay() -> None:
    key = import_module("benchmarks.migrations.0012_pseudonym_keys").derived_key(
        "harbour", SECRET_KEY
    )
    names = pseudonyms(SimpleNamespace(pseudonym_key=key))  # type: ignore[arg-type]
    assert names("w-17") == "w-bcda69e0e5ea"


def test_an_api_token_works(db: None, client: Client) -> None:
    ApiToken.objects.create(
        user=User.objects.create_user("rosa"),
        name="nightly runs",
        digest=TOKEN_DIGEST,
        prefix=TOKEN[:12],
        scopes=["sets:read", "webhooks:write"],
        created_at=now(),
        expires_at=now() + timedelta(days=1),
    )
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answer = client.get("/api/v1/account", headers=headers)
    assert answer.json()["scopes"] == ["sets:read", "webhooks:write"]
