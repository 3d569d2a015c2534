"""Presets with several criteria, marked parts or pairs, after papers; the wording is ours.

SummEval (Fabbri et al., TACL 2021: coherence, consistency, fluency and relevance from 1 to 5, by
five workers), Attributed QA (Bohnet et al., 2022, with the two stages of Rashkin et al., 2021),
Error Span Annotation (Kocmi et al., 2024), MQM (Freitag et al., TACL 2021), preferences of
long-form answers (Xu et al., ACL 2023), MT-Bench (Zheng et al., NeurIPS 2023) and best-worst
scaling (Kiritchenko and Mohammad, ACL 2017).
"""

from __future__ import annotations

from dataclasses import replace

from concord.protocols.criteria import Condition, Criterion, ScalePoint
from concord.protocols.protocol import HitRules, Protocol, RatingRule

CONSENT = (
    "Your ratings are used for research and may be published without your name or worker id. "
    "You can stop at any time; what you submitted is paid."
)

_SUMMEVAL_POINTS = tuple(
    ScalePoint(value, label)
    for value, label in enumerate(("Very poor", "Poor", "Acceptable", "Good", "Very good"), start=1)
)

# The main question is coherence, the first of the paper's four. The labels of the points are ours;
# the paper's scale goes from 1 to 5, higher being better. Its three experts rated the same
# summaries besides; they are a study of their own with three ratings.
SUMMEVAL_2021 = Protocol(
    scale=_SUMMEVAL_POINTS,
    question="Coherence: do the sentences together make a well-structured, organised summary?",
    instructions=(
        "Read the article, then the summary. Judge four things, each for itself: a summary may be "
        "fluent and say what is not in the article.\n\n"
        "- **Coherence**: the sentences build one body of information about the topic.\n"
        "- **Consistency**: the article supports every statement.\n"
        "- **Fluency**: each sentence for itself is well written.\n"
        "- **Relevance**: it holds what is important, and nothing superfluous."
    ),
    consent=CONSENT,
    rating_rules=(RatingRule(5),),
    aggregation="mean",
    criteria=(
        Criterion(
            "consistency",
            "Consistency: does the article support every statement of the summary?",
            points=_SUMMEVAL_POINTS,
        ),
        Criterion(
            "fluency",
            "Fluency: is each sentence for itself well written?",
            points=_SUMMEVAL_POINTS,
        ),
        Criterion(
            "relevance",
            "Relevance: does the summary hold what is important, and nothing superfluous?",
            points=_SUMMEVAL_POINTS,
        ),
    ),
)

# The passage is the source that the system names. The paper asks whether the answer is attributable
# to it, after whether it can be understood at all; the middle level, the question about the part
# and the number of ratings are ours.
ATTRIBUTED_QA_2022 = Protocol(
    scale=(
        ScalePoint(0, "No: the source does not support it"),
        ScalePoint(1, "Partly: it supports a part"),
        ScalePoint(2, "Yes: it supports everything"),
    ),
    question="Does the source support what the answer says to the question?",
    instructions=(
        "Read the source and the answer. Judge only whether the source says what the answer says, "
        "not whether you know it to be true."
    ),
    consent=CONSENT,
    rating_rules=(RatingRule(3),),
    aggregation="median",
    criteria=(
        Criterion(
            "understandable", "Can you understand the answer with its question alone?", "yes-no"
        ),
        Criterion(
            "unsupported",
            "Which part does the source not support?",
            "text",
            condition=Condition("2", relation="below"),
        ),
    ),
)

# The passage is the source text, the candidate a translation, of which a professional marks the
# errors and then gives a score (Kocmi et al., 2024: Error Span Annotation), without categories. The
# four marks of the scale and their labels are those that raters see.
WMT_ESA_2024 = Protocol(
    scale=(
        ScalePoint(0, "No meaning preserved"),
        ScalePoint(33, "Some meaning preserved"),
        ScalePoint(66, "Most meaning preserved and few grammar mistakes"),
        ScalePoint(100, "Perfect meaning and grammar"),
    ),
    scale_kind="slider",
    question="How good is the translation?",
    instructions=(
        "Read the source text and its translation. First mark each error in the translation: "
        "*minor* if it does not change the meaning or is only a matter of style, *major* if it "
        "changes the meaning or makes the text hard to read. If something of the source is "
        "missing, say so.\n\nThen score the whole translation from 0 to 100."
    ),
    consent=CONSENT,
    rating_rules=(RatingRule(1),),
    criteria=(
        Criterion(
            "errors",
            "Which parts of the translation are wrong?",
            "spans",
            severities=("minor", "major"),
            above=True,
        ),
    ),
)

