"""Conversations: turns in place of a question and a passage."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired, TypedDict, get_args

Role = Literal["user", "assistant", "system"]
Judged = Literal["reply", "conversation"]
ROLES: tuple[Role, ...] = get_args(Role)
REPLY: Judged = "reply"
WHOLE: Judged = "conversation"
ASKS: Role = "user"
ANSWERS: Role = "assistant"


class Turn(TypedDict):
    """A turn of a conversation."""

    role: Annotated[Role, "Who speaks."]
    content: str


class Conversation(TypedDict):
    """The turns of an instance, in order, and what is judged of them."""

    messages: list[Turn]
    judged: Annotated[
        Judged,
        "reply: the candidate, which follows the last turn. conversation: all turns; the candidate "
        "is the last turn of the assistant.",
    ]


class ConversationFields(TypedDict):
    """The fields of a line of a file with a conversation; none of another. Without `judged` it is
    the reply."""

    messages: NotRequired[list[Turn]]
    judged: NotRequired[Judged]


# In a document; `question` is then the last turn of the user.
ShownConversation = Annotated[
    Conversation | None, "The turns in place of passage and question; null without."
]


def question_of(conversation: Conversation) -> str:
    """The question of a conversation for metrics: the last turn of the user before the candidate;
    "" without one."""
    turns = reversed(turns_before(conversation))
    return next((one["content"] for one in turns if one["role"] == ASKS), "")


def turns_before(conversation: Conversation) -> list[Turn]:
    """The turns before the candidate."""
    turns = conversation["messages"]
    return turns[: _last_of_assistant(turns)] if is_whole(conversation) else turns


def question_text(question: str, conversation: Conversation | None) -> str:
    """What a text without structure shows as the question: the question itself, or the turns before
    the candidate, each with who speaks."""
    return question if conversation is None else transcript(turns_before(conversation))


def transcript(turns: Sequence[Turn]) -> str:
    """Turns as a text."""
    return "\n\n".join(f"{one['role'].capitalize()}: {one['content']}" for one in turns)


def is_whole(conversation: Conversation) -> bool:
    """Whether the whole conversation is judged."""
    return conversation["judged"] == WHOLE


def last_answer(conversation: Conversation) -> str | None:
    """The last turn of the assistant; None without one."""
    turns = conversation["messages"]
    at = _last_of_assistant(turns)
    return None if at is None else turns[at]["content"]


def _last_of_assistant(turns: list[Turn]) -> int | None:
    return next((at for at in range(len(turns))[::-1] if turns[at]["role"] == ANSWERS), None)
