"""Setting a study up: versions, what is taken in and left out, stages in their order."""

from __future__ import annotations

import dataclasses

import pytest
from django.core.exceptions import ValidationError
from django.utils.timezone import now

from annotation.quality.services import ledgers
from annotation.rating.models import Hit, HitCandidate, Rating
from annotation.rating.services import handing_out
from annotation.setup.services.study_creation import change_protocol
from annotation.stages.services import opening
from annotation.studies.intake import Item
from annotation.studies.models import Study, StudyCandidate
from annotation.studies.services import uploads
from annotation.studies.services.candidates import add_items
from concord.filtering import ZScoreFilter
from concord.protocols import (
    DropRules,
    HitRules,
    ProtocolError,
    RatingRule,
    Trial,
    current_version,
    preset,
)
from concord.protocols.keys import Key
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.rating.invariants import assert_invariants

pytestmark = pytest.mark.django_db
Use = StudyCandidate.Use


def test_a_study_begins_with_its_protocol_and_planned_stages():
    study = factories.make_study(preset("mocha-2020"), preset="mocha-2020")
    assert [s.kind for s in study.stages.all()] == ["qualification", "trial", "full"]
    assert {s.status for s in study.stages.all()} == {"planned"}
    assert study.current.protocol == preset("mocha-2020")
    assert study.deviations() == []
    assert [s.kind for s in factories.make_study(slug="plain").stages.all()] == ["full"]


def test_a_study_lists_its_changes_from_the_preset():
    own = dataclasses.replace(preset("kpqa-2021"), rating_rules=(RatingRule(5),))
    (deviation,) = factories.make_study(own, preset="kpqa-2021").deviations()
    assert deviation.field == "rating_rules"
    assert factories.make_study(slug="home-made", preset="of our own").deviations() == []


def test_an_invalid_protocol_or_name_creates_no_study():
    with pytest.raises(ProtocolError):
        factories.make_study(factories.plain(question=""))
    for slug in ("", "Upper", "a b", "-a", "x" * 81):
        with pytest.raises(ValidationError):
            factories.make_study(slug=slug)
    factories.make_study(slug="taken")
    with pytest.raises(ValidationError):
        factories.make_study(slug="taken")


def test_a_protocol_is_changed_in_place_until_it_is_in_use():
    stage = factories.open_study()
    study = stage.study
    shorter = factories.plain(time_limit_minutes=30)
    assert change_protocol(study, shorter, at=now()).version == 1
    handing_out.hand_out(factories.worker(study, "ann"), stage, at=now())
    assert change_protocol(study, shorter, at=now()).version == 1, "no change, no version"
    assert change_protocol(study, factories.PLAIN, at=now()).version == 2
    assert study.current.protocol == factories.PLAIN


def test_exact_duplicates_share_ratings_across_files_and_are_packed_once():
    study = factories.make_study()
    where = factories.instance(1)
    answers = [("a", "same"), ("b", "same"), ("c", "Same")]
    counts = add_items(study, [Item.single(key, where, text) for key, text in answers])
    assert counts == {"taken": 3, "sharing another's ratings": 1}
    counts = add_items(study, [Item.single("d", where, "same")])
    assert counts["sharing another's ratings"] == 1
    first = study.candidates.get(key="a")
    assert set(first.copies.values_list("key", flat=True)) == {"b", "d"}
    factories.open_stage(study)
    assert set(HitCandidate.objects.values_list("candidate__key", flat=True)) == {"a", "c"}


def test_the_same_text_to_another_question_is_no_duplicate():
    candidates = [Item.single(f"c{at}", factories.instance(at), "same") for at in range(2)]
    study = factories.make_study()
    assert add_items(study, candidates)["sharing another's ratings"] == 0


def test_rules_exclude_candidates_and_count_them():
    rules = DropRules(equal_to_reference=True, number_against_number=True)
    study = factories.make_study(factories.plain(drop=rules))
    number = factories.instance(2, references=("12",))
    counts = add_items(
        study,
        [
            Item.single("equal", factories.instance(1), "A Boat 1"),
            Item.single("number", number, "13"),
            Item.single("word", number, "thirteen"),
            Item.single("silent", factories.instance(1), ""),
        ],
    )
    assert counts == {
        "equal to a reference": 1,
        "a number against a number": 1,
        "taken": 2,
        "sharing another's ratings": 0,
    }
    assert set(study.candidates.filter(use="dropped").values_list("key", flat=True)) == {
        "equal",
        "number",
    }


