"""`ava`: the probability that a candidate answers its question correctly, given a reference.

This is AVA (Vu and Moschitti, 2021, Section 5) in the design that the checkpoint's card names. The
default checkpoint, `ava-features`, is not AVA as published: it combines the scores of three other
metrics, which an encoder corrects within a bound.

Scores are in [0, 1]; higher is better. With several references, "max" takes the best score. Under
"joint" `references=mean` averages over them as the paper does, `references=max` takes the best
score, and `references=card`, the default, does as in the checkpoint's training. `references=mean`
under "max" raises MetricError. An empty text has no fixed score. Of a text longer than the
checkpoint's maximum only the beginning counts. The passage is not read. Only the linear classifier
reads an item's short answer, or the reference if there is none. `Ava.threshold` is the score from
which an answer counts as correct, tuned on dev answers. Raises ModelError when the checkpoint is
missing or invalid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import MetricInfo, MetricSpec
from concord.metrics.registration import Registration, choice
from concord.word_overlap import is_included, sim_text
from scorers.encoders import Device, tokenise_pairs
from scorers.errors import MetricError, TrainingError
from scorers.late_import import late_import
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import load_state
from scorers.learned.metric import LearnedMetric, checkpoint_options
from scorers.learned.model import Readings, Scorer
from scorers.learned.rows import Combine, Row

if TYPE_CHECKING:
    import torch

AVA = "ava"
LINEAR = "linear"
_FROM_CARD = "card"

Design = Literal["A0", "A1", "A2"]
Peer = Literal["other", "own", "cross"]

#: P0 and P1: the two sides of each pair. Adjacent letters are concatenated texts.
PAIRS: Mapping[str, Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "A0": {"q-r": ("q", "r"), "q-t": ("q", "t"), "r-t": ("r", "t")},
        "A1": {"q-rt": ("q", "rt"), "r-qt": ("r", "qt"), "t-qr": ("t", "qr")},
    }
)
_SIDES = {**PAIRS["A0"], **PAIRS["A1"]}
#: The paper's best pairs of A1, on which its A2 is built (Table 4).
BEST_PAIRS = ("r-qt", "t-qr")


@dataclass(frozen=True, slots=True)
class AvaForm:
    """The pairs of an input and the encoders. q is the question, r the reference, t the answer.

    A0 has pairs of two texts. A1 has pairs with two texts on one side, joined by a space. A2 has
    any two pairs, which attend to each other. Each pair has its own encoder (in A2 two: one for the
    encoding and one for the decoding pass), or with `shared` all pairs have the same one.

    `peer` is the state of the first pass that A2's second pass of a pair receives. "other" is the
    [CLS] state of the other pair, as one more input embedding after the pair's last token; "own" is
    that of the pair itself. "cross" are all states of the other pair, through cross-attention in
    every layer.

    A pair's first text may fill half of the length, its second the rest; longer texts lose their
    ends.
    """

    design: Design = "A2"
    pairs: tuple[str, ...] = BEST_PAIRS
    shared: bool = False
    peer: Peer = "other"

    def __post_init__(self) -> None:
        allowed = PAIRS.get(self.design, _SIDES)
        if not self.pairs or len({*self.pairs}) < len(self.pairs) or {*self.pairs} - {*allowed}:
            raise ValueError(
                f"the pairs of {self.design} must be different ones of {', '.join(allowed)}, "
                f"not {', '.join(self.pairs) or 'none'}"
            )
        if self.design == "A2" and len(self.pairs) != 2:
            raise ValueError(f"A2 needs two pairs, not {len(self.pairs)}")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> AvaForm:
        """The form that a card's options describe."""
        return cls(
            options["design"], tuple(options["pairs"]), bool(options["shared"]), options["peer"]
        )

    def options(self) -> dict[str, Any]:
        """The form's options in a card."""
        return {**asdict(self), "pairs": list(self.pairs)}

    def inputs(self, tokeniser: Any, rows: Sequence[Row], max_tokens: int) -> list[Readings]:
        """One input for each row and pair."""
        # Reserves one position for the state that the second pass receives.
        limit = max_tokens - (self.design == "A2" and self.peer != "cross")
        readings = []
        for pair in self.pairs:
            first, second = _SIDES[pair]
            texts = [(_side_text(row, first), _side_text(row, second)) for row in rows]
            readings.append(tokenise_pairs(tokeniser, texts, limit))
        return list(zip(*readings, strict=True))

    def reader(self, encoder: Any, lora_rank: int) -> tuple[torch.nn.Module, int]:
        """See `scorers.learned.model.Form`."""
        networks = late_import("scorers.learned.networks")
        width = int(encoder.config.hidden_size)
        if self.design != "A2":
            count = 1 if self.shared else len(self.pairs)
            instances = [networks.copy_encoder(encoder, lora_rank) for _ in range(count)]
            return networks.FirstStates(instances), width * len(self.pairs)
        second = networks.add_cross_attention(encoder) if self.peer == "cross" else encoder
        encoders = (second,) if self.shared else (encoder, encoder, second, second)
        instances = [networks.copy_encoder(one, lora_rank) for one in encoders]
        return networks.PeerReader(instances, self.peer), 4 * width


def _side_text(row: Row, letters: str) -> str:
    texts = {"q": row.question, "r": row.reference, "t": row.candidate}
    return " ".join(texts[letter] for letter in letters)


