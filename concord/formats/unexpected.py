"""What a file is that is not of the expected format, in one line instead of an error a line."""

from __future__ import annotations

import json

from concord.formats.errors import quote_names

# Formats of an object a line, with the fields without which a line is of another kind.
_FIELDS = {
    ("judgments", "concord"): ("candidate", "references"),
    ("judgments", "summeval"): ("model_id", "decoded"),
    ("judgments", "thumb"): ("SYS", "hyp"),
    ("pairs", "concord"): ("candidate1", "candidate2"),
}
_OTHER_FILES = [
    ({"id", "scores"}, "scores of metrics"),
    ({"better", "as_given", "swapped"}, "a judge's choices in both orders"),
]


def unexpected_content(head: str, kind: str, format: str) -> str | None:
    """Why a file with this beginning cannot be of a format of JSON Lines; None where it may be, and
    for other formats."""
    fields = _FIELDS.get((kind, format))
    start = head.lstrip("\ufeff \t\r\n")
    if fields is None or not start:
        return None
    expected = f"{kind} in the format {format}"
    line = start.partition("\n")[0]
    if line.strip() in ("{", "["):
        return f"is one JSON document over several lines; {expected} have an object in each line"
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if type(first) is not dict or not first or set(fields) & set(first):
        return None
    what = next((what for names, what in _OTHER_FILES if names <= set(first)), "")
    looks = f"this looks like {what}" if what else f"its lines have {quote_names(first)}"
    return f"{looks}; {expected} have {quote_names(fields)}"
