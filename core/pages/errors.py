"""What a page raises when a request asks for something that does not exist."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import Http404


class MissingError(Http404):
    """The address names nothing that exists; the message says what exists instead."""


class UnknownChoiceError(BadRequest):
    """A query parameter has a value that is not allowed; the message names it."""
