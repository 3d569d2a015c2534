"""Error responses of the service, in the form that boto3 expects.

The service model has two error shapes, RequestError (a client error) and ServiceFault (retry), both
with `Message` and `TurkErrorCode`. Errors of the AWS protocol layer (a missing signature, a
parameter that violates the model, throttling) have other shapes, which the model does not list.
Messages are those in public issue threads where there are any; the others are our own.
"""

from __future__ import annotations

PREFIX = "AWS.MechanicalTurk."


class TurkError(Exception):
    """An error response; the request had no effect.

    kind: boto3's error code. turk_code: its TurkErrorCode, empty for errors of the protocol layer.
    status: the HTTP status.
    """

    def __init__(self, kind: str, message: str, *, turk_code: str = "", status: int = 400) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.turk_code = turk_code
        self.status = status

    def body(self, now: float) -> dict[str, str]:
        """The JSON body. MTurk appends the time in milliseconds to its own messages."""
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
    """The state of an object does not allow the operation."""
    text = (
        f"This {kind} is currently in the state '{state}'.  "
        f"This operation can be called with a status of: {allowed}"
    )
    return request_error(f"Invalid{kind}State", text)


def invalid(message: str) -> TurkError:
    """A value that the model allows but MTurk does not."""
    return request_error("InvalidParameterValue", message)


def insufficient_funds() -> TurkError:
    return request_error(
        "InsufficientFunds",
        "This Requester has insufficient funds in their account to complete this transaction.",
    )


def already_processed(token: str, request_id: str) -> TurkError:
    """A repeated UniqueRequestToken; the message has the first request's ID."""
    text = (
        f'The idempotency token "{token}" has already been processed. '
        f"The request ID was {request_id}."
    )
    return request_error("DuplicateRequest", text)


def hit_already_exists(hit_id: str) -> TurkError:
    """A HIT with the same UniqueRequestToken exists; the message has its ID."""
    return request_error(
        "HitAlreadyExists",
        f"The HIT with ID {hit_id} already exists with the same UniqueRequestToken.",
    )


def xml_problem(details: str) -> TurkError:
    """A question, test or answer key is not well-formed or violates its schema."""
    text = (
        "There was an error parsing the XML question or answer data in your request.  Please make "
        "sure the data is well-formed and validates against the appropriate schema. "
        f"Details: {details}"
    )
    return request_error("XMLParseError", text)
