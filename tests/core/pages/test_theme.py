"""The theme of the pages, stored in a cookie by a form."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.annotation.rating.scenes import make_study


def chosen(client: Client, theme: str, page: str) -> str:
    response = client.post(reverse("theme"), {"theme": theme, "next": page})
    assert response.status_code == 302 and response["Location"] == page
    return client.get(page).content.decode()


@pytest.mark.parametrize("page", ["/", "/rate/join/kettle/", "/sign-in/?next=/studies/"])
def test_a_chosen_theme_is_in_the_page_that_the_server_sends(db: None, page: str) -> None:
    make_study()
    client = Client(enforce_csrf_checks=True)
    assert "data-theme" not in client.get(page).content.decode()
    dark = chosen(client, "dark", page)
    assert 'data-theme="dark"' in dark and '<meta name="color-scheme" content="dark">' in dark
    assert 'data-theme="light"' in chosen(client, "light", page)
    assert "data-theme" not in chosen(client, "", page)


def test_an_unknown_theme_changes_nothing(db: None) -> None:
    client = Client()
    chosen(client, "dark", "/")
    assert 'data-theme="dark"' in chosen(client, "pink", "/")
    client.cookies["theme"] = '"><script>'
    assert "data-theme" not in client.get("/").content.decode()


@pytest.mark.parametrize("address", ["https://example.org/", "//example.org", "javascript:1", ""])
def test_the_form_leads_to_no_other_site(db: None, address: str) -> None:
    response = Client().post(reverse("theme"), {"theme": "dark", "next": address})
    assert response["Location"] == "/"


def test_an_address_is_never_the_name_of_a_page(db: None) -> None:
    response = Client().post(reverse("theme"), {"theme": "dark", "next": "nothing"})
    assert response["Location"] == "nothing"
