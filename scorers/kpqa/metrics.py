"""BLEU-1-KPQA, ROUGE-L-KPQA and BERTScore-KPQA, and the same with KP weights.

Each unit of candidate and reference has a keyphrase weight (KPW), which the keyphrase predictor
computes for the question. The -kp metrics use a predictor that was trained without questions. With
w the candidate's and v the reference's weights (KPQA, Section 3.2 and appendix):

- bleu-1, equation (1): the weight of the candidate's units that occur in the reference, over the
sum
  of w.
- rouge-l, equations (2) to (5): precision is the weight of a common subsequence over the sum of
  w, recall over the sum of v; their F measure with `beta`, by default 1.2 as in rouge-l.
- bertscore, equations (6) to (8): mean of each wordpiece's best cosine weighted by w for
  precision, by v for recall; their F1. Special tokens are left out on both sides.

`form=bounded`, the default, keeps every score in [0, 1], and an identical answer scores 1. Matches
are clipped to the reference's count, the heaviest first; rouge-l uses the heaviest common
subsequence, by w for precision and by v for recall; cosines are at least 0. `form=literal` computes
the equations as printed: (1) counts a unit as often as it occurs in the reference; (5) takes a
longest common subsequence and weights it by w for both precision and recall; cosines may be
negative. bleu-1 and rouge-l can then exceed 1. The paper does not say which of several longest
common subsequences counts; here it is the heaviest by w.

`brevity=true` multiplies bleu-1 by BLEU's brevity penalty exp(1 - r/c) on the numbers of units, as
the authors' program does.

`units` and `flatten` adjust the weights (`scorers.kpqa.units`) for two kinds of error that the
paper's analysis names (Section 5.4).

A candidate or a reference that is empty or has no unit gives a score of 0.0. An empty question is
an empty input of the predictor. Of a text longer than the predictor's limit only the beginning
counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict

import numpy as np

from concord.metrics.metric import Metric, MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Option, Registration, choice, switch
from scorers.batch import Batch
from scorers.bertscore.matching import (
    best_cosines,
    harmonic_mean,
    unit_vectors,
    weighted_mean,
)
from scorers.encoder_options import (
    PairScorer,
    best_of_pairs,
    encoder_key,
    encoder_options,
    encoder_settings,
    encoder_versions,
)
from scorers.keyphrases.predictor import Keyphrases, predictor_signature
from scorers.kpqa.units import (
    MAX_CONCENTRATED_PIECES,
    Adjustment,
    Units,
    Weights,
    clipped_overlap,
    f_measure,
    heaviest_common_subsequence,
    literal_overlap,
    longest_common_subsequence_weight,
    make_units,
)
from scorers.models import States
from scorers.options import number_in_range, text_option

_DEFAULTS = Adjustment()


def weight_options(predictor: str, literal: str) -> Mapping[str, Option]:
    """The options of every KPQA metric.

    `predictor` is the default checkpoint; `literal` describes the literal form for the help.
    """
    return {
        "predictor": text_option(
            predictor, "the checkpoint of the keyphrase predictor: a name or a folder"
        ),
        "form": choice(
            "bounded",
            "literal",
            help="bounded: scores stay in [0, 1] and an identical answer has 1; "
            f"literal: the equations as printed in the paper, {literal}",
        ),
        "units": _share_option(
            _DEFAULTS.units,
            "the factor, from 0 to 1, of the weight of a unit of measure that follows a number",
        ),
        "flatten": _share_option(
            _DEFAULTS.flatten,
            "the share, from 0 to 1, by which the weights of a text move to their mean where they "
            f"spread over more than {MAX_CONCENTRATED_PIECES} wordpieces",
        ),
    }


#: The options of the metrics that count words or wordpieces.
UNIT_OPTIONS: Mapping[str, Option] = {
    "tokens": choice("words", "pieces", help="what is counted: words, or the encoder's wordpieces"),
    "weight": choice(
        "mean",
        "max",
        "first",
        help="a word's weight: the mean of its wordpieces' weights, the largest, or the first",
    ),
}


def _share_option(default: float, help: str) -> Option:
    return number_in_range(default, lambda value: 0 <= value <= 1, "from 0 to 1", help)


_QUESTION = frozenset({"question"})

#: The layer whose cosines are weighted; chosen on the first halves of KPQA's two sets.
DEFAULT_LAYER = 0


class _WeightedMetric(Metric):
    """Base class of the six metrics: the predictor's weights and the form of the equations."""

    has_model = True
    seconds_per_comparison = 5e-3

    def __init__(self, spec: MetricSpec, title: str, summary: str, minimum: float = 0.0) -> None:
        self.uses_question = spec.base.endswith("-kpqa")
        literal = spec.options["form"] == "literal"
        super().__init__(
            spec,
            MetricInfo(
                title=title + ("-KPQA" if self.uses_question else "-KP"),
                summary=summary
                + (
                    " by its importance for the question."
                    if self.uses_question
                    else " by its importance, the question unseen."
                ),
                family="keyphrase-weighted",
                range=(minimum, math.inf) if literal else (0.0, 1.0),
                needs=_QUESTION if self.uses_question else frozenset(),
            ),
        )
        self.literal = literal
        self.adjust = Adjustment(spec.options["units"], spec.options["flatten"])

    def settings(self) -> dict[str, str]:
        settings = super().settings()
        # Left out at their defaults, so that signatures from before these options stay valid.
        for name, default in asdict(Adjustment()).items():
            if self.spec.options[name] == default:
                del settings[name]
        settings["predictor"] = predictor_signature(self.spec.options["predictor"])
        return settings

    def versions(self) -> dict[str, str]:
        return encoder_versions()

    def compare(self, batch: Batch) -> Scores:
        def prepare(texts: list[tuple[str, str]]) -> PairScorer:
            keyphrases = batch.services.models.keyphrases(
                self.spec.options["predictor"], texts, batch.tick
            )
            adjusted = {key: self.adjust(value) for key, value in keyphrases.items()}
            return self.pair_scorer(batch, adjusted)

        scores: Scores = best_of_pairs(batch, prepare, uses_question=self.uses_question)[0]
        return scores

    def pair_scorer(
        self, batch: Batch, keyphrases: Mapping[tuple[str, str], Keyphrases]
    ) -> PairScorer:
        """A function that scores one (question, candidate, reference)."""
        raise NotImplementedError


