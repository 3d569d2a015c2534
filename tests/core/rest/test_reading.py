"""Pages of lists, ETags, the OpenAPI document and the documentation page."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client
from drf_spectacular import drainage

from annotation.studies.models import Study
from core.rest import docs
from core.rest.operations import JSON
from tests.annotation.people import new_study, researcher
from tests.core.rest.people import Caller, caller


def test_pages_of_a_list_are_stable_while_rows_are_added(db: None) -> None:
    rosa = researcher("rosa")
    asks = caller(rosa)
    for number in range(5):
        new_study(rosa, slug=f"s{number}")
    first = asks.get("/studies?limit=2").json()
    new_study(rosa, slug="late")
    seen = [one["slug"] for one in first["results"]]
    following = first["next"]
    while following:
        page = asks.get(following.split("/api/v1", 1)[1]).json()
        seen += [one["slug"] for one in page["results"]]
        following = page["next"]
    assert seen == ["s4", "s3", "s2", "s1", "s0"]


def test_a_cursor_is_valid_for_its_list_only(db: None) -> None:
    rosa = researcher("rosa")
    asks = caller(rosa)
    new_study(rosa, slug="a")
    new_study(rosa, slug="b")
    cursor = asks.get("/studies?limit=1").json()["next"].partition("?")[2]
    assert asks.get(f"/sets?{cursor}").status_code == 400


def test_an_unchanged_document_is_not_sent_again(db: None) -> None:
    rosa = researcher("rosa")
    asks = caller(rosa)
    new_study(rosa, slug="a")
    first = asks.get("/studies/a")
    again = asks.get("/studies/a", If_None_Match=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == first["ETag"]
    Study.objects.update(title="Another title")
    assert asks.get("/studies/a", If_None_Match=first["ETag"]).status_code == 200


def test_answers_are_not_cached_by_proxies(db: None) -> None:
    asks = caller(researcher("rosa"))
    assert asks.get("/studies")["Cache-Control"] == "private, no-cache"


def test_the_description_is_valid_openapi_3_1() -> None:
    docs.description.cache_clear()
    drainage.reset_generator_stats()
    described = docs.description()
    assert not drainage.GENERATOR_STATS._warn_cache, "the description has warnings"
    assert not drainage.GENERATOR_STATS._error_cache
    assert described["openapi"].startswith("3.1")
    ids = [operation["operationId"] for _, _, operation in operations(described)]
    assert len(ids) == len(set(ids))


def test_every_operation_with_a_body_has_an_example() -> None:
    without = [
        f"{method} {path}"
        for method, path, operation in operations(docs.description())
        for content in operation.get("requestBody", {}).get("content", {}).values()
        if "examples" not in content
    ]
    assert without == []


def test_examples_fit_their_schemas() -> None:
    from jsonschema import Draft202012Validator

    described = docs.description()
    checked = 0
    for _, path, operation in operations(described):
        contents = [operation.get("requestBody", {}).get("content", {}).get(JSON, {})]
        contents += [
            one.get("content", {}).get(JSON, {}) for one in operation["responses"].values()
        ]
        for content in contents:
            for example in content.get("examples", {}).values():
                schema = {**content["schema"], "components": described["components"]}
                problems = list(Draft202012Validator(schema).iter_errors(example["value"]))
                assert not problems, f"{path}: {problems[0].message}"
                checked += 1
    assert checked > 20


def test_the_documentation_names_every_operation_and_needs_no_script(db: None) -> None:
    page = Client().get("/api/v1/docs/")
    text = page.content.decode()
    assert page.status_code == 200
    for _, _, operation in operations(docs.description()):
        assert f'id="{operation["operationId"]}"' in text
    assert "style=" not in text
    assert "onclick" not in text


def test_programs_can_read_the_schema(db: None) -> None:
    answer = Client().get("/api/v1/openapi.json")
    assert answer["Content-Type"] == "application/vnd.oai.openapi+json;version=3.1"
    assert json.loads(answer.content)["info"]["title"] == "Concord"


def operations(described: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method, path, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]


def test_a_page_of_a_list_has_a_maximum_length(researcher: Caller) -> None:
    assert researcher.get("/studies?limit=201").status_code == 400