# The hierarchy of categories of Freitag et al. (2021, Experts, Errors, and Context), at most five
# errors a segment. Their category "non-translation" is the answer 0 to the main question here.
# Their third severity, neutral, is for subjective opinions, which do not count; it is left out.
MQM_2021 = Protocol(
    scale=(ScalePoint(0, "No: it is no translation of the source"), ScalePoint(1, "Yes")),
    question="Is it a translation of the source, so that its errors can be marked?",
    instructions=(
        "Read the source text and its translation. Mark each error with its severity and its "
        "category, at most five in a text; if there are more, the five most severe. *Major*: it "
        "may confuse or mislead, because the meaning changes or the error is in a prominent "
        "place. *Minor*: it changes no meaning, but would be noticed."
    ),
    consent=CONSENT,
    rating_rules=(RatingRule(1),),
    criteria=(
        Criterion(
            "errors",
            "Which parts of the translation are wrong?",
            "spans",
            severities=("minor", "major"),
            categories=(
                "Accuracy/Addition",
                "Accuracy/Omission",
                "Accuracy/Mistranslation",
                "Accuracy/Untranslated text",
                "Fluency/Punctuation",
                "Fluency/Spelling",
                "Fluency/Grammar",
                "Fluency/Register",
                "Fluency/Inconsistency",
                "Fluency/Character encoding",
                "Terminology/Inappropriate for context",
                "Terminology/Inconsistent use",
                "Style/Awkward",
                "Locale convention/Address format",
                "Locale convention/Currency format",
                "Locale convention/Date format",
                "Locale convention/Name format",
                "Locale convention/Telephone format",
                "Locale convention/Time format",
                "Other",
                "Source error",
            ),
            condition=Condition("1"),
        ),
    ),
)

_PAIR_INSTRUCTIONS = (
    "Read the question and both answers. Judge their content and how well they help, not their "
    "length or the order in which they are shown."
)

# Xu et al. (ACL 2023), A Critical Evaluation of Evaluations for Long-form Question Answering:
# experts prefer one of two answers and say why in their own words. That a choice was hard is a
# question of its own here.
LFQA_2023 = Protocol(
    unit="pair",
    scale=(ScalePoint(1, "The first answer is better"), ScalePoint(2, "The second is better")),
    question="Which answer is better overall?",
    instructions=_PAIR_INSTRUCTIONS,
    consent=CONSENT,
    rating_rules=(RatingRule(3),),
    hit=HitRules(max_candidates=5, same_passage=False),
    criteria=(
        Criterion("hard", "Was it hard to decide?", "yes-no"),
        Criterion("reason", "Why is it better?", "text"),
    ),
)

# Zheng et al. (NeurIPS 2023), Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena: two answers,
# or a tie.
MT_BENCH_2023 = Protocol(
    unit="pair",
    scale=(
        ScalePoint(0, "Both are equally good or bad"),
        ScalePoint(1, "The first answer is better"),
        ScalePoint(2, "The second answer is better"),
    ),
    question="Which answer is better?",
    instructions=_PAIR_INSTRUCTIONS,
    consent=CONSENT,
    rating_rules=(RatingRule(3),),
    hit=HitRules(max_candidates=5, same_passage=False),
)

# Chiang et al. (ICML 2024), Chatbot Arena: a tie, or two bad answers, besides.
CHATBOT_ARENA_2024 = replace(
    MT_BENCH_2023,
    scale=(
        ScalePoint(-1, "Both answers are bad"),
        ScalePoint(0, "Both answers are equally good"),
        ScalePoint(1, "The first answer is better"),
        ScalePoint(2, "The second answer is better"),
    ),
)

# Best-worst scaling: Louviere (1991) and Louviere, Flynn and Marley (2015, Best-Worst Scaling:
# Theory, Methods and Applications). Kiritchenko and Mohammad (2017, Best-Worst Scaling More
# Reliable than Rating Scales) show sets of four, each item in about eight different ones. They rate
# the sentiment of words; the question about answers and the number of raters are ours.
BEST_WORST_2017 = Protocol(
    unit="set",
    scale=(
        ScalePoint(1, "Answer 1"),
        ScalePoint(2, "Answer 2"),
        ScalePoint(3, "Answer 3"),
        ScalePoint(4, "Answer 4"),
    ),
    question="Which answer is the best?",
    instructions=(
        "Read the question and all answers. Choose the best and the worst of them. Judge their "
        "content and how well they help, not their length or the order in which they are shown. "
        "If two are about equal, choose one of them."
    ),
    consent=CONSENT,
    rating_rules=(RatingRule(3),),
    hit=HitRules(max_candidates=4, same_passage=False),
    criteria=(Criterion("worst", "Which answer is the worst?", "worst"),),
)
