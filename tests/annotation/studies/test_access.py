"""Every address of the researchers' side, and what each kind of person gets there."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation import study_urls
from annotation.services import uploads
from tests.annotation.studies.people import Scene

STAFF = {"visitor": 302, "member": 403, "outsider": 200, "owner": 200, "superuser": 200}


def owned(status: int) -> dict[str, int]:
    """To all but the owner and superusers there is no such study."""
    found = {"visitor": 302, "member": 404, "outsider": 404}
    return found | {"owner": status, "superuser": status}


# name: (method, what is sent, status by person)
ADDRESSES = {
    "studies": ("get", {}, STAFF),
    "study-new": ("get", {}, STAFF),
    "study": ("get", {}, owned(200)),
    "study-protocol": ("get", {}, owned(200)),
    "study-protocol-version": ("get", {}, owned(200)),
    "study-candidates": ("get", {}, owned(200)),
    "study-upload-file": ("post", {}, owned(422)),
    "study-upload": ("get", {}, owned(200)),
    "study-take-in": ("post", {}, owned(422)),
    "study-discard-upload": ("post", {}, {**owned(302), "superuser": 404}),
    "study-write-pair": ("post", {}, owned(422)),
    "study-cost": ("get", {}, owned(200)),
    "study-preview": ("get", {}, owned(200)),
    "study-stages": ("get", {}, owned(200)),
    "study-open-stage": ("post", {}, owned(302)),
    "study-close-stage": ("post", {}, owned(302)),
    "study-top-up": ("post", {}, owned(302)),
    "study-quality": ("get", {}, owned(200)),
    "study-add-step": ("post", {}, owned(422)),
    "study-add-offered": ("post", {}, owned(302)),
    "study-drop-rating": ("post", {}, owned(302)),
    "study-undo-step": ("post", {}, owned(302)),
    "study-redo-step": ("post", {}, owned(302)),
    "study-worker": ("get", {}, owned(200)),
    "study-exclude-worker": ("post", {}, owned(422)),
    "study-readmit-worker": ("post", {}, owned(302)),
    "study-spot-checks": ("get", {}, owned(200)),
    "study-verdict": ("post", {"verdict": "good"}, owned(302)),
    "study-adjudication": ("get", {}, owned(200)),
    "study-settle": ("post", {"value": "9"}, owned(422)),
    "study-messages": ("get", {}, owned(200)),
    "study-answer": ("post", {}, owned(422)),
    "study-planner": ("get", {}, owned(200)),
    "study-freeze": ("get", {}, owned(200)),
}


def address(name: str, scene: Scene) -> str:
    pks = {
        "study-verdict": scene.rating.pk,
        "study-settle": scene.candidate.pk,
        "study-answer": scene.message.pk,
    }
    if name in ("study-upload", "study-take-in", "study-discard-upload"):
        pks[name] = uploads.keep_upload(
            scene.study,
            "a.csv",
            b"reference,candidate\na,b\n",
            "csv",
            "rated",
            by=scene.study.owner,
            at=now(),
        ).pk
    values = {
        "slug": scene.slug,
        "version": 1,
        "number": 1,
        "kind": "full",
        "name": scene.workers[0].worker.name,
        "pk": pks.get(name, 0),
    }
    if name == "study-freeze":
        return reverse(name, args=[scene.slug])
    pattern = next(one for one in study_urls.urlpatterns if one.name == name)
    return reverse(name, kwargs={part: values[part] for part in pattern.pattern.converters})


def test_no_address_is_missing_from_the_table() -> None:
    assert {one.name for one in study_urls.urlpatterns} == set(ADDRESSES) - {"study-freeze"}


def test_each_person_gets_what_the_table_says(scene: Scene, everybody: dict[str, Client]) -> None:
    found, visited = {}, {}
    for name, (method, sent, _) in ADDRESSES.items():
        url = address(name, scene)
        answers = {who: getattr(client, method)(url, sent) for who, client in everybody.items()}
        found[name] = {who: response.status_code for who, response in answers.items()}
        visited[name] = answers["visitor"].get("Location", "")
    assert found == {name: expected for name, (_, _, expected) in ADDRESSES.items()}
    assert all(where.startswith(reverse("sign-in")) for where in visited.values())


def test_what_changes_something_takes_no_get(scene: Scene, owner: Client) -> None:
    names = [name for name, (method, _, _) in ADDRESSES.items() if method == "post"]
    found = {name: owner.get(address(name, scene)).status_code for name in names}
    assert found == dict.fromkeys(names, 405)


def test_the_list_shows_staff_their_own_studies_and_superusers_all(
    scene: Scene, everybody: dict[str, Client]
) -> None:
    shown = {
        who: scene.study.title in everybody[who].get(reverse("studies")).content.decode()
        for who in ("outsider", "owner", "superuser")
    }
    assert shown == {"outsider": False, "owner": True, "superuser": True}
