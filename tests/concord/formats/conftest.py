"""Files for the readers: made up on the spot, or the real ones where they are found."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from concord.formats import FormatError
from tests import real_data

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write bytes, text, a JSON value or (for .jsonl) a list of JSON lines; gives the path."""

    def write(name: str, content: Any) -> Path:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
            return path
        if not isinstance(content, str):
            lines = content if name.endswith(".jsonl") else [content]
            content = "".join(json.dumps(line) + "\n" for line in lines)
        path.write_bytes(content.encode("utf-8"))
        return path

    return write


@pytest.fixture
def real() -> Callable[[str], Path]:
    """The path of one real file; skips the test where it is absent."""
    return real_data.path


@pytest.fixture
def refusal() -> Callable[..., FormatError]:
    """The FormatError that a call raises."""

    def refusal(call: Callable[..., Any], *args: Any, **kwargs: Any) -> FormatError:
        with pytest.raises(FormatError) as caught:
            call(*args, **kwargs)
        return caught.value

    return refusal
