"""Multiple-choice reading comprehension sets: questions with right and wrong answers."""

from scorers.multiple_choice.door import FORMATS, read_choices
from scorers.multiple_choice.records import ChoiceQuestion

__all__ = ["FORMATS", "ChoiceQuestion", "read_choices"]
