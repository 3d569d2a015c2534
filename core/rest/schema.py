"""The OpenAPI document, generated from the declarations of the operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
)
from rest_framework.serializers import Serializer

from concord.documents.problems import ProblemDocument
from core.rest.document_schema import Schema, document_schema, document_type, page_schema
from core.rest.operations import JSON, Operation
from core.rest.serializers import Strict
from core.security.problem_documents import PROBLEM_JSON

ANSWERS = {
    304: "The document has not changed.",
    400: "A query parameter or the body is malformed.",
    401: "Authentication is required, or the token is invalid.",
    403: "Your role or your token's scopes are not sufficient.",
    404: "It does not exist, or you have no access.",
    406: "The API has no answer in a form that you accept.",
    409: "Not possible in the present state, or the same request is still running.",
    412: "The document has changed since you read it.",
    413: "The body is too large.",
    415: "The body has the wrong content type.",
    422: "A field is invalid; `errors` names it.",
    429: "Too many requests. Retry-After says when to try again.",
    503: "The database or the message broker cannot be reached: `detail` says which.",
}


_PATH_PARAMETERS: dict[str, OpenApiParameter] = {}


def describe_path(
    name: str, description: str, *, example: str | int, pattern: str | None = None
) -> None:
    """Describe a path parameter, for every operation that has it in its path."""
    _PATH_PARAMETERS[name] = OpenApiParameter(
        name,
        type(example),
        OpenApiParameter.PATH,
        description=description,
        pattern=pattern,
        examples=[OpenApiExample(name, example)],
    )


# As AutoSchema declares it.
OverrideParameter = OpenApiParameter | Serializer[Any] | type[Serializer[Any]]
# Path, its pattern, method and view.
Endpoint = tuple[str, str, str, Callable[..., HttpResponseBase]]


class OperationSchema(AutoSchema):
    """The schema of an ApiView, from its declared operations."""

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
        text = " ".join(line.strip() for line in lines)
        scope = self.declared.scope
        scope_note = f"A token needs the scope `{scope}`." if scope else ""
        return " ".join(part for part in (text, scope_note) if part)

    def get_tags(self) -> list[str]:
        return [self.declared.tag or self.path.removeprefix("/api/v1/").split("/")[0]]

    def get_auth(self) -> list[dict[str, list[str]]]:
        schemes: list[dict[str, list[str]]] = super().get_auth()
        return [*schemes, {}] if self.declared.visitors else schemes

    def get_override_parameters(self) -> list[OverrideParameter]:
        declared = self.declared
        parameters: list[OverrideParameter] = [
            _PATH_PARAMETERS[name] for name in self._path_names()
        ]
        if declared.query is not None:
            parameters.append(declared.query)
        if declared.creates:
            parameters.append(
                _header(
                    "Idempotency-Key",
                    "Any text that you have not used before. It makes repeating the request safe.",
                )
            )
        if declared.changes is not None:
            parameters.append(
                _header(
                    "If-Match",
                    "The ETag of the document that you read: changed documents give 412.",
                )
            )
        if self.method == "GET" and declared.sends == JSON:
            parameters.append(
                _header("If-None-Match", "The ETag of your copy: unchanged documents give 304.")
            )
            parameters.append(_answer_header("ETag", "Changes when the document changes."))
        if declared.status == 201:
            parameters.append(_answer_header("Location", "URL of the new resource."))
        return parameters

    def get_request_serializer(self) -> Any:  # noqa: ANN401 - a dict is allowed besides what AutoSchema declares
        body = self.declared.body
        return {} if body is None else {self.declared.takes: body}

    def get_response_serializers(self) -> Any:  # noqa: ANN401 - a dict is allowed besides what AutoSchema declares
        declared = self.declared
        responses: dict[object, object] = {}
        answer = declared.answer
        schema: Schema | None = None
        if answer is not None:
            describe = page_schema if declared.pages else document_schema
            schema = describe(document_type(answer), self.registry)
        if declared.sends != JSON:
            binary = {"type": "string", "format": "binary"}
            responses[(declared.status, declared.sends)] = OpenApiResponse(binary, "The file.")
        else:
            responses[declared.status] = OpenApiResponse(schema, "Done." if schema is None else "")
        if self.method == "GET" and declared.sends == JSON:
            responses[304] = OpenApiResponse(None, ANSWERS[304])
        problem = document_schema(ProblemDocument, self.registry)
        for status in self._problems():
            description = declared.also.get(status, ANSWERS[status])
            responses[(status, PROBLEM_JSON)] = OpenApiResponse(problem, description)
        return responses

    def get_examples(self) -> list[OpenApiExample]:
        declared, examples = self.declared, []
        if declared.example is not None:
            media = declared.takes
            examples.append(
                OpenApiExample("Request", declared.example, request_only=True, media_type=media)
            )
        if declared.answer_example is not None:
            value, codes = declared.answer_example, [str(declared.status)]
            examples.append(OpenApiExample("Answer", value, response_only=True, status_codes=codes))
        return examples

    def _path_names(self) -> list[str]:
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]

    def _problems(self) -> list[int]:
        declared = self.declared
        statuses = {400, 401, 403, 406, 429, *declared.also}
        if self._path_names():
            statuses.add(404)
        if self.method in ("POST", "PUT", "PATCH"):
            statuses |= {413, 415, 422}
        if declared.creates:
            statuses |= {409, 422}
        if declared.changes is not None:
            statuses.add(412)
        return sorted(statuses)

    def _postprocess_serializer_schema(
        self, schema: Schema, serializer: object, direction: str
    ) -> Schema:
        result: Schema = super()._postprocess_serializer_schema(  # type: ignore[no-untyped-call]
            schema, serializer, direction
        )
        if isinstance(serializer, Strict):
            result["additionalProperties"] = False
        return result


def drop_excluded(endpoints: list[Endpoint]) -> list[Endpoint]:
    """Preprocessing hook: only declared operations are in the document."""
    return [one for one in endpoints if hasattr(getattr(one[3], "cls", None), "operation")]


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
