"""AEv(alpha, N) as a metric (Soricut and Brill, 2004): from recall to precision, from words to
four-grams.

`alpha` goes from 0 (recall RS only, for guidelines that ask for content alone) to 1 (precision PS
only, for guidelines that punish every extraneous word); `n`, from 1 to 4, is the longest n-gram
(the more faithful to its source an answer must be, the longer). The formulas are in `family`.

Options: `brevity` (B, default 1) and `wordiness` (W, default 2), "inf" for no penalty; `penalty`,
the wordiness penalty `intended` or `printed`; `weights`, relative weights of the orders such as
1/2/1, by default equal; `stems`, Porter's by default; `stops=closed-class`, which leaves out the
stop words in `words`; `short`, how an order longer than a text counts, `skip` or `zero`; `tokens`.
The paper's experiments left out a list of 626 stop words that is not available. By default every
word counts here, because short answers may consist of stop words alone.

Input: a candidate and its references. Range [0, 1]; higher is better. With joint references an
n-gram's count is clipped at its highest in any reference for P(n); R(n) sums matches and n-grams
over the references; |r| is the length closest to the candidate's. Lengths are in counted words.
An item without a match of some order up to `n` scores 0.0, and so does an empty candidate or an
empty reference; a text of stop words alone becomes empty when they are left out. The corpus-level
value sums the counts over the items first, as the paper does.

Members: `aev(alpha=1,n=4,stems=none,short=zero)` at corpus level is BLEU;
`aev(alpha=0,n=1,stems=none,wordiness=inf)` is ROUGE-1's recall.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from concord.metrics.metric import MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Option, Registration, choice
from concord.metrics.signature import installed_version
from scorers.aev.counts import NgramCounts, count_texts
from scorers.aev.family import Formula, aev
from scorers.aev.preparation import TextPreparation
from scorers.batch import Batch, Services
from scorers.errors import MetricError
from scorers.ngrams import MAX_ORDER, Integers
from scorers.options import parse_number
from scorers.tokens import TOKENS, CocoMetric

# Bounds the length of the metric's name and signature.
_MAX_CHARACTERS = 8


class Aev(CocoMetric):
    """AEv(alpha, N); see the module."""

    def __init__(self, spec: MetricSpec) -> None:
        options = spec.options
        self.alpha: float = options["alpha"]
        self.order: int = options["n"]
        self.preparation = TextPreparation(options["tokens"], options["stems"], options["stops"])
        self.formula = Formula(
            brevity=options["brevity"],
            wordiness=options["wordiness"],
            penalty=options["penalty"],
            short=options["short"],
            weights=options["weights"],
        )
        try:
            self.formula.weights_up_to(self.order)
        except ValueError as error:
            raise MetricError(f"{spec.name}: {error}") from error
        super().__init__(
            spec,
            MetricInfo(
                title=f"AEv({_write_number(self.alpha)}, {self.order})",
                summary=(
                    f"Precision and recall of stemmed n-grams up to order {self.order}, "
                    f"balanced at {_write_number(self.alpha)} between recall (0) and precision (1)."
                ),
                family="n-gram overlap",
                range=(0.0, 1.0),
                has_corpus_score=True,
            ),
        )

    def settings(self) -> dict[str, str]:
        """The options, and two fixed choices that the paper leaves open."""
        options = {
            name: option.write(self.spec.options[name]) for name, option in sorted(_OPTIONS.items())
        }
        return {**options, "reflen": "closest", "stopped": "before-ngrams"}

    def versions(self) -> dict[str, str]:
        stemmer = {"nltk": installed_version("nltk")} if self.preparation.stems != "none" else {}
        return super().versions() | stemmer

    def compare(self, batch: Batch) -> Scores:
        return aev(self.counts(batch), self.alpha, self.order, self.formula)

    def counts(self, batch: Batch) -> NgramCounts:
        """The counts of each comparison, computed once for all members of the family."""
        return batch.shared(
            ("aev counts", self.preparation), lambda: count_texts(self.preparation.texts(batch))
        )

    def corpus_statistics(self, batch: Batch) -> Integers:
        """Summed counts: shape (18,)."""
        summed: Integers = self.counts(batch).table.sum(axis=0)
        return summed

    def aggregate(self, parts: Sequence[Integers], services: Services) -> float:
        summed = NgramCounts(np.sum(parts, axis=0))
        return float(aev(summed, self.alpha, self.order, self.formula))


def _number(
    default: float, is_valid: Callable[[float], bool], requirement: str, help: str
) -> Option:
    def parse(text: str) -> float:
        value = math.inf if text == "inf" else parse_number(text)
        if value is None or not is_valid(value):
            raise ValueError(f"must be {requirement}, not {text!r}")
        return _check_length(value)

    return Option(default, parse, _write_number, help)


def _write_number(value: float) -> str:
    """The shortest decimal that reads back as the value."""
    return repr(value).removesuffix(".0")


def _check_length(value: float) -> float:
    """Raises ValueError for a value whose text is too long for a name or a signature."""
    if len(_write_number(value + 0.0)) > _MAX_CHARACTERS:
        raise ValueError(f"must have at most {_MAX_CHARACTERS} characters")
    return value + 0.0  # -0 is 0


def _parse_order(text: str) -> int:
    if text not in map(str, range(1, MAX_ORDER + 1)):
        raise ValueError(f"must be from 1 to {MAX_ORDER}, not {text!r}")
    return int(text)


def _parse_weights(text: str) -> tuple[float, ...] | None:
    if text == "equal":
        return None
    read = [parse_number(part) for part in text.split("/")]
    weights = tuple(value for value in read if value is not None)
    if len(weights) < len(read):
        raise ValueError(f"must be equal, or numbers such as 1/2/1, not {text!r}")
    return tuple(map(_check_length, weights))


def _write_weights(weights: tuple[float, ...] | None) -> str:
    return "equal" if weights is None else "/".join(map(_write_number, weights))


# The defaults of alpha and n give the plain F1 of words. The paper found AEv(0.3, 2) best for
# answers to complex questions.
_OPTIONS = {
    "alpha": _number(
        0.5,
        lambda value: 0 <= value <= 1,
        "from 0 to 1",
        "from 0, recall only, to 1, precision only",
    ),
    "n": Option(1, _parse_order, help=f"the longest n-gram, from 1 to {MAX_ORDER}"),
    "brevity": _number(
        1.0,
        lambda value: value > 0,
        "above 0",
        "B, the strength of the penalty for short answers; inf: no penalty",
    ),
    "wordiness": _number(
        2.0,
        lambda value: value > 0,
        "above 0",
        "W, the strength of the penalty for long answers; inf: no penalty",
    ),
    "penalty": choice(
        "intended",
        "printed",
        help="the wordiness penalty: as the paper's text intends it, or as its formula prints it",
    ),
    "weights": Option(
        None,
        _parse_weights,
        _write_weights,
        "the relative weight of each order, such as 1/2/1, or equal",
    ),
    "stems": choice("porter", "none", help="compare Porter's stems of words, or the words"),
    "stops": choice(
        "none", "closed-class", help="count every word, or leave out closed-class words"
    ),
    "short": choice(
        "skip", "zero", help="an order longer than a text: skip it, or let it count as 0"
    ),
    **TOKENS,
}
REGISTRATIONS = (Registration("aev", Aev, _OPTIONS),)
