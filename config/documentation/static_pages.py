"""The documentation as files, which a browser or any web server can show without a site."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string

from config.documentation import tree
from config.documentation.page import page_context

#: Below the static folder `concord`.
STATIC = (
    "concord.css",
    "documentation.css",
    "mark.svg",
    "fonts/inter-latin.woff2",
    "fonts/inter-latin-ext.woff2",
    "fonts/LICENSE.txt",
)


def write(folder: Path) -> int:
    """Write every page and picture into a folder, which is emptied first. Returns how many pages.

    Raises DocumentationError for a page with a broken link or an unknown directive.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for page in tree.pages():
        path = folder / f"{page}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(render_to_string("documentation/file.html", page_context(page)), "utf-8")
    for name in STATIC:
        _copy(Path(str(finders.find(f"concord/{name}"))), folder / "_static" / name)
    for name in tree.images():
        _copy(tree.DOCS / name, folder / name)
    return len(tree.pages())


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
