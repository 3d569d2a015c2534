"""Old names of request fields and query parameters, and old URLs.

A renamed field is accepted under its old name too, and a renamed URL is still answered. The
response then has the header `Deprecation` (RFC 9745) with the date of the renaming. Responses
contain new names only.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from django.http import QueryDict
from django.urls import URLPattern, path
from rest_framework import serializers
from rest_framework.views import APIView

HEADER = "Deprecation"
OLD_URL = "api-old-url"  # the name of every old URL
RENAMED_ON = "@1795305600"  # 22 November 2026, as RFC 9745 writes dates


def apply_new_names(data: Any, renamed: Mapping[str, str]) -> Any:
    """The same request data with each old name in `renamed` (old to new) replaced by the new one.

    Returns `data` itself when it has none of the old names. Raises ValidationError when it has both
    names of a field.
    """
    old_names = [name for name in renamed if isinstance(data, Mapping) and name in data]
    if not old_names:
        return data
    duplicates = {name: renamed[name] for name in old_names if renamed[name] in data}
    if duplicates:
        raise serializers.ValidationError(
            {
                old: [f"This is the old name of `{new}`: send one."]
                for old, new in duplicates.items()
            }
        )
    changed: Any = copy.copy(data)
    for name in old_names:
        value = changed.pop(name)
        if isinstance(changed, QueryDict):
            changed.setlist(renamed[name], value)
        else:
            changed[renamed[name]] = value
    return changed


def old_path(route: str, view: type[APIView]) -> URLPattern:
    """The old URL of an ApiView. It is not in the OpenAPI document."""
    return path(route, view.as_view(schema=None, uses_old_names=True), name=OLD_URL)
