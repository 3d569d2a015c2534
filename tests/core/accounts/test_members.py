"""Members of studies and judgment sets: invitations, roles, and the last owner."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.studies.models import Study, StudyMember
from annotation.studies.services import access
from annotation.studies.services.members import members as study_members
from benchmarks.sets.services import access as set_access
from benchmarks.sets.services.members import members as set_members
from core.accounts.members import Members
from core.accounts.models import Invitation
from core.accounts.roles import Role, SiteRole
from core.accounts.services import invitations
from core.refusals import RefusedError
from tests.annotation.people import new_study
from tests.benchmarks.factories import add_member, make_set
from tests.core.accounts.conftest import PASSWORD, client_of


@pytest.fixture
def study(rosa: User) -> Study:
    return new_study(rosa)


@pytest.fixture(params=["study", "set"])
def owned(request: pytest.FixtureRequest, rosa: User, tmp_path: Path) -> tuple[Members, str]:
    """A study or judgment set of Rosa, and the URL of its members page."""
    if request.param == "study":
        study = new_study(rosa)
        return study_members(study), reverse("study-members", args=[study.slug])
    judgment_set = make_set(tmp_path, "own", public=False)
    add_member("own", rosa)
    return set_members("own"), reverse("set-members", args=[str(judgment_set)])


def test_each_role_includes_the_lower_roles() -> None:
    allowed = [[one.value for one in Role if role.allows(one)] for role in Role]
    assert allowed == [["viewer"], ["viewer", "editor"], ["viewer", "editor", "owner"]]


def test_the_creator_of_a_study_owns_it(study: Study, rosa: User) -> None:
    assert access.role_on(rosa, study) == Role.OWNER


def test_an_owner_adds_changes_and_removes(
    owned: tuple[Members, str], rosa: User, sven: User
) -> None:
    members, page = owned
    client = client_of(rosa)
    sent = {"do": "add", "add-username": "sven", "add-role": "viewer"}
    assert client.post(page, sent).status_code == 302
    row = members.rows.get(user=sven)
    assert row.role == "viewer"
    client.post(page, {"do": "change", "member": row.pk, "role": "editor"})
    assert members.rows.get(user=sven).role == "editor"
    client.post(page, {"do": "remove", "member": row.pk})
    assert not members.rows.filter(user=sven).exists()


def test_others_cannot_change_members(owned: tuple[Members, str], rosa: User, sven: User) -> None:
    members, page = owned
    other = User.objects.create_user("olga", is_staff=True)
    members.add(sven, Role.EDITOR, at=now())
    own = members.rows.get(user=rosa).pk
    for do in ({"do": "add", "add-username": "olga", "add-role": "owner"},):
        assert client_of(sven).post(page, do).status_code == 403
        assert client_of(other).post(page, do).status_code == 404
    assert client_of(sven).post(page, {"do": "remove", "member": own}).status_code == 403
    assert {row.user.username for row in members.rows} == {"rosa", "sven"}


def test_the_last_owner_cannot_leave_or_lose_the_role(
    owned: tuple[Members, str], rosa: User, sven: User
) -> None:
    members, page = owned
    client, row = client_of(rosa), members.rows.get(user=rosa)
    for sent in (
        {"do": "leave"},
        {"do": "remove", "member": row.pk},
        {"do": "change", "member": row.pk, "role": "viewer"},
    ):
        page_text = client.post(page, sent, follow=True).content.decode()
        assert "is the last owner. Make another member an owner first." in page_text
    assert members.rows.get(user=rosa).role == "owner"
    members.add(sven, Role.OWNER, at=now())
    assert client.post(page, {"do": "leave"}).status_code == 302
    assert [one.user.username for one in members.rows] == ["sven"]


def test_a_member_may_leave(owned: tuple[Members, str], sven: User) -> None:
    members, page = owned
    members.add(sven, Role.VIEWER, at=now())
    assert client_of(sven).post(page, {"do": "leave"}).status_code == 302
    assert client_of(sven).get(page).status_code == 404


def test_an_invitation_link_creates_an_account_and_member_once(
    owned: tuple[Members, str], rosa: User
) -> None:
    members, page = owned
    sent = {"do": "invite", "invite-email": "new@example.org", "invite-role": "editor"}
    client_of(rosa).post(page, sent)
    (letter,) = mail.outbox
    link = re.search(r"http://testserver(\S+)", letter.body)
    assert link is not None and letter.to == ["new@example.org"]
    assert "as editor of" in letter.body
    account = {
        "username": "nina",
        "email": "new@example.org",
        "password1": PASSWORD,
        "password2": PASSWORD,
    }
    visitor = Client()
    assert "editor" in visitor.get(link[1]).content.decode()
    assert visitor.post(link[1], account).status_code == 302
    nina = User.objects.get(username="nina")
    assert members.rows.get(user=nina).role == "editor" and not nina.is_staff
    again = Client().post(link[1], account | {"username": "mallory"})
    assert again.status_code == 404 and "already used" in again.content.decode()
    assert not User.objects.filter(username="mallory").exists()


def test_an_existing_account_accepts_with_a_button(study: Study, rosa: User, sven: User) -> None:
    invitation = invitations.invite(
        rosa, SiteRole.SUBMITTER, kind="study", target=study.slug, role=Role.VIEWER, at=now()
    )
    link = reverse("invitation", args=[invitations.signed(invitation)])
    assert client_of(sven).get(link).status_code == 200
    assert access.role_on(sven, study) is None  # looking accepts nothing
    assert client_of(sven).post(link).headers["Location"] == study.get_absolute_url()
    assert access.role_on(sven, study) == Role.VIEWER


def test_an_invitation_does_not_lower_a_role(study: Study, rosa: User) -> None:
    invitation = invitations.invite(
        rosa, SiteRole.SUBMITTER, kind="study", target=study.slug, role=Role.VIEWER, at=now()
    )
    invitations.accept(invitation, rosa, at=now())
    assert access.role_on(rosa, study) == Role.OWNER and rosa.is_staff


def test_an_invitation_ends_when_its_sender_may_no_longer_invite(
    study: Study, rosa: User, sven: User
) -> None:
    invitation = invitations.invite(
        rosa, SiteRole.SUBMITTER, kind="study", target=study.slug, role=Role.OWNER, at=now()
    )
    StudyMember.objects.filter(user=rosa).update(role="editor")
    link = reverse("invitation", args=[invitations.signed(invitation)])
    answer = client_of(sven).post(link)
    assert answer.status_code == 404 and "can no longer invite people" in answer.content.decode()
    assert access.role_on(sven, study) is None


def test_withdrawn_expired_and_changed_links_are_invalid(rosa: User) -> None:
    sent_invitations = [invitations.invite(rosa, SiteRole.RESEARCHER, at=now()) for _ in range(3)]
    links = [invitations.signed(one) for one in sent_invitations]
    invitations.withdraw(sent_invitations[0], at=now())
    Invitation.objects.filter(pk=sent_invitations[1].pk).update(expires_at=now())
    links[2] = links[2][:-1] + ("a" if links[2][-1] != "a" else "b")
    for link in links:
        answer = Client().get(reverse("invitation", args=[link]))
        assert answer.status_code == 404
        assert "Invalid invitation" in answer.content.decode()


def test_submitters_cannot_invite_people(sven: User) -> None:
    assert client_of(sven).get(reverse("invitations")).status_code == 403
    sent = {"site_role": "researcher"}
    assert client_of(sven).post(reverse("invitations"), sent).status_code == 403
    with pytest.raises(RefusedError):
        invitations.invite(sven, SiteRole.SUBMITTER, at=now())


def test_a_researcher_can_invite_a_researcher_but_no_administrator(rosa: User) -> None:
    client = client_of(rosa)
    assert client.post(reverse("invitations"), {"site_role": "administrator"}).status_code == 422
    page = client.post(reverse("invitations"), {"site_role": "researcher"}, follow=True)
    link = re.search(r"http://testserver(/invitation/[^<\s]+)", page.content.decode())
    assert link is not None
    account = {"username": "nina", "password1": PASSWORD, "password2": PASSWORD}
    Client().post(link[1], account | {"is_superuser": "1", "is_staff": "1"})
    nina = User.objects.get(username="nina")
    assert nina.is_staff and not nina.is_superuser


def test_sign_up_is_closed_unless_the_installation_opens_it(db: None, settings: object) -> None:
    account = {"username": "nina", "password1": PASSWORD, "password2": PASSWORD}
    assert Client().post(reverse("sign-up"), account).status_code == 404
    settings.OPEN_SIGN_UP = True  # type: ignore[attr-defined]
    assert "Create an account" in Client().get(reverse("sign-in")).content.decode()
    assert Client().post(reverse("sign-up"), account | {"is_staff": "1"}).status_code == 302
    assert not User.objects.get(username="nina").is_staff


def test_user_names_are_case_insensitive(rosa: User, settings: object) -> None:
    settings.OPEN_SIGN_UP = True  # type: ignore[attr-defined]
    account = {"username": "Rosa", "password1": PASSWORD, "password2": PASSWORD}
    answer = Client().post(reverse("sign-up"), account)
    assert answer.status_code == 422 and "This user name is taken" in answer.content.decode()


def test_an_unknown_role_is_refused(owned: tuple[Members, str], rosa: User, sven: User) -> None:
    members, page = owned
    members.add(sven, Role.VIEWER, at=now())
    row = members.rows.get(user=sven)
    client_of(rosa).post(page, {"do": "change", "member": row.pk, "role": "emperor"})
    client_of(rosa).post(page, {"do": "crown", "member": row.pk})
    assert members.rows.get(user=sven).role == "viewer"
    with pytest.raises(RefusedError, match="already a member"):
        members.add(sven, Role.OWNER, at=now())


def test_a_refusal_names_the_needed_role_and_who_grants_it(
    study: Study, rosa: User, sven: User
) -> None:
    study_members(study).add(sven, Role.VIEWER, at=now())
    answer = client_of(sven).post(reverse("study-protocol", args=[study.slug]), {})
    text = answer.content.decode()
    assert answer.status_code == 403 and "needs the role editor" in text and "rosa" in text


def test_the_name_of_a_private_set_is_hidden_from_others(
    tmp_path: Path, rosa: User, sven: User
) -> None:
    make_set(tmp_path, "open")
    make_set(tmp_path, "secret", public=False)
    add_member("secret", rosa)
    for client in (Client(), client_of(sven)):
        for path in ("/", "/sets/nothing/", "/sets/open/", "/sets/open/compare/?with=9"):
            assert "secret" not in client.get(path).content.decode()
        missing = client.get("/sets/secret/")
        assert missing.status_code == 404 and "Available sets: open." in missing.content.decode()
    assert "secret" in client_of(rosa).get("/").content.decode()
    with pytest.raises(RefusedError, match=r"Available sets: open\.$"):
        set_access.set_for(sven, "secret")
