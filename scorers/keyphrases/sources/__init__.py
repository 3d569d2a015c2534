"""Readers of question answering sets in their published forms."""

from scorers.keyphrases.sources.door import FORMATS, read
from scorers.keyphrases.sources.records import QuestionAnswer, ReadReport

__all__ = ["FORMATS", "QuestionAnswer", "ReadReport", "read"]
