"""Error spans: marks on answers, scores from them, and agreement on them."""

from concord.formats.marks import RaterMarks, consensus, merge_ranges
from concord.formats.records import SEVERITIES, Span
from concord.spans.agreement import Continuum, Overlap, overlap
from concord.spans.penalties import Weights, mqm_score
from concord.spans.report import SpanReport, report_spans

__all__ = [
    "SEVERITIES",
    "Continuum",
    "Overlap",
    "RaterMarks",
    "Span",
    "SpanReport",
    "Weights",
    "consensus",
    "merge_ranges",
    "mqm_score",
    "overlap",
    "report_spans",
]
