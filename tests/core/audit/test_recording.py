"""What the audit log records, for which actor, and that entries cannot be removed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import IntegrityError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils.timezone import now

from core import audit
from core.accounts import tokens
from core.accounts.roles import SiteRole
from core.accounts.services import invitations
from core.audit.actors import Actor
from core.audit.middleware import actor_middleware
from core.audit.models import AuditEvent
from core.audit.recording import AuditError, changed

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


def test_an_event_has_actor_action_target_and_changes(alice: User) -> None:
    audit.record(alice, "account.renamed", alice, {"name": "a"}, {"name": "b"})
    event = AuditEvent.objects.get()
    assert (event.actor, event.actor_id, event.action) == ("alice", alice.pk, "account.renamed")
    assert (event.target, event.details) == ("user alice", [("name", "a", "b")])


def test_a_target_whose_name_begins_with_its_kind_is_named_once(alice: User) -> None:
    audit.record(alice, "ledger.step added", ("step", "step 2 of boats"))
    assert AuditEvent.objects.get().target == "step 2 of boats"


def test_an_event_outlives_its_target(alice: User) -> None:
    audit.record(alice, "account.closed", alice)
    alice.delete()
    assert AuditEvent.objects.get().actor == "alice"


def test_a_rollback_records_nothing(alice: User) -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        audit.record(alice, "account.renamed", alice)
        raise RuntimeError
    assert not AuditEvent.objects.exists()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_auditevent SET actor_name = 'bob'",
        "DELETE FROM audit_auditevent",
        "TRUNCATE audit_auditevent",
    ],
)
def test_the_database_refuses_to_change_the_audit_log(alice: User, statement: str) -> None:
    audit.record(alice, "account.renamed", alice)
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        # Switched off for tests that empty all tables when they end (tests/conftest.py).
        cursor.execute("ALTER TABLE audit_auditevent ENABLE TRIGGER table_stays")
        cursor.execute(statement)
    assert AuditEvent.objects.get().actor_name == "alice"


def test_the_orm_cannot_change_rows(alice: User) -> None:
    audit.record(alice, "account.renamed", alice)
    event = AuditEvent.objects.get()
    event.action = "nothing"
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        event.save()
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        event.delete()


@pytest.mark.parametrize("name", ["provider_id", "password", "token"])
def test_names_of_ids_and_secrets_are_refused_at_any_depth(alice: User, name: str) -> None:
    with pytest.raises(AuditError, match=name):
        audit.record(alice, "account.changed", alice, after={"rows": [{"inner": {name: "x"}}]})


def test_a_request_acts_as_its_account(alice: User) -> None:
    request = RequestFactory().post("/")
    request.user = alice
    assert _responded(request).actor == "alice"


def test_an_anonymous_request_acts_as_a_visitor() -> None:
    request = RequestFactory().post("/")
    request.user = AnonymousUser()
    assert _responded(request).actor == "a visitor"


def test_outside_a_request_the_system_acts() -> None:
    audit.record(None, "sweep.done", ("sweep", "all"))
    assert AuditEvent.objects.get().actor == "the system"


def test_a_command_acts_under_its_name() -> None:
    with audit.acting_as(Actor.command("import_judgments")):
        audit.record(None, "set.imported", ("judgment set", "demo"))
    assert AuditEvent.objects.get().actor == "manage.py import_judgments"


def test_a_task_acts_as_the_system_under_its_own_name() -> None:
    from core.audit.apps import set_actor_of_task

    class Task:
        name = "annotation.tasks.sync_crowd"

    with audit.acting_as(Actor.command("worker")):
        set_actor_of_task(task=Task())
        audit.record(None, "crowd.synced", ("publication", "1"))
        assert AuditEvent.objects.get().actor_name == "annotation.tasks.sync_crowd"


def test_an_explicit_actor_wins_over_the_context(alice: User) -> None:
    with audit.acting_as(Actor.command("publish")):
        audit.record(alice, "stage.opened", ("stage", "trial"))
    assert AuditEvent.objects.get().actor == "alice"


def test_the_token_of_the_same_account_is_kept(alice: User) -> None:
    by_token = Actor("token", "alice, laptop", alice.pk, 7)
    with audit.acting_as(by_token):
        audit.record(alice, "stage.opened", ("stage", "trial"))
    event = AuditEvent.objects.get()
    assert (event.actor, event.token_id) == ("alice, laptop (API token)", 7)


def test_a_token_of_another_account_does_not_act_as_this_account(alice: User) -> None:
    with audit.acting_as(Actor("token", "bob, laptop", alice.pk + 1, 7)):
        audit.record(alice, "stage.opened", ("stage", "trial"))
    assert AuditEvent.objects.get().token_id is None


def test_the_actor_ends_with_its_context(alice: User) -> None:
    with audit.acting_as(Actor.account(alice)):
        pass
    assert audit.current_actor().kind == "system"


def test_an_invalid_actor_is_refused() -> None:
    with pytest.raises(TypeError, match="not an account"):
        audit.record("alice", "stage.opened", ("stage", "trial"))


def test_only_changed_fields_are_returned() -> None:
    before, after = changed({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 5, "d": 4})
    assert (before, after) == ({"b": 2, "c": 3}, {"b": 5, "d": 4})


def _responded(request: HttpRequest) -> AuditEvent:
    def respond(request: HttpRequest) -> HttpResponse:
        audit.record(None, "something.done", ("thing", "it"))
        return HttpResponse()

    actor_middleware(respond)(request)
    return AuditEvent.objects.get()


def test_tokens_and_invitations_are_in_the_audit_log_and_their_secrets_are_not(alice: User) -> None:
    alice.is_superuser = True
    alice.save()
    at = now()
    token, presented = tokens.make(
        alice, "laptop", ["sets:read"], expires_at=at + timedelta(days=1), at=at
    )
    tokens.revoke(alice, token.pk, at=at)
    invitation = invitations.invite(alice, SiteRole.RESEARCHER, email="bob@example.org", at=at)
    invitations.withdraw(invitation, at=at)
    rows = list(AuditEvent.objects.order_by("pk").values())
    assert [row["action"] for row in rows] == [
        "access.granted to a program",
        "access.taken from a program",
        "invitation.made",
        "invitation.withdrawn",
    ]
    text = str(rows)
    assert "laptop" in text and presented[:12] not in text and "bob@" not in text


def test_api_events_name_the_token(alice: User) -> None:
    alice.is_staff = True
    alice.save()
    at = now()
    token, presented = tokens.make(
        alice, "laptop", ["studies:write"], expires_at=at + timedelta(days=1), at=at
    )
    form = {"slug": "boats", "title": "Boats", "preset": "blank"}
    answer = Client().post(
        "/api/v1/studies",
        form,
        content_type="application/json",
        headers={"authorization": f"Bearer {presented}", "idempotency-key": "made-once"},
    )
    assert answer.status_code == 201, answer.content
    event = AuditEvent.objects.get(action="study.created")
    assert (event.actor, event.token_id) == ("alice, laptop (API token)", token.pk)
