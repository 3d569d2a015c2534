"""Old names of request fields and query parameters are accepted and marked as deprecated."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.test import Client
from rest_framework import serializers

from core.rest.renaming import RENAMED_ON
from core.rest.serializers import Paged, Strict, parse_query

ADDRESS = "/api/v1/account/invitations"


class Part(Strict):
    renamed = {"old": "new"}

    new = serializers.IntegerField()


class Whole(Strict):
    part = Part()


class Filter(Paged):
    renamed = {"olds": "news"}

    news = serializers.ListField(child=serializers.CharField())


class View:
    uses_old_names = False


@pytest.fixture
def browser(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("rosa", is_staff=True))
    return client


def invite(browser: Client, body: dict[str, str]) -> Any:
    return browser.post(ADDRESS, body, content_type="application/json")


def test_an_old_name_is_accepted_with_a_deprecation_header(browser: Client) -> None:
    answer = invite(browser, {"standing": "researcher"})
    assert answer.status_code == 201
    assert answer.json()["site_role"] == "researcher"
    assert answer["Deprecation"] == RENAMED_ON


def test_the_new_name_is_not_deprecated(browser: Client) -> None:
    answer = invite(browser, {"site_role": "researcher"})
    assert answer.status_code == 201
    assert "Deprecation" not in answer


def test_errors_name_the_new_field(browser: Client) -> None:
    answer = invite(browser, {"standing": "king"})
    assert answer.status_code == 422
    assert [one["field"] for one in answer.json()["errors"]] == ["site_role"]
    assert answer["Deprecation"] == RENAMED_ON


def test_both_names_at_once_are_an_error(browser: Client) -> None:
    answer = invite(browser, {"standing": "researcher", "site_role": "submitter"})
    assert answer.status_code == 422
    assert [one["field"] for one in answer.json()["errors"]] == ["standing"]


def test_fields_of_a_part_have_old_names_too() -> None:
    view = View()
    whole = Whole(data={"part": {"old": 3}}, context={"view": view, "native": True})
    whole.is_valid(raise_exception=True)
    assert whole.validated_data == {"part": {"new": 3}}
    assert view.uses_old_names


@pytest.mark.parametrize("query", ["olds=a&olds=b", "news=a&news=b"])
def test_parameters_that_are_lists_have_old_names_too(query: str) -> None:
    query_filter = Filter(data=parse_query(QueryDict(query), Filter))
    query_filter.is_valid(raise_exception=True)
    assert query_filter.validated_data == {"news": ["a", "b"]}


def test_fields_of_a_form_have_old_names_too() -> None:
    form = Filter(data=QueryDict("olds=a&olds=b"))
    form.is_valid(raise_exception=True)
    assert form.validated_data == {"news": ["a", "b"]}
