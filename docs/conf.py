"""How Sphinx builds the documentation: `make docs`."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# Commands and the REST API are described by the code; no server is needed for that.
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
os.environ.setdefault("SECRET_KEY", "documentation")
os.environ.setdefault("IDENTITY_KEYS", "documentation-documentation-documentation")
django.setup()

_project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
project = "Concord"
release = version = _project["version"]
copyright = "the authors of Concord, Apache-2.0"
extensions = [
    "myst_parser",
    "sphinx_design",
    "sphinx.ext.autodoc",
    "docs.sphinx_extensions.docstrings",
    "docs.sphinx_extensions.mathml",
    "docs.sphinx_extensions.commands",
    "docs.sphinx_extensions.metrics",
    "docs.sphinx_extensions.operations",
]
exclude_patterns = ["_build", "**/_*.md"]
html_theme = "pydata_sphinx_theme"
html_title = f"Concord {release}"
html_static_path = ["_static"]
html_css_files = ["concord.css"]
html_logo = html_favicon = "../core/pages/static/concord/mark.svg"
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "logo": {"text": "Concord"},
    "navigation_with_keys": False,
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": []}
html_context = {"default_mode": "auto"}

# Markdown
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

# The Python API: docstrings hold prose, and `name` is code in it.
default_role = "code"
autodoc_default_options = {"members": True, "imported-members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
# Types of other packages and of private modules have no page here.
nitpick_ignore_regex = [("py:.*", ".*")]
