"""What a judgment set shows, in sentences, for the set's first page, reports and the API.

Each function reads documents of `concord.documents` and computes no figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from concord.documents.agreement import RatingsAlpha
from concord.documents.comparison import CorrelationRow, MetricName
from concord.documents.findings import (
    Evidence,
    FindingHeadline,
    FindingRow,
    GroupAlphaRow,
    Topic,
)
from concord.documents.human_agreement import People
from concord.inference import Estimate
from concord.metrics.signature import variant_suffix
from concord.sampling.plans import RulePlan
from concord.sampling.stopping import StoppingRule
from concord.sentences import counted, decimal, interval_text, to_sentence

# Krippendorff (2004, p. 241): the least alpha for tentative and for firm conclusions.
TENTATIVE, RELIABLE = 0.667, 0.8
# A metric with a lower correlation explains less than 4% of the variance of people's scores.
MIN_CORRELATION = 0.2
MAX_NAMES = 4
# A sampling rule that saves fewer ratings than a twentieth is not named.
MAX_SHARE = 0.95


class ComparedRow(MetricName, CorrelationRow):
    """A metric of a comparison: `concord.compare`'s, or that of a stored set."""


def group_alpha(group: str, report: RatingsAlpha) -> GroupAlphaRow:
    """The alpha of a group of raters out of its agreement report."""
    row: GroupAlphaRow = {
        "group": group,
        "level": report["level"],
        "units": report["units"],
        "ratings": report["ratings"],
        "alpha": report["alpha"],
        "ci": report["ci"],
    }
    if reason := report.get("reason"):
        row["reason"] = reason
    return row


def agreement_findings(
    alphas: Sequence[GroupAlphaRow], people: People | None = None, criterion: str = ""
) -> list[FindingRow]:
    """How far the raters of each group agree, and what that means for their ratings. criterion: on
    which they rate, if it has a name."""
    reliability = {
        row["group"]: row["reliability"]["value"]
        for row in (people["groups"] if people else ())
        if "reliability" in row
    }
    return [_agreement(row, reliability.get(row["group"]), criterion) for row in alphas]


def _agreement(row: GroupAlphaRow, reliability: float | None, criterion: str) -> FindingRow:
    name = f" of the group “{row['group']}”" if row["group"] else ""
    on = f" on “{criterion}”" if criterion else ""
    if row["alpha"] is None:
        reason = row.get("reason", "there are too few ratings")
        text = f"How far the raters{name} agree{on} is undefined: {reason.rstrip('.')}."
        return _finding("agreement", text, "ratings", missing=True)
    interval = "no interval" if row["ci"] is None else f"95% interval {interval_text(row['ci'], 2)}"
    meaning = alpha_meaning(row["alpha"], row["ci"])
    text = (
        f"The raters{name} agree{on} with a Krippendorff's alpha of {decimal(row['alpha'], 2)} "
        f"({interval}; {row['level']}, {counted(row['ratings'], 'rating')}). "
        f"{meaning}"
    )
    if reliability is not None:
        text += (
            " The mean of an answer's ratings is steadier: that of as many other raters would "
            f"correlate with it at {decimal(reliability, 2)}."
        )
    return _finding(
        "agreement",
        text,
        "ratings" if reliability is None else "agreement",
        _headline(
            f"{row['group']} {decimal(row['alpha'], 2)}".strip(),
            f"Krippendorff's alpha{on}. {meaning}",
            row["alpha"],
            row["ci"],
        ),
    )


