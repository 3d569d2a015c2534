"""Problem documents (RFC 9457): why a request or a job failed."""

from typing import Annotated, NotRequired, TypedDict


class FaultDocument(TypedDict):
    """One error in a request."""

    field: Annotated[str, "Path of the field; empty for the whole request."]
    detail: str
    file: NotRequired[Annotated[str, "Name of the uploaded file."]]
    line: NotRequired[int | None]


class FailureDocument(TypedDict):
    """Why a job failed, as a problem document."""

    type: Annotated[str, "URL of the description of this kind of problem."]
    title: str
    status: int
    detail: str
    errors: NotRequired[list[FaultDocument]]


class ProblemDocument(FailureDocument):
    """A problem document (RFC 9457): what went wrong and what to do."""

    instance: Annotated[str, "The URL of the request."]
    request_id: Annotated[
        str, "Number of the request in the logs. Quote it when you report the problem."
    ]
