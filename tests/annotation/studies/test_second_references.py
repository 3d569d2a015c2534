"""A second reference that raters rate is shown and frozen nowhere as a correct answer.

MOCHA (Chen et al., EMNLP 2020), Section 2.2.
"""

from __future__ import annotations

import dataclasses
import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

import scorers
from annotation.rating.services import participation
from annotation.rating.services.tokens import token_for
from annotation.studies.intake import Item
from annotation.studies.models import Stage
from annotation.studies.services.candidates import add_items
from benchmarks.exports.services import exports
from benchmarks.freezing import services as freezing
from concord.formats import InstanceRecord
from concord.protocols import DropRules, HitRules, RatingRule
from tests.annotation import people

FIRST, SECOND = "a red boat", "the vessel of Mira"
INSTANCE = InstanceRecord(
    "i0", (FIRST, SECOND), "Mira rowed her red boat up the river.", "What went up the river?"
)


@pytest.fixture
def stage(rosa: User) -> Stage:
    protocol = people.protocol(
        rating_rules=(RatingRule(1),),
        hit=HitRules(max_candidates=10),
        drop=DropRules(equal_to_reference=True, second_reference_below=0.4),
    )
    candidates = [Item.single("c0", INSTANCE, "a boat", "gpt2")]
    study = people.new_study(rosa, protocol, candidates)
    add_items(
        study, [Item.minimal_pair("p", INSTANCE, "Mira's boat", "Mira's goat", "nouns")], "pairs"
    )
    return people.open_stage(study)


def test_raters_see_a_rated_second_reference_only_as_an_answer(stage: Stage) -> None:
    worker = people.join(stage.study, "w")
    participation.consent(worker, at=now())
    rater = Client()
    path = reverse("rating-task", args=[token_for(worker)])
    rater.post(path)
    page = rater.get(path).content.decode()
    assert (page.count(SECOND), "Correct answers" in page) == (1, False)
    assert FIRST in page


def test_a_second_reference_shares_the_hit_and_split_of_its_passage(rosa: User) -> None:
    protocol = people.protocol(drop=DropRules(second_reference_below=0.4))
    study = people.new_study(rosa, protocol, [Item.single("c0", INSTANCE, "a boat")])
    (hit,) = people.open_stage(study).hits.all()
    assert set(hit.candidates.values_list("key", flat=True)) == {"c0", "i0/reference-2"}
    assert study.instances.get().split in {"train", "test"}


def test_the_frozen_set_its_pairs_and_exports_have_only_the_first_reference(stage: Stage) -> None:
    for name in ("v", "w"):
        people.rate(stage, people.join(stage.study, name), {"p/1": 5, "p/2": 1})
    made = freezing.freeze(stage.study, "mean", by=stage.study.owner, at=now())
    rows = {row.key: row for row in made.candidates.select_related("instance")}
    assert set(rows) == {"c0", "i0/reference-2"}
    assert {tuple(row.instance.references) for row in rows.values()} == {(FIRST,)}
    assert made.pairs.get().instance.references == [FIRST]
    rated = rows["i0/reference-2"]
    item = scorers.Item(rated.text, tuple(rated.instance.references))
    with scorers.Session() as session:
        for metric in scorers.parse_metrics("bleu-1,rouge-l"):
            assert session.score(metric, [item])[0] < 1
    for exported in (exports.judgments(made), exports.pairs(made)):
        lines = [json.loads(line) for line in exported]
        assert lines and all(line["references"] == [FIRST] for line in lines)


def test_a_frozen_set_comes_back_as_a_study_with_the_same_references(
    stage: Stage, rosa: User
) -> None:
    """What was frozen is uploaded again: the second reference is a candidate as any other."""
    study = people.new_study(rosa, stage.study.current.protocol, slug="again")
    alone = dataclasses.replace(INSTANCE, references=(FIRST,))
    rows = [
        Item.single("c0", alone, "a boat", "gpt2"),
        Item.single("i0/reference-2", alone, SECOND, "reference-2"),
    ]
    assert add_items(study, rows)["taken"] == 2
    assert study.candidates.count() == 2
