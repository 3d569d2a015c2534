"""BLEU-1-KPQA, ROUGE-L-KPQA and BERTScore-KPQA, and the same with KP weights.

Each unit of candidate and reference weighs what the keyphrase predictor gives it (KPW), for the
question at hand; the -kp metrics use a predictor that was trained without questions. With w the
candidate's and v the reference's weights (KPQA, Section 3.2 and appendix):

- bleu-1, equation (1): the weight of the candidate's units the reference holds, over the sum
  of w.
- rouge-l, equations (2) to (5): precision is the weight of a common subsequence over the sum of
  w, recall over the sum of v; their F measure with `beta`, by default 1.2 as in rouge-l.
- bertscore, equations (6) to (8): mean of each wordpiece's best cosine weighted by w for
  precision, by v for recall; their F1. Special tokens take no part on either side.

`form=bounded`, the default, keeps every score in [0, 1] and gives an identical answer 1: matches
are clipped to the reference's count, the heaviest first; rouge-l takes the heaviest common
subsequence, by w for precision and by v for recall; cosines are floored at 0. `form=literal` is the
equations as printed: (1) counts a unit as often as the reference holds it, (5) takes a longest
common subsequence and weighs it by w for both precision and recall, so that both metrics can pass
1, and cosines are left as they are. Where several common subsequences are longest, which the paper
leaves open, the heaviest of them by w is taken.

`brevity=true` multiplies bleu-1 by BLEU's brevity penalty exp(1 - r/c) on the numbers of units, as
the authors' program does.

`units` and `flatten` change the weights before they are used (`adjusting`), for two kinds of error
that the paper's analysis names (Section 5.4).

An empty candidate, or one without a unit, scores 0.0; so does one against a reference without.
An empty question is one the predictor sees as empty. Texts beyond the predictor's length are
judged by their beginning.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict

import numpy as np

from concord.metrics.metric import Metric, MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration, switch
from scorers.batch import Batch
from scorers.bertscore.matching import (
    best_cosines,
    harmonic_mean,
    unit_vectors,
    weighted_mean,
)
from scorers.encoder_options import (
    comparison_groups,
    encoder_key,
    encoder_options,
    encoder_settings,
    encoder_versions,
)
from scorers.keyphrases.predictor import Keyphrases, predictor_signature
from scorers.kpqa.adjusting import Adjustment
from scorers.kpqa.matching import (
    Weights,
    clipped_overlap,
    f_measure,
    heaviest_common_subsequence,
    literal_overlap,
    longest_common_subsequence_weight,
)
from scorers.kpqa.options import UNIT_OPTIONS, number, weight_options
from scorers.kpqa.units import Units, units_of
from scorers.models import States

_QUESTION = frozenset({"question"})

#: The layer whose cosines are weighted; chosen on the first halves of KPQA's two sets.
DEFAULT_LAYER = 0

Judge = Callable[[str, str, str], float]


class _Weighted(Metric):
    """What the six metrics share: whose weights, and the form of the equations."""

    has_model = True
    seconds_per_comparison = 5e-3

    def __init__(self, spec: MetricSpec, title: str, summary: str, least: float = 0.0) -> None:
        self.asks = spec.base.endswith("-kpqa")
        literal = spec.options["form"] == "literal"
        super().__init__(
            spec,
            MetricInfo(
                title=title + ("-KPQA" if self.asks else "-KP"),
                summary=summary
                + (
                    " by its importance for the question."
                    if self.asks
                    else " by its importance, the question unseen."
                ),
                family="keyphrase-weighted",
                range=(least, math.inf) if literal else (0.0, 1.0),
                needs=_QUESTION if self.asks else frozenset(),
            ),
        )
        self.literal = literal
        self.adjust = Adjustment(spec.options["units"], spec.options["flatten"])

    def settings(self) -> dict[str, str]:
        shown = super().settings()
        # At their defaults they are left out: signatures from before these options stay valid.
        for name, default in asdict(Adjustment()).items():
            if self.spec.options[name] == default:
                del shown[name]
        shown["predictor"] = predictor_signature(self.spec.options["predictor"])
        return shown

    def versions(self) -> dict[str, str]:
        return encoder_versions()

    def compare(self, batch: Batch) -> Scores:
        comparisons = batch.comparisons
        scores = np.full(len(comparisons), -np.inf)
        for group in comparison_groups(batch):
            rows = [
                (comparisons.questions[i] if self.asks else "", comparisons.candidates[i], r, i)
                for i in group
                for r in comparisons.references[i]
            ]
            pairs = dict.fromkeys((q, text) for q, c, r, _ in rows for text in (c, r))
            keyphrases = batch.services.models.keyphrases(
                self.spec.options["predictor"], pairs, batch.tick
            )
            judge = self.judge(
                batch, {key: self.adjust(value) for key, value in keyphrases.items()}
            )
            known: dict[tuple[str, str, str], float] = {}
            for question, candidate, reference, i in rows:
                key = (question, candidate, reference)
                if key not in known:
                    known[key] = judge(*key)
                scores[i] = max(scores[i], known[key])
        return scores

    def judge(self, batch: Batch, keyphrases: Mapping[tuple[str, str], Keyphrases]) -> Judge:
        """The score of one candidate against one reference, from (question, both texts)."""
        raise NotImplementedError


class _WeightedUnits(_Weighted):
    """The metrics over weighted words or wordpieces."""

    def judge(self, batch: Batch, keyphrases: Mapping[tuple[str, str], Keyphrases]) -> Judge:
        tokens, pooling = self.spec.options["tokens"], self.spec.options["weight"]
        units = {key: units_of(value, tokens, pooling) for key, value in keyphrases.items()}

        def judge(question: str, candidate: str, reference: str) -> float:
            one, other = units[question, candidate], units[question, reference]
            return self.of_units(one, other) if len(one) and len(other) else 0.0

        return judge

    def of_units(self, candidate: Units, reference: Units) -> float:
        raise NotImplementedError


class Bleu1(_WeightedUnits):
    """Equation (1); see the module."""

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(
            spec, "BLEU-1", "Unigram precision, each of the candidate's words weighted"
        )

    def of_units(self, candidate: Units, reference: Units) -> float:
        overlap = literal_overlap if self.literal else clipped_overlap
        matched = overlap(candidate.tokens, candidate.weights, reference.tokens)
        precision = _share(matched, candidate.weights, literal=self.literal)
        if self.spec.options["brevity"] and len(candidate) < len(reference):
            precision *= math.exp(1 - len(reference) / len(candidate))
        return precision


class RougeL(_WeightedUnits):
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

    def of_units(self, candidate: Units, reference: Units) -> float:
        common_weight = (
            longest_common_subsequence_weight if self.literal else heaviest_common_subsequence
        )
        common = common_weight(candidate.tokens, candidate.weights, reference.tokens)
        precision = _share(common, candidate.weights, literal=self.literal)
        if not self.literal:
            common = common_weight(reference.tokens, reference.weights, candidate.tokens)
        recall = _share(common, reference.weights, literal=self.literal)
        return f_measure(precision, recall, self.spec.options["beta"])


class BertScore(_Weighted):
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

    def judge(self, batch: Batch, keyphrases: Mapping[tuple[str, str], Keyphrases]) -> Judge:
        texts = dict.fromkeys(text for _, text in keyphrases)
        states = batch.services.models.states(encoder_key(self), self.layers, texts, batch.tick)
        vectors = {
            text: unit_vectors(states[text], self.layers[0], special=False) for text in texts
        }

        def judge(question: str, candidate: str, reference: str) -> float:
            weights = [
                piece_weights(keyphrases[question, text], states[text])
                for text in (candidate, reference)
            ]
            if not len(weights[0]) or not len(weights[1]):
                return 0.0
            # A predictor that reads less of a text than the encoder has no weight for the rest.
            ours, theirs = (
                vectors[text][: len(w)]
                for text, w in zip((candidate, reference), weights, strict=True)
            )
            of_candidate, of_reference = best_cosines(ours, theirs)
            if not self.literal:
                of_candidate, of_reference = (
                    np.clip(of_candidate, 0.0, 1.0),
                    np.clip(of_reference, 0.0, 1.0),
                )
            return harmonic_mean(
                weighted_mean(of_candidate, weights[0]), weighted_mean(of_reference, weights[1])
            )

        return judge


def piece_weights(keyphrases: Keyphrases, states: States) -> Weights:
    """The weight of each of the encoder's wordpieces, as far as the predictor read the text.

    Where the predictor stands on another encoder, its tokeniser may cut the text differently:
    each piece then has the mean weight of its characters.
    """
    if len(keyphrases.pieces) == states.end - states.start and keyphrases.spans == states.spans:
        return keyphrases.weights
    return keyphrases.weights_of(states.spans)


def _share(part: float, weights: Weights, *, literal: bool) -> float:
    """A part of the whole weight; held to 1, which rounding may pass, in the bounded form."""
    share = part / float(weights.sum())
    return share if literal else min(share, 1.0)


def _registrations(suffix: str) -> Iterator[Registration]:
    pairs = "every pair of equal words counts, so that a score can pass 1"
    longest = (
        "a longest common subsequence with the candidate's weights, instead of the heaviest one "
        "with each text's own; a score can pass 1"
    )
    cosines = "cosines below 0 are not raised to 0"
    brevity = switch(
        False, "true: multiply by BLEU's brevity penalty, as the authors' program does"
    )
    beta = number(
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
        RougeL,
        {**weight_options(suffix, longest), **UNIT_OPTIONS, "beta": beta},
    )
    yield Registration(
        f"bertscore-{suffix}",
        BertScore,
        {**weight_options(suffix, cosines), **encoder_options(DEFAULT_LAYER)},
    )


REGISTRATIONS = (*_registrations("kpqa"), *_registrations("kp"))
