"""Query parameters of the pages of analyses, from the parameters of the analyses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, TypeVar

from core.pages.queries import QueryForm, parameter_fields

# Pages show the figures of the default draws.
OMITTED = ("draws", "seed")


class AnalysisQuery(QueryForm):
    """The query of the page of an analysis, with fields of its own.

    split_fields: those that set others or concern the page only, so that links and forms do not
    repeat them.
    """

    split_fields: ClassVar[tuple[str, ...]] = ()
    # The dataclass that each derived field comes from.
    sources: ClassVar[Mapping[str, type]] = {}


Query = TypeVar("Query", bound=AnalysisQuery)


def with_parameters(
    parameters: type, *, omit: tuple[str, ...] = ()
) -> Callable[[type[Query]], type[Query]]:
    """Decorate a query: its first fields are those of the dataclass `parameters`, without draws,
    seed and `omit`."""

    def add(query: type[Query]) -> type[Query]:
        fields = parameter_fields(parameters, omit=(*OMITTED, *omit))
        query.base_fields = fields | query.base_fields
        query.sources = dict.fromkeys(fields, parameters)
        return query

    return add


def query_of(parameters: type) -> type[AnalysisQuery]:
    """The query of a page that has no fields of its own."""
    return with_parameters(parameters)(type("ParametersQuery", (AnalysisQuery,), {}))
