"""Indentation of templates is left out of pages, that of values is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.template import Context, Engine


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    (tmp_path / "page.html").write_text("<ul>\n    <li>\n\t\t{{ text }}</li>\n</ul>\n")
    (tmp_path / "mail.txt").write_text("Hello\n    {{ text }}\n")
    return Engine([str(tmp_path)], loaders=["core.pages.template_loader.Loader"])


def test_a_page_has_no_indentation_but_that_of_values(engine: Engine) -> None:
    page = engine.get_template("page.html").render(Context({"text": "a\n    b"}))
    assert page == "<ul>\n<li>\na\n    b</li>\n</ul>\n"


def test_other_files_stay_as_they_are(engine: Engine) -> None:
    assert engine.get_template("mail.txt").render(Context({"text": "a"})) == "Hello\n    a\n"
