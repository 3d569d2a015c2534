"""Freezing: gold scores by hand, provenance, pairs, versions, and what is refused."""

from __future__ import annotations

import dataclasses
from collections import defaultdict

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.quality.services import adjudication, ledgers
from annotation.quality.services.rating_data import collect_ratings
from annotation.rating.models import Hit, Rating
from annotation.stages.services import opening
from annotation.studies.intake import Item
from annotation.studies.services.candidates import add_items
from benchmarks.freezing import services as freezing
from benchmarks.freezing.models import Freezing
from benchmarks.freezing.services.preparing import lock_and_refresh
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import versions
from concord.filtering import ZScoreFilter
from concord.protocols import preset
from concord.protocols.protocol import AGGREGATIONS
from core.refusals import RefusedError
from tests.annotation import people
from tests.annotation.people import Scene


def ratings_by_candidate(scene: Scene) -> dict[str, list[int]]:
    ratings = defaultdict(list)
    for rating in Rating.objects.order_by("created_at", "pk").select_related("candidate"):
        ratings[rating.candidate.key].append(rating.value or 0)
    return ratings


def without_the_farthest(values: list[int]) -> list[int]:
    """KPQA's filter at 1.2, at most one, in a few lines of numpy."""
    x = np.array(values, dtype=float)
    if len(x) < 2 or not x.std():
        return values
    z = np.round(np.abs(x - x.mean()) / x.std(), 12)
    worst = int(np.argmax(z))
    return [v for at, v in enumerate(values) if at != worst] if z[worst] > 1.2 else values


def test_gold_scores_equal_a_computation_by_hand(scene: Scene) -> None:
    made = freezing.freeze(scene.study, "mean", by=scene.study.owner, at=now())
    expected = {
        key: np.mean(without_the_farthest(values))
        for key, values in ratings_by_candidate(scene).items()
        if not key.startswith("pair")
    }
    gold = dict(made.candidates.values_list("key", "gold"))
    assert gold == pytest.approx(expected)
    counts = {key: len(without_the_farthest(v)) for key, v in ratings_by_candidate(scene).items()}
    for candidate in made.candidates.all():
        assert candidate.ratings.count() == counts[candidate.key]
        assert not any(candidate.ratings.values_list("simulated", flat=True))


def test_the_set_records_how_it_was_made(scene: Scene, owner: Client) -> None:
    asked = {"aggregation": "median", "name": "", "stages": ["full"]}
    owner.post(reverse("study-freeze", args=[scene.slug]), asked)
    freezing.FREEZINGS.perform(Freezing.objects.get().pk)
    made = JudgmentSet.objects.get()
    assert (str(made), made.illustrative, made.source_format) == ("boats@1", False, "study")
    assert (made.scale_low, made.scale_high) == (1, 5)
    study_report = made.report["study"]
    assert study_report["aggregation"] == "median" and study_report["seed"] == 11
    assert study_report["protocol"] == scene.study.current.content
    assert study_report["ledger"] == [
        {"kind": "zscore", "threshold": 1.2, "at_most": 1, "ddof": 0, "one_sided": False}
    ]
    ledger = ledgers.ledger_report(scene.study, collect_ratings(scene.study))
    assert study_report["alpha"]["before"]["alpha"] == ledger.before["alpha"]
    assert study_report["alpha"]["after"]["alpha"] == ledger.after["alpha"]
    page = owner.get(reverse("set-files", args=[made])).content.decode()
    assert "Frozen from the study boats, protocol version 1, seed 11" in page
    assert "Gold score: median" in page
    splits = dict(scene.study.instances.values_list("key", "split"))
    assert dict(made.instances.values_list("key", "split")) == splits
    assert set(splits.values()) == {"train", "test"}
    by_passage = defaultdict(set)
    for passage, split in made.instances.values_list("passage_key", "split"):
        by_passage[passage].add(split)
    assert all(len(passage_splits) == 1 for passage_splits in by_passage.values())


def test_a_duplicate_has_its_originals_gold_and_ratings(rosa: User) -> None:
    rows = people.candidates(1)
    study = people.new_study(
        rosa, rows=[*rows, Item.single("twin", rows[0].instance, rows[0].text, "b")]
    )
    people.rate(people.open_stage(study), people.join(study, "a"), {"c0-0": 5, "c0-1": 2})
    made = freezing.freeze(study, "mean", by=study.owner, at=now())
    original, twin = (made.candidates.get(key=key) for key in ("c0-0", "twin"))
    assert (original.gold, twin.gold, twin.system) == (5, 5, "b")
    assert list(twin.ratings.values_list("worker", "value")) == list(
        original.ratings.values_list("worker", "value")
    )
    assert made.report["study"]["shared"] == 1


