"""What people enter to change, copy or delete a study."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.conf import settings

from annotation.studies.inputs import SLUG_TEXT, TITLE_TEXT
from concord.bounds import REQUIRED, choice, described, flag, text


@dataclass(frozen=True, slots=True)
class NewCopy:
    """The copy's short name and title."""

    slug: str = field(
        metadata=described(SLUG_TEXT, "Short name", f"Its name in URLs. {SLUG_TEXT.pattern_help}")
    )
    title: str = field(metadata=described(TITLE_TEXT, "Title"))


@dataclass(frozen=True, slots=True)
class Deletion:
    """`confirm` is the study's short name again: deleting cannot be undone."""

    confirm: str = field(metadata=text(100, required=REQUIRED))
    paid: bool = field(
        default=False,
        metadata=flag(
            "Confirms that the raters who came by links were paid.",
            label="I have paid the raters who came by links",
        ),
    )


@dataclass(frozen=True, slots=True)
class Language:
    """The language of the raters' pages."""

    language: str = field(
        metadata=choice(
            {"": "Each rater's browser decides", **dict(settings.LANGUAGES)},
            label="Language",
            help="The language of the raters' pages; empty: that of each rater's browser.",
        )
    )
