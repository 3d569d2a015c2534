"""Directives of the pages of metrics, which lie in docs/reference/metrics/ under their names.

- `{metric} NAME`: what the registry says of the metric.
- `{metric-options} NAME`: its options and its signature.
- `{metric-figures} NAME`: its agreement with people and its speed, as measured.json has them.
- `{paper} KEY`: an entry of references.bib, with its link.
- `{metric-list}`: a table of all metrics, with links to their pages.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from operator import itemgetter
from types import MappingProxyType
from typing import TypedDict

from concord.metrics.items import Corpus
from concord.metrics.metric import Metric
from config.documentation.markdown import DirectiveCall, code_block, table
from config.documentation.tree import DOCS
from scorers.learned.checkpoint import shipped_names
from scorers.registry import names, option_help, options, parse_metrics

MEASURED = DOCS / "reference" / "metrics" / "measured.json"
BIBLIOGRAPHY = DOCS / "references.bib"


class SetFigures(TypedDict):
    """How a metric agrees with the gold scores of a set, and its rank there."""

    pearson: float | None
    spearman: float | None
    rank: int
    ranked: int


class TypeFigures(TypedDict):
    """The same for one type of question. n: the number of answers."""

    pearson: float | None
    n: int


class MetricFactsRow(TypedDict):
    """The figures of a metric, by the key of a set and by the type of question."""

    sets: dict[str, SetFigures]
    types: dict[str, TypeFigures]
    answers_per_cpu_second: float | None


class MetricMeasurements(TypedDict):
    """The file of figures. sets: their titles by key."""

    machine: str
    sets: dict[str, str]
    metrics: dict[str, MetricFactsRow]


@cache
def measured() -> MetricMeasurements:
    """The figures that `python -m bench.metric_pages` wrote."""
    document: MetricMeasurements = json.loads(MEASURED.read_text(encoding="utf-8"))
    return document


@cache
def bibliography() -> dict[str, str]:
    """The BibTeX entries by their keys."""
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    entries = re.findall(r"^@\w+\{([\w-]+),.*?^\}$", text, re.M | re.S)
    bodies = re.findall(r"^@\w+\{[\w-]+,.*?^\}$", text, re.M | re.S)
    return dict(zip(entries, bodies, strict=True))


def _field(entry: str, name: str) -> str:
    match = re.search(rf"^\s*{name} = \{{(.*?)\}},?$", entry, re.M)
    return re.sub(r"[{}]", "", match[1]) if match else ""


def _bound(value: float) -> str:
    if math.isinf(value):
        return "no upper bound" if value > 0 else "no lower bound"
    return f"{value:g}"


def _facts(metric: Metric) -> str:
    low, high = metric.range
    direction = "higher is better" if metric.higher_is_better else "**lower is better**"
    reads = ["candidate", "references", *sorted(metric.needs)]
    return table(
        ("", ""),
        [
            ("name", f"`{metric.name}`"),
            ("family", metric.family),
            ("reads", ", ".join(reads)),
            ("range", f"{_bound(low)} to {_bound(high)}, {direction}"),
            ("score of a whole set", "yes" if metric.has_corpus_score else "no"),
            ("depends on the set", "yes" if metric.set_dependent else "no"),
        ],
    )


def _options(base: str) -> str:
    helps = option_help(base)
    rows = [(f"`{name}`", f"`{default}`", helps[name]) for name, default in options(base).items()]
    if not rows:
        return "The metric has no options."
    return table(("option", "default", "meaning"), rows)


def _signature(metric: Metric) -> str:
    checkpoint = metric.spec.options.get("checkpoint")
    if checkpoint is not None and checkpoint not in shipped_names():
        return "The signature names the checkpoint, which is one of your own."
    signature = metric.signature(Corpus.from_references([["a reference"]]))
    of_set = ", for a set of one reference" if metric.set_dependent else ""
    return f"Signature at the defaults{of_set}:\n\n{code_block(signature)}"


def _figures(name: str) -> str:
    document = measured()
    row = document["metrics"].get(name)
    if row is None:
        return "Not measured: the metric needs a checkpoint of your own."
    rows = [
        (title, *_correlations(row["sets"][key]))
        for key, title in document["sets"].items()
        if key in row["sets"]
    ]
    parts = [table(("judgment set", "Pearson", "Spearman", "rank by Pearson"), rows)]
    types = [
        (one["pearson"], name, one["n"])
        for name, one in row["types"].items()
        if one["pearson"] is not None
    ]
    if types:
        high, best, n_best = max(types, key=itemgetter(0))
        low, worst, n_worst = min(types, key=itemgetter(0))
        parts.append(
            f"On MS MARCO, agreement is highest for questions of type *{best}* "
            f"(Pearson {high:.3f}, {n_best} answers) and lowest for type *{worst}* "
            f"({low:.3f}, {n_worst} answers)."
        )
    if speed := row["answers_per_cpu_second"]:
        parts.append(
            f"Speed: about {float(f'{speed:.2g}'):,.0f} answers a second of one core's time, with "
            f"models loaded ({document['machine']})."
        )
    parts.append(
        "`python -m bench.metric_pages` measures all of this. A few choices of the KPQA metrics "
        "were made on the first half of the questions of MS MARCO and AVSD."
    )
    return "\n\n".join(parts)


def _correlations(figures: SetFigures) -> tuple[str, str, str]:
    if figures["pearson"] is None:
        return ("undefined: all scores are equal", "", "")
    spearman = "" if figures["spearman"] is None else f"{figures['spearman']:.3f}"
    return (f"{figures['pearson']:.3f}", spearman, f"{figures['rank']} of {figures['ranked']}")


def _paper(key: str) -> str:
    entry = bibliography()[key]
    title, url = _field(entry, "title"), _field(entry, "url")
    authors, year = _field(entry, "author").replace(" and ", ", "), _field(entry, "year")
    return f"{authors} ({year}). [{title}]({url}).\n\n{code_block(entry, 'bibtex')}"


def metric(call: DirectiveCall) -> str:
    (one,) = parse_metrics(call.argument)
    return f"{one.summary}\n\n{_facts(one)}"


def metric_options(call: DirectiveCall) -> str:
    (one,) = parse_metrics(call.argument)
    return f"{_options(one.spec.base)}\n\n{_signature(one)}"


def metric_figures(call: DirectiveCall) -> str:
    return _figures(call.argument)


def paper(call: DirectiveCall) -> str:
    return _paper(call.argument)


def metric_list(call: DirectiveCall) -> str:
    metrics = [parse_metrics(name)[0] for name in names()]
    rows = [(f"[`{one.name}`]({one.name}.md)", one.family, one.summary) for one in metrics]
    return table(("metric", "family", "what it computes"), rows)


DIRECTIVES = MappingProxyType(
    {
        "metric": metric,
        "metric-options": metric_options,
        "metric-figures": metric_figures,
        "paper": paper,
        "metric-list": metric_list,
    }
)