class _WeightedUnitMetric(_WeightedMetric):
    """The metrics over weighted words or wordpieces."""

    def pair_scorer(
        self, batch: Batch, keyphrases: Mapping[tuple[str, str], Keyphrases]
    ) -> PairScorer:
        tokens, pooling = self.spec.options["tokens"], self.spec.options["weight"]
        units = {key: make_units(value, tokens, pooling) for key, value in keyphrases.items()}

        def score_pair(question: str, candidate: str, reference: str) -> tuple[float, ...]:
            one, other = units[question, candidate], units[question, reference]
            return (self.score_units(one, other) if len(one) and len(other) else 0.0,)

        return score_pair

    def score_units(self, candidate: Units, reference: Units) -> float:
        raise NotImplementedError


class Bleu1(_WeightedUnitMetric):
    """Equation (1); see the module."""

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(
            spec, "BLEU-1", "Unigram precision, each of the candidate's words weighted"
        )

    def score_units(self, candidate: Units, reference: Units) -> float:
        overlap = literal_overlap if self.literal else clipped_overlap
        matched = overlap(candidate.tokens, candidate.weights, reference.tokens)
        precision = _share(matched, candidate.weights, literal=self.literal)
        if self.spec.options["brevity"] and len(candidate) < len(reference):
            precision *= math.exp(1 - len(reference) / len(candidate))
        return precision


class KpqaRougeL(_WeightedUnitMetric):
    """Equations (2) to (5); see the module."""

    def __init__(self, spec: MetricSpec) -> None:
        which = "longest" if spec.options["form"] == "literal" else "heaviest"
        super().__init__(
            spec,
            "ROUGE-L",
            f"F measure of the {which} common subsequence, each word weighted",
        )
        if self.literal:
            # Version 1 took the heaviest common subsequence, which need not be a longest one.
            self.revision = 2

    def score_units(self, candidate: Units, reference: Units) -> float:
        common_weight = (
            longest_common_subsequence_weight if self.literal else heaviest_common_subsequence
        )
        common = common_weight(candidate.tokens, candidate.weights, reference.tokens)
        precision = _share(common, candidate.weights, literal=self.literal)
        if not self.literal:
            common = common_weight(reference.tokens, reference.weights, candidate.tokens)
        recall = _share(common, reference.weights, literal=self.literal)
        return f_measure(precision, recall, self.spec.options["beta"])


