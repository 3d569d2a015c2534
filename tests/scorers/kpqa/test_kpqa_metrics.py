"""The KPQA metrics with the shipped predictors: ranges, equations, edge cases, real judgments."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr

from scorers import Item, Session, parse_metrics
from scorers.errors import MetricError
from scorers.keyphrases.predictor import Keyphrases
from scorers.kpqa.units import make_units
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import WEIGHTS, checkpoint_folder
from tests.scorers.scorer_texts import kpqa

ALL = "bleu-1-kpqa,rouge-l-kpqa,bertscore-kpqa,bleu-1-kp,rouge-l-kp,bertscore-kp"
LITERAL = "bleu-1-kpqa(form=literal),rouge-l-kpqa(form=literal),bertscore-kpqa(form=literal)"
ADJUSTED = "bleu-1-kpqa(units=0),rouge-l-kpqa(flatten=1,units=0),bertscore-kp(flatten=0.5)"

QUESTION = "How many steps are involved in a hypothesis test?"
REFERENCE = "Four steps are involved in a hypothesis test."
CANDIDATE = "There are seven steps involved in a hypothesis test ."


@pytest.fixture(scope="module")
def weights(session: Session) -> dict[str, Keyphrases]:
    """KPW of the two answers of the paper's Figure 1."""
    pairs = [(QUESTION, text) for text in (CANDIDATE, REFERENCE)]
    keyphrases = session.services.models.keyphrases("kpqa", pairs)
    return {text: value for (_, text), value in keyphrases.items()}


def test_the_papers_first_example_falls_below_a_fifth(session: Session) -> None:
    item = Item(CANDIDATE, (REFERENCE,), QUESTION)
    scores = session.score_all(parse_metrics("bleu-1,rouge-l,bleu-1-kpqa,rouge-l-kpqa"), [item])
    assert scores["bleu-1"][0] > 0.7
    assert scores["rouge-l"][0] > 0.6
    assert scores["bleu-1-kpqa"][0] < 0.2
    assert scores["rouge-l-kpqa"][0] < 0.2


def test_bleu_is_equation_1_with_matches_clipped(
    session: Session, weights: dict[str, Keyphrases]
) -> None:
    item = Item(CANDIDATE, (REFERENCE,), QUESTION)
    units = make_units(weights[CANDIDATE], "words", "mean")
    by_word = dict(zip(units.tokens, units.weights.tolist(), strict=True))
    shared = ("are", "steps", "involved", "in", "a", "hypothesis", "test")
    expected = sum(by_word[word] for word in shared) / units.weights.sum()
    for name in ("bleu-1-kpqa", "bleu-1-kpqa(form=literal)"):  # no word occurs twice
        (metric,) = parse_metrics(name)
        assert session.score(metric, [item])[0] == pytest.approx(expected, abs=1e-9)
    (brief,) = parse_metrics("bleu-1-kpqa(brevity=true)")
    swapped = Item(REFERENCE, (CANDIDATE,), QUESTION)
    (plain,) = parse_metrics("bleu-1-kpqa")
    ratio = session.score(brief, [swapped])[0] / session.score(plain, [swapped])[0]
    assert ratio == pytest.approx(np.exp(1 - 9 / 8))


