"""What people enter to create a study, besides its protocol."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotation.studies.inputs import SLUG_TEXT, TITLE_TEXT
from concord.bounds import choice, described, number
from concord.protocols import PRESETS


@dataclass(frozen=True, slots=True)
class StudyInput:
    """A new study: its names, and the preset of its protocol."""

    slug: str = field(
        metadata=described(SLUG_TEXT, "Short name", f"Its name in URLs. {SLUG_TEXT.pattern_help}")
    )
    title: str = field(metadata=described(TITLE_TEXT, "Title"))
    preset: str = field(default="blank", metadata=choice(sorted(PRESETS)))
    seed: int = field(default=0, metadata=number(0, 2**62))
