"""Studies that compare sets of answers: units, the two columns, what is stored, simulation."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.lifecycle.services import copying
from annotation.quality.services import adjudication, choices
from annotation.quality.services.ledgers import exclude_worker
from annotation.rating.models import Assignment, Rating
from annotation.rating.services import handing_out
from annotation.rating.services.handing_out import Answer
from annotation.setup.services.study_creation import change_protocol
from annotation.stages.services import opening
from annotation.studies.intake import Item
from annotation.studies.models import Stage, StudyCandidate
from concord.formats.preferences import read_preferences
from concord.preferences import best_worst_choices
from concord.protocols import HitRules, ProtocolError, RatingRule, SetRules, preset
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.rating.test_criteria import path_of
from tests.annotation.rating.test_pairs import candidates, keys_of, units

pytestmark = pytest.mark.django_db

SETS = replace(
    preset("best-worst-2017"),
    consent="",
    rating_rules=(RatingRule(2),),
    hit=HitRules(max_candidates=3, same_passage=False),
)
FOUR = ("a", "b", "c", "d")
# One question with four answers and one with three.
UPLOAD = [*candidates(1, FOUR), *candidates(2)[3:]]


@pytest.fixture
def stage() -> Stage:
    return factories.open_stage(factories.make_study(SETS, UPLOAD))


@pytest.fixture
def assignment(stage: Stage) -> Assignment:
    assignment = handing_out.hand_out(factories.worker(stage.study, "ann"), stage, at=now())
    assert assignment is not None
    return assignment


def cards(assignment: Assignment, client: Client) -> Iterator[tuple[StudyCandidate, str]]:
    """The units of a task with their cards."""
    page = client.get(path_of(assignment, "rating-assignment")).content.decode()
    for card in re.findall(r"<article.*?</article>", page, re.DOTALL):
        yield StudyCandidate.objects.get(pk=re.search(r'data-candidate="(\d+)"', card)[1]), card  # type: ignore[index]


def test_sets_follow_the_protocol_until_a_stage_is_opened() -> None:
    study = factories.make_study(SETS, [*candidates(1, tuple("abcdef")), *candidates(2)[3:5]])
    assert len(units(study)) == 12, "each of six answers in eight sets; two answers are no set"
    assert {unit.parts.count() for unit in units(study)} == {4}
    change_protocol(study, replace(SETS, sets=SetRules(2)), at=now())
    assert len(units(study)) == 3
    change_protocol(study, replace(SETS, scale=SETS.scale[:3]), at=now())
    assert {unit.parts.count() for unit in units(study)} == {3}
    before = keys_of(study)
    copy = copying.copy_study(study, "copy", "Copy", owner=factories.owner(), at=now())
    assert keys_of(copy) == before
    opening.open_stage(study.stages.get(kind="full"), by=factories.owner(), at=now())
    with pytest.raises(ProtocolError, match="a stage has been opened"):
        change_protocol(study, SETS, at=now())
    assert keys_of(study) == before


def test_both_columns_have_the_answers_as_they_are_shown(
    assignment: Assignment, client: Client
) -> None:
    sizes = set()
    for unit, card in cards(assignment, client):
        texts = [part.candidate.text for part in unit.parts.all()]
        shown = sorted(range(len(texts)), key=lambda n: card.index(f">{texts[n]}<"))
        numbers = [str(number + 1) for number in shown]
        assert re.findall(rf'name="value-{unit.pk}"\s+value="(\d)"', card) == numbers
        assert re.findall(rf'name="answer-{unit.pk}-0"\s+value="(\d)"', card) == numbers
        assert re.findall(r"<dt>\s*<span\s+dir=\"auto\"\s*>(Answer \d)", card) == [
            f"Answer {place}" for place in range(1, len(texts) + 1)
        ]
        best, worst = (int(number) for number in numbers[:2])
        rating = Answer(best, answers={"worst": worst})
        handing_out.save_rating(assignment, unit.pk, rating, at=now())
        stored = Rating.objects.get(candidate=unit)
        assert (stored.value, stored.answers) == (best, {"worst": worst})
        assert [str(number) for number in stored.shown] == numbers
        sizes.add(len(texts))
    assert sizes == {3, 4}


@pytest.mark.parametrize(
    ("value", "answers", "message"),
    [
        (4, {"worst": 1}, "from 1 to 3"),
        (1, {}, "Which answer is the worst.*Answer this question"),
        (1, {"worst": 4}, "Choose one of the values"),
        (1, {"worst": 1}, "another answer than the best"),
    ],
)
def test_best_and_worst_are_two_answers_of_the_set(
    assignment: Assignment, value: int, answers: dict[str, int], message: str
) -> None:
    unit = next(one for one in assignment.hit.candidates.all() if one.parts.count() == 3)
    with pytest.raises(RefusedError, match=message):
        handing_out.save_rating(assignment, unit.pk, Answer(value, answers=answers), at=now())


def test_the_form_says_where_best_and_worst_are_the_same(
    assignment: Assignment, client: Client
) -> None:
    fields = {"action": "submit"}
    for unit, _ in cards(assignment, client):
        fields |= {f"value-{unit.pk}": "1", f"answer-{unit.pk}-0": "1"}
    response = client.post(path_of(assignment, "rating-assignment"), fields)
    assert response.status_code == 422
    assert "Choose another answer than the best one." in response.content.decode()
    assert not Rating.objects.exists()
    fields = {name: "2" if name.startswith("answer") else value for name, value in fields.items()}
    assert client.post(path_of(assignment, "rating-assignment"), fields).status_code == 303
    assert set(Rating.objects.values_list("value", "answers__worst")) == {(1, 2)}


def rated_by(stage: Stage, name: str, best: str, worst: str) -> None:
    """Every set with both systems has these as the best and the worst, others their first two."""
    worker = factories.worker(stage.study, name)
    while assignment := handing_out.hand_out(worker, stage, at=now()):
        for unit in assignment.hit.candidates.all():
            systems = [part.candidate.system for part in unit.parts.all()]
            both = [best, worst] if {best, worst} <= set(systems) else systems[:2]
            chosen = [1 + systems.index(system) for system in both]
            rating = Answer(chosen[0], answers={"worst": chosen[1]})
            handing_out.save_rating(assignment, unit.pk, rating, at=now())
        handing_out.submit(assignment, at=now())


def test_the_ranking_uses_what_the_ledger_keeps_and_the_file_holds_it(
    tmp_path: Path, client: Client
) -> None:
    stage = factories.open_stage(factories.make_study(SETS, candidates(4, FOUR)))
    rated_by(stage, "ann", "a", "d")
    rated_by(stage, "bob", "b", "a")
    ranking = choices.ranking(stage.study)
    assert ranking is not None and ranking.best_worst is not None
    systems = ranking.best_worst.systems
    assert {name: (one.best, one.worst) for name, one in systems.items()} == {
        **{"a": (4, 4), "b": (4, 0), "c": (0, 0), "d": (0, 4)},
    }
    assert {one.appearances for one in systems.values()} == {8}
    client.force_login(factories.owner())
    page = client.get(reverse("study-quality", args=["study"])).content.decode()
    assert "Best-worst score" in page and "Split-half" in page
    answer = client.get(reverse("api-agreement", args=["study"])).json()
    assert answer["ranking"]["systems"]["b"]["score"] == 0.5
    assert [row["level"] for row in answer["criteria"]] == ["nominal"]
    bob = stage.study.participations.order_by("pk")[1]
    exclude_worker(bob, "is another's opinion", by=factories.owner(), at=now())
    response: Any = client.get(reverse("study-choices-file", args=["study"]))
    path = tmp_path / "choices.jsonl"
    path.write_bytes(response.getvalue())
    rows = read_preferences([path])
    assert len(rows) == 4 * 5
    assert [one.systems for one in best_worst_choices(rows)] == [("a", "b", "c", "d")] * 4
    assert best_worst_choices(rows) == best_worst_choices(choices.preferences(stage.study))
    shown = dict(Rating.objects.filter(worker=bob.worker).values_list("candidate__key", "shown"))
    assert len(shown) == 4
    orders = Rating.objects.exclude(worker=bob.worker).values_list("candidate__key", "shown")
    first = {key: order.index(1) < order.index(4) for key, order in orders}
    assert {one.set_key: one.best_shown_first for one in best_worst_choices(rows)} == first


def test_a_criterion_may_get_another_name_while_a_stage_is_open(stage: Stage) -> None:
    rated_by(stage, "ann", "a", "c")
    renamed = (replace(SETS.criteria[0], name="weakest"),)
    change_protocol(stage.study, replace(SETS, criteria=renamed), at=now())
    ranking = choices.ranking(stage.study)
    assert ranking is not None and ranking.best_worst is not None
    assert ranking.best_worst.systems["c"].worst == 2


def test_workers_are_compared_by_equal_choices_and_not_by_z(stage: Stage, client: Client) -> None:
    rated_by(stage, "ann", "a", "c")
    rated_by(stage, "bob", "a", "b")
    client.force_login(factories.owner())
    workers = client.get(reverse("api-workers", args=["study"])).json()["results"]
    document = client.get(reverse("api-agreement", args=["study"])).json()
    assert "candidates" not in document["ranking"]["best_worst"]
    ranking = choices.ranking(stage.study)
    assert ranking is not None and ranking.best_worst is not None
    assert ranking.best_worst.candidates == {}, "the cache does not grow with the study"
    (all_ratings,) = document["rows"]
    assert (all_ratings["icc"], all_ratings["ac2"]) == (None, None)
    assert [(row["same_choice"], row["mean_z"]) for row in workers] == [(0.5, None)] * 2
    page = client.get(reverse("study-quality", args=["study"])).content.decode()
    assert "Same as others" in page and "Choices between answers have no z-scores" in page
    assert "Mean z" not in page and 'name="one_sided"' not in page
    assert ">ICC(1)<" not in page and ">AC2, ordinal<" not in page
    step = {"kind": "zscore", "threshold": 1.0, "at_most": 5}
    answer = client.post(reverse("api-ledger", args=["study"]), step, "application/json")
    assert answer.status_code == 422 and "no z-scores" in answer.json()["detail"]
    form = {"kind": "zscore", "threshold": "1", "at_most": "5"}
    assert client.post(reverse("study-add-step", args=["study"]), form).status_code == 422
    form = {"kind": "minimum-seconds", "threshold": "1"}
    assert client.post(reverse("study-add-step", args=["study"]), form).status_code == 302
    worker = client.get(reverse("study-worker", args=["study", workers[0]["worker"]]))
    assert "Same choice as others" in worker.content.decode()


def test_the_preview_shows_both_columns(stage: Stage, client: Client) -> None:
    client.force_login(factories.owner())
    first_hits = client.get(reverse("study-preview", args=["study"])).content.decode()
    path = unescape(re.search(r'href="(/rate/preview/[^"]+)"', first_hits)[1])  # type: ignore[index]
    page = client.get(path).content.decode()
    assert "2 comparisons to make" in " ".join(page.split())
    assert page.count('data-kind="worst"') == 2
    assert page.count('name="answer-') == 7, "a set of four and one of three"


def best_and_worst(stage: Stage) -> dict[str, tuple[int, int, int]]:
    """By system, how often it is the best and the worst in the ranking, of how many choices."""
    ranking = choices.ranking(stage.study)
    assert ranking is not None and ranking.best_worst is not None
    rows = ranking.best_worst.systems
    return {name: (one.best, one.worst, one.appearances) for name, one in rows.items()}


def test_an_adjudicated_set_counts_once_with_its_best_and_worst(
    stage: Stage, client: Client
) -> None:
    rated_by(stage, "ann", "a", "c")
    rated_by(stage, "bob", "b", "a")
    before = choices.ranking(stage.study)
    four, three = sorted(units(stage.study), key=lambda unit: -unit.parts.count())
    owner = stage.study.owner
    client.force_login(owner)
    path = reverse("study-adjudication", args=["study"], query={"criterion": "worst"})
    page = client.get(path).content.decode()
    assert page.count("Set value") == 2
    for unit, values in ((four, ["1", "2", "3", "4"]), (three, ["1", "2", "3"])):
        card = re.search(rf'<li id="candidate-{unit.pk}">.*?</form>', page, re.DOTALL)
        assert card is not None
        assert re.findall(r'name="value"\s+value="(\d+)"', card[0]) == values
    counts = {"a": (2, 2, 4), "b": (2, 0, 4), "c": (0, 2, 4), "d": (0, 0, 2)}
    assert best_and_worst(stage) == counts
    adjudication.adjudicate(four, 3, "", by=owner, at=now())
    assert best_and_worst(stage) == counts, "raters disagree on the worst"
    for unit, value, name, message in (
        (four, 3, "worst", "must be different"),
        (three, 4, "worst", "from 1 to 3"),
        (three, 0, "", "from 1 to 3"),
        (three, 1, "other", "cannot be adjudicated"),
    ):
        with pytest.raises(RefusedError, match=message):
            adjudication.adjudicate(unit, value, "", name, by=owner, at=now())
    adjudication.adjudicate(four, 2, "", "worst", by=owner, at=now())
    counts = {"a": (1, 1, 3), "b": (1, 1, 3), "c": (1, 1, 3), "d": (0, 0, 1)}
    assert best_and_worst(stage) == counts
    after = choices.ranking(stage.study)
    assert before is not None and after is not None
    assert (after.alpha, after.choices, after.first_wins) == (
        *(before.alpha, before.choices, before.first_wins),
    )
    adjudication.remove_adjudication(four, "worst")
    assert best_and_worst(stage)["d"] == (0, 0, 2)


def test_where_raters_agree_on_the_worst_the_best_is_enough(stage: Stage) -> None:
    rated_by(stage, "ann", "a", "c")
    rated_by(stage, "bob", "b", "c")
    for unit in units(stage.study):
        adjudication.adjudicate(unit, 2, "", by=stage.study.owner, at=now())
    counts = {"a": (0, 0, 2), "b": (2, 0, 2), "c": (0, 2, 2), "d": (0, 0, 1)}
    assert best_and_worst(stage) == counts


def test_pages_of_a_study_of_sets_open(client: Client, assignment: Assignment) -> None:
    for unit in assignment.hit.candidates.all():
        rating = Answer(1, answers={"worst": 2})
        handing_out.save_rating(assignment, unit.pk, rating, at=now())
    handing_out.submit(assignment, at=now())
    client.force_login(factories.owner())
    for name in ("study", "study-candidates", "study-data", "study-quality", "study-adjudication"):
        assert client.get(reverse(name, args=["study"])).status_code == 200, name
    for name in ("study-protocol", "study-stages", "study-monitor", "study-cost"):
        assert client.get(reverse(name, args=["study"])).status_code == 200, name
    rows: Any = client.get(reverse("study-ratings-file", args=["study", "jsonl"]))
    first = json.loads(b"".join(rows).decode().splitlines()[0])
    assert first["value"] == 1 and first["answers"] == {"worst": 2}


@pytest.mark.django_db(transaction=True)
def test_simulated_raters_choose_the_best_and_the_worst() -> None:
    upload = [*UPLOAD, Item.single("q0-e", factories.instance(0), "e 0", "e")]
    study = factories.open_stage(factories.make_study(SETS, upload)).study
    call_command("simulate_crowd", "study", workers=3, ability=1.0, stdout=io.StringIO())
    by_unit: dict[int, set[tuple[int | None, int]]] = {}
    for unit, value, worst in Rating.objects.values_list("candidate", "value", "answers__worst"):
        by_unit.setdefault(unit, set()).add((value, worst))
    assert len(by_unit) == len(units(study)) == 6
    assert all(len(pairs) == 1 for pairs in by_unit.values()), "everybody knows the truth"
    chosen = {best for pairs in by_unit.values() for best, _ in pairs}
    assert len(chosen) > 1
