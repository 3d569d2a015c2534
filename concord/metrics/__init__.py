"""The interface of a metric: what `scorers` and other packages implement.

A metric is a subclass of `Metric` with a `Registration`. A package adds metrics with an entry
point of the group `concord.metrics` whose value is a sequence of registrations:

    [project.entry-points."concord.metrics"]
    my-metrics = "my_package:REGISTRATIONS"
"""

from concord.metrics.comparisons import Comparisons
from concord.metrics.discovery import ExternalMetrics, load_external_metrics, scoring_engine
from concord.metrics.items import Corpus, Item
from concord.metrics.metric import MeanMetric, Metric, MetricInfo, MetricSpec, MultiRef, Scores
from concord.metrics.registration import Option, Registration, choice, switch

__all__ = [
    "Comparisons",
    "Corpus",
    "ExternalMetrics",
    "Item",
    "MeanMetric",
    "Metric",
    "MetricInfo",
    "MetricSpec",
    "MultiRef",
    "Option",
    "Registration",
    "Scores",
    "choice",
    "load_external_metrics",
    "scoring_engine",
    "switch",
]
