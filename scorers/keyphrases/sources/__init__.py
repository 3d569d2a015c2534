"""Readers of question answering sets in their published forms."""

from scorers.keyphrases.sources.door import DEPARTURES, FORMATS, read
from scorers.keyphrases.sources.records import QuestionAnswer, ReadReport

__all__ = ["DEPARTURES", "FORMATS", "QuestionAnswer", "ReadReport", "read"]
