"""Protocols: the papers' facts as numbers, what cannot be run, JSON there and back, deviations."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from concord.protocols import (
    PRESETS,
    DropRules,
    HitRules,
    Pay,
    Protocol,
    ProtocolError,
    Qualification,
    QualityRules,
    RatingRule,
    Requirements,
    ScalePoint,
    Trial,
    current_version,
    deviations,
    preset,
)
from concord.protocols.packing import PackingCandidate, pack_hits

BLANK = preset("blank")
STORED = Path(__file__).with_name("presets_version_1.json")


def changed(**changes) -> Protocol:
    return dataclasses.replace(BLANK, **changes)


def test_mocha_2020_is_what_the_paper_says():
    """Sections 2.2 and 2.3 and appendix D."""
    mocha = preset("mocha-2020")
    assert (mocha.low, mocha.high) == (1, 5)
    test = mocha.qualification
    assert (test.candidates, test.pass_share) == (10, 0.8)
    assert (mocha.trial.candidates, mocha.trial.ratings) == (200, 5)
    assert not mocha.trial.counted, "then judgments are collected for all candidates"
    assert mocha.hit == HitRules(max_candidates=10, same_passage=True)
    assert [mocha.pay.cents(n, 10) for n in (1, 3, 7, 10)] == [40] * 4, "40 cents a HIT"
    assert mocha.ratings_for("train", span_based=False) == 1
    assert mocha.ratings_for("train", span_based=True) == 1
    for split in ("dev", "test"):
        assert mocha.ratings_for(split, span_based=True) == 2
        assert mocha.ratings_for(split, span_based=False) == 3
    assert mocha.drop.equal_to_reference and mocha.drop.number_against_number
    assert mocha.drop.number_constituents == ("drop",)
    assert mocha.drop.second_reference_below is not None
    assert not mocha.drop.question_when_equal
    assert mocha.aggregation == "mean"
    assert mocha.quality.spot_check_share > 0
    assert mocha.quality.zscore_threshold == 0
    # Table 2: 4,950, 662 and 989 passages.
    result = dict(mocha.split_shares)
    for split, passages in (("train", 4950), ("dev", 662), ("test", 989)):
        assert result[split] == pytest.approx(passages / 6601, abs=0.005)


# Table 2: passages and candidates in train, dev and test, by constituent; whether it is span-based.
MOCHA_TABLE_2 = {
    "narrativeqa": ((85, 11, 18), (7471, 890, 1707), False),
    "mcscript": ((462, 61, 93), (7210, 978, 1409), False),
    "cosmosqa": ((1064, 142, 212), (5033, 683, 1017), False),
    "socialiqa": ((3075, 414, 611), (7409, 1017, 1527), False),
    "drop": ((80, 10, 17), (687, 97, 152), True),
    "quoref": ((184, 24, 38), (3259, 344, 509), True),
}


def mocha_collection(protocol: Protocol) -> list[PackingCandidate]:
    """The candidates of Table 2, evenly spread over their passages."""
    rows = []
    for name, (passages, candidates, span_based) in MOCHA_TABLE_2.items():
        for at, split in enumerate(("train", "dev", "test")):
            ratings = protocol.ratings_for(split, span_based=span_based)
            rows += [
                PackingCandidate(len(rows) + n, f"{name}-{split}-{n % passages[at]}", ratings)
                for n in range(candidates[at])
            ]
    return rows


@pytest.mark.parametrize(("version", "dollars"), [(2, 2981), (3, 5987)])
def test_mocha_2020_costs_what_the_paper_says(version, dollars):
    """Appendix D: "about $6,000". Mechanical Turk's fee is 20%, at least a cent."""
    protocol = preset("mocha-2020", version)
    candidates = mocha_collection(protocol)
    size = protocol.hit.max_candidates
    cents = 0
    for hit in pack_hits(candidates, size, np.random.default_rng(1)):
        pay = protocol.pay.cents(len(hit.keys), size)
        cents += hit.wanted * (pay + max(1, -(-pay // 5)))
    assert len(candidates) == 31069 + 4009 + 6321
    assert cents / 100 == pytest.approx(dollars, rel=0.005)


def test_kpqa_2021_is_what_the_paper_says():
    """Sections 4.1 and 4.2 and appendix A.2."""
    kpqa = preset("kpqa-2021")
    assert (kpqa.low, kpqa.high) == (1, 5)
    assert kpqa.scale[0].label.lower() == "completely wrong"
    assert kpqa.scale[-1].label.lower() == "completely correct"
    assert kpqa.ratings_for("", span_based=False) == 10
    assert kpqa.requirements.approval_percent == 95 and kpqa.requirements.approval_above
    assert kpqa.draw_questions == 500
    assert kpqa.hit.max_candidates == 1
    assert kpqa.pay.cents(1, kpqa.hit.max_candidates) == 3
    assert kpqa.drop == DropRules(question_when_equal=True)
    assert (kpqa.quality.zscore_threshold, kpqa.quality.max_removed) == (1.0, 5)
    assert kpqa.quality.zscore_from_start
    assert kpqa.aggregation == "mean"
    assert kpqa.qualification is None and kpqa.trial is None


def test_soricut_and_brill_2004_has_their_three_levels_by_one_judge():
    """Section 4.3: correct, somehow related or wrong, and a weighted average."""
    result = preset("soricut-brill-2004")
    labels = [point.label.lower() for point in result.scale]
    assert labels == ["wrong", "somehow related", "correct"]
    assert result.ratings_for("", span_based=False) == 1
    assert result.aggregation == "mean"


def test_ava_2021_is_correct_or_incorrect():
    """Section 4.1."""
    result = preset("ava-2021")
    scale = {point.value: point.label.lower() for point in result.scale}
    assert scale == {0: "incorrect", 1: "correct"}
    assert result.ratings_for("", span_based=False) % 2 == 1, "a majority decides"
    assert result.aggregation == "median"


def test_summeval_2021_asks_four_criteria_of_five_workers():
    """Four dimensions from 1 to 5, five crowd workers a summary."""
    result = preset("summeval-2021")
    assert result.question.startswith("Coherence")
    assert [one.name for one in result.criteria] == ["consistency", "fluency", "relevance"]
    for one in result.criteria:
        assert (one.kind, one.low, one.high, one.condition) == ("scale", 1, 5, None)
    assert result.ratings_for("", span_based=False) == 5


def test_attributed_qa_2022_asks_for_the_unsupported_part():
    """Understandable first (Rashkin et al., 2021), then supported or not."""
    result = preset("attributed-qa-2022")
    assert (result.low, result.high) == (0, 2)
    understandable, part = result.criteria
    assert (understandable.kind, understandable.condition) == ("yes-no", None)
    assert (part.condition.criterion, part.condition.relation, part.condition.value) == (
        "",
        "below",
        "2",
    )


def test_wmt_esa_2024_marks_errors_and_then_scores():
    """Minor and major errors without categories, then a score from 0 to 100."""
    result = preset("wmt-esa-2024")
    assert (result.scale_kind, result.low, result.high) == ("slider", 0, 100)
    (errors,) = result.criteria
    assert (errors.kind, errors.above) == ("spans", True)
    assert (errors.severities, errors.categories) == (("minor", "major"), ())


def test_mqm_2021_has_categories_and_asks_first_whether_it_is_a_translation():
    (errors,) = preset("mqm-2021").criteria
    assert {one.partition("/")[0] for one in errors.categories} == {
        *("Accuracy", "Fluency", "Terminology", "Style", "Locale convention"),
        *("Other", "Source error"),
    }
    assert errors.condition.value == "1"


SLIDER = (ScalePoint(0, "bad"), ScalePoint(33, "fair"), ScalePoint(100, "good"))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"scale": (ScalePoint(5, "a"), ScalePoint(5, "b"))}, "scale"),
        ({"scale": (ScalePoint(5, "a"), ScalePoint(1, "b"))}, "scale"),
        ({"qualification": Qualification(tolerance=1001)}, "qualification.tolerance"),
        ({"quality": QualityRules(gold_tolerance=1001)}, "quality.gold_tolerance"),
        ({"aggregation": "mace"}, "aggregation"),
    ],
)
def test_a_slider_has_ascending_marks_and_no_categories(changes, field):
    slider = {"scale": SLIDER, "scale_kind": "slider"}
    assert changed(**slider).validated().high == 100
    with pytest.raises(ProtocolError) as error:
        changed(**(slider | changes)).validated()
    assert list(error.value.problems) == [field]


