"""Automatic metrics of generated answers: texts in, float64 arrays out.

>>> import scorers
>>> metrics = scorers.parse_metrics("token-f1,exact-match")
>>> items = [scorers.Item("on the mat", ("the mat",))]
>>> with scorers.Session() as session:
...     session.score_all(metrics, items)
{'token-f1': array([0.66666667]), 'exact-match': array([0.])}

The package needs neither Django nor a database; `python -m scorers` is its command line.
"""

from concord.metrics.items import Corpus, Item
from concord.metrics.metric import Metric
from scorers.errors import JavaError, MetricError, ModelError
from scorers.registry import names, parse_metrics, ready_names
from scorers.session import Session
from scorers.word_importance import WordImportance

__all__ = [
    "Corpus",
    "Item",
    "JavaError",
    "Metric",
    "MetricError",
    "ModelError",
    "Session",
    "WordImportance",
    "names",
    "parse_metrics",
    "ready_names",
]