class KpqaBertScore(_WeightedMetric):
    """Equations (6) to (8); see the module."""

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(
            spec, "BERTScore", "F1 of the wordpieces' best cosines, each weighted", -1.0
        )
        self.encoder = encoder_key(self)
        self.layers = (spec.options["layer"],)

    def settings(self) -> dict[str, str]:
        return {**super().settings(), **encoder_settings(self)}

    def versions(self) -> dict[str, str]:
        return encoder_versions()

    def pair_scorer(
        self, batch: Batch, keyphrases: Mapping[tuple[str, str], Keyphrases]
    ) -> PairScorer:
        texts = dict.fromkeys(text for _, text in keyphrases)
        states = batch.services.models.states(encoder_key(self), self.layers, texts, batch.tick)
        vectors = {
            text: unit_vectors(states[text], self.layers[0], special=False) for text in texts
        }

        def score_pair(question: str, candidate: str, reference: str) -> tuple[float, ...]:
            weights = [
                piece_weights(keyphrases[question, text], states[text])
                for text in (candidate, reference)
            ]
            if not len(weights[0]) or not len(weights[1]):
                return (0.0,)
            # The predictor may read less of a text than the encoder; the rest has no weights.
            candidate_vectors, reference_vectors = (
                vectors[text][: len(w)]
                for text, w in zip((candidate, reference), weights, strict=True)
            )
            of_candidate, of_reference = best_cosines(candidate_vectors, reference_vectors)
            if not self.literal:
                of_candidate, of_reference = (
                    np.clip(of_candidate, 0.0, 1.0),
                    np.clip(of_reference, 0.0, 1.0),
                )
            precision = weighted_mean(of_candidate, weights[0])
            return (harmonic_mean(precision, weighted_mean(of_reference, weights[1])),)

        return score_pair


def piece_weights(keyphrases: Keyphrases, states: States) -> Weights:
    """The weights of the encoder's wordpieces, as far as the predictor read the text.

    If the predictor's encoder has another tokeniser, each wordpiece has the mean weight of its
    characters.
    """
    if len(keyphrases.pieces) == states.end - states.start and keyphrases.spans == states.spans:
        return keyphrases.weights
    return keyphrases.weights_of(states.spans)


def _share(part: float, weights: Weights, *, literal: bool) -> float:
    """A share of the total weight; in the bounded form at most 1 in spite of rounding."""
    share = part / float(weights.sum())
    return share if literal else min(share, 1.0)


def _registrations(suffix: str) -> Iterator[Registration]:
    pairs = "every pair of equal words counts, so that a score can exceed 1"
    longest = (
        "a longest common subsequence with the candidate's weights, instead of the heaviest one "
        "with each text's own; a score can exceed 1"
    )
    cosines = "negative cosines are not raised to 0"
    brevity = switch(
        False, "true: multiply by BLEU's brevity penalty, as the authors' program does"
    )
    beta = number_in_range(
        1.2,
        lambda value: 0 < value < math.inf,
        "a number above 0",
        "the weight of recall against precision, above 0; 1 weighs them equally",
    )
    yield Registration(
        f"bleu-1-{suffix}",
        Bleu1,
        {**weight_options(suffix, pairs), **UNIT_OPTIONS, "brevity": brevity},
    )
    yield Registration(
        f"rouge-l-{suffix}",
        KpqaRougeL,
        {**weight_options(suffix, longest), **UNIT_OPTIONS, "beta": beta},
    )
    yield Registration(
        f"bertscore-{suffix}",
        KpqaBertScore,
        {**weight_options(suffix, cosines), **encoder_options(lambda _: DEFAULT_LAYER)},
    )


REGISTRATIONS = (*_registrations("kpqa"), *_registrations("kp"))
