"""A template loader that leaves out the indentation of the templates, which is half of a page."""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders import filesystem

_INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)


class Loader(filesystem.Loader):
    """Loads templates from DIRS. In HTML and SVG, lines lose the whitespace that they begin with.

    Values of variables stay as they are. The text of `<pre>` and `<textarea>` in a template must
    not need indentation.
    """

    def get_contents(self, origin: Origin) -> str:
        """The template's source. Line numbers in error messages stay right."""
        source: str = super().get_contents(origin)
        if not str(origin.name).endswith((".html", ".svg")):
            return source
        return _INDENTATION.sub("", source)
