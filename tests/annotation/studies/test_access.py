"""Which studies a person finds in the list; tests/access says what each address answers."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.setup.services import publishing
from annotation.studies.services.members import members
from core.accounts.roles import Role
from tests.annotation.people import Scene

PEOPLE = ("member", "outsider", "owner", "superuser")


def shown(scene: Scene, everybody: dict[str, Client]) -> dict[str, bool]:
    """To whom the list names the study."""
    return {
        who: scene.study.title in everybody[who].get(reverse("studies")).content.decode()
        for who in PEOPLE
    }


def test_the_list_shows_members_their_own_studies_and_superusers_all(
    scene: Scene, everybody: dict[str, Client]
) -> None:
    visible = shown(scene, everybody)
    assert visible == {"member": False, "outsider": False, "owner": True, "superuser": True}


def test_the_list_shows_a_study_to_a_new_member(scene: Scene, everybody: dict[str, Client]) -> None:
    members(scene.study).add(User.objects.get(username="vera"), Role.VIEWER, at=now())
    assert shown(scene, everybody)["member"]


def test_the_list_shows_a_published_study_to_every_account(
    scene: Scene, everybody: dict[str, Client]
) -> None:
    publishing.publish(scene.study, at=now())
    assert shown(scene, everybody) == dict.fromkeys(PEOPLE, True)
    publishing.unpublish(scene.study)
    assert not shown(scene, everybody)["outsider"]


def test_the_public_page_shows_no_texts_raters_or_messages(
    scene: Scene, everybody: dict[str, Client]
) -> None:
    publishing.publish(scene.study, at=now())
    page = everybody["visitor"].get(reverse("study-public", args=[scene.slug])).content.decode()
    assert "How right is the answer?" in page and "Ordinal alpha" in page
    workers = [one.worker.name for one in scene.workers]
    texts = list(scene.study.candidates.values_list("text", flat=True))
    for hidden in [*workers, *texts, "Is a boat a ship?", "rosa"]:
        assert hidden not in page


def test_the_publishing_page_shows_what_the_public_page_will_show(
    scene: Scene, owner: Client
) -> None:
    """What everybody will read stands on it word for word, before anything is published."""
    before = owner.get(reverse("study-publishing", args=[scene.slug])).content.decode()
    publishing.publish(scene.study, at=now())
    page = Client().get(reverse("study-public", args=[scene.slug])).content.decode()
    start = page.index('<dl class="strip">')
    assert page[start : page.index("</main>")].strip() in before