def alpha_meaning(alpha: float, ci: Sequence[float] | None) -> str:
    """What Krippendorff's limits say of single ratings, for the whole interval.

    alpha: in [-1, 1]; without an interval, the limits are compared with alpha itself.
    """
    low, high = ci or (alpha, alpha)
    if low >= RELIABLE:
        return f"A single rating is reliable: {RELIABLE} is the usual limit for firm conclusions."
    if high < TENTATIVE:
        return (
            f"A single rating is not reliable: {TENTATIVE} is the usual limit for tentative "
            "conclusions. Use means of several ratings."
        )
    if low >= TENTATIVE and high < RELIABLE:
        return (
            "A single rating allows tentative conclusions: they need "
            f"{TENTATIVE}, firm ones {RELIABLE}."
        )
    limit = RELIABLE if low >= TENTATIVE else TENTATIVE
    kind = "firm" if limit == RELIABLE else "tentative"
    return (
        f"Whether a single rating allows {kind} conclusions is open: the interval includes the "
        f"usual limit, {limit}."
    )


def choices_findings(
    alpha: Estimate,
    accuracies: Sequence[tuple[str, Estimate]],
    ranking: Mapping[str, Any] | None = None,
) -> list[FindingRow]:
    """Which system people prefer who chose between two answers, how far they agree, and which
    metric chooses as they do.

    accuracies: of each metric by its name, best first, on the pairs with a majority. ranking: of
    the systems, `concord.preferences.Ranking` as JSON.
    """
    if alpha.value is None:
        reason = (alpha.reason or "there are too few choices").rstrip(".")
        text = f"How far people's choices agree is undefined: {reason}."
    else:
        text = (
            "People's choices between two answers agree with a Krippendorff's alpha of "
            f"{decimal(alpha.value, 2)} (nominal); {RELIABLE} is the usual limit for firm "
            "conclusions."
        )
    headline = None
    if alpha.value is not None:
        meaning = "Krippendorff's alpha of people's choices."
        headline = _headline(decimal(alpha.value, 2), meaning, alpha.value)
    rows = [_finding("agreement", text, "choices", headline)]
    if ranking is not None and (first := _ranking(ranking)):
        rows.append(first)
    defined = [one for one in accuracies if one[1].value is not None]
    if defined:
        name, accuracy = defined[0]
        rows.append(
            _finding(
                "metrics",
                f"{name} chooses most often as people do: on "
                f"{100 * (accuracy.value or 0.0):.0f}% of the pairs with a majority"
                f"{_percent_interval(accuracy.ci)}.",
                "choices",
                _headline(
                    f"{name} {100 * (accuracy.value or 0.0):.0f}%",
                    "The share of pairs on which it chooses as most people do.",
                    accuracy.value,
                    accuracy.ci,
                ),
            )
        )
    return rows


def _ranking(ranking: Mapping[str, Any]) -> FindingRow | None:
    """The first of the systems that people ranked by choices; None where none can be ranked."""
    rows = [(name, row) for name, row in ranking["systems"].items() if row["win_probability"]]
    if not rows:
        return None
    name, row = max(rows, key=lambda one: one[1]["win_probability"])
    equal = sum(other["rank"] == row["rank"] for _, other in rows) - 1
    if row["rank"] is None:
        shown = "whether others differ is open"
    elif equal:
        shown = f"not shown to differ from {counted(equal, 'other')}"
    else:
        shown = "better than each other"
    share = f"{100 * row['win_probability']:.0f}%"
    meaning = f"Preferred to a random other of {counted(len(rows), 'system')}: {shown}."
    text = f"{name} is preferred to a random other system with a probability of {share}: {shown}."
    headline = _headline(f"{name} {share}", meaning, row["win_probability"], row["ci"])
    return _finding("ranking", text, "choices", headline)


