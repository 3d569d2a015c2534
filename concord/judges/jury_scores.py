"""The verdicts of a jury as scores, which stand on a leaderboard like those of any metric."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference import MIN_CLUSTERS
from concord.judges.graded_scores import FOLDS, cluster_folds
from concord.judges.jury import check_judges
from concord.judges.jury_rules import JuryRule, decide, fitted_weights, rules_for
from concord.metrics.signature import format_signature, installed_version
from concord.reliability import RatingsError
from concord.sentences import counted

MAX_NAMES = 200
"""Characters of the judges' names in a signature; longer lists are a hash of them."""


@dataclass(frozen=True, eq=False)
class JuryScores:
    """values: (n,), grades or codes of categories, NaN where a judge has no answer. ties: items
    where several labels share the first place, of which a random one is the verdict."""

    values: Floats
    ties: int
    signature: str


def jury_scores(
    judges: Mapping[str, Floats],
    gold: Floats,
    clusters: Integers,
    *,
    rule: JuryRule,
    graded: bool,
    seed: int = 0,
) -> JuryScores:
    """One verdict of several judges about each item; arrays as of `jury_report`.

    Weights are fitted in FOLDS groups of passages, each on the others: the labels of a passage
    never make the scores of its own items. The other rules use no labels. seed: of the choice among
    labels that share the first place. The signature names the judges, the rule, how it was fitted,
    and a hash of the answers and of the labels in use. Raises RatingsError for a rule that these
    answers do not allow, a number of judges that is not allowed, and fewer than MIN_CLUSTERS
    passages to fit on.
    """
    check_judges(judges)
    table = np.stack(list(judges.values()))
    rows = np.flatnonzero(np.isfinite(table).all(axis=0))
    if not len(rows):
        raise RatingsError("no item has an answer of every judge")
    answers, labels, passages = table[:, rows], gold[rows], clusters[rows]
    allowed = rules_for(answers, graded=graded)
    if rule not in allowed:
        raise RatingsError(f"these answers allow the rules {', '.join(allowed)}, not {rule}")
    digest = hashlib.blake2b(answers.astype("<f8").tobytes(), digest_size=8)
    rng, ties = np.random.default_rng(seed), 0
    fold, usable = np.zeros(len(rows), dtype=np.int64), np.isfinite(labels)
    if rule == "weighted":
        n = len(np.unique(passages[usable]))
        if n < MIN_CLUSTERS:
            raise RatingsError(
                f"{counted(n, 'passage has', 'passages have')} labels to fit on and answers of "
                f"every judge; {MIN_CLUSTERS} are needed"
            )
        fold = cluster_folds(passages)
        digest.update(labels.astype("<f8").tobytes())
        digest.update(np.unique(passages, return_inverse=True)[1].astype("<i8").tobytes())
    values = np.full(len(gold), np.nan)
    for number in np.unique(fold):
        own, train = fold == number, usable & (fold != number)
        weights = None
        if rule == "weighted":
            weights = fitted_weights(answers[:, train], labels[train], graded=graded)
        verdicts = decide(rule, answers[:, own], graded=graded, weights=weights)
        values[rows[own]] = verdicts.grades if graded else verdicts.drawn(rng)
        ties += int(np.count_nonzero(verdicts.tied))
    names = "+".join(judges)
    if len(names) > MAX_NAMES:
        hashed = hashlib.blake2b(names.encode(), digest_size=8).hexdigest()
        names = f"{len(judges)} judges {hashed}"
    fields = {
        "judges": names,
        "rule": rule,
        "fit": f"all in {FOLDS} folds" if rule == "weighted" else "none",
        "data": digest.hexdigest(),
        "seed": str(seed),
        "version": installed_version("concord-judgments"),
    }
    return JuryScores(values, ties, format_signature("jury", fields))