def test_keys_of_points_have_a_small_tolerance_and_those_of_a_slider_any():
    slider = {"scale": SLIDER, "scale_kind": "slider"}
    wide = {"qualification": Qualification(tolerance=10)}
    assert changed(**slider, **wide).validated().check_tolerance == 10
    with pytest.raises(ProtocolError, match=r"qualification.tolerance: must be 0 or 1"):
        changed(**wide).validated()
    own = changed(**slider, **wide, quality=QualityRules(gold_tolerance=0)).validated()
    assert own.check_tolerance == 0
    assert changed().check_tolerance == 0


def test_bars_of_a_histogram_are_points_or_ranges_of_a_slider():
    assert BLANK.bins() == ["1", "2", "3", "4", "5"]
    bins = changed(scale=SLIDER, scale_kind="slider").bins()
    assert (bins[0], bins[-1]) == ("0 to 9", "100 to 100")
    assert len(bins) == 11


@pytest.mark.parametrize("name", ["mocha-2020", "kpqa-2021"])
def test_a_protocol_stored_before_presets_had_versions_is_version_1(name):
    stored = json.loads(STORED.read_text(encoding="utf-8"))[name]
    protocol = Protocol.from_json(stored)
    assert protocol == preset(name, 1) != preset(name)
    assert current_version(name) == {"mocha-2020": 3, "kpqa-2021": 2}[name]
    assert (protocol.draw_questions, protocol.drop.number_constituents) == (None, ())
    assert not protocol.requirements.approval_above
    assert not protocol.quality.zscore_from_start
    for version in (0, current_version(name) + 1):
        with pytest.raises(KeyError):
            preset(name, version)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_run_and_comes_back_from_json(name):
    protocol = preset(name).validated()
    assert Protocol.from_json(json.loads(json.dumps(protocol.to_json()))) == protocol
    assert deviations(protocol, protocol) == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"scale": ()}, "scale"),
        ({"scale": (ScalePoint(1, "only"),)}, "scale"),
        ({"scale": tuple(ScalePoint(v, "x") for v in range(12))}, "scale"),
        ({"scale": (ScalePoint(1, "a"), ScalePoint(3, "b"))}, "scale"),
        ({"scale": (ScalePoint(2, "a"), ScalePoint(1, "b"))}, "scale"),
        ({"scale": (ScalePoint(1, " "), ScalePoint(2, "b"))}, "scale.0.label"),
        ({"scale": (ScalePoint(1, "a"), ScalePoint(2, "b" * 90))}, "scale.1.label"),
        ({"question": " "}, "question"),
        ({"instructions": "x" * 20_001}, "instructions"),
        ({"rating_rules": ()}, "rating_rules"),
        ({"rating_rules": (RatingRule(0),)}, "rating_rules.0.ratings"),
        ({"rating_rules": (RatingRule(101),)}, "rating_rules.0.ratings"),
        ({"hit": HitRules(0)}, "hit.max_candidates"),
        ({"hit": HitRules(51)}, "hit.max_candidates"),
        ({"pay": Pay(-1)}, "pay.cents_per_full_hit"),
        ({"time_limit_minutes": 0}, "time_limit_minutes"),
        ({"time_limit_minutes": 10_081}, "time_limit_minutes"),
        ({"aggregation": "mode"}, "aggregation"),
        ({"quality": QualityRules(gold_share=0.6)}, "quality.gold_share"),
        ({"quality": QualityRules(spot_check_share=1.1)}, "quality.spot_check_share"),
        ({"quality": QualityRules(zscore_threshold=-1)}, "quality.zscore_threshold"),
        ({"split_shares": (("train", 0.5), ("test", 0.4))}, "split_shares"),
        ({"qualification": Qualification(0)}, "qualification.candidates"),
        ({"qualification": Qualification(pass_share=0)}, "qualification.pass_share"),
        ({"qualification": Qualification(tolerance=2)}, "qualification.tolerance"),
        ({"qualification": Qualification(tries=0)}, "qualification.tries"),
        ({"trial": Trial(0)}, "trial.candidates"),
        ({"trial": Trial(10, 0)}, "trial.ratings"),
        ({"draw_questions": 0}, "draw_questions"),
        ({"drop": DropRules(number_constituents=(" ",))}, "drop.number_constituents.0"),
        ({"drop": DropRules(number_constituents=(3,))}, "drop.number_constituents.0"),
        ({"quality": QualityRules(zscore_from_start=True)}, "quality.zscore_from_start"),
        ({"requirements": Requirements(approval_above=True)}, "requirements.approval_above"),
        ({"requirements": Requirements(100, approval_above=True)}, "requirements.approval_above"),
        ({"requirements": Requirements(locales=("US", "G B"))}, "requirements.locales.1"),
        ({"quality": QualityRules(max_removed=0)}, "quality.max_removed"),
        ({"quality": QualityRules(spot_check_share=float("nan"))}, "quality.spot_check_share"),
        ({"pay": Pay(True)}, "pay.cents_per_full_hit"),
        ({"pay": Pay(40, pro_rata=1)}, "pay.pro_rata"),
        ({"question": "a\x00b"}, "question"),
        ({"instructions": "\ud800"}, "instructions"),
        ({"rating_rules": (RatingRule(1, "a\nb"),)}, "rating_rules.0.split"),
        ({"split_shares": (("", 1.0),)}, "split_shares.0.0"),
        ({"split_shares": (("train", 2.0), ("test", -1.0))}, "split_shares.0.1"),
        ({"split_shares": tuple((f"s{n}", 0.04) for n in range(25))}, "split_shares"),
    ],
)
def test_a_protocol_that_cannot_be_run_names_its_field(changes, field):
    with pytest.raises(ProtocolError) as refused:
        changed(**changes).validated()
    assert field in refused.value.problems


