"""Test items and hidden checks of sets: files with the best and the worst, the test, checks."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.lifecycle.services.copying import copy_study
from annotation.quality.services import choices
from annotation.quality.services.rating_data import collect_gold_ratings
from annotation.quality.services.rating_files import rating_rows
from annotation.quality.services.worker_reports import passed_checks, worker_table
from annotation.rating.models import Rating
from annotation.rating.services import handing_out, participation
from annotation.rating.services.tokens import token_for
from annotation.setup.services.study_creation import change_protocol
from annotation.studies.errors import UploadError
from annotation.studies.models import Study
from concord.formats.best_worst import implied_choices
from concord.protocols import (
    Criterion,
    HitRules,
    Qualification,
    QualityRules,
    RatingRule,
    preset,
)
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.quality.test_keys import line, pair, take, upload
from tests.annotation.rating.test_criteria import path_of
from tests.annotation.rating.test_pairs import candidates

pytestmark = pytest.mark.django_db

SETS = preset("best-worst-2017")
SETS = replace(
    SETS,
    consent="",
    rating_rules=(RatingRule(1),),
    hit=HitRules(max_candidates=1, same_passage=False),
    quality=QualityRules(gold_share=0.5),
    qualification=Qualification(candidates=1, pass_share=1.0),
    criteria=(*SETS.criteria, Criterion("sure", "Are you sure?", "yes-no", required=False)),
)
FOUR = ("a", "b", "c", "d")


def keyed(key: str, best: int, worst: int, size: int = 4, **more: Any) -> list[dict[str, Any]]:
    """The rows of a set with its correct best and worst."""
    return [
        {
            "instance": f"i-{key}",
            "references": [f"reference of {key}"],
            "question": f"What is {key}?",
            "set": key,
            "id1": f"{key}-{first}",
            "candidate1": f"answer {first} of {key}",
            "id2": f"{key}-{second}",
            "candidate2": f"answer {second} of {key}",
            "choice": choice,
            **more,
        }
        for first, second, choice in implied_choices(size, best, worst)
    ]


def set_study() -> Study:
    study = factories.make_study(SETS, candidates(4, FOUR))
    upload(study, "qualification", *keyed("t", 1, 3, 3))
    upload(study, "gold", *keyed("g1", 2, 4, answers={"sure": True}), *keyed("g2", 4, 1))
    return study


def fields_of(study: Study, chosen: dict[str, tuple[int, int]]) -> dict[str, str]:
    """The form of the rater's page with the best and the worst by the keys of units."""
    fields = {"action": "submit"}
    for key, (best, worst) in chosen.items():
        pk = study.candidates.get(key=key).pk
        fields |= {f"value-{pk}": str(best), f"answer-{pk}-0": str(worst)}
    return fields


def test_sets_with_a_best_and_a_worst_are_units_of_their_own() -> None:
    study = set_study()
    units = study.candidates.filter(use__in=("gold", "qualification")).order_by("key")
    assert [(one.key, one.use, one.expected, one.expected_answers) for one in units] == [
        ("g1", "gold", 2, {"worst": 3, "sure": True}),
        ("g2", "gold", 4, {"worst": 1}),
        ("t", "qualification", 1, {"worst": 3}),
    ]
    texts = [part.candidate.text for part in units[0].parts.all()]
    assert texts == [f"answer {number} of g1" for number in (1, 2, 4, 3)], "as the file has them"
    assert study.candidates.filter(use="rated").count() == 4
    copy = copy_study(study, "copy", "A copy", owner=study.owner, at=now())
    copied = copy.candidates.get(key="g1")
    assert (copied.expected, copied.expected_answers) == (2, {"worst": 3, "sure": True})
    assert copied.parts.count() == 4 and copy.candidates.filter(use="rated").count() == 4


def changed(rows: list[dict[str, Any]], number: int, **values: Any) -> list[dict[str, Any]]:
    return [row | (values if at == number else {}) for at, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (keyed("g", 1, 2)[:-1], r'keys.jsonl:1: set: .*; the correct ones of "g" are not'),
        (changed(keyed("g", 1, 2), 2, choice="tie"), 'the correct ones of "g" are not'),
        (changed(keyed("g", 1, 2), 2, choice=None), "keys.jsonl:3: choice: is missing"),
        (changed(keyed("g", 1, 2), 2, candidate1="x"), "line 3, g: the candidate 'g-1' has ano"),
        (keyed("g", 1, 2, 5), "line 1, g: it has 5 candidates; the protocol's sets have 3 to 4"),
        (keyed("g", 1, 2, answers={"size": 1}), "line 1, g: size: The protocol has no such"),
        (keyed("g", 1, 2, answers={"worst": 3}), "line 1, g: worst: the set's correct choices say"),
        (
            changed(keyed("g", 1, 2, answers={"sure": True}), 3, answers={"sure": False}),
            "line 4, g: `answers` differ",
        ),
        ([pair("g", 1)], "line 1, g: `set` is missing"),
        ([line("g", score=1)], "test items and hidden checks are sets with their best and worst"),
    ],
)
def test_rows_that_state_no_best_and_worst_are_refused(
    rows: Sequence[dict[str, Any]], message: str
) -> None:
    study = factories.make_study(SETS)
    with pytest.raises(UploadError, match=message):
        upload(study, "gold", *rows)
    assert not study.candidates.exists()


def test_sets_are_no_test_items_of_pairs() -> None:
    study = factories.make_study(replace(preset("mt-bench-2023"), consent=""))
    with pytest.raises(UploadError, match="line 1, g: `set`: the study compares pairs, not sets"):
        upload(study, "gold", *keyed("g", 1, 2))


