"""The texts that the rating page's script shows, in the language of the page."""

from __future__ import annotations

from django.utils.translation import get_language_bidi, gettext, pgettext


def script_texts() -> dict[str, str]:
    """The texts by name. The script replaces `%(name)s` by values."""
    return {
        "offline": gettext("Offline. Ratings to be saved: %(count)s"),
        "offlineSubmit": gettext("Offline: submit again once you are back."),
        "saving": gettext("Saving…"),
        "saved": gettext("Saved"),
        "closed": gettext("This task is not open any more."),
        "seeOutcome": gettext("See what became of it"),
        "allRated": gettext("Every answer is rated."),
        "atSubmit": gettext("Every answer is rated. Enter submits; %(key)s goes back.")
        % {"key": "→" if get_language_bidi() else "←"},
        "sayWhy": gettext("Say in a few words why you cannot judge."),
        "answerAll": gettext("Answer the other questions too."),
        "notRated": gettext("Not rated yet."),
        "missing": gettext("Answer %(number)s: %(reason)s Still to rate: %(left)s of %(total)s."),
        "timeLeft": gettext("%(time)s left"),
        "lastMinute": gettext("less than a minute left"),
        "timeUp": gettext("time is up, still submit"),
        "hours": pgettext("duration", "%(count)s h"),
        "minutes": pgettext("duration", "%(count)s min"),
    }
