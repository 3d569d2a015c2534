"""The documentation under /docs/."""

from __future__ import annotations

from itertools import islice
from pathlib import PurePosixPath

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.static import serve

from config.documentation import tree
from config.documentation.page import page_context
from config.documentation.searching import find
from core.pages.queries import QueryForm, text

MAX_HITS = 30


class DocumentationQuery(QueryForm):
    q = text()


@require_safe
def documentation(request: HttpRequest, page: str = "index.html") -> HttpResponseBase:
    """A page, such as how-to/plan.html, or a picture."""
    if page in tree.images():
        return serve(request, page, document_root=str(tree.DOCS))
    path = PurePosixPath(f"{page}index.html" if page.endswith("/") else page)
    name = path.with_suffix("").as_posix() if path.suffix == ".html" else ""
    if name not in tree.pages():
        raise Http404("The documentation has no such page.")
    return render(request, "documentation/page.html", page_context(name))


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Pages of the documentation that have every word."""
    words = DocumentationQuery.read(request.GET)["q"].strip()
    hits = list(islice(find(words), MAX_HITS)) if words else []
    context = {"words": words, "hits": hits, **page_context(tree.INDEX)}
    return render(request, "documentation/search.html", context)