def test_kpqas_rule_drops_the_whole_question():
    study = factories.make_study(factories.plain(drop=DropRules(question_when_equal=True)))
    candidates = factories.candidates(2)
    candidates.append(Item.single("exact", factories.instance(0), "a boat 0"))
    add_items(study, candidates)
    rated = study.candidates.filter(use="rated")
    assert set(rated.values_list("instance__key", flat=True)) == {"i1"}


def test_a_second_reference_far_from_the_first_is_rated_once():
    study = factories.make_study(factories.plain(drop=DropRules(second_reference_below=0.4)))
    far = factories.instance(0, references=("a red boat", "the vessel of Mira"))
    near = factories.instance(1, references=("a red boat", "the red boat"))
    one = factories.instance(2)
    add_items(
        study, [Item.single(f"c{at}", where, "x") for at, where in enumerate((far, near, one))]
    )
    added = study.candidates.get(system="reference-2")
    assert (added.key, added.text, added.use) == ("i0/reference-2", "the vessel of Mira", "rated")
    # A file for each system names the same instances again.
    add_items(study, [Item.single("other", far, "y", "b")])
    assert study.candidates.filter(system="reference-2").count() == 1


def test_a_second_reference_that_is_rated_is_no_reference_of_its_instance():
    study = factories.make_study(factories.plain(drop=DropRules(second_reference_below=0.4)))
    three = ("a red boat", "the vessel of Mira", "the red boat")
    far = factories.instance(0, references=three)
    near = factories.instance(1, references=("a red boat", "the red boat"))
    unlike = factories.instance(2, references=("!", "?"))
    candidates = [Item.single(f"c{at}", where, "x") for at, where in enumerate((far, near, unlike))]
    add_items(study, candidates)
    shown = {
        one.key: one.instance.references for one in study.candidates.select_related("instance")
    }
    assert shown["i0/reference-2"] == shown["c0"] == ["a red boat", "the red boat"]
    assert shown["c1"] == ["a red boat", "the red boat"], "near: it stays a reference"
    # A later file, pairs and a pair written by hand name the instance as the file or the study do.
    add_items(study, [Item.single("other", far, "y", "b")])
    add_items(study, [Item.minimal_pair("p", far, "better", "worse")], "pairs")
    uploads.write_pair(study, "i0", "good", "bad", "")
    assert study.instances.get(key="i0").references == ["a red boat", "the red boat"]
    opposed = factories.instance(0, references=("a red boat", "another text"))
    with pytest.raises(RefusedError, match="different passage"):
        add_items(study, [Item.single("late", opposed, "z")])


@pytest.mark.parametrize("first", [Use.GOLD, "pairs"])
def test_a_second_reference_is_rated_also_where_its_instance_came_before_as_a_check(first):
    study = factories.make_study(factories.plain(drop=DropRules(second_reference_below=0.4)))
    far = factories.instance(0, references=("a red boat", "the vessel of Mira"))
    if first == "pairs":
        add_items(study, [Item.minimal_pair("p", far, "better", "worse")], "pairs")
    else:
        add_items(study, [Item.single("k", far, "x", test_key=Key(3))], use=first)
    assert study.instances.get().references == ["a red boat"]
    assert not study.candidates.filter(system="reference-2").exists()
    add_items(study, [Item.single("c", far, "y")])
    assert study.candidates.get(system="reference-2").use == "rated"


def test_a_study_that_stored_both_references_keeps_them():
    study = factories.make_study()
    far = factories.instance(0, references=("a red boat", "the vessel of Mira"))
    add_items(study, [Item.single("c", far, "y")])
    ruled = factories.plain(drop=DropRules(second_reference_below=0.4))
    change_protocol(study, ruled, at=now())
    add_items(study, [Item.single("d", far, "z")])
    assert study.instances.get().references == list(far.references)
    assert set(study.candidates.values_list("key", flat=True)) == {"c", "d"}


def test_a_rule_that_excludes_a_question_excludes_its_second_reference():
    rules = DropRules(question_when_equal=True, second_reference_below=0.4)
    study = factories.make_study(factories.plain(drop=rules))
    far = factories.instance(0, references=("a red boat", "the vessel of Mira"))
    candidates = [Item.single("c", far, "A red boat"), Item.single("d", far, "a ship")]
    add_items(study, candidates)
    assert not study.candidates.filter(use="rated").exists()


