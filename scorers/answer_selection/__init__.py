"""Answer sentence selection sets: questions with correct and wrong sentences."""

from scorers.answer_selection.door import FORMATS, read_questions
from scorers.answer_selection.records import SelectionQuestion

__all__ = ["FORMATS", "SelectionQuestion", "read_questions"]
