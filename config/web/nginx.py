"""The reverse proxy's limits of request bodies, as nginx reads them (deploy/nginx/)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.urls import get_resolver

from core.security.uploads import UploadTable

HEAD = """\
# Largest request bodies in bytes, by address. Written by `manage.py nginx_limits` from the upload
# limits in the settings: write it again when one of them changes, and reload nginx.
"""
LOCATION = """
# {name}
location ~ "^/{pattern}$" {{
    client_max_body_size {max_bytes};
    proxy_pass http://concord;
}}
"""


def body_limits(table: UploadTable) -> str:
    """Directives for nginx's server block: the limit of forms, and one location for each address
    that takes files. They are the limits at which the application itself refuses a body."""
    parts = [HEAD, f"client_max_body_size {table.max_body_bytes(table.otherwise)};\n"]
    for name, limits in table.by_name.items():
        for pattern in _patterns(name):
            max_bytes = table.max_body_bytes(limits())
            parts.append(LOCATION.format(name=name, pattern=pattern, max_bytes=max_bytes))
    return "".join(parts)


def _patterns(view_name: str) -> Iterator[str]:
    """The view's addresses as regular expressions without group names, which nginx would take
    for variables, and without the end mark."""
    for _, pattern, _, _ in get_resolver().reverse_dict.getlist(view_name):
        yield re.sub(r"\?P<\w+>", "?:", pattern).removesuffix(r"\Z")