def drawn_questions(study) -> set[str]:
    rows = study.candidates.filter(use="rated")
    return set(rows.values_list("instance__key", flat=True))


def test_questions_are_drawn_by_the_seed_and_the_rest_is_counted():
    def draw(slug: str, seed: int) -> set[str]:
        study = factories.make_study(slug=slug, seed=seed)
        counts = add_items(study, factories.candidates(20, each=2), draw_questions=8)
        reason = f"not drawn: 8 of 20 questions, seed {seed}"
        assert (counts["taken"], counts[reason]) == (16, 24)
        dropped = study.candidates.filter(use="dropped", drop_reason=reason)
        assert dropped.count() == 24
        return drawn_questions(study)

    first = draw("a", 1)
    assert len(first) == 8
    assert draw("b", 1) == first
    assert draw("c", 2) != first


def test_a_draw_holds_for_the_files_of_other_systems():
    study = factories.make_study()
    candidates = factories.candidates(20, each=2)
    add_items(study, candidates[::2], draw_questions=8)
    first = drawn_questions(study)
    more = [Item.single("late", factories.instance(99), "x")]
    for draw_questions in (8, None):
        part, candidates = candidates[1::4], candidates[2:]
        fresh = [dataclasses.replace(c, key=f"{c.key}-{draw_questions}") for c in part]
        add_items(study, fresh, draw_questions=draw_questions)
        assert drawn_questions(study) == first
    add_items(study, more, draw_questions=9)
    assert first < drawn_questions(study) and len(drawn_questions(study)) == 9


KPQA_RULE = DropRules(question_when_equal=True)


def two_systems(questions: int) -> tuple[list[Item], list[Item]]:
    """The answers of two systems, of which the second gives the reference to every tenth."""
    first, second = [], []
    for at in range(questions):
        text = f"a boat {at}" if at % 10 == 0 else "something else"
        first.append(Item.single(f"one-{at}", factories.instance(at), "something"))
        second.append(Item.single(f"two-{at}", factories.instance(at), text))
    return first, second


@pytest.mark.parametrize("target", [None, 50])
def test_the_rules_of_questions_hold_over_all_uploads(target: int | None) -> None:
    first, second = two_systems(100)
    results = []
    for name, files in (
        ("together", [first + second]),
        ("apart", [first, second]),
        ("the-other-first", [second, first]),
        ("mixed", [first[:30] + second[60:], second[:60], first[30:]]),
    ):
        study = factories.make_study(factories.plain(drop=KPQA_RULE), slug=name)
        for file in files:
            counts = add_items(study, file, draw_questions=target)
        rows = study.candidates.filter(use="rated")
        results.append(set(rows.values_list("key", flat=True)))
        if name == "apart":
            assert counts["of earlier files, left out now"] > 0
            assert (counts.get("of earlier files, taken now", 0) > 0) is (target == 50)
    together = results[0]
    assert len(together) == 2 * (target or 90)
    assert all(result == together for result in results[1:])


def test_a_question_drawn_later_gets_a_split():
    protocol = factories.plain(drop=KPQA_RULE, split_shares=(("train", 0.5), ("test", 0.5)))
    study = factories.make_study(protocol)
    for file in two_systems(40):
        add_items(study, file, draw_questions=20)
    rated = study.instances.filter(key__in=drawn_questions(study))
    assert rated.count() == 20 and not rated.filter(split="").exists()


def test_pairs_and_checks_are_left_to_their_own_rules():
    study = factories.make_study(factories.plain(drop=KPQA_RULE))
    pair = Item.minimal_pair("p", factories.instance(0), "better", "worse")
    add_items(study, [pair], "pairs")
    first, second = two_systems(2)
    add_items(study, first + second, draw_questions=1)
    rated = set(study.candidates.filter(use="rated").values_list("key", flat=True))
    assert rated == {"p/1", "p/2", "one-1", "two-1"}


def test_a_draw_is_made_after_the_other_rules():
    """KPQA, Section 4.1: questions are discarded during the sampling; 500 remain."""
    study = factories.make_study(factories.plain(drop=DropRules(question_when_equal=True)))
    candidates = factories.candidates(10, each=2)
    candidates += [Item.single(f"e{at}", factories.instance(at), f"a boat {at}") for at in range(5)]
    add_items(study, candidates, draw_questions=5)
    assert drawn_questions(study) == {f"i{at}" for at in range(5, 10)}


