"""The share of each system's answers that are correct, from few labels and a judge that errs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from concord.arrays import Booleans, Floats, Integers
from concord.estimation import EstimationSample, SystemEstimate, estimate_systems
from concord.estimation.estimates import MIN_OF_EACH
from concord.inference import Estimate, design_effect
from concord.judges.corrected_rates import corrected_rate
from concord.judges.graded_scores import FOLDS, cluster_folds
from concord.meta.correctness import tune_by_youden


@dataclass(frozen=True)
class SystemRate:
    """The share of one system's answers that people find correct.

    labelled, unlabelled: its answers. raw: the share that the judge accepts. corrected: by the
    judge's true positive and negative rates on this system (Rogan and Gladen). powered: by PPI++.
    plain: of the labelled answers alone; of a system without unlabelled answers, all three are
    this. tpr, tnr: the judge's rates, None without such answers.
    """

    system: str
    labelled: int
    unlabelled: int
    raw: float
    corrected: Estimate
    powered: Estimate
    plain: Estimate
    tpr: float | None
    tnr: float | None


@dataclass(frozen=True)
class SystemRates:
    """systems: in the order of their names. tpr_p, tnr_p: p-values of H0 "the judge's rate is the
    same for all systems", None where it cannot be tested. Where they differ, rates that are pooled
    over systems bias the estimate of each."""

    systems: list[SystemRate]
    tpr_p: float | None
    tnr_p: float | None


def system_rates(
    accepted: Booleans,
    correct: Floats,
    systems: Integers,
    clusters: Integers,
    names: tuple[str, ...],
) -> SystemRates:
    """The corrected rates of each system.

    accepted: (n,), the judge's verdicts. correct: people's, 1 or 0, NaN for answers that they did
    not label, which must be a random sample of passages. systems: codes of `names`, none is -1.
    clusters: passages. The target is this set: labelled answers count as they are.
    """
    powered = estimate_systems(
        EstimationSample(
            outcomes=correct,
            scores=accepted[:, None].astype(np.float64),
            systems=systems,
            passages=clusters,
            names=names,
            metrics=("judge",),
        )
    )
    rows = []
    for code, name in enumerate(names):
        mask = systems == code
        estimate = powered[code]
        labelled = int(np.isfinite(correct[mask]).sum())
        plain = _figure(estimate.plain_mean, estimate.plain_ci, estimate.reason)
        corrected = plain
        if labelled < mask.sum():
            rate = clustered_corrected_rate(accepted[mask], correct[mask], clusters[mask])
            corrected = _of_the_set(rate, correct[mask])
        rows.append(
            SystemRate(
                system=name,
                labelled=labelled,
                unlabelled=int(mask.sum()) - labelled,
                raw=float(accepted[mask].mean()),
                corrected=corrected,
                powered=_powered(estimate, accepted[mask], correct[mask]),
                plain=plain,
                tpr=_share(accepted[mask & (correct == 1)]),
                tnr=_share(~accepted[mask & (correct == 0)]),
            )
        )
    is_correct, is_wrong = correct == 1, correct == 0
    return SystemRates(
        rows,
        equality_p(accepted[is_correct], systems[is_correct], clusters[is_correct]),
        equality_p(~accepted[is_wrong], systems[is_wrong], clusters[is_wrong]),
    )


def clustered_corrected_rate(accepted: Booleans, correct: Floats, clusters: Integers) -> Estimate:
    """`corrected_rate` of these answers without a label, which may depend on each other.

    The judge's two rates count as many independent answers as have their variance: the counts are
    divided by the design effect, the clustered variance over the binomial one, at least 1 (Rao and
    Scott 1992). The share of accepted answers is known for all answers; given which are correct,
    only the judge's errors make it vary, by p (1 - p) - (p + TNR - 1) (TPR - p) an answer in place
    of p (1 - p), with the design effect of the errors. Arguments as in `system_rates`, of one
    system. Raises ValueError where every answer is labelled.
    """
    unlabelled, is_correct, is_wrong = np.isnan(correct), correct == 1, correct == 0
    correct_accepted, n_correct = _effective(accepted[is_correct], clusters[is_correct])
    wrong_rejected, n_wrong = _effective(~accepted[is_wrong], clusters[is_wrong])
    # One more success and failure, so that no share is 0 or 1.
    tpr, tnr = (correct_accepted + 1) / (n_correct + 2), (wrong_rejected + 1) / (n_wrong + 2)
    size, judged_correct = int(unlabelled.sum()), int(accepted[unlabelled].sum())
    p = (judged_correct + 1) / (size + 2)
    of_errors = p * (1 - p) - max(0.0, p + tnr - 1) * max(0.0, tpr - p)
    labelled = len(correct) - size
    factor = p * (1 - p) / of_errors * (n_correct + n_wrong) / max(1, labelled)
    return corrected_rate(
        judged_correct=judged_correct * factor,
        judged=size * factor,
        correct_accepted=correct_accepted,
        correct=n_correct,
        wrong_rejected=wrong_rejected,
        wrong=n_wrong,
    )


def verdicts_out_of_fold(scores: Floats, correct: Floats, clusters: Integers) -> Booleans:
    """A judge's verdicts (n,): whether its score reaches the threshold of the labelled answers to
    other passages.

    scores: finite, higher is better. correct: 1 or 0, NaN without a label. The threshold maximises
    TPR + TNR - 1; an unlabelled answer has that of all labelled ones. Raises ValueError where
    people gave one verdict only.
    """
    labelled = np.isfinite(correct)
    verdicts = scores >= tune_by_youden(scores[labelled], correct[labelled] == 1)
    fold = cluster_folds(clusters)
    for number in range(FOLDS):
        test = labelled & (fold == number)
        train = labelled & (fold != number)
        if test.any() and len(np.unique(correct[train])) == 2:
            verdicts[test] = scores[test] >= tune_by_youden(scores[train], correct[train] == 1)
    return np.asarray(verdicts)


def equality_p(hits: Booleans, systems: Integers, clusters: Integers) -> float | None:
    """P-value of H0 "the share of hits is the same in every system", clustered by passage.

    Wald's test of the differences from the first system with cluster-robust covariances, which
    systems with shared passages have; F with (systems - 1, clusters - systems + 1) degrees of
    freedom. None with fewer than two systems with answers, too few clusters, or no variation.
    """
    names, code = np.unique(systems, return_inverse=True)
    groups, cluster = np.unique(clusters, return_inverse=True)
    k, g = len(names), len(groups)
    if k < 2 or g <= k:
        return None
    n = np.bincount(code)
    shares = np.bincount(code, weights=hits) / n
    influence = np.zeros((g, k))
    np.add.at(influence, (cluster, code), (hits - shares[code]) / n[code])
    covariance = g / (g - 1) * influence.T @ influence
    contrast = np.hstack([-np.ones((k - 1, 1)), np.eye(k - 1)])
    difference, spread = contrast @ shares, contrast @ covariance @ contrast.T
    if np.linalg.matrix_rank(spread) < k - 1:
        return None
    wald = float(difference @ np.linalg.solve(spread, difference))
    statistic = wald * (g - k + 1) / ((g - 1) * (k - 1))
    return float(scipy.special.fdtrc(k - 1, g - k + 1, statistic))


def _effective(hits: Booleans, clusters: Integers) -> tuple[float, float]:
    """(hits, answers), each divided by the design effect."""
    n = len(hits)
    if n == 0:
        return 0.0, 0.0
    effect = design_effect(hits.astype(np.float64), clusters)
    return float(hits.sum()) / effect, n / effect


def _of_the_set(rate: Estimate, correct: Floats) -> Estimate:
    """The rate of all answers: the labelled ones as people found them, the others corrected."""
    labelled = np.isfinite(correct)
    known, share = float(correct[labelled].sum()) / len(correct), float(labelled.mean())
    return rate.transformed(lambda corrected: known + (1 - share) * corrected)


def _powered(estimate: SystemEstimate, accepted: Booleans, correct: Floats) -> Estimate:
    """The prediction-powered rate; without an interval where the judge's errors are too few to tell
    how many it makes on the other answers."""
    errors = int(np.count_nonzero(np.isfinite(correct) & (accepted != correct)))
    if estimate.method == "prediction-powered" and errors < MIN_OF_EACH:
        reason = f"only {errors} errors of the judge are known: label more answers"
        return _figure(estimate.mean, None, reason)
    return _figure(estimate.mean, estimate.ci, estimate.reason)


def _share(hits: Booleans) -> float | None:
    return float(hits.mean()) if len(hits) else None


def _figure(value: float | None, ci: tuple[float, float] | None, reason: str) -> Estimate:
    """An estimated mean as a rate, cut to [0, 1]."""
    low, high = ci or (None, None)
    estimate = Estimate(value, low, high, reason=reason)
    return estimate.transformed(lambda one: min(1.0, max(0.0, one)))
