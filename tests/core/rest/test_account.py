"""The account of a token."""

from __future__ import annotations

import pytest

from tests.core.rest.people import caller, person


@pytest.mark.django_db
def test_an_account_shows_its_name_and_the_scopes_of_its_token() -> None:
    ruth = person("ruth", is_staff=True)
    account = caller(ruth, "sets:read").get("/account").json()
    assert account == {
        "username": "ruth",
        "is_researcher": True,
        "is_administrator": False,
        "scopes": ["sets:read"],
    }
