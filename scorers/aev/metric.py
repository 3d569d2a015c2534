"""AEv(alpha, N) as a metric (Soricut and Brill, 2004): from recall to precision, from words to
four-grams.

`alpha` goes from 0 (recall RS only, for guidelines that ask for content alone) to 1 (precision PS
only, for guidelines that punish every extraneous word); `n`, from 1 to 4, is the longest n-gram
(the more faithful to its source an answer must be, the longer). The formulas are in `family`.

Options: `brevity` (B, default 1) and `wordiness` (W, default 2), "inf" for no penalty; `penalty`,
the wordiness penalty `intended` or `printed`; `weights`, relative weights of the orders such as
1/2/1, by default equal; `stems`, Porter's by default; `stops=closed-class`, which leaves out the
list of `words` (the paper's experiments did so with a list of 626 words that is not to be had; by
default every word counts, since short answers may be nothing but stop words); `short`, what
becomes of orders longer than a text: `skip` them, or `zero`; `tokens`.

Input: a candidate and its references. Range [0, 1]; higher is better. With joint references an
n-gram's count is clipped at its highest in any reference for P(n); R(n) sums matches and n-grams
over the references; |r| is the length closest to the candidate's. Lengths are in words counted.
An item without a match of some order up to `n` scores 0.0; so does an empty candidate, and any
candidate against an empty reference; leaving out stop words may have emptied either. The
corpus-level value sums the counts over the items first, as the paper does.

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
from scorers.aev.counts import Counts, counts_of
from scorers.aev.family import Form, aev
from scorers.aev.preparation import Preparation
from scorers.batch import Batch
from scorers.coco import TOKENS, CocoMetric
from scorers.errors import MetricError
from scorers.ngrams import MAX_ORDER, Integers
from scorers.services import Services

# So that a metric's name and signature keep within the columns that hold them.
_MOST_CHARACTERS = 8


class Aev(CocoMetric):
    """AEv(alpha, N); see the module."""

    def __init__(self, spec: MetricSpec) -> None:
        options = spec.options
        self.alpha: float = options["alpha"]
        self.order: int = options["n"]
        self.preparation = Preparation(options["tokens"], options["stems"], options["stops"])
        self.form = Form(
            brevity=options["brevity"],
            wordiness=options["wordiness"],
            penalty=options["penalty"],
            short=options["short"],
            weights=options["weights"],
        )
        try:
            self.form.weights_up_to(self.order)
        except ValueError as error:
            raise MetricError(f"{spec.name}: {error}") from error
        super().__init__(
            spec,
            MetricInfo(
                title=f"AEv({_text(self.alpha)}, {self.order})",
                summary=(
                    f"Precision and recall of stemmed n-grams up to order {self.order}, "
                    f"balanced at {_text(self.alpha)} between recall (0) and precision (1)."
                ),
                family="n-gram overlap",
                range=(0.0, 1.0),
                has_corpus_score=True,
            ),
        )

    def settings(self) -> dict[str, str]:
        """The options, and the two choices that the paper leaves open and no option changes."""
        written = {
            name: option.write(self.spec.options[name]) for name, option in sorted(_OPTIONS.items())
        }
        return {**written, "reflen": "closest", "stopped": "before-ngrams"}

    def versions(self) -> dict[str, str]:
        stemmer = {"nltk": installed_version("nltk")} if self.preparation.stems != "none" else {}
        return super().versions() | stemmer

    def compare(self, batch: Batch) -> Scores:
        return aev(self.counts(batch), self.alpha, self.order, self.form)

    def counts(self, batch: Batch) -> Counts:
        """The counts of each comparison, once for all members of the family."""
        return batch.shared(
            ("aev counts", self.preparation), lambda: counts_of(self.preparation.texts(batch))
        )

    def corpus_statistics(self, batch: Batch) -> Integers:
        """Summed counts: shape (18,)."""
        summed: Integers = self.counts(batch).table.sum(axis=0)
        return summed

    def aggregate(self, parts: Sequence[Integers], services: Services) -> float:
        summed = Counts(np.sum(parts, axis=0))
        return float(aev(summed, self.alpha, self.order, self.form))


def _number(default: float, allowed: Callable[[float], bool], what: str, help: str) -> Option:
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not allowed(value):
            raise ValueError(f"must be {what}, not {text!r}")
        return _short(value)

    return Option(default, parse, _text, help)


def _text(value: float) -> str:
    """The shortest decimal that reads back as the value."""
    return repr(value).removesuffix(".0")


def _short(value: float) -> float:
    """The value, if its text is short: it becomes part of a name and of a signature."""
    if len(_text(value + 0.0)) > _MOST_CHARACTERS:
        raise ValueError(f"takes numbers of {_MOST_CHARACTERS} characters at most")
    return value + 0.0  # -0 is 0


def _parse_order(text: str) -> int:
    if text not in map(str, range(1, MAX_ORDER + 1)):
        raise ValueError(f"must be from 1 to {MAX_ORDER}, not {text!r}")
    return int(text)


def _parse_weights(text: str) -> tuple[float, ...] | None:
    if text == "equal":
        return None
    try:
        weights = tuple(float(part) for part in text.split("/"))
    except ValueError as error:
        raise ValueError(f"must be equal, or numbers such as 1/2/1, not {text!r}") from error
    return tuple(map(_short, weights))


def _write_weights(weights: tuple[float, ...] | None) -> str:
    return "equal" if weights is None else "/".join(map(_text, weights))


# The defaults of alpha and n make the plain F1 of words. The paper's pick for answers to complex
# questions, AEv(0.3, 2), is asked for by its numbers.
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
