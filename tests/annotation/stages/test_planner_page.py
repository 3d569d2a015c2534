"""The planner's page: works by a plain address, for the study's owner, and says what is wrong."""

from __future__ import annotations

import itertools
import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.timezone import now

from annotation.rating.services import handing_out
from annotation.studies.models import Stage
from concord.planning.plan import PayTerms, assume_crowd, make_plan
from concord.planning.plot import plan_plot
from concord.protocols import Pay, RatingRule
from concord.simulation import Crowd
from tests.annotation import factories
from tests.html import readable

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage(client) -> Stage:
    study_stage = factories.open_study(factories.plain(rating_rules=(RatingRule(3),)), passages=12)
    User.objects.filter(username="researcher").update(is_staff=True)
    client.force_login(User.objects.get(username="researcher"))
    return study_stage


def page(client, **query) -> str:
    answer = client.get(reverse("study-planner", args=["study"]), query)
    assert answer.status_code == 200
    return readable(answer)


def test_the_page_shows_grid_curve_and_the_cheapest(client, stage):
    text = page(client)
    assert re.search(
        r"Cheapest: [\d,]+ items with \d+ raters each, [\d,]+ ratings, \$[\d,.]+", text
    )
    assert text.count("<path class=") == 5
    assert "style=" not in text and "<script" not in text.split("<main")[1]


def test_the_fee_is_in_the_cost(client, stage):
    def cheapest(**query) -> float:
        return float(
            re.search(r"ratings, \$([\d,.]+\d)", page(client, **query))[1].replace(",", "")
        )

    assert cheapest(fee=20) == pytest.approx(1.2 * cheapest(fee=0), rel=0.02)


def test_a_plan_from_the_ratings_so_far(client, stage):
    assert "not enough ratings" in page(client, source="ratings")
    for number, worker in enumerate(factories.workers(stage.study, 3)):
        for _ in range(12):
            assignment = handing_out.hand_out(worker, stage, at=now())
            factories.rate_as(
                assignment,
                {
                    pk: 1 + (pk + (number == at)) % 5
                    for at, pk in enumerate(factories.members(assignment))
                },
            )
            handing_out.submit(assignment, at=now())
    assert "agree as much as the real ones" in page(client, source="ratings")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"width": "0"}, 422),
        ({"width": "wide"}, 422),
        ({"ability": "nan"}, 422),
        ({"fee": "-1"}, 422),
        ({"level": "cardinal"}, 422),
        ({"ability": "0", "spam": "1"}, 200),
        ({"ability": "1", "noise": "0", "spam": "0"}, 200),
    ],
)
def test_the_planner_explains_a_missing_plan(client, stage, query, status):
    answer = client.get(reverse("study-planner", args=["study"]), query)
    assert answer.status_code == status


def test_non_members_cannot_see_the_planner(client, stage):
    address = reverse("study-planner", args=["study"])
    client.force_login(User.objects.create_user("other", is_staff=True))
    assert client.get(address).status_code == 404
    client.logout()
    assert client.get(address).status_code == 302


@pytest.mark.parametrize("width", [0.01, 0.1, 1.0])
def test_plot_lines_are_inside_the_frame_and_labels_do_not_overlap(width):
    plot = plan_plot(make_plan(assume_crowd(Crowd()), PayTerms(Pay(40), 10, 20), width, seed=1))
    assert plot is not None
    for curve in plot.curves:
        points = [tuple(map(float, p.split())) for p in re.split("[ML]", curve.path)[1:]]
        if curve.reached:
            points.append(curve.reached)
        assert all(plot.frame.left <= x <= plot.frame.right for x, _ in points)
        assert all(plot.frame.top <= y <= plot.frame.bottom for _, y in points)
    labels = sorted(curve.label_y for curve in plot.curves)
    assert all(b - a >= 12.9 for a, b in itertools.pairwise(labels))
    assert plot.frame.x_ticks and plot.frame.y_ticks
    assert (plot.wanted_y is None) == (width != 0.1)
