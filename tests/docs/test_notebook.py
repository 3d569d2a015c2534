"""The tutorial that is a notebook: its cells are run in their order."""

from __future__ import annotations

import ast
import json

from django.conf import settings

NOTEBOOK = settings.BASE_DIR / "docs" / "tutorials" / "judges.ipynb"


def run_cell(source, names):
    """Run a cell, and return the value of its last line, None where that is no expression."""
    *body, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        body, last = [*body, last], None
    exec(compile(ast.Module(body, []), str(NOTEBOOK), "exec"), names)
    return last and eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)


def test_the_notebook_runs_and_every_result_shows_itself():
    notebook, names, shown = json.loads(NOTEBOOK.read_text()), {}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            value = run_cell("".join(cell["source"]), names)
            html = getattr(value, "_repr_html_", None)
            shown += [] if html is None else [html()]
    assert len(shown) == 6
    for html in shown:
        assert html.startswith('<img src="data:image/svg+xml;base64,') and "<table" in html
    assert names["verdicts"].signature.startswith("jury|judges:")