def marks_findings(report: Mapping[str, Any]) -> list[FindingRow]:
    """Which system's answers have the best MQM score, or the fewest errors where the severity of
    none is known, and how far raters mark the same characters.

    report: `concord.spans.SpanReport` as JSON.
    """
    systems = report["systems"]
    by_score = all(row["mqm"]["value"] is not None for row in systems.values())
    figure, unit = ("mqm", "an MQM score") if by_score else ("errors", "errors in an answer")
    means = {name or "All answers": row[figure] for name, row in systems.items()}
    ranked = sorted(means, key=lambda name: means[name]["value"], reverse=by_score)
    first = f"{ranked[0]} {decimal(means[ranked[0]]['value'], 2)}"
    best = "is best" if by_score else "has fewest"
    meaning = f"{unit[:1].upper()}{unit[1:]}, the mean over answers"
    text = f"People marked {counted(report['spans'], 'error')}: {first} {unit} on average"
    if len(ranked) > 1:
        last = f"{ranked[-1]} {decimal(means[ranked[-1]]['value'], 2)}"
        meaning += f"; it {best} of {counted(len(ranked), 'system')}, and the last is {last}"
        text += f", and {last}"
    rows = [_finding("errors", f"{text}.", "spans", _headline(first, f"{meaning}."))]
    f1 = report["agreement"]["f1"]
    if f1["value"] is not None:
        meaning = "F1 of the characters that two raters marked in the same answer."
        headline = _headline(decimal(f1["value"], 2), meaning, f1["value"], f1["ci"])
        rows.append(_finding("agreement", meaning, "spans", headline))
    return rows


def metrics_finding(rows: Sequence[ComparedRow], *, alpha: float) -> FindingRow:
    """Which metrics are best, and which of them are not distinguishable from the best.

    rows: of a comparison by Pearson's r. alpha: its family-wise error rate.
    """
    ranked = sorted(
        (row for row in rows if row["value"] is not None), key=lambda row: -(row["value"] or 0.0)
    )
    if not ranked:
        return _finding("metrics", "No metric has a defined correlation with people.", "scores")
    best = ranked[0]
    figure = f"highest Pearson r: {decimal(best['value'])}"
    if best["ci"] is not None:
        figure += f", 95% interval {interval_text(best['ci'])}"
    if is_weak(best["ci"]):
        text = (
            f"No metric predicts the ratings well: the whole interval of {metric_name(best)} lies "
            f"below {MIN_CORRELATION} ({figure})."
        )
        meaning = f"The whole interval of the best Pearson's r lies below {MIN_CORRELATION}."
        headline = _headline("None", meaning, best["value"], best["ci"])
        return _finding("metrics", text, "comparison", headline)
    top = [row for row in ranked[1:] if row["top"]]
    if len(ranked) == 1:
        meaning = "the only metric."
        text = f"{metric_name(best)} is the only metric with a correlation ({figure})."
    elif not top:
        meaning = f"better than each other metric, at {alpha:g}."
        text = (
            f"{metric_name(best)} agrees best with people ({figure}): its difference from each "
            f"other metric is significant at {alpha:g}."
        )
    else:
        meaning = f"not shown to differ from {counted(len(top), 'other')} of {len(ranked)} metrics."
        text = (
            f"{metric_name(best)} is first of {len(ranked)} metrics ({figure}), but is not shown "
            f"to differ from {_names(top)}, so that the data do not say which is best. The highest "
            f"of several such figures tends to be too high."
        )
    return _finding(
        "metrics",
        text,
        "comparison",
        _headline(
            f"{metric_name(best)} {decimal(best['value'], 2)}",
            f"Pearson's r with people: {meaning}",
            best["value"],
            best["ci"],
        ),
    )


def is_weak(ci: Sequence[float] | None) -> bool:
    """Whether a correlation is clearly below MIN_CORRELATION, with its whole interval."""
    return ci is not None and ci[1] < MIN_CORRELATION


