"""Minimal pairs written after the collection: a study of pairs for a set makes its next version."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.studies.intake import Item
from annotation.studies.models import Study
from annotation.studies.services import candidate_imports
from annotation.studies.services.candidates import add_items
from benchmarks.freezing import services as freezing
from benchmarks.freezing.models import Freezing
from benchmarks.freezing.services import pair_studies
from benchmarks.sets.models import JudgmentSet
from concord.formats import InstanceRecord
from concord.protocols import RatingRule, Trial
from core.refusals import RefusedError
from tests.annotation import people
from tests.html import readable

RULES = (RatingRule(1, split="train"), RatingRule(2))
PROTOCOL = people.protocol(rating_rules=RULES, trial=Trial(4, 2, counted=False))


def freeze(study: Study, name: str = "") -> JudgmentSet:
    return freezing.freeze(study, "mean", name=name, by=study.owner, at=now())


def rate(study: Study, values: dict[str, int] | None = None) -> None:
    stage = people.open_stage(study)
    for name in ("ann", "bob", "cyd", "dan"):
        people.rate(stage, people.join(study, name), values)


@pytest.fixture
def finished(rosa: User) -> Study:
    """A study of four questions, two of each split, that is frozen as boats@1."""
    study = people.new_study(rosa, PROTOCOL, people.candidates(4))
    rate(study)
    freeze(study)
    return study


@pytest.fixture
def of_pairs(finished: Study, rosa: User) -> Study:
    made = JudgmentSet.objects.get()
    return pair_studies.create(made, slug="boats-pairs", owner=rosa, seed=3, at=now())


def pair(study: Study, key: str, at: int = 0) -> Item:
    instance = InstanceRecord.from_row(study.instances.get(key=f"i{at}"))
    return Item.minimal_pair(key, instance, f"{key} better", f"{key} worse", "negation")


RIGHT = {"right/1": 5, "right/2": 1, "turned/1": 1, "turned/2": 4}


def test_the_study_has_the_sets_instances_splits_and_protocol(
    finished: Study, of_pairs: Study
) -> None:
    columns = ("key", "split", "constituent", "passage", "question", "references")
    of_set = list(JudgmentSet.objects.get().instances.order_by("key").values_list(*columns))
    assert list(of_pairs.instances.order_by("key").values_list(*columns)) == of_set
    assert {row[1] for row in of_set} == {"train", "test"}
    protocol = of_pairs.current.protocol
    assert (protocol.scale, protocol.rating_rules) == (PROTOCOL.scale, RULES)
    assert protocol.trial is None and not of_pairs.candidates.exists()
    assert of_pairs.for_set == "boats" and of_pairs.published_at is None


def test_freezing_it_makes_the_sets_next_version_with_the_pairs(
    finished: Study, of_pairs: Study
) -> None:
    add_items(of_pairs, [pair(of_pairs, "right"), pair(of_pairs, "turned", 1)], "pairs")
    rate(of_pairs, RIGHT)
    first, second = JudgmentSet.objects.get(), freeze(of_pairs)
    assert str(second) == "boats@2" and second.title == first.title
    content = ("key", "text", "gold", "instance__key", "instance__split")
    assert list(second.candidates.values_list(*content)) == list(
        first.candidates.values_list(*content)
    )
    assert second.candidates.first().ratings.count() == first.candidates.first().ratings.count()
    (kept,) = second.pairs.all()
    assert (kept.key, kept.score1, kept.score2, kept.phenomenon) == ("right", 5, 1, "negation")
    assert kept.instance.key == "i0"
    report = second.report["pair_studies"]["boats-pairs"]
    assert report["keys"] == ["right"] and report["study"]["pairs_turned"]
    assert second.report["study"]["slug"] == "boats", "the set is still that study's"


def test_pairs_take_the_split_of_the_set_and_so_their_number_of_ratings(of_pairs: Study) -> None:
    splits = dict(of_pairs.instances.values_list("key", "split"))
    add_items(of_pairs, [pair(of_pairs, f"p{at}", at) for at in range(4)], "pairs")
    of_same_text = InstanceRecord.from_row(of_pairs.instances.get(key="i2"))
    other_key = InstanceRecord("hashed", of_same_text.references, of_same_text.passage,
                               of_same_text.question)  # fmt: skip
    new_question = InstanceRecord("new", ("a raft",), of_same_text.passage, "What else?")
    add_items(
        of_pairs,
        [
            Item.minimal_pair("same", other_key, "a", "b"),
            Item.minimal_pair("new", new_question, "a", "b"),
        ],
        "pairs",
    )
    rows = of_pairs.candidates.values_list("pair", "instance__key", "instance__split")
    assert set(rows) == {
        *((f"p{at}", f"i{at}", splits[f"i{at}"]) for at in range(4)),
        ("same", "i2", splits["i2"]),
        ("new", "new", splits["i2"]),
    }
    stage = people.open_stage(of_pairs)
    wanted = stage.hits.values_list("wanted", "candidates__instance__split").distinct()
    assert set(wanted) == {(1, "train"), (2, "test")}


def test_it_can_be_frozen_again_and_the_first_study_keeps_its_pairs(
    finished: Study, of_pairs: Study, rosa: User
) -> None:
    add_items(of_pairs, [pair(of_pairs, "right")], "pairs")
    rate(of_pairs, RIGHT)
    freeze(of_pairs)
    again = freeze(of_pairs)
    assert (str(again), again.n_pairs) == ("boats@3", 1), "its pairs are replaced"
    other = pair_studies.create(again, slug="more-pairs", owner=rosa, seed=4, at=now())
    add_items(other, [pair(other, "right", 1)], "pairs")
    rate(other, RIGHT)
    both = freeze(other)
    assert set(both.pairs.values_list("key", flat=True)) == {"right", "more-pairs/right"}
    remade = freeze(finished)
    assert (str(remade), remade.n_pairs) == ("boats@5", 2)
    assert set(remade.report["pair_studies"]) == {"boats-pairs", "more-pairs"}


def test_a_study_of_pairs_alone_can_be_frozen_to_a_set_that_exists(
    finished: Study, rosa: User
) -> None:
    alone = people.new_study(rosa, people.protocol(rating_rules=RULES), slug="alone")
    instance = InstanceRecord("x", ("a raft",), "Another passage.", "What floats?")
    add_items(alone, [Item.minimal_pair("right", instance, "a raft", "a stone")], "pairs")
    rate(alone, RIGHT)
    with pytest.raises(RefusedError, match="enter the name of the set"):
        freeze(alone)
    with pytest.raises(RefusedError, match="enter the name of the set"):
        freezing.request(alone, "mean", by=rosa, at=now())
    made = freeze(alone, "boats")
    assert (str(made), made.n_pairs, made.n_candidates) == ("boats@2", 1, 12)


def test_a_set_of_another_scale_or_of_others_gets_no_pairs(
    finished: Study, of_pairs: Study
) -> None:
    add_items(of_pairs, [pair(of_pairs, "right")], "pairs")
    rate(of_pairs, RIGHT)
    JudgmentSet.objects.update(scale_high=7)
    with pytest.raises(RefusedError, match="The scale of boats@1 is 1 to 7"):
        freeze(of_pairs)
    JudgmentSet.objects.update(scale_high=5)
    ed = people.researcher("ed")
    with pytest.raises(RefusedError, match="you are not an editor"):
        freezing.freeze(of_pairs, "mean", by=ed, at=now())


def test_single_candidates_are_refused(of_pairs: Study) -> None:
    with pytest.raises(RefusedError, match="collects minimal pairs for the set boats"):
        add_items(of_pairs, people.candidates(1))


def test_the_way_through_the_pages(finished: Study, owner: Client) -> None:
    """Pairs after the collection: upload, lead on, create, add, rate, freeze, see the board."""
    row = {
        "id": "p1", "question": "What is in passage 0?", "references": ["boat 0"],
        "passage": "Passage 0 tells of a boat that went up the river.",
        "candidate1": "a boat", "candidate2": "no boat", "phenomenon": "negation",
    }  # fmt: skip

    def upload(study: str) -> Any:
        file = SimpleUploadedFile("pairs.jsonl", json.dumps(row).encode())
        url = reverse("study-upload-file", args=[study])
        return owner.post(url, {"file": file, "use": "pairs", "format": ""}, follow=True)

    overview = readable(owner.get(reverse("study", args=["boats"])))
    assert "Collect minimal pairs" in overview
    assert "Collect minimal pairs" in readable(owner.get(reverse("judgment-set", args=["boats"])))
    late = upload("boats")
    assert late.redirect_chain[-1][0] == reverse("collect-pairs", args=["boats"])
    assert "Collection has begun. Minimal pairs that are written now" in readable(late)
    page = owner.post(reverse("collect-pairs", args=["boats"]), {"slug": "late-pairs"}, follow=True)
    assert "The private study late-pairs was created." in readable(page)
    assert 'value="pairs" selected' in readable(page)
    study = Study.objects.get(slug="late-pairs")
    upload("late-pairs")
    url = reverse("study-import-upload", args=["late-pairs", study.uploads.get().pk])
    owner.post(url, {})
    candidate_imports.IMPORTS.perform(study.candidate_imports.get().pk)
    written = {"instance": "i1", "better": "a ship", "worse": "a shop", "phenomenon": "spelling"}
    owner.post(reverse("study-write-pair", args=["late-pairs"]), written)
    assert set(study.candidates.values_list("instance__key", flat=True)) == {"i0", "i1"}
    rate(study, {"p1/1": 5, "p1/2": 1, "pair-1/1": 4, "pair-1/2": 2})
    freeze_page = reverse("study-freeze", args=["late-pairs"])
    assert "This study has minimal pairs only" in readable(owner.get(freeze_page))
    form = {"aggregation": "mean", "name": "boats", "stages": ["full"]}
    owner.post(freeze_page, form)
    freezing.FREEZINGS.perform(Freezing.objects.get().pk)
    made = JudgmentSet.objects.get(version=2)
    assert (made.name, made.n_pairs, made.n_candidates) == ("boats", 2, 12)
    page = readable(owner.get(reverse("set-files", args=["boats"])))
    assert "Minimal pairs added from the study late-pairs: 2, with" in page
    assert "boats@2" in readable(owner.get(freeze_page))


def test_before_the_study_is_frozen_the_pages_say_so(owner: Client, rosa: User) -> None:
    people.new_study(rosa, PROTOCOL, people.candidates(1))
    page = readable(owner.get(reverse("study-pairs", args=["boats"]), follow=True))
    assert "Freeze the study first." in page


def test_an_imported_set_gets_a_study_on_its_own_scale(rosa: User, finished: Study) -> None:
    JudgmentSet.objects.update(report={}, scale_low=0, scale_high=3)
    made = JudgmentSet.objects.get()
    study = pair_studies.create(made, slug="imported", owner=rosa, seed=1, at=now())
    protocol = study.current.protocol
    assert (protocol.low, protocol.high, study.preset) == (0, 3, "blank")
    JudgmentSet.objects.update(scale_low=None, scale_high=None)
    with pytest.raises(RefusedError, match="has no scale"):
        pair_studies.create(JudgmentSet.objects.get(), slug="no", owner=rosa, seed=1, at=now())
    JudgmentSet.objects.update(scale_low=0, scale_high=0.5)
    with pytest.raises(RefusedError, match="People rate on whole numbers"):
        pair_studies.create(JudgmentSet.objects.get(), slug="no", owner=rosa, seed=1, at=now())