def test_a_pair_is_kept_only_if_the_better_one_is_rated_higher(rosa: User) -> None:
    rows = people.candidates(1)
    study = people.new_study(rosa, rows=rows)
    words = ("right", "turned", "level", "unseen")
    pairs = [Item.minimal_pair(w, rows[0].instance, f"{w} a", f"{w} b", "order") for w in words]
    add_items(study, pairs, "pairs")
    stage = people.open_stage(study)
    values = {"right/1": 5, "right/2": 1, "turned/1": 1, "turned/2": 4, "level/1": 3, "level/2": 3}
    for at in range(6):
        people.rate(stage, people.join(study, f"w{at}"), values)
    Rating.objects.filter(candidate__key="unseen/2").update(value=None, comment="?")
    made = freezing.freeze(study, "mean", by=study.owner, at=now())
    pair = made.pairs.get()
    assert (pair.key, pair.score1, pair.score2, pair.phenomenon) == ("right", 5, 1, "order")
    assert {row[0] for row in made.report["study"]["pairs_turned"]} == {"turned", "level"}
    assert made.report["study"]["pairs_unrated"] == 1
    assert set(made.candidates.values_list("key", flat=True)) == {"c0-0", "c0-1", "c0-2"}


def test_an_adjudicated_value_replaces_the_aggregate_and_the_ratings_stay(
    scene: Scene, rosa: User
) -> None:
    adjudication.adjudicate(scene.candidate, 3, "", by=rosa, at=now())
    made = freezing.freeze(scene.study, "mean", by=scene.study.owner, at=now())
    candidate = made.candidates.get(key=scene.candidate.key)
    assert candidate.gold == 3
    assert candidate.ratings.count() >= 1
    assert made.report["study"]["settled"] == 1


def test_a_value_that_is_adjudicated_after_the_preview_is_frozen(scene: Scene, rosa: User) -> None:
    for value in (3, 4):
        frozen = freezing.prepare(scene.study, "mean")
        with transaction.atomic():
            assert lock_and_refresh(scene.study, frozen) is frozen
            adjudication.adjudicate(scene.candidate, value, "", by=rosa, at=now())
            current = lock_and_refresh(scene.study, frozen)
        scores = {candidate.key: candidate.score for candidate in current.candidates}
        assert scores[scene.candidate.key] == value
    adjudication.remove_adjudication(scene.candidate)
    with transaction.atomic():
        assert lock_and_refresh(scene.study, current).settled == 0


def test_simulated_and_real_ratings_are_not_frozen_together(scene: Scene, owner: Client) -> None:
    ledger_steps = scene.study.ledger_steps.count()
    rating = scene.rating
    Rating.objects.filter(pk=rating.pk).update(simulated=True)
    with pytest.raises(RefusedError, match="cannot be frozen together"):
        freezing.freeze(scene.study, "mean", by=scene.study.owner, at=now())
    url = reverse("study-freeze", args=[scene.slug])
    answer = owner.post(url, {"aggregation": "mean", "stages": ["full"]})
    assert answer.status_code == 422
    assert "cannot be frozen together" in answer.content.decode()
    assert not JudgmentSet.objects.exists()
    assert scene.study.ledger_steps.count() == ledger_steps
    assert not Freezing.objects.exists()


def test_people_are_frozen_once_the_simulated_workers_are_excluded(
    rosa: User, owner: Client
) -> None:
    """Also where a filter of the ledger comes before the exclusions."""
    scene = people.full_scene(rosa)
    alone = freezing.prepare(scene.study, "mean")
    opening.close_stage(scene.stage, at=now())
    Hit.objects.update(open_slots=2, wanted=6)
    opening.open_stage(scene.stage, by=rosa, at=now())
    for name in ("robot 1", "robot 2"):
        people.rate(scene.stage, people.join(scene.study, name, simulated=True), {"pair-1/1": 5})
    url = reverse("study-freeze", args=[scene.slug])
    refused = owner.get(url).content.decode()
    assert "cannot be frozen together" in refused and "Exclude the simulated workers" in refused
    owner.post(reverse("study-exclude-simulated", args=[scene.slug]))
    assert "cannot be frozen together" not in owner.get(url).content.decode()
    prepared = freezing.prepare(scene.study, "mean")
    assert not prepared.is_simulated
    assert prepared.candidates == alone.candidates and prepared.pairs == alone.pairs
    made = freezing.freeze(scene.study, "mean", by=rosa, at=now())
    assert not made.illustrative and made.statistics["simulated_ratings"] == 0


def test_a_simulated_study_makes_a_set_marked_illustrative(rosa: User) -> None:
    scene = people.full_scene(rosa, simulated=True)
    made = freezing.freeze(scene.study, "mean", by=scene.study.owner, at=now())
    assert made.illustrative and made.statistics["simulated_ratings"] == made.statistics["ratings"]
    assert made.report["study"]["simulated"] is True


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_every_aggregation_freezes_to_scores_on_the_scale(aggregation: str, scene: Scene) -> None:
    prepared = freezing.prepare(scene.study, aggregation)
    assert len(prepared.candidates) == 12
    assert all(1 <= (c.score or 0) <= 5 for c in prepared.candidates)


