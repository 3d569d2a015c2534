"""Multiple-choice reading comprehension sets: questions with right and wrong answers."""

from scorers.multiple_choice.records import ChoiceQuestion
from scorers.multiple_choice.registry import FORMATS, read_choices

__all__ = ["FORMATS", "ChoiceQuestion", "read_choices"]
