"""Reading of conversations from the fields of an object."""

from __future__ import annotations

from typing import cast

from concord.documents.conversation import (
    REPLY,
    ROLES,
    WHOLE,
    Conversation,
    ConversationFields,
    Judged,
    Role,
    Turn,
    is_whole,
    last_answer,
)
from concord.formats.fields import Fields

CONVERSATION_FIELDS = frozenset(ConversationFields.__annotations__)
TURN_FIELDS = frozenset(Turn.__annotations__)


def read_conversation(fields: Fields, name: str = "messages") -> Conversation | None:
    """The conversation of an object; None where it has none, or with a fault. name: of its turns.

    Bounds: `max_turns`, and `max_field_chars` for all turns together. It is in place of `passage`
    and `question`, which must be empty.
    """
    faults = fields.faults
    judged = fields.data.get("judged")
    turns = _turns(fields, name)
    if judged not in (None, REPLY, WHOLE):
        fields.fault("judged", f'must be "{REPLY}" or "{WHOLE}"')
    elif judged is not None and not fields.data.get(name):
        fields.fault("judged", f"needs `{name}`, the turns of the conversation")
    if not turns:
        return None
    for other in ("passage", "question"):
        if fields.data.get(other):
            fields.fault(other, f"must be empty: `{name}` are in its place")
    if fields.faults > faults:
        return None
    conversation = Conversation(messages=turns, judged=cast(Judged, judged or REPLY))
    if is_whole(conversation) and last_answer(conversation) is None:
        message = f'has no turn of the assistant, which "judged": "{WHOLE}" needs'
        fields.fault(name, message)
    return conversation


def read_answer(fields: Fields, conversation: Conversation | None) -> str:
    """The field `candidate`. Where a whole conversation is judged it may be absent, and is the last
    turn of the assistant."""
    answer = last_answer(conversation) if conversation and is_whole(conversation) else None
    text = fields.text("candidate", required=answer is None)
    if answer is None:
        return text
    if fields.data.get("candidate") is not None and text != answer:
        message = f'must be absent or the last turn of the assistant, as "judged" is "{WHOLE}"'
        fields.fault("candidate", message)
    return answer


def _turns(fields: Fields, name: str) -> list[Turn]:
    items = fields.objects(name)
    if len(items) > (most := fields.limits.max_turns):
        fields.fault(name, f"{len(items):,} turns; at most {most:,} are allowed")
        return []
    turns, chars = [], 0
    for item in items:
        item.reject_unknown(TURN_FIELDS)
        role, content = item.data.get("role"), item.text("content", required=True)
        if role not in ROLES:
            item.fault("role", f"must be one of {', '.join(ROLES)}")
        fields.faults += item.faults
        turns.append(Turn(role=cast(Role, role), content=content))
        chars += len(content)
    if chars > (limit := fields.limits.max_field_chars):
        fields.fault(name, f"{chars:,} characters in all turns; at most {limit:,} are allowed")
    return turns