def test_a_protocol_is_brought_into_its_normal_form():
    document = changed(
        question="One\r\ntwo\rthree ",
        scale=(ScalePoint(1, " low "), ScalePoint(2, "high")),
        rating_rules=(RatingRule(2, " dev "),),
        requirements=Requirements(locales=("us",)),
    )
    result = document.validated()
    assert result.question == "One\ntwo\nthree "
    assert result.scale[0].label == "low" and result.rating_rules[0].split == "dev"
    assert result.requirements.locales == ("US",)
    assert Protocol.from_json(document.to_json()) == result == result.validated()


def test_a_stored_protocol_is_read_without_its_bounds():
    content = BLANK.to_json() | {"time_limit_minutes": 0, "rating_rules": [{"ratings": 500}]}
    assert Protocol.stored(content).time_limit_minutes == 0
    with pytest.raises(ProtocolError):
        Protocol.from_json(content)


def test_every_fault_is_named_at_once():
    with pytest.raises(ProtocolError) as refused:
        changed(question="", pay=Pay(-1), time_limit_minutes=0).validated()
    assert set(refused.value.problems) == {
        "question",
        "pay.cents_per_full_hit",
        "time_limit_minutes",
    }


def test_scales_of_two_and_of_eleven_points_can_be_run():
    for values in (range(2), range(11), range(-2, 3)):
        scale = tuple(ScalePoint(v, "ß" * 80) for v in values)
        assert changed(scale=scale).validated().low == values[0]


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"scale": 3},
        {"scale": [{"value": 1}], "rating_rules": []},
        BLANK.to_json() | {"colour": "red"},
        BLANK.to_json() | {"pay": {"euros": 3}},
        BLANK.to_json() | {"pay": {"cents_per_full_hit": "x", "pro_rata": True}},
        BLANK.to_json() | {"question": 3},
        BLANK.to_json() | {"split_shares": [["train", "most"]]},
        BLANK.to_json() | {"split_shares": [["train", 1, 2]]},
        BLANK.to_json() | {"scale": [{"value": "1", "label": "a"}, {"value": "2", "label": "b"}]},
        [],
        "a protocol",
    ],
)
def test_what_is_no_protocol_is_refused_with_one_kind_of_error(document):
    with pytest.raises(ProtocolError):
        Protocol.from_json(document)


