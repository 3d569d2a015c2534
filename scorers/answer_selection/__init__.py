"""Answer sentence selection sets: questions with correct and wrong sentences."""

from scorers.answer_selection.records import SelectionQuestion
from scorers.answer_selection.registry import FORMATS, read_questions

__all__ = ["FORMATS", "SelectionQuestion", "read_questions"]