def judges_finding(usable: Sequence[str], untested: str, passing: Sequence[str]) -> FindingRow:
    """Which metrics may stand in for a rater, by the alternative annotator test.

    usable: those that pass with dependent items and beat every judge that sees no item. untested:
    why no metric could be tested; else empty. passing: the judges that see no item and pass.
    """
    headline = "No metric yet"
    meaning = "None passes the test and beats every judge that does not read the answer."
    if usable:
        headline, meaning = counted(len(usable), "metric"), "May stand in for a rater here."
        text = (
            f"{', '.join(usable)} may stand in for a rater here: the test is passed with dependent "
            "candidates, and every judge that does not read the candidate is beaten."
        )
    elif untested:
        headline, meaning = "Not testable", to_sentence(untested)
        text = f"Whether a metric may stand in for a rater cannot be tested here: {untested}"
        text = to_sentence(text)
    else:
        text = (
            "No metric is shown to stand in for a rater here. None passes the test and beats every "
            "judge that does not read the candidate. The page of a metric says whether it fails, "
            "or how many more rated passages would tell."
        )
    if passing:
        text += (
            f" Warning: {', '.join(passing)} passes the test, too, so the test alone says little "
            "on this set."
        )
    return _finding("judges", text, "judges", _headline(headline, meaning))


def judge_finding(sentence: str, run: int) -> FindingRow:
    """What one judge may be used for."""
    return _finding("judges", sentence, "judge", run=run)


def plan_finding(rules: Sequence[RulePlan], until: StoppingRule, metric: str) -> FindingRow:
    """How many ratings a study like the set needs for the target. rules: the plain mean first.
    metric: the name of that which the other rules use."""
    if until.kind == "ranking":
        target = "all pairs of systems differ"
    else:
        value = decimal(until.value, 2)
        target = f"the 95% interval of every system's mean is at most {value} wide"
    plain, *others = rules
    text = f"Until {target}, a study like this one takes {_rule_needs(plain)} by the plain mean"
    best = min(others, key=lambda row: row.candidates[0], default=None)
    if best is not None and best.candidates[0] <= MAX_SHARE * plain.candidates[0]:
        text += f", and {_rule_needs(best)} with {metric} ({best.rule})"
    middle, _, high = plain.candidates
    headline = f"{middle:,} answers" if plain.reached >= 0.5 else f"more than {high:,} answers"
    return _finding("ratings", f"{text}.", "plan", _headline(headline, f"Rated, until {target}."))


def _rule_needs(row: RulePlan) -> str:
    middle, low, high = row.candidates
    answers = f"{counted(middle, 'rated answer')} ({low:,} to {high:,})"
    return answers if row.reached >= 0.5 else f"more than {counted(high, 'rated answer')}"


def missing_finding(topic: Topic, text: object, evidence: Evidence) -> FindingRow:
    """What there is not, and what to do; `text` may be an error."""
    return _finding(topic, to_sentence(text), evidence, missing=True)


def metric_name(metric: object) -> str:
    """A metric's name with what distinguishes it from others of the name. metric: an object or a
    mapping with `metric`, `multi_ref` and `signature`."""
    row = metric if isinstance(metric, Mapping) else vars(metric)
    name = f"{row['metric']} (joint)" if row.get("multi_ref") == "joint" else str(row["metric"])
    return name + variant_suffix(str(row.get("signature") or ""))


def _names(rows: Sequence[MetricName]) -> str:
    names = [metric_name(row) for row in rows]
    if len(names) > MAX_NAMES:
        return f"{', '.join(names[:MAX_NAMES])} and {len(names) - MAX_NAMES} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _percent_interval(ci: Sequence[float] | None) -> str:
    return f" (95% interval {100 * ci[0]:.0f} to {100 * ci[1]:.0f}%)" if ci else ""


def _finding(
    topic: Topic,
    text: str,
    evidence: Evidence,
    headline: FindingHeadline | None = None,
    *,
    run: int | None = None,
    missing: bool = False,
) -> FindingRow:
    return {
        "topic": topic,
        "headline": headline,
        "text": text,
        "evidence": evidence,
        "run": run,
        "missing": missing,
    }


def _headline(
    text: str, meaning: str, value: float | None = None, ci: Sequence[float] | None = None
) -> FindingHeadline:
    interval = None if ci is None else list(ci)
    return {"text": text, "meaning": meaning, "value": value, "ci": interval}
