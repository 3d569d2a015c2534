"""Query parameters of the pages of analyses, from the parameters of the analyses."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from core.pages.queries import QueryForm, parameter_fields

# Pages show the figures of the default draws.
OMITTED = ("draws", "seed")


class AnalysisQuery(QueryForm):
    """The parameters of an analysis that its page lets people choose, and fields of its own.

    parameters: the dataclass. omitted: fields of it that are not in the query. split_fields: fields
    of the form that set others, so that links and forms do not repeat them.
    """

    parameters: ClassVar[type]
    omitted: ClassVar[tuple[str, ...]] = OMITTED
    split_fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields = parameter_fields(self.parameters, omit=self.omitted) | self.fields


@cache
def query_of(parameters: type) -> type[AnalysisQuery]:
    """The query of a page that has no fields of its own."""
    return type("ParametersQuery", (AnalysisQuery,), {"parameters": parameters})
