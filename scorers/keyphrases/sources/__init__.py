"""Readers of question answering sets in their published formats."""

from scorers.keyphrases.sources.records import QuestionAnswer, ReadReport
from scorers.keyphrases.sources.registry import DEVIATIONS, FORMATS, read

__all__ = ["DEVIATIONS", "FORMATS", "QuestionAnswer", "ReadReport", "read"]
