"""The tag for Concord's own texts on consent and pay on the raters' pages."""

from __future__ import annotations

from django.conf import settings
from django.template import Context, Library, Node, NodeList
from django.template.base import Parser, Token
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

register = Library()

ORIGINAL = "en"


class TermsNode(Node):
    """A text, followed by its English original while no person has read the translation."""

    child_nodelists = ("nodelist",)

    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        text = self.nodelist.render(context)
        if is_reviewed(translation.get_language() or ORIGINAL):
            return text
        with translation.override(ORIGINAL):
            original = self.nodelist.render(context)
        note = gettext("Unreviewed translation. Show the English text.")
        return mark_safe(text) + format_html(
            '<details class="original"><summary>{}</summary>'
            '<div lang="en" dir="ltr">{}</div></details>',
            note,
            mark_safe(original),
        )


@register.tag
def terms(parser: Parser, token: Token) -> TermsNode:
    """`{% terms %}…{% endterms %}` around texts on consent and pay, without ids or fields."""
    nodelist = parser.parse(("endterms",))
    parser.delete_first_token()
    return TermsNode(nodelist)


def is_reviewed(language: str) -> bool:
    """Whether a person has read the texts on consent and pay in this language."""
    return language == ORIGINAL or language in settings.REVIEWED_TRANSLATIONS
