"""Members of a set, and publishing it, over the API."""

from __future__ import annotations

from tests.benchmarks.scenes import Scene
from tests.core.rest.people import Caller, person


def test_owners_give_roles_change_and_end_them(
    unlisted: Scene, owner: Caller, editor: Caller
) -> None:
    person("nora")
    assert editor.put("/sets/small/members/nora", {"role": "viewer"}).status_code == 403
    assert owner.put("/sets/small/members/nora", {"role": "viewer"}).json()["role"] == "viewer"
    assert owner.put("/sets/small/members/nora", {"role": "editor"}).json()["role"] == "editor"
    names = [one["username"] for one in editor.get("/sets/small/members").json()["results"]]
    assert set(names) == {"olive", "edith", "nora"}
    assert owner.delete("/sets/small/members/nora").status_code == 204
    assert owner.put("/sets/small/members/nobody", {"role": "viewer"}).status_code == 404


def test_everybody_may_leave_but_the_last_owner(
    unlisted: Scene, owner: Caller, editor: Caller
) -> None:
    assert editor.delete("/sets/small/members/olive").status_code == 403
    assert editor.delete("/sets/small/members/edith").status_code == 204
    stays = owner.delete("/sets/small/members/olive")
    assert stays.status_code == 409
    assert "last owner" in stays.json()["detail"]


def test_a_member_is_invited_by_a_link(unlisted: Scene, owner: Caller, editor: Caller) -> None:
    assert editor.post("/sets/small/invitations", {"role": "viewer"}).status_code == 403
    made = owner.post("/sets/small/invitations", {"role": "viewer"}, Idempotency_Key="k")
    assert made.json()["role"] == "viewer"
    again = owner.post("/sets/small/invitations", {"role": "viewer"}, Idempotency_Key="k")
    assert again.json()["link"] == made.json()["link"]


def test_an_owner_publishes_after_a_preview_and_takes_back(
    unlisted: Scene, owner: Caller, editor: Caller, anyone: Caller
) -> None:
    assert owner.get("/sets/small/publishing").json()["candidates"] == 24
    assert editor.post("/sets/small/publish").status_code == 403
    assert anyone.get("/sets/small").status_code == 404
    assert owner.post("/sets/small/publish").json()["published_at"] is not None
    assert anyone.get("/sets/small").status_code == 200
    assert anyone.get("/sets/small/publishing").status_code == 401
    assert owner.post("/sets/small/take-back").json()["published_at"] is None
    assert anyone.get("/sets/small").status_code == 404


def test_what_is_published_is_what_was_previewed(unlisted: Scene, owner: Caller) -> None:
    preview = owner.get("/sets/small/publishing")
    owner.put("/sets/small/hidden-labels", {"splits": ["test"]})
    stale = owner.post("/sets/small/publish", If_Match=preview["ETag"])
    assert stale.status_code == 412
