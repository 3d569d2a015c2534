"""Sealed texts: unreadable where they lie, found again, opened by any of the keys."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest
from django.core.exceptions import FieldError
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment
from annotation.crowds.services import reviewing, syncing
from annotation.crowds.services.identities import identity_of
from annotation.identities.sealing import IdentitySealError, Sealed, lookup_keys, lookups
from annotation.privacy.services import erasing
from annotation.privacy.services.rotation import rotate_keys
from annotation.rating.models import Participation, RetiredLookupKey, Worker
from annotation.rating.services import participation
from annotation.rating.services.participation import get_or_create_worker
from annotation.studies.models import Study
from config.checks import check_identity_keys_are_set
from mturk_sandbox import Sandbox
from tests.annotation import people
from tests.annotation.crowds import scenes
from tests.annotation.crowds.workers import Turker

OLD, NEW, NEWEST = "o" * 40, "n" * 40, "m" * 40
ID = "A1B2C3WORKER"


@pytest.fixture
def _old_key(settings):
    settings.IDENTITY_KEYS = [OLD]


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIALAB")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def test_a_sealed_text_can_be_decrypted_and_differs_every_time() -> None:
    one, two = Sealed.of(ID), Sealed.of(ID)
    assert one.open() == two.open() == ID
    assert one.token != two.token and ID not in one.token


def test_printing_a_sealed_text_does_not_reveal_it(caplog: pytest.LogCaptureFixture) -> None:
    sealed = Sealed.of(ID)
    logging.getLogger("test").warning("%s %r", sealed, {"worker": sealed})
    assert ID not in caplog.text and sealed.token not in caplog.text and "(sealed)" in caplog.text


def test_a_changed_sealed_text_cannot_be_decrypted() -> None:
    token = Sealed.of(ID).token
    changed = token[:20] + ("A" if token[20] != "A" else "B") + token[21:]
    with pytest.raises(IdentitySealError, match="IDENTITY_KEYS"):
        Sealed(changed).open()


def test_a_lookup_hash_depends_on_the_key_and_on_each_part(settings) -> None:
    settings.IDENTITY_KEYS = [OLD]
    (before,) = lookups("mturk", ID)
    assert lookups("mturk", ID) == [before]
    assert lookups("mturkA", ID[1:]) != [before]
    settings.IDENTITY_KEYS = [NEW]
    assert lookups("mturk", ID) != [before]


@pytest.fixture
def study(db: None) -> Study:
    return people.new_study(people.researcher())


@pytest.mark.django_db
def test_the_database_holds_neither_the_id_nor_a_plain_hash_of_it(study: Study) -> None:
    get_or_create_worker(study, "mturk", ID, at=now())
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(w)::text FROM annotation_worker w")
        ((row,),) = cursor.fetchall()
    assert ID not in row


@pytest.mark.django_db
def test_a_plain_text_is_refused_and_cannot_be_searched(study: Study) -> None:
    worker = get_or_create_worker(study, "mturk", ID, at=now())
    worker.identity = ID  # type: ignore[assignment]
    with pytest.raises(TypeError, match=r"Sealed\.of"):
        worker.save()
    with pytest.raises(FieldError, match="SealedField"):
        Worker.objects.filter(identity=ID).exists()


@pytest.mark.django_db
def test_the_same_id_at_two_providers_is_two_workers(study: Study) -> None:
    one = get_or_create_worker(study, "mturk", ID, at=now())
    assert get_or_create_worker(study, "mturk", ID, at=now()) == one
    assert get_or_create_worker(study, "prolific", ID, at=now()) != one
    other = get_or_create_worker(people.new_study(study.owner, slug="ships"), "mturk", ID, at=now())
    assert other != one and other.name != one.name
    assert one.is_known_as(ID) and not one.is_known_as(ID[:-1])


@pytest.mark.django_db
def test_a_name_is_random_and_not_derived_from_the_id(study: Study) -> None:
    first = get_or_create_worker(study, "mturk", ID, at=now())
    name = first.name
    first.delete()
    assert get_or_create_worker(study, "mturk", ID, at=now()).name != name


@pytest.mark.django_db
@pytest.mark.usefixtures("_old_key")
def test_keys_are_rotated_with_a_new_first_key_and_a_command(settings, capsys) -> None:
    study = scenes.make_study(2, scenes.small(ratings=1))
    scene = scenes.drafted(study, "", provider="link")
    worker = get_or_create_worker(study, "mturk", ID, at=now())
    participant = participation.join(study, "mturk", ID, at=now())
    crowd = CrowdAssignment(publication=scene, participation=participant, provider_id="x")
    crowd.listing = scene.listings.create(places=1, pay_cents=1, key="k")
    crowd.answer = Sealed.of("<answer>")
    crowd.save()
    tokens = (worker.identity, crowd.answer)

    settings.IDENTITY_KEYS = [NEW, OLD]
    assert (
        get_or_create_worker(study, "mturk", ID, at=now()) == worker
    )  # found under the old key still
    call_command("rotate_identity_keys")
    assert "1 worker and 1 answer" in capsys.readouterr().out

    settings.IDENTITY_KEYS = [NEW]
    again = Worker.objects.known_as("mturk", ID).get()
    crowd = CrowdAssignment.objects.get()
    assert again == worker and identity_of(again) == ID
    assert crowd.answer is not None and crowd.answer.open() == "<answer>"
    assert (again.identity, crowd.answer) != tokens


@pytest.mark.django_db
@pytest.mark.usefixtures("_old_key", "credentials")
def test_an_erased_worker_is_recognised_after_two_key_rotations(settings) -> None:
    rosa = scenes.researcher()
    study = scenes.make_study(2, replace(scenes.small(ratings=3), qualification=None), owner=rosa)
    with Sandbox() as sandbox:
        mturk = scenes.published(study, sandbox.url, replace(scenes.OFFER, split=False))
        Turker(sandbox, ID).do(mturk.listings.all()[0])
        syncing.sync(mturk, at=now())
        reviewing.approve(reviewing.to_review(mturk).get(), by=rosa, at=now())
        scenes.send(mturk)
        erasing.erase(Participation.objects.get(), by=rosa, at=now())
        mark = CrowdAssignment.objects.get().provider_id
        for key, before in ((NEW, OLD), (NEWEST, NEW)):
            settings.IDENTITY_KEYS = [key, before]
            for _ in range(2):  # again, it does no harm
                call_command("rotate_identity_keys")
            settings.IDENTITY_KEYS = [key]
            syncing.sync(mturk, everything=True, at=now())
            assert CrowdAssignment.objects.get().provider_id == mark
            assert not Worker.objects.filter(identity__isnull=False).exists()
        assert RetiredLookupKey.objects.count() == 2
        stored_keys = str(list(RetiredLookupKey.objects.values()))
        assert lookup_keys()[0].hex() not in stored_keys and stored_keys.count("(sealed)") == 2


@pytest.mark.django_db
@pytest.mark.usefixtures("_old_key")
def test_no_key_is_stored_without_erased_workers(study: Study, settings) -> None:
    get_or_create_worker(study, "mturk", ID, at=now())
    settings.IDENTITY_KEYS = [NEW, OLD]
    call_command("rotate_identity_keys")
    assert not RetiredLookupKey.objects.exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("_old_key")
def test_rotation_skips_who_is_erased_while_it_runs(study: Study, settings) -> None:
    for name in (ID, "another"):
        get_or_create_worker(study, "mturk", name, at=now())
    settings.IDENTITY_KEYS = [NEW, OLD]

    def erase_before_lock(execute, sql, params, many, context):
        if "FOR UPDATE" in sql and "annotation_worker" in sql:
            with connection.cursor() as cursor:
                cursor.execute(
                    "UPDATE annotation_worker SET identity = NULL, identity_key = NULL "
                    "WHERE id = (SELECT min(id) FROM annotation_worker)"
                )
        return execute(sql, params, many, context)

    with connection.execute_wrapper(erase_before_lock):
        rotated = rotate_keys()
    assert rotated.workers == 1
    assert Worker.objects.filter(identity__isnull=True).count() == 1


@pytest.mark.django_db
@pytest.mark.usefixtures("_old_key")
def test_rotation_without_the_old_key_says_so_and_changes_nothing(study: Study, settings) -> None:
    worker = get_or_create_worker(study, "mturk", ID, at=now())
    settings.IDENTITY_KEYS = [NEW]
    with pytest.raises(CommandError, match="Add the key"):
        call_command("rotate_identity_keys")
    settings.IDENTITY_KEYS = [OLD]
    worker.refresh_from_db()
    assert identity_of(worker) == ID


def test_local_keys_are_reported(settings, monkeypatch) -> None:
    monkeypatch.delenv("IDENTITY_KEYS", raising=False)
    settings.EMBEDDED = False
    assert [one.id for one in check_identity_keys_are_set()] == ["concord.E003"]
    monkeypatch.setenv("IDENTITY_KEYS", OLD)
    assert not check_identity_keys_are_set()


@pytest.mark.django_db
def test_a_consent_names_the_text_that_was_agreed_to() -> None:
    from dataclasses import replace

    from annotation.setup.services.study_creation import change_protocol

    study = people.new_study(people.researcher(), people.PROTOCOL, people.candidates())
    worker = people.join(study, "one")
    participation.consent(worker, at=now())
    worker.refresh_from_db()
    assert worker.consented_to == study.current
    changed = replace(people.PROTOCOL, consent="You agree to something else.")
    made = change_protocol(study, changed, at=now())
    assert made.version == 2 and worker.consented_to.protocol.consent == "You agree."
    participation.consent(worker, at=now())  # the first time counts
    worker.refresh_from_db()
    assert worker.consented_to.version == 1
