"""Freezing studies that compare candidates: pairs, sets as implied pairs, what is left out."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.quality.services import adjudication, choices
from annotation.quality.services.ledgers import exclude_worker
from annotation.rating.models import Rating, Worker
from annotation.studies.intake import Item
from annotation.studies.models import Stage
from benchmarks.analyses import services as analyses
from benchmarks.analyses.kinds.choices import ChoicesAnalysis
from benchmarks.exports.services import exports
from benchmarks.freezing import services as freezing
from benchmarks.freezing.models import Freezing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services.importing import import_pairs
from benchmarks.sets.services.reports import report_lines
from concord.formats.preferences import read_preferences
from concord.formats.registry import read_pairs
from concord.preferences import best_worst_choices
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.rating import test_pairs, test_sets
from tests.annotation.rating.test_pairs import PAIRS, candidates
from tests.annotation.rating.test_sets import FOUR, SETS
from tests.html import readable

pytestmark = pytest.mark.django_db


@pytest.fixture
def pairs() -> Stage:
    """Three systems on four questions, a duplicate text, and the choices of two raters."""
    copy = Item.single("q0-copy", factories.instance(0), "a 0", "copy")
    stage = factories.open_stage(factories.make_study(PAIRS, [*candidates(4), copy]))
    test_pairs.rated_by(stage, "ann", "a")
    test_pairs.rated_by(stage, "bob", "b")
    return stage


@pytest.fixture
def sets() -> Stage:
    stage = factories.open_stage(factories.make_study(SETS, candidates(4, FOUR)))
    test_sets.rated_by(stage, "ann", "a", "d")
    test_sets.rated_by(stage, "bob", "b", "a")
    return stage


def freeze(stage: Stage) -> JudgmentSet:
    study = stage.study
    return freezing.freeze(study, "mean", by=study.owner, at=now())


def test_a_frozen_study_of_pairs_has_the_kept_choices(pairs: Stage) -> None:
    bob = pairs.study.participations.order_by("pk")[1]
    exclude_worker(bob, "prefers his own", by=factories.owner(), at=now())
    made = freeze(pairs)
    assert (made.n_candidates, made.n_pairs, made.scale_low) == (12, 0, None)
    assert not made.candidates.exclude(gold=None).exists()
    rows = list(made.judged_pairs.prefetch_related("choices"))
    assert [row.key for row in rows[:3]] == ["q0-a | q0-b", "q0-a | q0-c", "q0-b | q0-c"]
    assert {row.set_key for row in rows} == {""} and len(rows) == 12
    chosen = [[str(one) for one in row.choices.all()] for row in rows[:3]]
    assert chosen == [["1"], ["1"], ["a tie"]]
    assert {one.first_shown for row in rows for one in row.choices.all()} == {1, 2}
    report = made.report["study"]
    assert (report["aggregation"], report["ratings_kept"]) == ("choices", 12)
    assert report["left_out"] == {"the same text as another candidate": 1}
    assert any(
        "12 choices between candidates by 1 rater," in one for one in report_lines(made.report)
    )


def test_a_frozen_study_of_sets_has_the_implied_pairs(sets: Stage) -> None:
    made = freeze(sets)
    rows = list(made.judged_pairs.prefetch_related("choices"))
    unit = sets.study.candidates.filter(use="rated").first()
    assert unit is not None
    numbers = {
        (one.candidate1.system, one.candidate2.system): [str(c) for c in one.choices.all()]
        for one in rows
        if one.set_key == unit.key
    }
    # Of ann every pair but b with c, of bob every pair but c with d.
    assert numbers == {
        **{("a", "b"): ["1", "2"], ("a", "c"): ["1", "2"], ("a", "d"): ["1", "2"]},
        **{("b", "c"): ["1"], ("b", "d"): ["1", "1"], ("c", "d"): ["1"]},
    }
    result = cast(ChoicesAnalysis, analyses.result("choices", made, {}))
    ranking = choices.ranking(sets.study)
    assert ranking is not None and ranking.best_worst is not None
    assert ranking.first_wins is not None and result.ranking is not None
    assert result.ranking["best_worst"]["choices"] == 8 == ranking.best_worst.choices
    scores = {name: row["score"] for name, row in result.ranking["systems"].items()}
    assert scores == {name: one.score.value for name, one in ranking.best_worst.systems.items()}
    side = ranking.first_wins
    assert (result.first_wins, result.first_wins_p) == (side.value, side.p)
    assert result.ranking["questions"] == 4, "one cluster a question"


@pytest.mark.parametrize("kind", ["pairs", "sets"])
def test_an_exported_set_is_imported_with_the_same_content(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    made = freeze(request.getfixturevalue(kind))
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(exports.pairs(made)))
    again = import_pairs("again", read_pairs([path], "concord"), owner=factories.owner(), at=now())
    assert again.content_hash == made.content_hash
    if kind == "sets":
        assert len(best_worst_choices(read_preferences([path]))) == 8


def test_the_page_previews_and_freezes_without_an_aggregation(sets: Stage, client: Client) -> None:
    client.force_login(factories.owner())
    url = reverse("study-freeze", args=["study"])
    page = client.get(url).content.decode()
    assert "Choices have no gold scores" in page and "The first pairs" in page
    assert '<input type="hidden" name="aggregation"' in page and "<select" not in page
    assert ", nominal</dt>" in page
    client.post(url, {"aggregation": "mean", "stages": ["full"], "name": "made"})
    freezing.FREEZINGS.perform(Freezing.objects.get().pk)
    job = Freezing.objects.get()
    assert str(JudgmentSet.objects.get(pk=job.judgment_set)) == "made@1"
    shown = client.get(reverse("study-freezing", args=["study", job.pk])).content.decode()
    assert "Gold score" not in shown and "made@1" in shown
    board = client.get(reverse("choices", args=["made@1"]), follow=True).content.decode()
    assert "Best-worst score" in board and "Plackett and Luce" in board
    assert "16 candidates" in readable(client.get(url))


def test_the_api_freezes_choices(pairs: Stage, client: Client) -> None:
    client.force_login(factories.owner())
    url = reverse("api-freeze", args=["study"])
    answer = client.post(url, {"name": "made"}, content_type="application/json")
    assert answer.status_code == 202
    freezing.FREEZINGS.perform(answer.json()["id"])
    document = client.get(answer["Location"]).json()
    preview = document["preview"]
    assert document["judgment_set"] == "made@1"
    assert (preview["judged_pairs"], preview["choices"], preview["ratings"]) == (12, 24, 24)
    assert (preview["candidates"], preview["pairs"], preview["settled"]) == (12, 0, 0)


def test_a_study_without_choices_is_not_frozen() -> None:
    study = factories.open_stage(factories.make_study(PAIRS, candidates(1))).study
    with pytest.raises(RefusedError, match="nothing to freeze"):
        freezing.prepare(study, "mean")


def test_simulated_choices_make_an_illustrative_set(sets: Stage) -> None:
    Worker.objects.update(simulated=True)
    Rating.objects.update(simulated=True)
    made = freeze(sets)
    assert made.illustrative
    assert made.statistics["simulated_ratings"] == 40


def test_an_adjudicated_pair_is_frozen_with_that_choice_only(pairs: Stage) -> None:
    first, *_ = test_pairs.units(pairs.study)
    adjudication.adjudicate(first, 2, "", by=factories.owner(), at=now())
    assert freezing.prepare(pairs.study, "mean").settled == 1
    row, *others = freeze(pairs).judged_pairs.prefetch_related("choices")
    assert [(one.worker, one.choice) for one in row.choices.all()] == [("adjudicated", 2)]
    assert {one.choices.count() for one in others} == {2}


def test_an_adjudicated_set_is_frozen_with_that_choice_only(sets: Stage) -> None:
    unit, *_ = test_pairs.units(sets.study)
    for value, name in ((3, ""), (2, "worst")):
        adjudication.adjudicate(unit, value, "", name, by=factories.owner(), at=now())
    assert freezing.prepare(sets.study, "mean").settled == 1
    rows = freeze(sets).judged_pairs.filter(set_key=unit.key).prefetch_related("choices")
    assert {row.choices.count() for row in rows} == {1} and len(rows) == 5
    assert {one.worker for row in rows for one in row.choices.all()} == {"adjudicated"}