def test_splits_divide_only_the_drawn_passages():
    protocol = factories.plain(split_shares=(("train", 0.5), ("test", 0.5)))
    study = factories.make_study(protocol)
    add_items(study, factories.candidates(30), draw_questions=10)
    splits = study.instances.filter(key__in=drawn_questions(study)).values_list("split", flat=True)
    assert sorted(splits) == ["test"] * 5 + ["train"] * 5


@pytest.mark.parametrize("name", ["mocha-2020", "kpqa-2021"])
def test_a_study_made_with_an_earlier_preset_is_compared_with_that(name):
    protocol = preset(name, 1)
    study = factories.make_study(protocol, preset=name)
    assert study.preset_version == current_version(name) and study.deviations()
    Study.objects.filter(pk=study.pk).update(preset_version=1)
    study.refresh_from_db()
    assert study.deviations() == []
    assert study.preset_title.endswith("(version 1)")
    changed = {one.field for one in study.preset_changes()}
    fields = {
        "mocha-2020": {
            "trial.counted",
            "drop.number_constituents",
            "drop.number_units",
            "pay.pro_rata",
        },
        "kpqa-2021": {
            "requirements.approval_above",
            "quality.zscore_from_start",
            "draw_questions",
        },
    }
    assert changed == fields[name]


def test_kpqas_filter_is_in_the_ledger_from_the_start_and_can_be_undone():
    study = factories.make_study(preset("kpqa-2021"), preset="kpqa-2021")
    (row,) = ledgers.steps_of(study)
    assert ledgers.parse_step(row) == ZScoreFilter(1.0, 5)
    assert row.active and ledgers.suggested_steps(study) == []
    ledgers.undo_step(row, at=now())
    assert ledgers.suggested_steps(study) == [ZScoreFilter(1.0, 5)]
    earlier = factories.make_study(preset("kpqa-2021", 1), slug="earlier")
    assert ledgers.steps_of(earlier) == []
    assert ledgers.suggested_steps(earlier) == [ZScoreFilter(1.0, 5)]


def test_splits_are_assigned_by_passage_and_splits_of_the_file_stay():
    shares = (("train", 0.5), ("test", 0.5))
    study = factories.make_study(factories.plain(split_shares=shares))
    passages = [factories.instance(at, f"Passage {at % 10}.") for at in range(30)]
    candidates = [Item.single(f"c{i.key}", i, "x") for i in passages]
    candidates.append(Item.single("own", factories.instance(99, split="dev"), "x"))
    add_items(study, candidates)
    by_passage: dict[str, set[str]] = {}
    for instance in study.instances.all():
        by_passage.setdefault(instance.passage_key, set()).add(instance.split)
    assert all(len(splits) == 1 for splits in by_passage.values())
    assert study.instances.get(key="i99").split == "dev"
    assert study.instances.filter(split="train").count() == 15
    file_split = study.instances.get(key="i3").split
    late = factories.instance(333, "Passage 3.")
    add_items(study, [Item.single("late", late, "x")])
    assert study.instances.get(key="i333").split == file_split, "a passage keeps its split"


def test_mochas_numbers_of_ratings_by_split_and_kind():
    protocol = dataclasses.replace(preset("mocha-2020"), qualification=None, trial=None)
    instances = [
        Item.single(f"{kind}-{split}", factories.instance(at, split=split, constituent=kind), "x")
        for at, (kind, split) in enumerate(
            (kind, split) for kind in ("spans", "stories") for split in ("train", "dev", "test")
        )
    ]
    study = factories.make_study(protocol)
    add_items(study, instances, span_based=["spans"])
    factories.open_stage(study)
    wanted_ratings = dict(HitCandidate.objects.values_list("candidate__key", "hit__wanted"))
    assert wanted_ratings == {
        "spans-train": 1,
        "stories-train": 1,
        "spans-dev": 2,
        "spans-test": 2,
        "stories-dev": 3,
        "stories-test": 3,
    }
    assert set(Hit.objects.values_list("pay_cents", flat=True)) == {40}


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ([], "no candidates"),
        ([Item.single("c0-0", factories.instance(0), "x")], "these ids: c0-0"),
        ([Item.single("n", factories.instance(5), "x")] * 2, "twice"),
        ([Item.single("n", factories.instance(0, question="?"), "x")], "different passage"),
    ],
)
def test_an_invalid_upload_adds_nothing(candidates, message):
    study = factories.make_study(candidates=factories.candidates(2))
    with pytest.raises(RefusedError, match=message):
        add_items(study, candidates)
    assert study.candidates.count() == 6
    assert study.instances.count() == 2