def test_a_stage_does_not_open_with_sets_that_are_too_large() -> None:
    study = factories.make_study(SETS, candidates(4, FOUR))
    upload(study, "qualification", *keyed("t", 1, 3))
    change_protocol(study, replace(SETS, scale=SETS.scale[:3]), at=now())
    with pytest.raises(RefusedError, match="t: it has 4 candidates; the protocol's sets have 3"):
        factories.open_stage(study, "qualification")


def test_best_and_worst_count_by_themselves_from_the_page_to_the_worker(client: Client) -> None:
    study = set_study()
    factories.open_stage(study, "qualification")
    ann = factories.worker(study, "ann")
    path = path_of(take(study, "qualification"), "rating-assignment")
    test = reverse("rating-test", args=[token_for(factories.join(study, "ann"))])
    assert client.post(path, fields_of(study, {"t": (1, 2)})).status_code == 303
    page_of_result = client.get(test).content.decode()
    assert "You rated 1 of 2 correctly" in page_of_result
    assert "Not correct" in page_of_result and "Too" not in page_of_result
    assert re.findall(r'<dd dir="auto">\s*(\d)\s*<span', page_of_result) == ["2"]
    retried = participation.retry_test(factories.join(study, "ann"), at=now())
    assert retried is not None
    assert client.post(path, fields_of(study, {"t": (1, 3)})).status_code == 303
    assert "You passed the test" in client.get(test).content.decode()

    full = factories.open_stage(study).study.stages.get(kind="full")
    # Of g1 the best is right, the worst is wrong and "sure" has no answer; of g2 both are right.
    chosen = {"g1": (2, 1), "g2": (4, 1)}
    expected = {"g1": [True, False, False], "g2": [True, True]}
    while (assignment := handing_out.hand_out(ann, full, at=now())) is not None:
        keys = {unit.key: unit.use for unit in assignment.hit.candidates.all()}
        answers = {key: chosen.get(key, (1, 2)) for key in keys}
        for key, (best, worst) in answers.items():
            unit = study.candidates.get(key=key)
            rating = handing_out.Answer(best, answers={"worst": worst})
            handing_out.save_rating(assignment, unit.pk, rating, at=now())
        handing_out.submit(assignment, at=now())
    seen = Rating.objects.filter(worker=ann, candidate__use="gold").values_list(
        "candidate__key", flat=True
    )
    assert set(seen) == {"g1", "g2"}
    wanted = [right for key in seen for right in expected[key]]
    assert sorted(passed_checks(study)[ann.pk]) == sorted(wanted)
    (row,) = worker_table(study, collect_gold_ratings(study))
    assert row.gold_count == 5 and row.gold == pytest.approx(3 / 5)
    exported = {one["candidate"]: one for one in rating_rows(study) if one["use"] == "gold"}
    assert exported["g2"]["expected"] == 4 and exported["g2"]["expected_answers"] == {"worst": 1}
    ranking = choices.ranking(study)
    assert ranking is not None and ranking.best_worst is not None
    assert ranking.best_worst.choices == 4, "hidden checks are not ranked"
    client.force_login(factories.owner())
    (worker,) = client.get(reverse("api-workers", args=["study"])).json()["results"]
    assert (worker["gold"], worker["gold_count"]) == (pytest.approx(3 / 5), 5)
    for name in ("study-candidates", "study-quality", "study-monitor", "study-preview"):
        assert client.get(reverse(name, args=["study"])).status_code == 200, name
    page_of_worker = client.get(reverse("study-worker", args=["study", worker["worker"]]))
    assert page_of_worker.status_code == 200


def test_the_api_takes_keyed_sets(client: Client) -> None:
    study = factories.make_study(SETS)
    client.force_login(factories.owner())
    content = "".join(json.dumps(row) + "\n" for row in keyed("g", 3, 1)).encode()
    file = SimpleUploadedFile("keys.jsonl", content)
    path = reverse("api-uploads", args=["study"])
    answer = client.post(path, {"file": file, "use": "gold"})
    assert answer.status_code == 201
    contents = answer.json()["contents"]
    assert (contents["candidates"], contents["without_score"]) == (1, 0)
    page = client.get(reverse("study-upload", args=["study", answer.json()["id"]]))
    assert "1. answer 1 of g" in page.content.decode()
    upload(study, "qualification", *keyed("t", 1, 2))
    broken = SimpleUploadedFile("keys.jsonl", content.replace(b'"choice": 1', b'"choice": 2'))
    answer = client.post(path, {"file": broken, "use": "gold"})
    assert answer.status_code == 422
    assert "keys.jsonl:1: set: " in answer.json()["detail"]
    assert 'the correct ones of "g" are not' in answer.json()["detail"]


@pytest.mark.django_db(transaction=True)
def test_simulated_raters_know_the_best_and_the_worst() -> None:
    study = set_study()
    factories.open_stage(study, "qualification")
    factories.open_stage(study)
    call_command("simulate_crowd", "study", workers=1, ability=1.0, stdout=io.StringIO())
    rows = Rating.objects.filter(candidate__use__in=("gold", "qualification"))
    stored = dict(rows.values_list("candidate__key", "value"))
    worst = dict(rows.values_list("candidate__key", "answers__worst"))
    assert stored == {"t": 1, "g1": 2, "g2": 4} and worst == {"t": 3, "g1": 3, "g2": 1}
