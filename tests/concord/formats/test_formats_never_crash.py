"""Whatever is in a file, a reader answers with records or with a FormatError."""

import copy
import dataclasses
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.formats import FormatError, Limits
from concord.formats.fields import storage_fault
from tests.concord.formats.format_examples import FILES, read

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**400), 10**400)
    | st.floats()
    | st.sampled_from(["", "a", "\0", "\ud800", "x" * 600]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3) | st.just("\ud800"), inner)
    ),
    max_leaves=5,
)


def answer(kind, format, name, content):
    """Read content as a file, and hold the answer against what every reader promises."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        try:
            file = read(kind, format, path, limits=Limits(max_field_chars=2_000))
        except FormatError as error:
            assert 1 <= len(error.problems) <= min(20, error.total)
            assert all(str(problem).isprintable() for problem in error.problems)
            return
    report = file.report
    assert report.read == report.kept + sum(report.left_out.values())
    records = file.pairs if kind == "pairs" else file.candidates
    assert len(records) == report.kept
    for text in texts([dataclasses.asdict(record) for record in records]):
        assert storage_fault(text) is None


def texts(value):
    """Every string inside plain values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


@pytest.mark.parametrize(("kind", "format"), FILES)
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_on_any_bytes(kind, format, content):
    answer(kind, format, FILES[kind, format][0], content)


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    value = copy.copy(value)
    value[path[0]] = replaced(value[path[0]], path[1:], new)
    return value


@pytest.mark.parametrize(("kind", "format"), [key for key in FILES if key[1] != "kpqa"])
@given(data=st.data())
def test_on_a_good_file_with_one_value_changed(kind, format, data):
    name, content = FILES[kind, format]
    every = [path for path in places(content) if path or not name.endswith(".jsonl")]
    path = data.draw(st.sampled_from(every))
    changed = replaced(content, path, data.draw(VALUES))
    lines = changed if name.endswith(".jsonl") else [changed]
    answer(kind, format, name, "\n".join(json.dumps(line) for line in lines).encode())


NAMES = st.sampled_from(["", "\0", "\ud800", "x" * 600]) | st.text(max_size=3)


def renamed(value, path, new):
    """The value with the member at the path under another name."""
    if len(path) == 1:
        return {new if name == path[0] else name: item for name, item in value.items()}
    return replaced(value, path[:-1], renamed(inner(value, path[:-1]), path[-1:], new))


def inner(value, path):
    for key in path:
        value = value[key]
    return value


@pytest.mark.parametrize(
    ("kind", "format"), [key for key, (name, _) in FILES.items() if not name.endswith(".csv")]
)
@given(data=st.data())
def test_on_a_good_file_with_one_name_changed(kind, format, data):
    name, content = FILES[kind, format]
    members = [path for path in places(content) if path and isinstance(path[-1], str)]
    changed = renamed(content, data.draw(st.sampled_from(members)), data.draw(NAMES))
    lines = changed if name.endswith(".jsonl") else [changed]
    answer(kind, format, name, "\n".join(json.dumps(line) for line in lines).encode())


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["question", "answer", "reference1", "reference2", "scores", "3", "", '"', "a b"]
            ),
            max_size=7,
        ).map(",".join),
        max_size=5,
    ).map("\n".join)
)
def test_on_any_table(text):
    answer("judgments", "kpqa", "k.csv", text.encode())
