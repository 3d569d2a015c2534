"""What services refuse, and what the API and pages answer to it."""

from __future__ import annotations

from collections.abc import Mapping

# By code: the status and the title of the API's problem document.
KINDS: Mapping[str, tuple[int, str]] = {
    "query-invalid": (400, "Invalid query parameter"),
    "link-refused": (403, "This link is not valid"),
    "role-needed": (403, "Your role is not sufficient"),
    "scope-needed": (403, "The token does not have the necessary scope"),
    "not-found": (404, "Not found"),
    "arrival-refused": (409, "This task cannot be opened"),
    "entry-refused": (409, "This study cannot be opened"),
    "freeze-refused": (409, "The study cannot be frozen"),
    "membership-refused": (409, "The members cannot be changed like this"),
    "not-computed": (409, "The figures are not computed yet"),
    "not-there-yet": (409, "Not available yet"),
    "rating-refused": (409, "This is no longer possible"),
    "still-at-work": (409, "The same request is still running"),
    "study-refused": (409, "Not possible in the present state of the study"),
    "too-many-tryouts": (409, "Too many active try-outs"),
    "answer-removed": (410, "The answer was removed"),
    "changed-meanwhile": (412, "The document has changed"),
    "body-too-large": (413, "The body is too large"),
    "analysis-refused": (422, "The analysis cannot be computed"),
    "answer-refused": (422, "Invalid answer"),
    "file-refused": (422, "The file was rejected"),
    "import-refused": (422, "The import was rejected"),
    "invitation-refused": (422, "The invitation cannot be created"),
    "judge-refused": (422, "The model judge was rejected"),
    "key-used": (422, "The key was used for another request"),
    "step-refused": (422, "Invalid quality-control step"),
    "submission-refused": (422, "The submission was rejected"),
    "token-not-made": (422, "The token cannot be created"),
    "training-refused": (422, "The checkpoint was rejected"),
    "value-refused": (422, "Invalid value"),
    "webhook-refused": (422, "Invalid webhook"),
}


class RefusedError(ValueError):
    """A service refuses what it was asked for.

    text: for people: what is wrong and what to do; maybe a lazy translation. code: a key of KINDS.
    field: the name of the wrong field of a form or request body, "" where it is none.
    """

    def __init__(self, text: object, code: str, field: str = "") -> None:
        super().__init__(str(text), code, field)
        self.text, self.code, self.field = str(text), code, field
        self.status, self.title = KINDS[code]

    def __str__(self) -> str:
        return self.text