def test_rouge_is_equations_2_to_5(session: Session, weights: dict[str, Keyphrases]) -> None:
    item = Item(CANDIDATE, (REFERENCE,), QUESTION)
    candidate = make_units(weights[CANDIDATE], "words", "mean")
    reference = make_units(weights[REFERENCE], "words", "mean")
    # "steps involved in a hypothesis test" in the candidate, where "are" precedes "steps".
    common = ("steps", "involved", "in", "a", "hypothesis", "test")
    w = dict(zip(candidate.tokens, candidate.weights.tolist(), strict=True))
    v = dict(zip(reference.tokens, reference.weights.tolist(), strict=True))
    of_w, of_v = (sum(one[word] for word in common) for one in (w, v))
    tail = ("are", "involved", "in", "a", "hypothesis", "test")  # or "are" in place of "steps"
    of_w = max(of_w, sum(w[word] for word in tail))
    of_v = max(of_v, sum(v[word] for word in tail))
    precision, recall = of_w / candidate.weights.sum(), of_v / reference.weights.sum()
    (metric,) = parse_metrics("rouge-l-kpqa(beta=1)")
    expected = 2 * precision * recall / (precision + recall)
    assert session.score(metric, [item])[0] == pytest.approx(expected, abs=1e-9)
    (literal,) = parse_metrics("rouge-l-kpqa(beta=1,form=literal)")
    recall = of_w / reference.weights.sum()
    expected = 2 * precision * recall / (precision + recall)
    assert session.score(literal, [item])[0] == pytest.approx(expected, abs=1e-9)


WORDS = st.sampled_from(
    ["yes", "no", "cat", "the", "red", ",", "a", "1831", "years", "😀", "שלום", "\ud800"]
)
ANSWERS = st.lists(WORDS, max_size=8).map(" ".join)


@settings(suppress_health_check=list(HealthCheck))
@given(ANSWERS, ANSWERS, st.sampled_from(["", "is it a cat?", "who"]))
def test_scores_stay_between_0_and_1_and_an_identical_answer_has_1(
    session: Session, candidate: str, reference: str, question: str
) -> None:
    items = [Item(candidate, (reference,), question), Item(reference, (reference,), question)]
    for name, scores in session.score_all(parse_metrics(f"{ALL},{ADJUSTED}"), items).items():
        assert ((scores >= 0) & (scores <= 1 + 1e-9)).all(), name
        if any(character.isalnum() for character in reference):
            assert scores[1] == pytest.approx(1.0, abs=1e-6), name


def test_edges_have_scores(session: Session) -> None:
    items = [
        Item("", ("a reference",), "who?"),
        Item("an answer", ("",), "who?"),
        Item("...", ("...",), "who?"),
        Item("word " * 5000, ("word",), "who?"),
        Item("the answer", tuple(f"reference {i}" for i in range(1000)), "which?"),
        Item("an answer", ("an answer",), "why " * 3000),
    ]
    for name, scores in session.score_all(parse_metrics(f"{ALL},{LITERAL}"), items).items():
        assert np.isfinite(scores).all(), name
        assert scores[0] == scores[1] == 0.0, name
        assert scores[5] == pytest.approx(1.0, abs=1e-6), name


def test_the_same_answer_to_another_question_has_other_weights(session: Session) -> None:
    text, other = "Tor built the bridge in 1831.", "Lind built the bridge in 1850."
    items = [
        Item(other, (text,), "Who built the bridge?"),
        Item(other, (text,), "What was built?"),
    ]
    aware, blind = parse_metrics("bleu-1-kpqa,bleu-1-kp")
    scores = session.score_all([aware, blind], items)
    assert scores[aware.name][1] > scores[aware.name][0] + 0.2
    assert scores[blind.name][0] == scores[blind.name][1]


def test_signatures_pin_predictor_form_and_encoder() -> None:
    card = CheckpointCard.read(checkpoint_folder("kpqa"))
    for metric in parse_metrics(f"{ALL},{LITERAL}"):
        signature = metric.signature()
        assert "predictor:kp" in signature
        assert "form:" in signature
    assert card.weights_sha256[:16] in parse_metrics("bleu-1-kpqa")[0].signature()
    assert "layer:" in parse_metrics("bertscore-kp")[0].signature()


def test_units_without_weight_let_the_number_decide(session: Session) -> None:
    """KPQA, Section 5.4: errors come from higher weights on units than on their numbers."""
    item = Item("It took 5 million years.", ("It took 9 million years.",), "How long did it take?")
    same = Item(item.candidate, (item.candidate,), item.question)
    for base in ("bleu-1-kpqa", "rouge-l-kpqa", "bertscore-kpqa"):
        plain, adjusted = parse_metrics(f"{base},{base}(units=0)")
        scores = session.score_all([plain, adjusted], [item, same])
        assert scores[adjusted.name][0] < scores[plain.name][0] - 0.1
        assert scores[adjusted.name][1] == pytest.approx(1.0, abs=1e-6)