def test_freezing_again_makes_the_next_version_and_a_page_compares_them(
    scene: Scene, rosa: User, owner: Client
) -> None:
    first = freezing.freeze(scene.study, "mean", by=scene.study.owner, at=now())
    adjudication.adjudicate(scene.candidate, 3, "", by=rosa, at=now())
    step = ledgers.add_step(scene.study, ZScoreFilter(1.4, 2), by=rosa, at=now())
    ledgers.undo_step(step, at=now())
    second = freezing.freeze(scene.study, "mean", by=scene.study.owner, at=now())
    assert (first.version, second.version) == (1, 2)
    comparison = versions.compare(first, second)
    (change,) = comparison.changes
    before = first.candidates.get(key=scene.candidate.key).gold
    assert (change.key, change.before, change.after) == (scene.candidate.key, before, 3)
    assert (comparison.common, comparison.added, comparison.removed) == (12, [], [])
    page = owner.get(reverse("compare-versions", args=["boats"])).content.decode()
    assert "boats@1" in page and "boats@2" in page and scene.candidate.key in page
    assert owner.get("/sets/boats/compare/?with=9").status_code == 404
    assert "one version only" in _only_version(scene, rosa, owner)


def _only_version(scene: Scene, rosa: User, owner: Client) -> str:
    freezing.freeze(scene.study, "mean", by=scene.study.owner, name="single", at=now())
    return owner.get(reverse("compare-versions", args=["single"])).content.decode()


def test_a_study_does_not_continue_a_set_of_others(scene: Scene, rosa: User) -> None:
    freezing.freeze(scene.study, "mean", by=scene.study.owner, name="shared", at=now())
    other = people.new_study(rosa, rows=people.candidates(1), slug="other")
    people.rate(people.open_stage(other), people.join(other, "a"))
    with pytest.raises(RefusedError, match="was not frozen from this study"):
        freezing.freeze(other, "mean", name="shared", by=rosa, at=now())


def test_a_study_without_ratings_says_that_there_is_nothing_to_freeze(
    rosa: User, owner: Client
) -> None:
    study = people.new_study(rosa, rows=people.candidates(1))
    page = owner.get(reverse("study-freeze", args=[study.slug]))
    assert page.status_code == 200
    assert "nothing to freeze" in page.content.decode()


def test_dropped_and_unrated_candidates_are_counted(rosa: User) -> None:
    rules = dataclasses.replace(people.PROTOCOL.drop, equal_to_reference=True)
    protocol = people.protocol(drop=rules)
    rows = people.candidates(2)
    rows.append(Item.single("same", rows[0].instance, "BOAT 0"))
    study = people.new_study(rosa, protocol, rows)
    people.rate(people.open_stage(study), people.join(study, "a"))
    Rating.objects.filter(candidate__key="c1-2").update(value=None, comment="?")
    made = freezing.freeze(study, "mean", by=study.owner, at=now())
    assert made.report["study"]["left_out"] == {"equal to a reference": 1, "no kept rating": 1}
    assert made.n_candidates == 5


def test_a_study_by_kpqas_preset_freezes_to_the_papers_gold(rosa: User, owner: Client) -> None:
    """Section 4.2: |z| above 1 among ten ratings goes, largest first, five at most."""
    study = people.new_study(rosa, preset("kpqa-2021"), people.candidates(2), preset="kpqa-2021")
    quality = reverse("study-quality", args=[study.slug])
    assert owner.get(quality).status_code == 200, "a filter, and no rating yet"
    stage = people.open_stage(study)
    rng = np.random.default_rng(5)
    for at in range(10):
        people.rate(stage, people.join(study, f"w{at}"), people.crowd_values(study, rng, 1.5))
    expected = {}
    values = defaultdict(list)
    for rating in Rating.objects.order_by("pk").select_related("candidate"):
        values[rating.candidate.key].append(float(rating.value or 0))
    for key, ratings in values.items():
        x = np.array(ratings)
        z = np.round(np.abs(x - x.mean()) / x.std(), 12)
        noisy = [at for at in np.argsort(-z, kind="stable") if z[at] > 1][:5]
        expected[key] = np.delete(x, noisy).mean()
    made = freezing.freeze(study, study.current.protocol.aggregation, by=rosa, at=now())
    assert dict(made.candidates.values_list("key", "gold")) == pytest.approx(expected)
    report = made.report["study"]
    assert report["preset_version"] == 2 and report["alpha"]["null"] is not None
    page = owner.get(quality).content.decode()
    assert "From the protocol." in page and "shuffle" in page
