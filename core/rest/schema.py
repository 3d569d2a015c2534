"""The OpenAPI description, made from what each operation declares of itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    inline_serializer,
)
from rest_framework import serializers

from core.rest.operations import JSON, Operation
from core.rest.serializers import ProblemDocument, Strict
from core.security.problem_documents import PROBLEM_JSON

ANSWERS = {
    304: "Unchanged: you have it already.",
    400: "The address or the body cannot be read.",
    401: "An account is needed, or the token is not taken.",
    403: "Your role, or your token's scopes, are too small; it says whom to ask.",
    404: "It does not exist, or is not for you to know.",
    406: "The API answers in another form than you accept.",
    409: "It is not in a state for this, or the same request is still at work.",
    412: "It has changed since you read it.",
    413: "The body is too large.",
    415: "A body of another kind is needed.",
    422: "A field cannot be taken; `errors` names it.",
    429: "Too many requests; Retry-After says when to come again.",
    503: "The database or the workers cannot be reached: try again in a moment.",
}


@dataclass(frozen=True)
class _Part:
    description: str
    pattern: str | None
    example: Any


_PATH_PARTS: dict[str, _Part] = {}


def describe_path(name: str, description: str, *, example: Any, pattern: str | None = None) -> None:
    """Say once what a part of addresses is, for every operation that has it in its path."""
    _PATH_PARTS[name] = _Part(description, pattern, example)


class OperationSchema(AutoSchema):
    """Writes an ApiView's declared operations down."""

    method: str

    @property
    def declared(self) -> Operation:
        declared: Operation = getattr(self.view, self.method.lower()).operation
        return declared

    def is_excluded(self) -> bool:
        return not hasattr(getattr(self.view, self.method.lower()), "operation")

    def get_operation_id(self) -> str:
        return self.declared.id

    def get_summary(self) -> str:
        return self.declared.summary

    def get_description(self) -> str:  # type: ignore[override]
        handler = getattr(self.view, self.method.lower())
        lines = (handler.__doc__ or "").strip().splitlines()
        told = " ".join(line.strip() for line in lines)
        scope = self.declared.scope
        needed = f"A token needs the scope `{scope}`." if scope else ""
        return " ".join(part for part in (told, needed) if part)

    def get_tags(self) -> list[str]:
        return [self.declared.tag or self.path.removeprefix("/api/v1/").split("/")[0]]

    def get_auth(self) -> list[Any]:
        found: list[Any] = super().get_auth()
        if self.declared.browser_only:
            found = [one for one in found if "token" not in one]
        return [*found, {}] if self.declared.visitors else found

    def get_override_parameters(self) -> list[Any]:
        declared = self.declared
        found: list[Any] = [_path_parameter(name) for name in self._path_names()]
        if declared.query is not None:
            found.append(declared.query)
        if declared.creates:
            found.append(
                _header("Idempotency-Key", "Makes sending it twice safe: any text new to you.")
            )
        if declared.changes is not None:
            found.append(_header("If-Match", "The ETag of what you read, to change only that."))
        if self.method == "GET" and declared.sends == JSON:
            found.append(_header("If-None-Match", "The ETag you have: unchanged gives 304."))
            found.append(_answer_header("ETag", "Changes when the document does."))
        if declared.status == 201:
            found.append(_answer_header("Location", "Where to find what was made."))
        return found

    def get_request_serializer(self) -> Any:
        body = self.declared.body
        return {} if body is None else {self.declared.takes: body}

    def get_response_serializers(self) -> Any:
        declared = self.declared
        found: dict[Any, Any] = {}
        answer = declared.answer
        if declared.pages:
            answer = _page(answer)
        if declared.sends != JSON:
            binary = {"type": "string", "format": "binary"}
            found[(declared.status, declared.sends)] = OpenApiResponse(binary, "The file.")
        else:
            found[declared.status] = OpenApiResponse(answer, "Done." if answer is None else "")
        if self.method == "GET" and declared.sends == JSON:
            found[304] = OpenApiResponse(None, ANSWERS[304])
        for status in self._problems():
            told = declared.also.get(status, ANSWERS[status])
            found[(status, PROBLEM_JSON)] = OpenApiResponse(ProblemDocument, told)
        return found

    def get_examples(self) -> list[OpenApiExample]:
        found = []
        if self.declared.example is not None:
            media = self.declared.takes
            found.append(
                OpenApiExample(
                    "Request", self.declared.example, request_only=True, media_type=media
                )
            )
        if self.declared.answer_example is not None:
            found.append(
                OpenApiExample(
                    "Answer",
                    self.declared.answer_example,
                    response_only=True,
                    status_codes=[str(self.declared.status)],
                )
            )
        return found

    def _path_names(self) -> list[str]:
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]

    def _problems(self) -> list[int]:
        declared = self.declared
        found = {400, 401, 403, 406, 429, *declared.also}
        if self._path_names():
            found.add(404)
        if self.method in ("POST", "PUT", "PATCH"):
            found |= {413, 415, 422}
        if declared.creates:
            found |= {409, 422}
        if declared.changes is not None:
            found.add(412)
        return sorted(found)

    def _postprocess_serializer_schema(
        self, schema: dict[str, Any], serializer: Any, direction: str
    ) -> dict[str, Any]:
        found: dict[str, Any] = super()._postprocess_serializer_schema(  # type: ignore[no-untyped-call]
            schema, serializer, direction
        )
        if isinstance(serializer, Strict):
            found["additionalProperties"] = False
        return found


def drop_excluded(endpoints: list[Any]) -> list[Any]:
    """Preprocessing hook: only what declares itself is described."""
    return [one for one in endpoints if hasattr(getattr(one[3], "cls", None), "operation")]


@cache
def _page(answer: type[serializers.Serializer[Any]]) -> Any:
    name = answer.__name__.removesuffix("Document")
    return inline_serializer(
        f"{name}Page",
        {
            "results": answer(many=True),
            "next": serializers.CharField(
                allow_null=True, help_text="Address of the next page; null on the last."
            ),
        },
    )


def _header(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=description)


def _answer_header(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(
        name,
        str,
        OpenApiParameter.HEADER,
        description=description,
        response=[200, 201] if name == "ETag" else [201],
    )


def _path_parameter(name: str) -> OpenApiParameter:
    part = _PATH_PARTS[name]
    kind: Any = int if isinstance(part.example, int) else str
    return OpenApiParameter(
        name,
        kind,
        OpenApiParameter.PATH,
        description=part.description,
        pattern=part.pattern,
        examples=[OpenApiExample(name, part.example)],
    )
