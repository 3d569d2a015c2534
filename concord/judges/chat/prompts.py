"""Prompt templates: text files with fields in braces."""

from __future__ import annotations

import hashlib
import html
import string
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from concord.documents.conversation import Conversation, Turn, is_whole
from concord.metrics import Item

BUILT_IN = ("rating", "correct", "reasoned", "examples", "pairwise", "mqm")
TEXT_FIELDS = frozenset({"question", "passage", "references", "candidate"})
SCALE_FIELDS = frozenset({"low", "high"})
PAIR_FIELDS = frozenset({"question", "passage", "references", "first", "second"})
EXAMPLES = "examples"


@dataclass(frozen=True)
class ShownPair:
    """Two answers to one question in the order in which a judge sees them."""

    question: str
    passage: str
    references: tuple[str, ...]
    first: str
    second: str
    conversation: Conversation | None = None


class TemplateError(ValueError):
    """The template cannot be read, or has a field that does not exist."""


@dataclass(frozen=True)
class Template:
    """A prompt for one candidate. is_reasoned: the label stands in a last line "Score: N".
    examples: candidates with people's scores, for the field {examples}."""

    name: str
    text: str
    is_reasoned: bool = False
    examples: str = ""

    @classmethod
    def load(cls, name: str) -> Template:
        """A built-in template by name, or a file by its path.

        Fields: {question} (or the turns of a conversation), {passage}, {references}, {candidate},
        {low}, {high}, {examples}; {candidate} is required, or {first} and {second} for pairs;
        doubled braces are braces. A text that asks for "Score:" has its label in the last line of
        that form, one that asks for "severity" has a list of errors (`read_marks`). Raises
        TemplateError.
        """
        if name in BUILT_IN:
            text = files(__package__).joinpath("templates", f"{name}.txt").read_text("utf-8")
        else:
            try:
                text = Path(name).read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                known = ", ".join(BUILT_IN)
                raise TemplateError(
                    f"the template '{name}' is neither one of {known} nor a file: {error}"
                ) from error
        return cls.parse(Path(name).stem, text)

    @classmethod
    def parse(cls, name: str, text: str) -> Template:
        """A template from its text; fields as in `load`. Raises TemplateError."""
        try:
            fields = _fields(text)
        except ValueError as error:
            raise TemplateError(f"the template '{name}': {error}") from error
        if unknown := sorted(fields - TEXT_FIELDS - PAIR_FIELDS - SCALE_FIELDS - {EXAMPLES}):
            raise TemplateError(f"the template '{name}' has the unknown field {{{unknown[0]}}}")
        texts = fields & {"candidate", "first", "second"}
        if texts not in ({"candidate"}, {"first", "second"}):
            raise TemplateError(
                f"the template '{name}' has no field {{candidate}}, or for pairs {{first}} and "
                "{second}, and not both kinds"
            )
        if EXAMPLES in fields and "first" in fields:
            raise TemplateError(
                f"the template '{name}' has the field {{examples}}, which shows single candidates, "
                "and compares pairs"
            )
        return cls(name, text, is_reasoned="Score:" in text)

    @property
    def hash(self) -> str:
        """The first 16 digits of the SHA-256 of the text with its examples."""
        return hashlib.sha256((self.text + self.examples).encode()).hexdigest()[:16]

    @property
    def marks_errors(self) -> bool:
        """Whether it asks for a list of error spans with their severities."""
        return '"severity"' in self.text

    @property
    def is_of_pairs(self) -> bool:
        """Whether it asks which of two answers is better, 1 or 2."""
        return {"first", "second"} <= _fields(self.text)

    @property
    def needs_examples(self) -> bool:
        return EXAMPLES in _fields(self.text)

    @property
    def sent_fields(self) -> list[str]:
        """The fields of a candidate that are sent, in alphabetical order; with examples, these and
        people's scores of them are sent, too."""
        return sorted(_fields(self.text) & (TEXT_FIELDS | PAIR_FIELDS))

    def render(self, item: Item | ShownPair, low: int, high: int) -> str:
        """The prompt, with the texts of `shown_texts`."""
        texts = shown_texts(item)
        return self.text.format(**texts, low=low, high=high, examples=self.examples).strip()


def shown_texts(item: Item | ShownPair) -> dict[str, str]:
    """What a judge sees for each field. Texts are escaped as in HTML, so that none can close its
    tag.

    The question of a conversation is its turns, each with who speaks. Where the whole conversation
    is judged, the turns are the candidate, and the question is empty.
    """
    texts = {
        "question": item.question,
        "passage": item.passage,
        "references": "\n".join(item.references),
    }
    if isinstance(item, ShownPair):
        texts |= {"first": item.first, "second": item.second}
    else:
        texts["candidate"] = item.candidate
    escaped = {name: escape(text) for name, text in texts.items()}
    if item.conversation is None:
        return escaped
    turns = "\n".join(map(_turn, item.conversation["messages"]))
    if is_whole(item.conversation):
        return escaped | {"question": "", "candidate": turns}
    return escaped | {"question": turns}


def _turn(turn: Turn) -> str:
    return f'<turn role="{turn["role"]}">{escape(turn["content"])}</turn>'


def escape(text: str) -> str:
    """A text that cannot close the tag in which it stands."""
    return html.escape(text, quote=False)


def _fields(text: str) -> set[str]:
    """The names in braces. Raises ValueError for an open or empty brace."""
    return {field for _, field, _, _ in string.Formatter().parse(text) if field}
