"""What the service answers when it refuses: one exception, shaped as boto3 sees it.

The service model knows two error shapes, RequestError (the caller's fault) and ServiceFault (try
again), both with `Message` and `TurkErrorCode`. Errors of AWS's front door (a missing signature, a
parameter that breaks the model, throttling) have shapes of their own that no model lists.
Texts follow messages seen in public issue threads; where none was found the wording is ours.
"""

from __future__ import annotations

PREFIX = "AWS.MechanicalTurk."


class TurkError(Exception):
    """A refusal: nothing of the request was done.

    `kind` becomes boto3's error code, `turk_code` its TurkErrorCode (empty for errors of the front
    door), `status` the HTTP status.
    """

    def __init__(self, kind: str, message: str, *, turk_code: str = "", status: int = 400) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.turk_code = turk_code
        self.status = status

    def body(self, now: float) -> dict[str, str]:
        """The JSON body. MTurk ends its own messages with the time in milliseconds."""
        if not self.turk_code:
            return {"__type": self.kind, "message": self.message}
        return {
            "__type": self.kind,
            "Message": f"{self.message} ({int(now * 1000)} s)",
            "TurkErrorCode": self.turk_code,
        }


def request_error(code: str, message: str) -> TurkError:
    """A RequestError with the TurkErrorCode `AWS.MechanicalTurk.<code>`."""
    return TurkError("RequestError", message, turk_code=PREFIX + code)


def does_not_exist(kind: str, name: str) -> TurkError:
    """`kind` is HIT, HITType, Assignment, QualificationType, QualificationRequest or Worker."""
    shown = "Hit" if kind == "HIT" else kind
    return request_error(f"{kind}DoesNotExist", f"{shown} {name} does not exist.")


def wrong_state(kind: str, state: str, allowed: str) -> TurkError:
    """An operation on something in a state that does not allow it."""
    text = (
        f"This {kind} is currently in the state '{state}'.  "
        f"This operation can be called with a status of: {allowed}"
    )
    return request_error(f"Invalid{kind}State", text)


def invalid(message: str) -> TurkError:
    """A value that the model allows and MTurk does not."""
    return request_error("InvalidParameterValue", message)


def insufficient_funds() -> TurkError:
    return request_error(
        "InsufficientFunds",
        "This Requester has insufficient funds in their account to complete this transaction.",
    )


def already_processed(token: str, request_id: str) -> TurkError:
    """A UniqueRequestToken seen before; the message carries the first request's ID."""
    text = (
        f'The idempotency token "{token}" has already been processed. '
        f"The request ID was {request_id}."
    )
    return request_error("DuplicateRequest", text)


def hit_already_exists(hit_id: str) -> TurkError:
    """A HIT was created with the same UniqueRequestToken; the message carries its ID."""
    return request_error(
        "HitAlreadyExists",
        f"The HIT with ID {hit_id} already exists with the same UniqueRequestToken.",
    )


def xml_problem(details: str) -> TurkError:
    """Question, test or answer key that is not well-formed or not of its schema."""
    text = (
        "There was an error parsing the XML question or answer data in your request.  Please make "
        "sure the data is well-formed and validates against the appropriate schema. "
        f"Details: {details}"
    )
    return request_error("XMLParseError", text)
