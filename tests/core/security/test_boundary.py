"""Input that must be refused: bombs, forged keys, protected fields, objects of other people."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory
from django.urls import resolve, reverse
from django.utils.timezone import now

from annotation.rating.services import handing_out
from annotation.rating.services.tokens import token_for
from annotation.studies.models import Study, StudyMember
from core.accounts import tokens
from core.accounts.models import ApiToken
from core.accounts.roles import Role
from core.security.declarations import UploadLimits
from core.security.uploads import (
    CheckingUploadHandler,
    UploadLimitMiddleware,
    UploadRefusedError,
)
from tests.annotation import people
from tests.benchmarks.factories import add_member, make_set
from tests.core.rest.people import Caller
from tests.html import readable

DEEP = '{"a":' * 10_000 + "1" + "}" * 10_000
WIDE = "[" + ",".join(["[]"] * 20_000) + "]"
ROWS = {
    "rated": '{"id": "1", "references": ["a"], "candidate": "b", "extra": %s}\n',
    "pairs": '{"id": "1", "references": ["a"], "candidate1": "b", "candidate2": "c", "x": %s}\n',
}


@pytest.fixture
def study(db) -> Study:
    return people.new_study(people.researcher(), rows=people.candidates(), slug="mine")


@pytest.fixture
def client(study) -> Client:
    client = Client()
    client.force_login(study.owner)
    return client


def upload(client: Client, study: Study, content: bytes, name: str = "a.jsonl", **more: str):
    form = {"file": SimpleUploadedFile(name, content), "use": "rated", "format": "concord"}
    path = reverse("study-upload-file", args=[study.slug])
    return client.post(path, form | more, follow=True)


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", b"0" * 50_000_000)
    return file.getvalue()


@pytest.mark.parametrize("use", ROWS)
@pytest.mark.parametrize(
    "bomb",
    [DEEP, "[" * 100_000, '{"a":' * 100_000],
    ids=["10,000 deep", "open lists", "open objects"],
)
def test_a_file_that_nests_deeply_is_refused_with_its_line(client, study, bomb, use):
    answer = upload(client, study, (ROWS[use] % bomb).encode(), use=use)
    assert answer.status_code == 422 and "Line 1" in readable(answer)
    assert b"nested too deeply" in answer.content or b"not valid JSON" in answer.content


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (gzip.compress(b"0" * 50_000_000, mtime=0), b"gzip"),
        (b"7z\xbc\xaf\x27\x1c" + b"0" * 100, b"7z archive"),
    ],
    ids=["gzip", "7z"],
)
def test_a_packed_file_is_refused_and_not_unpacked(client, study, content, sentence):
    answer = upload(client, study, content)
    assert answer.status_code == 413 and sentence in answer.content
    assert study.uploads.count() == 0


def test_a_zip_archive_that_is_no_workbook_is_refused(client, study):
    answer = upload(client, study, zipped(), format="")
    assert answer.status_code == 422 and b"no XLSX workbook" in answer.content
    assert study.uploads.count() == 0


def handler(limits: UploadLimits) -> CheckingUploadHandler:
    request = RequestFactory().post("/")
    request.upload_limits = limits
    upload_handler = CheckingUploadHandler(request)
    upload_handler.new_file("file", "a.jsonl", "text/plain", None)
    return upload_handler


@pytest.mark.parametrize(
    ("limits", "pieces", "sentence"),
    [
        (UploadLimits(10), [b"12345", b"678901"], "larger than the limit of 10 bytes"),
        (UploadLimits(100, max_lines=2), [b"a\nb\n", b"c\n"], "more than 2 lines"),
        (UploadLimits(100, max_line_bytes=4), [b"a\nab", b"abc\n"], "Line 2"),
        (UploadLimits(100, max_line_bytes=4), [b"abc\nabcde"], "more than 4 bytes"),
        (UploadLimits(100), [b"PK\x03\x04..."], "zip"),
        (UploadLimits(100, max_lines=1), [b"PAR1\nb\n"], "more than 1 lines"),
    ],
)
def test_a_file_is_checked_while_it_streams(limits, pieces, sentence):
    upload_handler = handler(limits)
    for at, piece in enumerate(pieces[:-1]):
        assert upload_handler.receive_data_chunk(piece, at) == piece
    with pytest.raises(UploadRefusedError, match=sentence):
        upload_handler.receive_data_chunk(pieces[-1], len(pieces) - 1)


def test_files_within_the_limits_pass_unchanged_and_archives_where_allowed():
    upload_handler = handler(UploadLimits(100, max_lines=3, max_line_bytes=5, archives=True))
    pieces = [b"PK\x03\x04\n", b"abc", b"de\nabcde", b"\n"]
    assert [upload_handler.receive_data_chunk(one, at) for at, one in enumerate(pieces)] == pieces


def test_a_form_with_a_large_content_length_is_refused_unread(client, study):
    path = reverse("study-protocol", args=[study.slug])
    answer = client.post(path, {"question": "a" * 3_000_000})
    assert answer.status_code == 413 and b"Split it" in answer.content
    response = client.post(path, "[" * 3_000_000, content_type="application/json")
    assert response.status_code == 413 and "larger than" in response.json()["error"]


def test_every_upload_counts_however_small(settings):
    settings.MAX_CONCURRENT_UPLOADS = 1
    middleware = UploadLimitMiddleware(lambda request: HttpResponse())

    def begin(path: str) -> HttpResponseBase | None:
        request = RequestFactory().post(path, {"name": "small"})
        return middleware.process_view(request, resolve(path).func, (), {})

    assert begin("/sets/any/submissions/submit") is None
    busy = begin("/api/v1/studies/any/uploads")
    assert busy is not None and busy.status_code == 503
    assert begin("/studies/any/protocol/") is None, "a plain form waits for no upload"


NO_RATINGS = (
    "[" * 60_000,
    DEEP[:60_000],
    '{"ratings": ' + WIDE[:60_000] + "}",
    '{"ratings": [{"candidate": 1e400}]}',
    '"\\ud800"',
    "1e999",
    "null",
    "",
)


@pytest.mark.parametrize("body", NO_RATINGS, ids=range(len(NO_RATINGS)))
def test_a_deeply_nested_rating_is_refused(study, body):
    stage = people.open_stage(study)
    worker = people.join(study, "w")
    assignment = handing_out.hand_out(worker.worker, stage, at=now())
    path = reverse("rating-ratings", args=[token_for(worker), assignment.pk])
    answer = Client().post(path, body, content_type="application/json")
    assert answer.status_code == 400 and "Reload the page" in answer.json()["error"]


BODIES = ("[" * 500_000, DEEP, "{" * 1_000_000, '{"title": NaN}', "\ud7ff\x00")


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_a_deeply_nested_body_of_the_api_is_refused(study, body):
    _, made = token(study.owner, "studies:write", "studies:read")
    answer = Client().post(
        "/api/v1/studies", body, content_type="application/json",
        headers={"Authorization": f"Bearer {made}"},
    )  # fmt: skip
    assert answer.status_code in (400, 413, 422)
    assert answer["Content-Type"] == "application/problem+json"


def token(user: User, *scopes: str) -> tuple[ApiToken, str]:
    at = now()
    return tokens.make(user, "mine", scopes, expires_at=at + timedelta(days=1), at=at)


def test_changed_expired_and_revoked_tokens_are_invalid(study):
    api_token, presented = token(study.owner, "studies:read")
    path = f"/studies/{study.slug}"
    assert Caller(presented).get(path).status_code == 200
    changed = presented[:-1] + ("a" if presented[-1] != "a" else "b")
    wrong = [changed, presented.upper(), presented[:-1], presented + "a", f"{presented} x"]
    for one in [*wrong, "concord_", "concord_' OR 1=1 --", "a" * 5000]:
        assert Caller(one).get(path).status_code == 401, one
    ApiToken.objects.filter(pk=api_token.pk).update(expires_at=now() - timedelta(seconds=1))
    assert Caller(presented).get(path).status_code == 401
    other, again = token(study.owner, "studies:read")
    tokens.revoke(study.owner, other.pk, at=now())
    assert Caller(again).get(path).status_code == 401


def test_a_rating_link_gives_access_to_its_own_tasks_only(study):
    bob = User.objects.create_user("bob", is_staff=True)
    _, presented = token(bob, "studies:read", "studies:write")
    assert Caller(presented).get(f"/studies/{study.slug}").status_code == 404
    assert Caller(presented).post(f"/studies/{study.slug}/stages/full/open").status_code == 404


def test_tokens_are_limited_to_their_scopes_and_end_with_the_account(study):
    _, presented = token(study.owner, "studies:read")
    assert Caller(presented).post(f"/studies/{study.slug}/stages/full/open").status_code == 403
    User.objects.filter(pk=study.owner.pk).update(is_active=False)
    assert Caller(presented).get(f"/studies/{study.slug}").status_code == 401


POWERS = {
    "is_staff": "on",
    "is_superuser": "on",
    "is_active": "",
    "owner": "1",
    "role": "owner",
    "user": "1",
    "published_at": "2026-01-01",
    "pk": "1",
    "id": "1",
}


def test_fields_that_a_form_does_not_have_change_nothing(study):
    ann = User.objects.create_user("ann")
    client = Client()
    client.force_login(ann)
    client.post(reverse("account-email"), {"email": "ann@example.org"} | POWERS)
    client.post(reverse("make-token"), {"name": "t", "scopes": ["sets:read"], "days": "7"} | POWERS)
    ann.refresh_from_db()
    assert ann.email == "ann@example.org" and ann.is_active
    assert not (ann.is_staff or ann.is_superuser)
    assert set(ApiToken.objects.values_list("user__username", flat=True)) == {"ann"}
    client.post("/studies/new/", {"title": "More", "slug": "more", "preset": "blank"} | POWERS)
    assert list(Study.objects.values_list("slug", flat=True)) == [study.slug]


def test_fields_that_the_api_does_not_have_change_nothing(study):
    ann = User.objects.create_user("ann", is_staff=True)
    StudyMember.objects.create(study=study, user=ann, role=Role.EDITOR, since=now())
    _, presented = token(ann, "studies:read", "studies:write")
    before = study.published_at, study.owner_id
    answer = Caller(presented).patch(f"/studies/{study.slug}", POWERS)
    assert answer.status_code in (403, 405, 422, 404, 200)
    study.refresh_from_db()
    ann.refresh_from_db()
    assert (study.published_at, study.owner_id) == before and not ann.is_superuser
    assert StudyMember.objects.get(study=study, user=ann).role == Role.EDITOR


def test_ids_of_other_objects_in_ones_own_urls_are_not_found(study, client):
    other = people.full_scene(people.researcher("otto"))
    paths = [
        reverse("study-worker", args=[study.slug, other.workers[0].worker.name]),
        reverse("study-verdict", args=[study.slug, other.rating.pk]),
        reverse("study-settle", args=[study.slug, other.candidate.pk]),
        reverse("study-answer", args=[study.slug, other.message.pk]),
    ]
    for path in paths:
        assert client.get(path).status_code in (404, 405), path
        body = {"verdict": "right", "answer": "x", "value": "3"}
        assert client.post(path, body).status_code in (404, 405), path
    other.message.refresh_from_db()
    assert other.message.answer == ""


def test_a_raters_link_opens_only_their_own_tasks(study):
    stage = people.open_stage(study)
    ann, bob = people.join(study, "ann"), people.join(study, "bob")
    assignment = handing_out.hand_out(bob.worker, stage, at=now())
    path = reverse("rating-ratings", args=[token_for(ann), assignment.pk])
    body = {"ratings": [{"candidate": 1, "value": 3}]}
    answer = Client().post(path, json.dumps(body), content_type="application/json")
    assert answer.status_code == 404
    own_token = token_for(ann)
    for one in (
        own_token[:-1],
        own_token + "a",
        own_token.swapcase(),
        token_for(bob)[:-4] + own_token[-4:],
    ):
        assert Client().get(f"/rate/{one}/").status_code == 403


def test_numbers_of_thousands_of_digits_are_numbers_of_nothing(study, tmp_path, client):
    """Python refuses to read more than 4,300 digits."""
    long, person = "9" * 4400, study.members.get(role=Role.OWNER).user
    made = make_set(tmp_path, "small")
    add_member("small", person)
    client.force_login(person)
    for path in (
        f"/sets/{made}/data/?run={long}",
        f"/sets/{made}/systems/?run={long}",
        f"/sets/{made}/compare/?run={long}",
        f"/sets/{made}/submissions/items.jsonl?submission={long}",
        f"/sets/{made}/runs/{long}/",
        f"/studies/{study.slug}/preview/?hit={long}",
    ):
        assert client.get(path).status_code < 500, path
    client.post(f"/studies/{study.slug}/members/", {"member": long, "do": "remove"})