@pytest.mark.parametrize("value", [None, 0.4, 5.1])
def test_test_items_need_a_right_value_on_the_scale(value):
    study = factories.make_study(factories.TESTED)
    item = Item.single("k", factories.instance(1), "x", test_key=Key(value))
    with pytest.raises(RefusedError, match="correct rating"):
        add_items(study, [item], use=Use.QUALIFICATION)


def test_stages_open_in_their_order_and_once():
    protocol = dataclasses.replace(factories.TESTED, trial=Trial(3, 2))
    study = factories.make_study(protocol, factories.candidates(2))
    with pytest.raises(RefusedError, match="order"):
        factories.open_stage(study)
    with pytest.raises(RefusedError, match="needs 5 candidates"):
        factories.open_stage(study, "qualification")
    add_items(study, factories.keyed(4), use=Use.QUALIFICATION)
    with pytest.raises(RefusedError, match="has 4"):
        factories.open_stage(study, "qualification")
    assert study.stages.get(kind="qualification").status == "planned"
    add_items(
        study,
        [dataclasses.replace(factories.keyed(5)[4], key="fifth")],
        use=Use.QUALIFICATION,
    )
    factories.open_stage(study, "qualification")
    with pytest.raises(RefusedError, match="already open"):
        factories.open_stage(study, "qualification")
    full = factories.open_stage(study)
    assert full.status == "open", "a trial may be left out"
    hits = full.hits.count()
    opening.close_stage(full, at=now())
    assert factories.open_stage(study).hits.count() == hits, "opened again, packed once"


def test_no_candidates_are_added_after_collection_has_begun():
    study = factories.open_study().study
    with pytest.raises(RefusedError, match="begun"):
        add_items(study, [Item.single("n", factories.instance(5), "x")])
    with pytest.raises(RefusedError, match="begun"):
        add_items(study, [Item.minimal_pair("p", factories.instance(5), "a", "b", "")], "pairs")


def test_nothing_to_rate_opens_no_stage():
    with pytest.raises(RefusedError, match="nothing to rate"):
        factories.open_stage(factories.make_study())
    rules = (RatingRule(1, split="train"),)
    study = factories.make_study(
        factories.plain(rating_rules=rules), factories.candidates(1), slug="b"
    )
    with pytest.raises(RefusedError, match="No rating rule"):
        factories.open_stage(study)


def test_the_seed_decides_the_sample_of_a_trial():
    def sample(slug: str, seed: int) -> set[str]:
        study = factories.make_study(
            factories.plain(trial=Trial(7, 5)), factories.candidates(6), slug=slug, seed=seed
        )
        stage = factories.open_stage(study, "trial")
        assert set(stage.hits.values_list("wanted", flat=True)) == {5}
        members = HitCandidate.objects.filter(hit__stage=stage)
        return set(members.values_list("candidate__key", flat=True))

    first = sample("a", 1)
    assert len(first) == 7
    assert sample("b", 1) == first
    assert sample("c", 2) != first


def test_hits_hold_one_passage_and_no_more_than_the_protocol_says():
    stage = factories.open_study(factories.plain(hit=HitRules(4)), passages=5, each=7)
    for hit in stage.hits.prefetch_related("candidates__instance"):
        members = list(hit.candidates.all())
        assert len(members) in (3, 4)
        assert len({c.instance.passage_key for c in members}) == 1
        assert hit.pay_cents == -(-30 * len(members) // 4)
    assert_invariants(stage.study)


def test_top_up_requests_missing_ratings_from_new_raters():
    stage = factories.open_study(passages=1)
    for worker in factories.workers(stage.study, 2):
        factories.submitted(handing_out.hand_out(worker, stage, at=now()))
    short = stage.study.candidates.first()
    lost = Rating.objects.filter(candidate=short)[0]
    Rating.objects.filter(pk=lost.pk).update(value=None, comment="I cannot tell.")
    assert opening.top_up(stage) == 1
    for name in ("w0", "w1"):
        again = factories.worker(stage.study, name)
        assert handing_out.hand_out(again, stage, at=now()) is None, "they rated it already"
    fresh = handing_out.hand_out(factories.worker(stage.study, "new"), stage, at=now())
    assert factories.members(fresh) == [short.pk]
    factories.submitted(fresh)
    assert_invariants(stage.study)