Vector = NDArray[np.float64]

_FOLDS = 5


@dataclass(frozen=True)
class LinearClassifier:
    """The probability of being correct: 1 / (1 + exp(slope * distance + offset)).

    The distance is `weights` . x + `bias`, with x and `weights` of shape (4,).
    """

    weights: Vector
    bias: float
    slope: float
    offset: float

    @classmethod
    def read(cls, folder: Path, card: CheckpointCard) -> LinearClassifier:
        """Load a checkpoint. Raises CheckpointError when that is impossible."""
        values = load_state(folder, card)["linear"].double().numpy()
        return cls(values[:4], float(values[4]), float(values[5]), float(values[6]))

    def values(self) -> Vector:
        """All parameters as one vector, as a checkpoint stores them."""
        return np.array([*self.weights, self.bias, self.slope, self.offset])

    def scores(
        self,
        rows: Sequence[Row],
        features: NDArray[np.float64],
        on_progress: Callable[[int], None] | None = None,
    ) -> Vector:
        """The probability of each row. `features` are not used."""
        return self.probabilities(similarities(rows))

    def highest_scores(self, features: NDArray[np.float64]) -> None:
        """Not known without the rows."""

    def probabilities(self, similarity: Vector) -> Vector:
        """The probabilities for similarities of shape (rows, 4)."""
        log_odds = -(self.slope * (similarity @ self.weights + self.bias) + self.offset)
        probabilities: Vector = 0.5 * (1 + np.tanh(log_odds / 2))
        return probabilities


def similarities(rows: Sequence[Row]) -> Vector:
    """x1 to x4 of each row, float64 of shape (rows, 4), each in [0, 1] (AVA, Section 5.1).

    x1: whether t includes s, the short answer; x2, x3, x4: sim-text of (r, t), (r, q), (q, t).
    For a row without a short answer, s is the reference.
    """
    values = np.zeros((len(rows), 4))
    for index, row in enumerate(rows):
        values[index] = (
            is_included(row.short_answer or row.reference, row.candidate),
            sim_text(row.reference, row.candidate),
            sim_text(row.reference, row.question),
            sim_text(row.question, row.candidate),
        )
    return values


def fit_linear(similarity: Vector, correct: NDArray[np.bool_], seed: int) -> LinearClassifier:
    """Train on similarities of shape (rows, 4) and verdicts of shape (rows,).

    Uses scikit-learn's linear SVM with Platt scaling by five-fold cross-validation. Raises
    TrainingError with fewer than five correct or five wrong answers.
    """
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import StratifiedKFold
    from sklearn.svm import LinearSVC

    if min(int(correct.sum()), int((~correct).sum())) < _FOLDS:
        raise TrainingError(
            f"the linear classifier needs at least {_FOLDS} correct and {_FOLDS} wrong answers: "
            "give more data"
        )
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    classifier = LinearSVC(dual=False, random_state=seed)
    calibrated = CalibratedClassifierCV(classifier, method="sigmoid", cv=folds, ensemble=False)
    calibrated.fit(similarity, correct)
    (fitted,) = calibrated.calibrated_classifiers_
    (platt,) = fitted.calibrators
    return LinearClassifier(
        weights=np.asarray(fitted.estimator.coef_[0], dtype=np.float64),
        bias=float(fitted.estimator.intercept_[0]),
        slope=float(platt.a_),
        offset=float(platt.b_),
    )


class Ava(LearnedMetric):
    """See the module."""

    kind = AVA
    rating = False

    info = MetricInfo(
        title="AVA",
        summary="Probability that the candidate answers the question, by a trained network.",
        family="learned from ratings",
        range=(0.0, 1.0),
        needs=frozenset({"question"}),
    )

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(spec)
        if self.multi_ref == "max" and spec.options["references"] == "mean":
            raise MetricError(
                f"{self.name} averages over the references, but multi_ref max takes the best "
                "one: choose multi_ref joint, or leave out references=mean"
            )

    @property
    def combination(self) -> Combine:
        if self.multi_ref == "max":
            return "max"
        method: str = self.spec.options["references"]
        if method == _FROM_CARD:
            method = self.card.options.get("combine", "mean")
        return "max" if method == "max" else "mean"

    def settings(self) -> dict[str, str]:
        settings = {**super().settings(), "references": self.combination}
        if self.card.options["design"] == LINEAR:
            # Earlier versions scored without the short answer.
            settings["reads"] = "short-answer"
        return settings

    @property
    def threshold(self) -> float:
        """The probability from which an answer counts as correct, tuned on the dev answers."""
        return float(self.card.figures["dev threshold"])

    def form(self, options: Mapping[str, Any]) -> AvaForm:
        return AvaForm.of(options)

    def open(self, device: Device) -> Scorer:
        if self.card.options["design"] == LINEAR:
            return LinearClassifier.read(self.folder, self.card)
        return super().open(device)


_REFERENCES = choice(
    _FROM_CARD,
    "mean",
    "max",
    help="the score with several references under joint: their mean, as in the paper, the best"
    " (max), or as in the checkpoint's training (card)",
)

REGISTRATIONS = (Registration(AVA, Ava, {**checkpoint_options(AVA), "references": _REFERENCES}),)
