"""Two span protocols of one campaign: do they order the systems alike?

    python -m bench.span_protocols ESA.csv MQM.csv

Prints Pearson's and Kendall's coefficients over systems between the raters' score (ESA), the MQM
score of ESA's spans, and the MQM protocol's score. Intervals are Fisher's, over systems.
"""

from __future__ import annotations

import sys

import numpy as np

from concord.formats.spans import read_spans
from concord.meta.correlation import kendall, pearson
from concord.spans import SpanReport, report_spans


def main() -> None:
    esa, mqm = (
        report_spans(read_spans(path, name).marks)
        for path, name in zip(sys.argv[1:3], ("esa", "mqm"), strict=True)
    )
    means = {
        "ESA score": _means(esa, "score"),
        "ESA spans": _means(esa, "mqm"),
        "MQM": _means(mqm, "mqm"),
    }
    names = list(means)
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            systems = sorted(means[one].keys() & means[other].keys())
            x, y = (np.array([means[name][s] for s in systems]) for name in (one, other))
            r, tau = pearson(x, y), kendall(x, y)
            interval = "" if r.ci is None else f" ({r.ci[0]:.2f} to {r.ci[1]:.2f})"
            print(f"{one} - {other}: {len(systems)} systems, r {r.value:.2f}{interval}, "
                  f"tau {tau.value:.2f}")  # fmt: skip


def _means(report: SpanReport, name: str) -> dict[str, float]:
    figures = {row.system: getattr(row, name).value for row in report.systems}
    return {system: value for system, value in figures.items() if value is not None}


if __name__ == "__main__":
    main()
