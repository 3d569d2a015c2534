"""The documentation that `make docs` built, under /docs/."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from pathlib import Path

from csp.decorators import csp_update
from django.conf import settings
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.static import serve

BUILT: Path = settings.BASE_DIR / "docs" / "_build" / "html"
INLINE_SCRIPT = re.compile(rb"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.S)


@require_safe
def documentation(request: HttpRequest, page: str = "index.html") -> HttpResponseBase:
    """A file of the built documentation; while it is not built, a page that says how to build it.

    The theme has a few scripts in its pages and sets styles by script. Its own scripts are allowed
    by their hashes; the pages hold nothing that users write.
    """
    if not (BUILT / "index.html").exists():
        if page != "index.html":
            raise Http404
        return render(request, "docs_not_built.html")
    response = serve(request, page, document_root=str(BUILT))
    if not page.endswith(".html") or response.status_code != 200:
        return response
    path = BUILT / page
    policy = {
        "script-src": inline_scripts(path, path.stat().st_mtime_ns),
        "style-src": ["'unsafe-inline'"],
        "font-src": ["'self'"],
    }
    return csp_update(policy)(lambda request: response)(request)


@lru_cache(maxsize=512)
def inline_scripts(path: Path, changed: int) -> list[str]:
    """The hashes of the scripts in a page, as a content security policy names them."""
    scripts = INLINE_SCRIPT.findall(path.read_bytes())
    digests = (hashlib.sha256(script).digest() for script in scripts)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