def test_default_options_do_not_change_signatures() -> None:
    for name in ALL.split(","):
        plain, adjusted = parse_metrics(f"{name},{name}(units=0,flatten=0.25)")
        assert "units" not in plain.signature() and "flatten" not in plain.signature()
        assert "|flatten:0.25|" in adjusted.signature() and "|units:0.0|" in adjusted.signature()
        (same,) = parse_metrics(f"{name}(units=1,flatten=0)")
        assert (same.name, same.signature()) == (plain.name, plain.signature())
    for wrong in ("units=1.5", "flatten=-0.1", "units=none"):
        with pytest.raises(MetricError, match="must be from 0 to 1"):
            parse_metrics(f"bleu-1-kpqa({wrong})")


def test_only_the_literal_form_of_rouge_has_another_version() -> None:
    """Version 1 of it took the heaviest common subsequence."""
    for name in ALL.split(","):
        bounded, literal = parse_metrics(f"{name},{name}(form=literal)")
        assert bounded.signature().endswith("|version:1")
        version = 2 if name.startswith("rouge-l") else 1
        assert literal.signature().endswith(f"|version:{version}")


def test_the_literal_form_of_rouge_takes_a_longest_common_subsequence(session: Session) -> None:
    """The common words "it was" are longer, the year alone is heavier."""
    candidate, reference = "1831 it was", "it was in 1831"
    item = Item(candidate, (reference,), "When was the bridge built?")
    pairs = [(item.question, text) for text in (candidate, reference)]
    candidate_units, reference_units = (
        make_units(value, "words", "mean")
        for value in session.services.models.keyphrases("kpqa", pairs).values()
    )
    assert candidate_units.tokens == ("1831", "it", "was")
    assert candidate_units.weights[0] > candidate_units.weights[1:].sum()
    (literal,) = parse_metrics("rouge-l-kpqa(beta=1,form=literal)")
    common = candidate_units.weights[1:].sum()
    precision, recall = (
        common / candidate_units.weights.sum(),
        common / reference_units.weights.sum(),
    )
    expected = 2 * precision * recall / (precision + recall)
    assert session.score(literal, [item])[0] == pytest.approx(expected, abs=1e-9)


def test_the_shipped_predictors_are_small_and_have_complete_cards() -> None:
    for name, kind in (("kpqa", "kpqa"), ("kp", "kp")):
        folder = checkpoint_folder(name)
        card = CheckpointCard.read(folder)
        assert card.kind == kind
        assert card.licence == "MIT"
        assert {source.format for source in card.data} == {"qamr"}
        assert card.command.startswith("python -m scorers train kpqa")
        assert (folder / WEIGHTS).stat().st_size < 5_000_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "references", "least"),
    [("marco_all", 1, (0.62, 0.66, 0.60)), ("avsd_all", 5, (0.62, 0.66, 0.66))],
)
def test_weights_raise_the_correlation_with_people(
    session: Session, concord_data: Path, name: str, references: int, least: tuple[float, ...]
) -> None:
    items, people = kpqa(concord_data, name, references)
    scores = session.score_all(
        parse_metrics("bleu-1-kpqa,rouge-l-kpqa,bertscore-kpqa,bleu-1,rouge-l,bertscore"), items
    )
    correlations = {metric: pearsonr(values, people).statistic for metric, values in scores.items()}
    for metric, floor in zip(("bleu-1", "rouge-l", "bertscore"), least, strict=True):
        assert correlations[f"{metric}-kpqa"] > floor, correlations
        assert correlations[f"{metric}-kpqa"] > correlations[metric], correlations
