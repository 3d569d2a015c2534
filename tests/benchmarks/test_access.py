"""Every address, and what each kind of person gets there."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

import annotation.urls
from tests.benchmarks.scenes import Scene

OPEN = {"visitor": 200, "member": 200, "staff": 200}
POST_ONLY = {"visitor": 405, "member": 405, "staff": 405}
# name: (method, which run the address names, status by person)
ADDRESSES = {
    "judgment-sets": ("get", None, OPEN),
    "sign-in": ("get", None, OPEN),
    "sign-out": ("get", None, POST_ONLY),
    "judgment-set": ("get", None, OPEN),
    "compare-versions": ("get", None, OPEN),
    "leaderboard": ("get", None, OPEN),
    "leaderboard-csv": ("get", None, OPEN),
    "leaderboard-json": ("get", None, OPEN),
    "system-board": ("get", None, OPEN),
    "comparison": ("get", None, OPEN),
    "comparison-file": ("get", None, OPEN),
    "compute-comparison": ("post", None, {"visitor": 302, "member": 403, "staff": 302}),
    "errors": ("get", None, OPEN),
    "plane": ("get", None, OPEN),
    "plane-file": ("get", None, {"visitor": 404, "member": 404, "staff": 404}),
    "fewer-ratings-file": ("get", None, {"visitor": 404, "member": 404, "staff": 404}),
    "compute-plane": ("post", None, {"visitor": 302, "member": 403, "staff": 302}),
    "correctness": ("get", None, OPEN),
    "correctness-file": ("get", None, OPEN),
    "side-by-side": ("get", None, OPEN),
    "metric-runs": ("get", None, OPEN),
    "metric-run": ("get", "run", OPEN),
    "scatter-svg": ("get", "run", OPEN),
    "submissions": ("get", None, OPEN),
    "submission-items": ("get", None, OPEN),
    "submit": ("post", None, {"visitor": 302, "member": 422, "staff": 422}),
    # One's own are changed: tests/benchmarks/submissions.
    "change-submission": ("post", None, {"visitor": 302, "member": 404, "staff": 404}),
    "hidden-labels": ("post", None, {"visitor": 302, "member": 403, "staff": 404}),
    "minimal-pairs": ("get", None, OPEN),
    "candidate": ("get", None, OPEN),
    "scores-xlsx": ("get", None, OPEN),
    "scores-csv": ("get", None, OPEN),
    "ratings-csv": ("get", None, OPEN),
    "judgments-jsonl": ("get", None, OPEN),
    "judgments-parquet": ("get", None, OPEN),
    "dataset-zip": ("get", None, OPEN),
    "set-files": ("get", None, OPEN),
    "set-report": ("get", None, OPEN),
    "pairs-jsonl": ("get", None, OPEN),
    "start-runs": ("post", None, {"visitor": 302, "member": 403, "staff": 422}),
    "stop-run": ("post", "queued", {"visitor": 302, "member": 403, "staff": 302}),
    "retry-run": ("post", "failed", {"visitor": 302, "member": 403, "staff": 302}),
    "learned-metrics": ("get", None, OPEN),
    "import-checkpoint": ("post", None, {"visitor": 302, "member": 403, "staff": 422}),
    "delete-checkpoint": ("post", None, {"visitor": 302, "member": 403, "staff": 404}),
    "export-checkpoint": ("get", None, {"visitor": 302, "member": 403, "staff": 404}),
}


def names(patterns: list[URLPattern | URLResolver]) -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield pattern.name or "", pattern
        elif pattern.app_name != "admin" and pattern.urlconf_module is not annotation.urls:
            yield from names(pattern.url_patterns)


def address(name: str, scene: Scene, which: str | None) -> str:
    pattern = dict(names(get_resolver().url_patterns))[name]
    values = {"ref": scene.ref, "key": "c1-b", "name": "comparison", "extension": "csv",
              "kind": "lerc"}  # fmt: skip
    values |= {"name": "roc", "extension": "svg"} if name == "correctness-file" else {}
    values["pk"] = getattr(scene, which).pk if which else 0
    return reverse(name, kwargs={part: values[part] for part in pattern.pattern.converters})


def test_each_person_gets_what_the_table_says(
    scene: Scene, people: dict[str, Client], sent: list[int], no_ping: object
) -> None:
    """One scene for all addresses; what a request changes is undone before the next address."""
    statuses = {}
    for name, (method, which, _) in ADDRESSES.items():
        url = address(name, scene, which)
        with transaction.atomic():
            answers = {person: getattr(client, method)(url) for person, client in people.items()}
            transaction.set_rollback(True)
        statuses[name] = {person: answer.status_code for person, answer in answers.items()}
        if statuses[name]["visitor"] == 302:
            assert answers["visitor"]["Location"].startswith(reverse("sign-in")), name
    assert statuses == {name: expected for name, (_, _, expected) in ADDRESSES.items()}


def test_what_changes_something_takes_no_get(scene: Scene, staff: Client) -> None:
    changing = {name: which for name, (method, which, _) in ADDRESSES.items() if method == "post"}
    statuses = {n: staff.get(address(n, scene, which)).status_code for n, which in changing.items()}
    assert statuses == dict.fromkeys(changing, 405)


def test_a_form_without_its_token_is_refused_and_says_what_to_do(scene: Scene) -> None:
    client = Client(enforce_csrf_checks=True)
    response = client.post(reverse("start-runs", args=[scene.ref]), {"metrics": "bleu-2"})
    assert response.status_code == 403
    assert "reload the page" in response.content.decode()


def test_what_is_not_there_is_answered_with_a_sentence(scene: Scene, visitor: Client) -> None:
    for path, sentence in (
        ("/sets/nowhere/", "There is no judgment set &#x27;nowhere&#x27;. Available sets: small."),
        ("/sets/small@9/leaderboard/", "There is no judgment set"),
        ("/sets/No%20Name!/", "is not the name of a judgment set"),
        ("/sets/small/runs/999999/", "has no metric run 999999"),
        ("/sets/small/runs/99999999999999999999999/", "has no metric run"),
        ("/sets/small/candidates/none/", "has no candidate “none”"),
        ("/sets/small/candidates/a%00b/", "has no candidate"),
        ("/sets/small/?constituent=moon", "has no constituent “moon”"),
        ("/nowhere", "Page not found"),
        ("/nowhere", 'action="/search/"'),
        ("/nowhere", 'href="/docs/"'),
        ("/nowhere", 'href="/sign-in/"'),
    ):
        response = visitor.get(path)
        assert response.status_code == 404, path
        assert sentence in response.content.decode(), path


def test_a_query_that_makes_no_sense_is_a_bad_request_that_says_why(
    scene: Scene, visitor: Client
) -> None:
    for path in (
        "leaderboard/?by=moon",
        "leaderboard/?sort=luck",
        "leaderboard/?group=%00",
        "leaderboard.csv?by=moon",
        "pairs/?run=seven",
        "pairs/?verdict=perhaps",
    ):
        response = visitor.get(f"/sets/small/{path}")
        assert response.status_code == 400, path
        assert "Invalid query parameter" in response.content.decode(), path
