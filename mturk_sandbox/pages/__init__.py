"""HTML pages for workers and for the operator of the sandbox, without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Callable

from mturk_sandbox.pages import (
    dashboard,
    finding,
    operator,
    qualifying,
    sign_in,
    working,
)
from mturk_sandbox.pages.layout import error_page
from mturk_sandbox.web import ROUTES, Engine, WebRequest, WebResponse
from mturk_sandbox.work import WorkError

MODULES = (dashboard, finding, operator, qualifying, sign_in, working)


def find_view(request: WebRequest) -> Callable[[Engine], WebResponse]:
    """The view of a request, or a view of an error page."""
    allowed = False
    for method, pattern, view in ROUTES:
        match = re.fullmatch(pattern, request.path)
        if match and method == request.method:
            arguments = match.groups()

            def answer(engine: Engine, view=view, arguments=arguments) -> WebResponse:  # type: ignore[no-untyped-def]
                try:
                    response: WebResponse = view(engine, request, *arguments)
                    return response
                except WorkError as error:
                    return error_page(request, str(error), error.status)

            return answer
        allowed = allowed or bool(match)
    if allowed:
        return lambda _: error_page(request, "This address does not accept this method.", 405)
    return lambda _: error_page(request, "There is no such page.", 404)
