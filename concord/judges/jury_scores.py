"""The verdicts of a jury as scores, which stand on a leaderboard like those of any metric."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.documents.jury import JuryRule
from concord.inference import MIN_CLUSTERS
from concord.judges.graded_scores import FOLDS, cluster_folds, fitted_line
from concord.judges.jury import MAX_JUDGES
from concord.judges.jury_rules import (
    CATEGORY_RULES,
    Votes,
    fitted_weights,
    grade_rules,
    unsupervised_verdicts,
    unsupervised_votes,
    weighted_votes,
)
from concord.judges.labels import is_on_scale
from concord.metrics.signature import format_signature, installed_version
from concord.reliability import RatingsError
from concord.sentences import counted

MAX_NAMES = 200
"""Characters of the judges' names in a signature; longer lists are a hash of them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JuryOptions:
    """How several judges become one.

    scale: people's scale of grades; a judge whose answers are not on it has grades by a straight
    line. fit: (n,), the items whose labels may be used, None for all; `fit_name` is their name in
    the signature. seed: of the choice among labels that share the first place.
    """

    rule: JuryRule
    graded: bool
    scale: tuple[float, float] | None = None
    fit: Booleans | None = None
    fit_name: str = "all"
    seed: int = 0


@dataclass(frozen=True, eq=False)
class JuryScores:
    """values: (n,), grades or codes of categories, NaN where a judge has no answer. ties: items
    where several labels share the first place, of which a random one is the verdict."""

    values: Floats
    ties: int
    signature: str


def jury_scores(
    judges: Mapping[str, Floats], gold: Floats, clusters: Integers, options: JuryOptions
) -> JuryScores:
    """One verdict of several judges about each item; arrays as of `jury_report`.

    Weights, and lines of judges on another scale, are fitted in FOLDS groups of passages, each on
    the others: the labels of a passage never make the scores of its own items. The other rules use
    no labels. The signature names the judges, the rule, how it was fitted, and a hash of the
    answers and of the labels in use. Raises RatingsError for a rule that these answers do not
    allow, fewer than two judges or more than MAX_JUDGES, and fewer than MIN_CLUSTERS passages to
    fit on.
    """
    if not 2 <= len(judges) <= MAX_JUDGES:
        raise RatingsError(f"a jury has 2 to {MAX_JUDGES} judges; there are {len(judges)}")
    table = np.stack(list(judges.values()))
    rows = np.flatnonzero(np.isfinite(table).all(axis=0))
    if not len(rows):
        raise RatingsError("no item has an answer of every judge")
    usable = np.isfinite(gold) if options.fit is None else np.isfinite(gold) & options.fit
    labels = np.where(usable, gold, np.nan)[rows]
    jury = _Jury.of(table[:, rows], labels, clusters[rows], options)
    values = np.full(len(gold), np.nan)
    values[rows], ties = jury.verdicts()
    fields = {
        "judges": _names(list(judges)),
        "rule": options.rule,
        "fit": f"{options.fit_name} in {FOLDS} folds" if jury.is_fitted else "none",
        "data": jury.digest(),
        "seed": str(options.seed),
        "version": installed_version("concord-judgments"),
    }
    return JuryScores(values, ties, format_signature("jury", fields))


@dataclass(frozen=True, eq=False)
class _Jury:
    """answers: (judges, n), without NaN. gold: (n,), NaN where it is not used. others: the judges
    whose answers are not on the scale."""

    answers: Floats
    gold: Floats
    clusters: Integers
    options: JuryOptions
    others: list[int]

    @classmethod
    def of(cls, answers: Floats, gold: Floats, clusters: Integers, options: JuryOptions) -> _Jury:
        """Raises RatingsError for a rule that the answers do not allow."""
        scale, others = options.scale, []
        if scale is not None:
            others = [j for j, one in enumerate(answers) if not is_on_scale(one, scale)]
        allowed = grade_rules(answers, is_continuous=bool(others))
        if not options.graded:
            allowed = CATEGORY_RULES
        if options.rule not in allowed:
            names = ", ".join(allowed)
            raise RatingsError(f"these answers allow the rules {names}, not {options.rule}")
        return cls(answers, gold, clusters, options, others)

    @property
    def is_fitted(self) -> bool:
        """Whether labels of people make the verdicts."""
        return self.options.rule == "weighted" or bool(self.others)

    def verdicts(self) -> tuple[Floats, int]:
        """(values, ties) as of `JuryScores`. Raises RatingsError for too few passages."""
        rng = np.random.default_rng(self.options.seed)
        if not self.is_fitted:
            return self._one_verdict(self.answers, np.ones(len(self.answers)), rng)
        usable = np.isfinite(self.gold)
        passages = len(np.unique(self.clusters[usable]))
        if passages < MIN_CLUSTERS:
            raise RatingsError(
                f"{counted(passages, 'passage has', 'passages have')} labels to fit on and answers "
                f"of every judge; {MIN_CLUSTERS} are needed"
            )
        fold = cluster_folds(self.clusters)
        values, ties = np.empty(len(self.gold)), 0
        for number in np.unique(fold):
            own, train = fold == number, usable & (fold != number)
            answers, weights = self._on_scale(train), np.ones(len(self.answers))
            if self.options.rule == "weighted":
                labels, graded = self.gold[train], self.options.graded
                weights = fitted_weights(answers[:, train], labels, graded=graded)
            values[own], tied = self._one_verdict(answers[:, own], weights, rng)
            ties += tied
        return values, ties

    def _one_verdict(
        self, answers: Floats, weights: Floats, rng: np.random.Generator
    ) -> tuple[Floats, int]:
        rule = self.options.rule
        if self.options.graded and rule in ("mean", "weighted"):
            return weights @ answers / weights.sum(), 0
        if self.options.graded:
            # Labels of people do not change verdicts that are grades.
            unknown = np.full(answers.shape[1], np.nan)
            verdicts = unsupervised_verdicts(rule, answers, unknown, graded=True)
            return verdicts.values, int(np.count_nonzero(verdicts.tied))
        votes: Votes
        if rule == "weighted":
            votes = weighted_votes(answers, weights)
        else:
            votes = unsupervised_votes(rule, answers)
        return votes.drawn(rng), int(np.count_nonzero(votes.is_first.sum(axis=1) > 1))

    def _on_scale(self, train: Booleans) -> Floats:
        """The answers, those of judges on another scale by a line of the items `train`."""
        answers = self.answers.copy()
        for j in self.others:
            grades = fitted_line(answers[j, train], self.gold[train])(answers[j])
            answers[j] = np.clip(grades, *self.options.scale or (-np.inf, np.inf))
        return answers

    def digest(self) -> str:
        """A hash of all that changes the verdicts, 16 hexadecimal digits."""
        digest = hashlib.blake2b(self.answers.astype("<f8").tobytes(), digest_size=8)
        if self.is_fitted:
            passages = np.unique(self.clusters, return_inverse=True)[1]
            digest.update(self.gold.astype("<f8").tobytes())
            digest.update(passages.astype("<i8").tobytes())
            digest.update(repr(self.options.scale).encode())
        return digest.hexdigest()


def _names(judges: list[str]) -> str:
    names = "+".join(judges)
    if len(names) <= MAX_NAMES:
        return names
    return f"{len(judges)} judges {hashlib.blake2b(names.encode(), digest_size=8).hexdigest()}"
