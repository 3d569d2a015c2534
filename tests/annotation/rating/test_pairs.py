"""Studies that compare two answers: units, sides, choices, the ranking, files, simulation."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.lifecycle.services import copying, deletion
from annotation.quality.services import choices
from annotation.quality.services.ledgers import exclude_worker
from annotation.quality.services.rating_data import collect_ratings
from annotation.rating.models import Assignment, Rating
from annotation.rating.services import handing_out
from annotation.rating.services.handing_out import Answer
from annotation.setup.services.study_creation import change_protocol
from annotation.stages.services import opening
from annotation.studies.intake import Item
from annotation.studies.models import ComparedCandidate, Stage, Study, StudyCandidate
from annotation.studies.services.candidates import add_items
from benchmarks.exports.services import exports
from benchmarks.sets.services import importing
from concord.formats import read_pairs
from concord.formats.preferences import read_preferences
from concord.protocols import HitRules, PairRules, ProtocolError, RatingRule, preset
from core.audit.models import AuditEvent
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.rating.test_criteria import path_of

pytestmark = pytest.mark.django_db

PAIRS = replace(
    preset("mt-bench-2023"),
    consent="",
    rating_rules=(RatingRule(2),),
    hit=HitRules(max_candidates=3, same_passage=False),
)
SYSTEMS = ("a", "b", "c")


def candidates(questions: int, systems: tuple[str, ...] = SYSTEMS) -> list[Item]:
    return [
        Item.single(f"q{number}-{name}", factories.instance(number), f"{name} {number}", name)
        for number in range(questions)
        for name in systems
    ]


def units(study: Study) -> list[StudyCandidate]:
    return list(study.candidates.filter(use="rated").order_by("position"))


def keys_of(study: Study) -> list[str]:
    return [unit.key for unit in units(study)]


@pytest.fixture
def stage() -> Stage:
    return factories.open_stage(factories.make_study(PAIRS, candidates(2)))


@pytest.fixture
def assignment(stage: Stage) -> Assignment:
    assignment = handing_out.hand_out(factories.worker(stage.study, "ann"), stage, at=now())
    assert assignment is not None
    return assignment


def test_every_pair_of_a_question_is_a_unit_in_the_order_of_the_upload() -> None:
    study = factories.make_study(PAIRS, candidates(2))
    assert keys_of(study)[:3] == ["q0-a | q0-b", "q0-a | q0-c", "q0-b | q0-c"]
    assert len(units(study)) == 6
    assert study.candidates.filter(use="compared").count() == 6
    parts = units(study)[1].parts.values_list("candidate__key", "position")
    assert list(parts) == [("q0-a", 1), ("q0-c", 2)]
    add_items(study, [Item.single("q0-d", factories.instance(0), "d 0", "d")])
    assert len(units(study)) == 9, "a system that came later is compared too"


def test_equal_texts_are_compared_once() -> None:
    rows = [*candidates(1), Item.single("q0-d", factories.instance(0), "a 0", "d")]
    study = factories.make_study(PAIRS, rows)
    assert len(units(study)) == 3
    assert study.candidates.get(key="q0-d").same_as == study.candidates.get(key="q0-a")


def test_units_follow_the_protocol_until_a_stage_is_opened() -> None:
    study = factories.make_study(PAIRS, candidates(1, tuple("abcdef")))
    assert len(units(study)) == 15
    balanced = replace(PAIRS, pairs=PairRules("balanced", 2))
    change_protocol(study, balanced, at=now())
    assert len(units(study)) == 6
    change_protocol(study, factories.plain(), at=now())
    assert [one.key for one in units(study)] == [f"q0-{name}" for name in "abcdef"]
    assert not ComparedCandidate.objects.exists()
    change_protocol(study, balanced, at=now())
    before = keys_of(study)
    copy = copying.copy_study(study, "copy", "Copy", owner=factories.owner(), at=now())
    assert keys_of(copy) == before, "the same seed makes the same pairs"
    opening.open_stage(study.stages.get(kind="full"), by=factories.owner(), at=now())
    with pytest.raises(ProtocolError, match="a stage has been opened"):
        change_protocol(study, PAIRS, at=now())
    change_protocol(study, replace(balanced, question="Which one?"), at=now())
    assert keys_of(study) == before


def test_minimal_pairs_are_refused() -> None:
    study = factories.make_study(PAIRS, slug="other")
    with pytest.raises(RefusedError, match="rated separately"):
        add_items(
            study, [Item.minimal_pair("p", factories.instance(1), "good", "bad", "x")], "pairs"
        )


def test_the_page_shows_the_drawn_side_first_and_sends_the_stored_value(
    assignment: Assignment, client: Client
) -> None:
    page = client.get(path_of(assignment, "rating-assignment")).content.decode()
    assert "3 comparisons to make" in " ".join(page.split())
    sides = set()
    for card in re.findall(r"<article.*?</article>", page, re.DOTALL):
        pk = int(re.search(r'data-candidate="(\d+)"', card)[1])  # type: ignore[index]
        unit = StudyCandidate.objects.get(pk=pk)
        texts = [part.candidate.text for part in unit.parts.all()]
        first_shown = 1 if card.index(f">{texts[0]}<") < card.index(f">{texts[1]}<") else 2
        values = re.findall(rf'name="value-{pk}"\s+value="(\w+)"', card)
        assert values == [*(("1", "2") if first_shown == 1 else ("2", "1")), "0", "cannot"]
        handing_out.save_rating(assignment, pk, Answer(first_shown), at=now())
        assert Rating.objects.get(candidate=pk).shown[0] == first_shown
        sides.add(first_shown)
    again = client.get(path_of(assignment, "rating-assignment")).content.decode()
    assert re.findall(r'value="([012])"\s+data-key', again) == re.findall(
        r'value="([012])"\s+data-key', page
    ), "the sides stay"


def test_a_choice_is_zero_one_or_two(assignment: Assignment) -> None:
    pk = factories.members(assignment)[0]
    with pytest.raises(RefusedError, match="from 0 to 2"):
        handing_out.save_rating(assignment, pk, Answer(3), at=now())


def rated_by(stage: Stage, name: str, best: str) -> None:
    """Each comparison with `best` is won by it, the others are ties."""
    worker = factories.worker(stage.study, name)
    while assignment := handing_out.hand_out(worker, stage, at=now()):
        for unit in assignment.hit.candidates.all():
            systems = [part.candidate.system for part in unit.parts.all()]
            value = 1 + systems.index(best) if best in systems else 0
            handing_out.save_rating(assignment, unit.pk, Answer(value), at=now())
        handing_out.submit(assignment, at=now())


def test_the_ranking_uses_what_the_ledger_keeps_and_the_file_holds_it(
    tmp_path: Path, client: Client
) -> None:
    stage = factories.open_stage(factories.make_study(PAIRS, candidates(4)))
    rated_by(stage, "ann", "a")
    rated_by(stage, "bob", "b")
    assert Rating.objects.count() == 24
    by_system = {row.system: row for row in choices.ranking(stage.study).systems}  # type: ignore[union-attr]
    assert {name: (row.wins, row.ties) for name, row in by_system.items()} == {
        "a": (8 + 0, 4),
        "b": (8 + 0, 4),
        "c": (0, 8),
    }
    bob = stage.study.participations.order_by("pk")[1]
    exclude_worker(bob, "prefers his own", by=factories.owner(), at=now())
    client.force_login(factories.owner())
    answer = client.get(reverse("api-agreement", args=["study"])).json()["ranking"]
    assert answer["choices"] == 12
    wins = {name: row["wins"] for name, row in answer["systems"].items()}
    assert wins == {"a": 8, "b": 0, "c": 0}
    assert "reason" in answer, "a never lost, so that its strength is not finite"
    page = client.get(reverse("study-quality", args=["study"])).content.decode()
    assert "Ranking of the systems" in page and ", nominal" in page
    response: Any = client.get(reverse("study-choices-file", args=["study"]))
    path = tmp_path / "choices.jsonl"
    path.write_bytes(response.getvalue())
    assert len(path.read_text().splitlines()) == 12
    by_api: Any = client.get(reverse("api-study-choices", args=["study"]))
    assert by_api.getvalue() == path.read_bytes()
    assert AuditEvent.objects.filter(action="ratings.exported").count() == 2
    rows = read_preferences([path])
    shown = dict(Rating.objects.values_list("candidate__key", "shown__0"))
    assert sorted((r.pair, r.first, r.choice, r.first_shown) for r in rows) == sorted(
        (r.pair, r.first, r.choice, r.first_shown) for r in choices.preferences(stage.study)
    )
    assert len(rows) == 12 and set(shown.values()) == {1, 2}
    line = json.loads(path.read_text().splitlines()[0])
    assert (line["candidate1"], line["system2"]) == ("a 0", "b")


def test_pages_of_a_study_of_pairs_open_and_it_can_be_deleted(client: Client, stage: Stage) -> None:
    rated_by(stage, "ann", "a")
    client.force_login(factories.owner())
    for name in ("study", "study-candidates", "study-data", "study-quality", "study-adjudication"):
        assert client.get(reverse(name, args=["study"])).status_code == 200, name
    for name in ("study-protocol", "study-stages", "study-monitor", "study-cost"):
        assert client.get(reverse(name, args=["study"])).status_code == 200, name
    opening.close_stage(stage, at=now())
    deletion.delete_study(stage.study, paid=True, by=factories.owner(), at=now())
    assert not ComparedCandidate.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_simulated_raters_choose_the_better_candidate() -> None:
    study = factories.open_stage(factories.make_study(PAIRS, candidates(4))).study
    call_command("simulate_crowd", "study", workers=3, ability=1.0, stdout=io.StringIO())
    assert Rating.objects.count() == 24
    by_unit: dict[int, set[int | None]] = {}
    for candidate, value in Rating.objects.values_list("candidate", "value"):
        by_unit.setdefault(candidate, set()).add(value)
    assert all(len(values) == 1 and values <= {1, 2} for values in by_unit.values())
    assert choices.ranking(study) is not None


def test_two_bad_answers_are_a_tie_that_is_kept_apart(tmp_path: Path, client: Client) -> None:
    arena = replace(PAIRS, scale=preset("chatbot-arena-2024").scale)
    stage = factories.open_stage(factories.make_study(arena, candidates(2)))
    worker = factories.worker(stage.study, "ann")
    assignment = handing_out.hand_out(worker, stage, at=now())
    assert assignment is not None
    page = client.get(path_of(assignment, "rating-assignment")).content.decode()
    (card, *_) = re.findall(r"<article.*?</article>", page, re.DOTALL)
    assert re.findall(r'value="(-?\d)"\s+data-key="(.)"', card)[2:] == [("0", "0"), ("-1", "-")]
    while assignment is not None:
        for at, unit in enumerate(assignment.hit.candidates.order_by("pk")):
            handing_out.save_rating(assignment, unit.pk, Answer((-1, 0, 1)[at]), at=now())
        handing_out.submit(assignment, at=now())
        assignment = handing_out.hand_out(worker, stage, at=now())
    lines = [json.loads(line) for line in choices.choice_lines(stage.study)]
    answers = [line["ratings"][0]["choice"] for line in lines]
    assert Counter(answers) == {"both_bad": 2, "tie": 2, 1: 2}
    ranked = choices.ranking(stage.study)
    assert ranked is not None and sum(row.ties for row in ranked.systems) == 8
    without = choices.ranking(stage.study, "leave-out")
    assert without is not None and sum(row.ties for row in without.systems) == 4
    assert set(collect_ratings(stage.study).ratings.values.tolist()) == {0.0, 1.0}
    path = tmp_path / "choices.jsonl"
    path.write_text("".join(choices.choice_lines(stage.study)))
    imported = importing.import_pairs("arena", read_pairs([path], "concord"), at=now())
    again = tmp_path / "again.jsonl"
    again.write_text("".join(exports.pairs(imported)))
    stored = [one.choices[0].is_both_bad for one in read_pairs([again], "concord").pairs]
    assert stored == [answer == "both_bad" for answer in answers]