def test_a_document_of_another_structure_is_refused_field_by_field():
    document = BLANK.to_json() | {
        "colour": "red",
        "pay": {"euros": 3},
        "hit": 3,
        "rating_rules": [{"split": "dev"}],
        "split_shares": [["train", 1, 2]],
    }
    del document["question"]
    with pytest.raises(ProtocolError) as refused:
        Protocol.from_json(document)
    problems = refused.value.problems
    assert problems.pop("colour").startswith("is unknown; the fields are scale, question,")
    assert problems == {
        "question": "is missing",
        "pay.euros": "is unknown; the fields are cents_per_full_hit, pro_rata",
        "hit": "must be an object",
        "rating_rules.0.ratings": "is missing",
        "split_shares.0": "must have 2 entries",
    }


def test_the_first_rule_that_fits_counts_and_none_may_fit():
    rules = (RatingRule(1, split="train"), RatingRule(4, split="dev", span_based=True))
    protocol = changed(rating_rules=rules)
    assert protocol.ratings_for("train", span_based=True) == 1
    assert protocol.ratings_for("dev", span_based=True) == 4
    assert protocol.ratings_for("dev", span_based=False) == 0


def test_pay_of_a_part_is_rounded_up_to_a_cent_and_a_flat_pay_is_not_cut():
    assert Pay(25, True).cents(3, 10) == 8
    assert Pay(25, False).cents(3, 10) == 25


def test_deviations_name_each_field_with_both_values():
    mocha = preset("mocha-2020")
    own = dataclasses.replace(
        mocha,
        qualification=dataclasses.replace(mocha.qualification, tolerance=1),
        trial=None,
        pay=Pay(50, False),
        scale=(*mocha.scale[:4], ScalePoint(5, "Same")),
    )
    result = {d.field: (d.preset, d.own) for d in deviations(own, mocha)}
    assert result["qualification.tolerance"] == (0, 1)
    assert result["pay.cents_per_full_hit"] == (40, 50)
    assert result["trial"] == ({"candidates": 200, "ratings": 5, "counted": False}, None)
    assert set(result) == {"scale", "qualification.tolerance", "trial", "pay.cents_per_full_hit"}


def test_a_part_that_only_the_study_has_is_a_deviation():
    own = changed(qualification=Qualification())
    (result,) = deviations(own, BLANK)
    assert (result.field, result.preset) == ("qualification", None)
