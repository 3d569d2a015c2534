"""How Markdown becomes a page: directives, links, formulas, tables, code; the text of search."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.documentation import pages, searching, tree
from config.documentation.markdown import DocumentationError, render
from config.documentation.pages import DIRECTIVES


def html(source: str, page: str = "how-to/plan") -> str:
    return render(page, source, DIRECTIVES).html


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("```{magic} x\n```", "no directive 'magic'"),
        ("[gone](gone.md)", "no page gone.md"),
        ("[code](../../manage.py)", "no page"),
        ("[root](/docs/index.md)", "is not relative"),
        ("```{include} ../reference/_licences.md\n```\n\n[gone](gone.md)", "no page gone.md"),
    ],
)
def test_a_fault_of_a_page_is_named(source: str, message: str) -> None:
    with pytest.raises(DocumentationError, match=message):
        html(source)


def test_links_lead_to_pages_and_keep_their_place() -> None:
    assert 'href="../reference/roles.html#x"' in html("[roles](../reference/roles.md#x)")
    assert 'href="https://a.org/b.md"' in html("[elsewhere](https://a.org/b.md)")


def test_a_directive_in_a_block_that_shows_it_is_not_followed() -> None:
    assert "{metric} bleu-1" in html("````text\n```{metric} bleu-1\n```\n````")


def test_a_table_scrolls_and_names_its_columns_and_one_without_heads_its_rows() -> None:
    text = html("| a | n |\n|---|---:|\n| x | 1 |\n")
    assert 'tabindex="0"' in text and "style=" not in text
    assert '<th scope="col">a</th>' in text and '<td class="num">1</td>' in text
    text = html("| | |\n|---|---|\n| name | x |\n")
    assert "<thead>" not in text and '<th scope="row">name</th>' in text


def test_formulas_are_mathml_and_money_is_not() -> None:
    text = html("It costs $5 or $10, and $\\alpha$ is\n\n$$\n\\frac{1}{2}\n$$\n")
    assert text.count("<math") == 2 and "<mfrac>" in text
    assert "$5 or $10" in text


def test_headings_have_ids_of_their_own() -> None:
    rendered = render("how-to/plan", "# A\n\nfirst\n\n## B c\n\nx `y`\n\n## B c\n", DIRECTIVES)
    assert [one.anchor for one in rendered.headings] == ["a", "b-c", "b-c-1"]
    assert rendered.texts == ("", "first", "x y", "")


@pytest.mark.parametrize("name", ["concord", "concord.judges", "concord.reliability", "scorers"])
def test_the_python_reference_has_every_public_class_and_function(name: str) -> None:
    module = importlib.import_module(name)
    titles = {one.title for one in pages.rendered(f"reference/python/{name}").headings}
    source = tree.source(f"reference/python/{name}")
    for public in module.__all__:
        thing = getattr(module, public)
        if isinstance(thing, type) or hasattr(thing, "__code__"):
            assert public in titles or public in source, public


def test_the_python_reference_has_signatures_fields_and_docstrings() -> None:
    text = pages.rendered("reference/python/concord.documents").html
    assert "Why it failed or stopped; else empty." in text, "Annotated says what a field is"
    assert "Whether it has ended" in text, "a property has its docstring"
    text = " ".join(pages.rendered("reference/python/concord").texts)
    assert "leaderboard( frame: " in text


def test_a_command_is_described_by_itself() -> None:
    text = " ".join(pages.rendered("reference/commands").texts)
    assert "usage: concord leaderboard" in text and "usage: manage.py import_judgments" in text
    assert "--pythonpath" not in text


@pytest.fixture
def two_pages(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    settings.VAR_DIR = tmp_path
    names = frozenset({"index", "how-to/plan"})
    for name in names:  # while the pages to which they link are there
        pages.rendered(name)
    monkeypatch.setattr(tree, "pages", lambda: names)
    searching.texts.cache_clear()
    yield tmp_path / "documentation"
    searching.texts.cache_clear()


def test_the_text_of_search_is_stored_and_read_again(two_pages: Path) -> None:
    made = searching.texts()
    assert set(made) == {"index", "how-to/plan"}
    (file,) = two_pages.iterdir()
    file.write_text(file.read_text("utf-8").replace("judgment set", "stored set"), "utf-8")
    searching.texts.cache_clear()
    assert "stored set" in str(searching.texts())
    file.write_text("[")
    searching.texts.cache_clear()
    assert searching.texts() == made
    assert [one.name for one in two_pages.iterdir()] == [file.name]


def test_a_folder_that_cannot_be_written_only_costs_time(two_pages: Path) -> None:
    two_pages.write_text("a file, where the folder should be")
    assert set(searching.texts()) == {"index", "how-to/plan"}
