"""The search of the site: results by kind, and only what the account may see."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from config.documentation import tree
from config.documentation.searching import find
from tests.annotation.factories import make_study
from tests.benchmarks.factories import add_member, make_set

pytestmark = pytest.mark.django_db


def found(client: Client, words: str) -> dict[str, list[str]]:
    """The addresses of the results by the name of their group."""
    page = client.get(reverse("search"), {"q": words}).content.decode()
    groups = {}
    for section in re.findall(r"<section.*?</section>", page, re.S):
        name = re.search(r"<h2[^>]*>(.*?)</h2>", section, re.S)
        assert name is not None
        groups[name[1].strip()] = re.findall(r'<a[^>]*href="([^"]+)"', section)
    return groups


@pytest.fixture
def ann() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("ann"))
    return client


def test_sets_are_found_by_those_who_may_see_them(
    tmp_path: Path, client: Client, ann: Client
) -> None:
    public = make_set(tmp_path, "open-answers")
    private = make_set(tmp_path, "secret-answers", public=False)
    assert found(client, "answers")["Judgment sets"] == [public.get_absolute_url()]
    assert found(ann, "answers") == found(client, "answers")
    add_member("secret-answers", User.objects.get(username="ann"))
    own = [public.get_absolute_url(), private.get_absolute_url()]
    assert found(ann, "ANSWERS")["Judgment sets"] == own
    assert "Judgment sets" not in found(ann, "answers nowhere")


def test_a_newer_private_version_does_not_hide_the_public_one(
    tmp_path: Path, client: Client
) -> None:
    first = make_set(tmp_path, "answers")
    make_set(tmp_path, "answers", public=False)
    assert found(client, "answers")["Judgment sets"] == [first.get_absolute_url()]


def test_studies_are_found_if_published_or_ones_own(client: Client) -> None:
    study = make_study()
    owner = Client()
    owner.force_login(study.members.get().user)
    assert "Studies" not in found(client, study.slug)
    assert found(owner, study.slug)["Studies"] == [reverse("study", args=[study.slug])]
    study.published_at = now()
    study.save()
    assert found(client, study.title)["Studies"] == [reverse("study-public", args=[study.slug])]


def test_metrics_lead_to_their_documentation_and_models_to_their_card(client: Client) -> None:
    results = found(client, "lerc")
    assert reverse("docs-page", args=["reference/metrics/lerc.html"]) in results["Metrics"]
    assert reverse("checkpoint", args=["lerc-paper"]) in results["Learned metrics"]


def test_the_documentation_is_found_by_its_text(client: Client) -> None:
    (first, *_) = found(client, tree.title("how-to/webhooks"))["Documentation"]
    assert first == reverse("docs-page", args=["how-to/webhooks.html"])
    (first, *_) = found(client, "stems of Penn")["Documentation"]
    assert first == reverse("docs-page", args=["reference/metrics/aev.html"]) + "#definition"
    assert "Documentation" not in found(client, "columnalign"), "a mark of formulas is no text"


def test_the_documentation_has_a_search_of_its_own(client: Client) -> None:
    text = client.get(reverse("docs-search"), {"q": "Stems of Penn"}).content.decode()
    assert "/docs/reference/metrics/aev.html#definition" in text
    nothing = client.get(reverse("docs-search"), {"q": "xyzzy <b>"}).content.decode()
    assert "xyzzy &lt;b&gt;" in nothing


def test_words_without_a_result_and_no_words_are_answered(client: Client) -> None:
    nothing = client.get(reverse("search"), {"q": "xyzzy <b>"}).content.decode()
    assert "Nothing has all words of" in nothing and "xyzzy &lt;b&gt;" in nothing
    assert "Nothing" not in client.get(reverse("search")).content.decode()
    assert client.get(reverse("search"), {"q": "x" * 501}).status_code == 400


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("import csv ratings", "how-to/formats"),
        ("inter-rater agreement", "explanation/statistics"),
        ("Likert", "how-to/run-a-study"),
        ("mturk", "how-to/crowds"),
    ],
)
def test_words_that_people_use_find_the_page_on_their_subject(words: str, page: str) -> None:
    first = [hit.address.partition(".html")[0] for hit in islice(find(words), 5)]
    assert page in first
