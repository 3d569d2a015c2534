"""Files and modules that docstrings, comments and pages of the documentation name are there."""

from __future__ import annotations

import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
PACKAGES = "annotation|bench|benchmarks|concord|config|core|mturk_sandbox|scorers|tests"
FILE = re.compile(
    rf"(?<![\w/.-])((?:{PACKAGES}|deploy|docs|templates)/[\w./-]*"
    r"\.(?:conf|css|html|js|json|md|py|service|sql|svg|toml|yml))\b"
)
MODULE = re.compile(
    rf"`(?:python -m )?((?:{PACKAGES})(?:\.\w+)+)`|python -m ((?:{PACKAGES})[\w.]*)"
)
# Where a path that begins with a package's name may lie.
FOLDERS = ("", "templates", "tests", "docs")
# Files of other projects, and places where a reader's own file goes.
NOT_OURS = {"tests/boto3-returns/list_hits.json", "docs/reference/metrics/NAME.md"}
# Names of files in docs/ and deploy/ that look like modules: `concord.env`.
ENDINGS = ("env", "conf", "service", "timer", "target")


def documents() -> Iterator[tuple[str, str]]:
    """The name and the prose of each tracked file: strings and comments of Python, else all."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.md", "*.toml"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.split():
        text = (ROOT / name).read_text(encoding="utf-8")
        yield name, prose(text) if name.endswith(".py") else text


def prose(source: str) -> str:
    """The comments and the strings of several words, which are no paths in code."""
    kinds = (tokenize.STRING, tokenize.COMMENT)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return "\n".join(one.string for one in tokens if one.type in kinds and " " in one.string)


def is_there(path: str) -> bool:
    return any((ROOT / folder / path).exists() for folder in FOLDERS)


def names_something(dotted: str) -> bool:
    """Whether a dotted name is a module, or a name in the text of one."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:length])
        module = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if path.is_dir() and length == len(parts):
            return True
        if module.exists():
            rest = parts[length:]
            return not rest or re.search(rf"\b{rest[0]}\b", module.read_text("utf-8")) is not None
    return False


def missing(text: str) -> list[str]:
    """What a text names that is not there."""
    files = {match[1] for match in FILE.finditer(text)} - NOT_OURS
    modules = {match[1] or match[2] for match in MODULE.finditer(text)}
    return sorted(
        [one for one in files if not is_there(one)]
        + [one for one in modules if not one.endswith(ENDINGS) and not names_something(one)]
    )


def test_the_search_finds_what_is_not_there() -> None:
    text = "See tests/papers/no_such_test.py, `scorers.nowhere.thing` and `concord.formats`."
    assert missing(text) == ["scorers.nowhere.thing", "tests/papers/no_such_test.py"]
    assert prose('name = "bench/gone.py"\n"""As bench/gone.py says."""') == (
        '"""As bench/gone.py says."""'
    )


def test_every_file_and_module_that_is_named_is_there() -> None:
    # The changelog also names what was removed.
    left_out = {Path(__file__).relative_to(ROOT).as_posix(), "CHANGELOG.md"}
    wrong = {name: missing(text) for name, text in documents() if name not in left_out}
    assert {name: some for name, some in wrong.items() if some} == {}
