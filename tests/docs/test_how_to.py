"""The commands of the how-to guides, run as they are written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

from concord.formats import JUDGMENT_FORMATS, PAIR_FORMATS
from tests.docs.guide_files import PREPARE
from tests.docs.guide_runner import command_blocks
from tests.docs.test_tutorials import runner
from tests.docs.tutorial_runner import TutorialRunner

GUIDES = settings.BASE_DIR / "docs" / "how-to"
PAGES = {path.stem: command_blocks(path) for path in sorted(GUIDES.glob("*.md"))}
# Commands of each guide that no test runs; the page says why.
NOT_RUN = {"backup": 4, "crowds": 1, "deployment": 9, "encoders": 2, "llm-judge": 7}

__all__ = ["runner"]


def test_every_command_of_a_guide_is_run_or_says_why_not() -> None:
    counts = {
        name: sum(len(block.commands) for block in blocks if block.not_run)
        for name, blocks in PAGES.items()
    }
    assert {name: count for name, count in counts.items() if count} == NOT_RUN
    run = {name for name, blocks in PAGES.items() if any(not one.not_run for one in blocks)}
    assert run == PREPARE.keys()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", PREPARE)
def test_the_commands_of_a_guide_do_what_it_says(
    runner: TutorialRunner, tmp_path: Path, name: str
) -> None:
    for number, block in enumerate(PAGES[name]):
        if prepare := PREPARE[name].get(number):
            prepare(tmp_path)
        if not block.not_run:
            try:
                runner.shell(block.script)
            except AssertionError as error:
                error.add_note(f"{name}.md, line {block.line}")
                raise


def test_the_guide_names_every_format() -> None:
    guide = (GUIDES / "formats.md").read_text()
    rows = [line.split("|")[1] for line in guide.splitlines() if line.startswith("| `")]
    names = {name for row in rows for name in re.findall("`(.+?)`", row)}
    assert {name.removesuffix("-pairs") for name in names} == {
        *JUDGMENT_FORMATS,
        *PAIR_FORMATS,
    }
