"""The first page, for visitors and for those who signed in."""

from __future__ import annotations

from django.test import Client
from django.utils.timezone import now

from annotation.setup.services import publishing
from annotation.setup.services.study_creation import create_study
from annotation.studies.models import Study
from benchmarks.boards.services.top_metrics import RankedMetric
from benchmarks.boards.views.home import MAX_PLOTTED, _sample
from tests.annotation.factories import PLAIN, owner
from tests.benchmarks.scenes import Scene
from tests.core.rest.people import person
from tests.html import readable


def make_study(slug: str) -> Study:
    return create_study(
        slug, f"Study {slug}", PLAIN, preset="blank", owner=owner(), seed=1, at=now()
    )


def words(client: Client) -> str:
    return " ".join(readable(client.get("/")).split())


def test_a_visitor_sees_what_concord_does_sets_and_published_studies(
    scene: Scene, visitor: Client
) -> None:
    make_study("private")
    publishing.publish(make_study("public"), at=now())
    page = words(visitor)
    for expected in (
        "Concord collects human ratings of generated answers",
        "24 candidates",
        "3 systems",
        "4 minimal pairs",
        'class="interval metric"',
        'href="/docs/"',
        "Sign in to run a study",
        "Study public",
    ):
        assert expected in page, expected
    assert "Study private" not in page and "Your next steps" not in page


def test_who_signed_in_sees_the_next_steps_of_their_studies(db: None) -> None:
    study = make_study("mine")
    client = Client()
    client.force_login(study.owner)
    page = words(client)
    assert "Your next steps" in page and "Create a study" in page
    assert f'href="/studies/{study.slug}/candidates/"' in page
    other = Client()
    other.force_login(person("vera"))
    page = words(other)
    assert "Study mine" not in page and "Create a study" not in page and "Import judg" in page


def test_a_card_plots_metrics_from_the_best_to_the_worst() -> None:
    metrics = [RankedMetric(n, f"m{n}", 1 - n / 40, None, 1) for n in range(29)]
    assert _sample(metrics[:4]) == metrics[:4]
    sample = _sample(metrics)
    assert len(sample) == MAX_PLOTTED and sample[0] == metrics[0] and sample[-1] == metrics[-1]
