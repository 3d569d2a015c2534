"""Presets: protocols that reproduce those of papers, and a blank one.

Facts from MOCHA (Chen et al., EMNLP 2020, Sections 2.2, 2.3, appendix D) and KPQA (Lee et al.,
NAACL 2021, Sections 4.1, 4.2, appendix A.2), from Soricut and Brill (2004, Section 4.3: three
levels) and AVA (Vu and Moschitti, 2021, Section 4.1: correct or incorrect). The wording is ours.

Earlier versions of a preset are kept: a study is compared with the version it started from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from concord.protocols.criteria import ScalePoint
from concord.protocols.protocol import (
    DropRules,
    HitRules,
    Pay,
    Protocol,
    Qualification,
    QualityRules,
    RatingRule,
    Requirements,
    Trial,
)
from concord.protocols.task_presets import (
    ATTRIBUTED_QA_2022,
    BEST_WORST_2017,
    CHATBOT_ARENA_2024,
    CONSENT,
    LFQA_2023,
    MQM_2021,
    MT_BENCH_2023,
    SUMMEVAL_2021,
    WMT_ESA_2024,
)

MOCHA_2020 = Protocol(
    scale=(
        ScalePoint(1, "A different answer: none of the information is the same"),
        ScalePoint(2, "Mostly different information"),
        ScalePoint(3, "About half of the information is the same"),
        ScalePoint(4, "Mostly the same information"),
        ScalePoint(5, "The same answer, if in other words"),
    ),
    question="How closely does the predicted answer capture the information of the correct answer?",
    instructions=(
        "1. Read the passage.\n"
        "2. Read the question, the correct answer and the predicted answer.\n"
        "3. Choose the score that says best how much of the correct answer's information the "
        "predicted answer holds. Judge the meaning in the light of the passage, not the wording."
    ),
    examples=(
        "**Passage:** Mira boiled water in the tall kettle.\n\n"
        "**Question:** What did Mira boil water in?\n\n"
        "**Correct answer:** a kettle\n\n"
        "- *the tall kettle*: **5**, the same thing.\n"
        "- *a kettle or a pan*: **3**, half of it is right.\n"
        "- *the oven*: **1**, something else."
    ),
    consent=CONSENT,
    qualification=Qualification(candidates=10, pass_share=0.8, tolerance=0, tries=2),
    trial=Trial(candidates=200, ratings=5, counted=False),
    rating_rules=(
        RatingRule(1, split="train"),
        RatingRule(2, span_based=True),
        RatingRule(3, span_based=False),
    ),
    hit=HitRules(max_candidates=10, same_passage=True),
    # Appendix D: 40 cents a HIT, about $6,000 in all. Few passages have ten candidates: with the
    # counts of Table 2 and a fee of 20%, flat pay costs $5,987 and pay pro rata $2,981.
    pay=Pay(cents_per_full_hit=40, pro_rata=False),
    time_limit_minutes=60,
    drop=DropRules(
        equal_to_reference=True,
        number_against_number=True,
        number_constituents=("drop",),
        number_units=True,
        second_reference_below=0.4,
    ),
    quality=QualityRules(spot_check_share=0.05),
    aggregation="mean",
    split_shares=(("train", 0.75), ("dev", 0.10), ("test", 0.15)),
)

KPQA_2021 = Protocol(
    scale=(
        ScalePoint(1, "Completely wrong"),
        ScalePoint(2, "Mostly wrong"),
        ScalePoint(3, "Partly right"),
        ScalePoint(4, "Mostly right"),
        ScalePoint(5, "Completely correct"),
    ),
    question="How correct is the generated answer, given the question and the reference answer?",
    instructions=(
        "Judge only whether the answer is correct. Ignore style and grammar unless they change "
        "the meaning. The reference answer is correct; other correct answers exist."
    ),
    examples=(
        "**Question:** How long is the bridge?\n\n**Reference:** It is 40 metres long.\n\n"
        "- *40 metres*: **5**\n- *about 30 to 40 metres*: **3**\n- *the bridge is old*: **1**"
    ),
    consent=CONSENT,
    rating_rules=(RatingRule(10),),
    hit=HitRules(max_candidates=1, same_passage=True),
    pay=Pay(cents_per_full_hit=3, pro_rata=False),
    time_limit_minutes=30,
    requirements=Requirements(approval_percent=95, approval_above=True),
    drop=DropRules(question_when_equal=True),
    quality=QualityRules(zscore_threshold=1.0, max_removed=5, zscore_from_start=True),
    aggregation="mean",
    draw_questions=500,
)

BLANK = Protocol(
    scale=tuple(
        ScalePoint(value, label)
        for value, label in enumerate(
            ("Wrong", "Mostly wrong", "Partly right", "Mostly right", "Right"), start=1
        )
    ),
    question="How good is this answer?",
    consent=CONSENT,
)

# In the paper one judge rated each answer, without a reference. The ranking used a weighted average
# of the levels; the paper does not give the weights. Here the levels are 1, 2, 3, and raters see
# the references. An answer that adds unrelated information to the correct one counts as correct, as
# in the paper's first evaluation (in its second: somehow related).
SORICUT_BRILL_2004 = Protocol(
    scale=(
        ScalePoint(1, "Wrong"),
        ScalePoint(2, "Somehow related"),
        ScalePoint(3, "Correct"),
    ),
    question="Is the proposed answer correct, somehow related to the question, or wrong?",
    instructions=(
        "Judge what the answer says, not how short it is: one that holds the correct information "
        "is correct, even with other information around it.\n\n"
        "Choose *somehow related* for an answer that is neither correct nor wrong."
    ),
    examples=(
        "**Question:** How does a town get a harbour licence?\n\n"
        "- *The town council applies to the coast office.*: **3**\n"
        "- *The coast office has its seat in the old harbour.*: **2**\n"
        "- *Boats are made of wood.*: **1**"
    ),
    consent=CONSENT,
    rating_rules=(RatingRule(1),),
    aggregation="mean",
)

# The paper does not say how many judges rated an answer. Here there are three, and the median of
# their ratings is the majority.
AVA_2021 = Protocol(
    scale=(ScalePoint(0, "Incorrect"), ScalePoint(1, "Correct")),
    question="Does the answer correctly answer the question?",
    instructions=(
        "An answer may be worded unlike the reference and be correct, and may share most words "
        "with it and be incorrect. Judge whether it answers the question."
    ),
    examples=(
        "**Question:** How long is the bridge?\n\n**Reference:** It is 40 metres long.\n\n"
        "- *From end to end it measures 40 metres.*: **1**\n- *It is 14 metres long.*: **0**"
    ),
    consent=CONSENT,
    rating_rules=(RatingRule(3),),
    aggregation="median",
)

# Version 2 of MOCHA 2020 paid smaller HITs pro rata.
MOCHA_2020_V2 = replace(MOCHA_2020, pay=Pay(cents_per_full_hit=40, pro_rata=True))
# Version 1 of MOCHA 2020 and KPQA 2021. MOCHA's trial counted, and its rule of numbers held for
# every constituent and for numbers without a unit. KPQA asked for 95% at least, offered the z-score
# filter on the quality page, and drew no questions.
MOCHA_2020_V1 = replace(
    MOCHA_2020_V2,
    trial=Trial(candidates=200, ratings=5, counted=True),
    drop=DropRules(equal_to_reference=True, number_against_number=True, second_reference_below=0.4),
)
KPQA_2021_V1 = replace(
    KPQA_2021,
    requirements=Requirements(approval_percent=95),
    quality=QualityRules(zscore_threshold=1.0, max_removed=5),
    draw_questions=None,
)

PRESETS: dict[str, tuple[str, Protocol]] = {
    "mocha-2020": ("MOCHA 2020", MOCHA_2020),
    "kpqa-2021": ("KPQA 2021", KPQA_2021),
    "soricut-brill-2004": ("Soricut and Brill 2004", SORICUT_BRILL_2004),
    "ava-2021": ("AVA 2021", AVA_2021),
    "summeval-2021": ("SummEval 2021", SUMMEVAL_2021),
    "wmt-esa-2024": ("WMT ESA 2024", WMT_ESA_2024),
    "mqm-2021": ("MQM 2021", MQM_2021),
    "lfqa-2023": ("LFQA pairwise 2023", LFQA_2023),
    "mt-bench-2023": ("MT-Bench pairwise 2023", MT_BENCH_2023),
    "chatbot-arena-2024": ("Chatbot Arena pairwise 2024", CHATBOT_ARENA_2024),
    "best-worst-2017": ("Best-worst of four 2017", BEST_WORST_2017),
    "attributed-qa-2022": ("Attributed QA 2022", ATTRIBUTED_QA_2022),
    "blank": ("Blank", BLANK),
}


# By name, oldest first; the current version is in PRESETS.
EARLIER_VERSIONS: dict[str, tuple[Protocol, ...]] = {
    "mocha-2020": (MOCHA_2020_V1, MOCHA_2020_V2),
    "kpqa-2021": (KPQA_2021_V1,),
}


def preset(name: str, version: int | None = None) -> Protocol:
    """The preset `name` in a version (from 1), by default the current one.

    Raises KeyError for an unknown name or version.
    """
    versions = (*EARLIER_VERSIONS.get(name, ()), PRESETS[name][1])
    if version is None:
        return versions[-1]
    if not 1 <= version <= len(versions):
        raise KeyError(f"{name} has no version {version}")
    return versions[version - 1]


def current_version(name: str) -> int:
    """The number of the preset's current version; 1 for an unknown name."""
    return len(EARLIER_VERSIONS.get(name, ())) + 1


@dataclass(frozen=True, slots=True)
class Deviation:
    """A field path with the preset's value and the study's own value."""

    field: str
    preset: Any
    own: Any


def deviations(own: Protocol, preset: Protocol) -> list[Deviation]:
    """The fields in which `own` differs from `preset`, in order of definition.

    Values are in JSON form; a part that is missing on one side is None.
    """
    return list(_differences("", preset.to_json(), own.to_json()))


def _differences(path: str, preset: Any, own: Any) -> Iterator[Deviation]:
    if isinstance(preset, dict) and isinstance(own, dict):
        for name in preset:
            yield from _differences(f"{path}.{name}".lstrip("."), preset[name], own.get(name))
    elif preset != own:
        yield Deviation(path, preset, own)
