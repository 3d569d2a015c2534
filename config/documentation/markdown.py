"""Markdown as HTML: the syntax of the documentation, its directives, formulas and code."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.utils.html import escape
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from config.documentation import tree

_DIRECTIVE = re.compile(r"\{([\w-]+)\}[ \t]*(.*)")
_OPTION = re.compile(r":([\w-]+):[ \t]*(.*)")
# Programs' output has no syntax that colours would show.
_PLAIN = {"", "text", "console"}


class DocumentationError(ValueError):
    """A page has a link without a target, or a directive that is not known."""


@dataclass(frozen=True)
class DirectiveCall:
    """One use of a directive: its argument, options (`:name: value`) and lines, on a page."""

    argument: str
    options: Mapping[str, str]
    content: str
    page: str


Directive = Callable[[DirectiveCall], str]
"""What a directive stands for, as Markdown."""


@dataclass(frozen=True)
class Heading:
    """A heading of a page; `anchor` is its id."""

    level: int
    anchor: str
    title: str


@dataclass(frozen=True)
class Rendered:
    """A page as HTML, its headings, and the text below each: before the first, then of each."""

    html: str
    headings: tuple[Heading, ...]
    texts: tuple[str, ...]


def render(page: str, source: str, directives: Mapping[str, Directive]) -> Rendered:
    """Render a page's Markdown. Raises DocumentationError."""
    parser = _parser(page, directives)
    env: dict[str, object] = {}
    tokens = parser.parse(source, env)
    html = parser.renderer.render(tokens, parser.options, env)
    headings, texts = _outline(tokens)
    return Rendered(html, headings, texts)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [list(head)]
    lines.append(["---"] * len(lines[0]))
    lines += [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code_block(text: str, language: str = "text") -> str:
    """A fenced block."""
    return f"````{language}\n{text.rstrip()}\n````"


def _parser(page: str, directives: Mapping[str, Directive]) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    deflist_plugin(parser)
    dollarmath_plugin(
        parser, allow_labels=False, allow_digits=False, allow_space=False, renderer=_formula
    )
    anchors_plugin(parser, max_level=4)

    def expand(state: StateCore) -> None:
        """Put the tokens of each directive in its place."""
        state.tokens = list(_expanded(state.tokens, state, page, directives))

    def rewrite(state: StateCore) -> None:
        for token in state.tokens:
            for child in token.children or ():
                if child.type == "link_open":
                    child.attrSet("href", _address(str(child.attrGet("href")), page))

    parser.core.ruler.after("block", "directives", expand)
    parser.core.ruler.push("addresses", rewrite)
    parser.core.ruler.push("tables", _tables)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule("math_block", _formula_block)
    return parser


def _expanded(
    tokens: Sequence[Token], state: StateCore, page: str, directives: Mapping[str, Directive]
) -> Iterable[Token]:
    for token in tokens:
        match = _DIRECTIVE.fullmatch(token.info.strip()) if token.type == "fence" else None
        if match is None:
            yield token
            continue
        directive = directives.get(match[1])
        if directive is None:
            raise DocumentationError(f"docs/{page}.md: there is no directive {match[1]!r}")
        options, content = _options(token.content)
        nested: list[Token] = []
        text = directive(DirectiveCall(match[2].strip(), options, content, page))
        state.md.block.parse(text, state.md, state.env, nested)
        yield from _expanded(nested, state, page, directives)


def _options(content: str) -> tuple[dict[str, str], str]:
    """The options at the head of a directive's content, and the rest."""
    lines = content.splitlines()
    options = {}
    while lines and (match := _OPTION.fullmatch(lines[0].strip())):
        options[match[1]] = match[2].strip()
        del lines[0]
    return options, "\n".join(lines)


def _address(href: str, page: str) -> str:
    """The address of a link to a Markdown file. Raises DocumentationError where none is there."""
    parts = urlsplit(href)
    if parts.scheme or not parts.path:
        return href
    if parts.path.startswith("/"):
        raise DocumentationError(f"docs/{page}.md: {href} is not relative")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), parts.path))
    if target in tree.images():
        return href
    name, suffix = posixpath.splitext(target)
    if suffix != ".md" or name not in tree.pages():
        raise DocumentationError(f"docs/{page}.md: there is no page {href}")
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    return f"{parts.path.removesuffix('.md')}.html{fragment}"


def _tables(state: StateCore) -> None:
    """Tables that scroll by themselves, with headings that name columns and classes for numbers."""
    tokens: list[Token] = []
    for token in state.tokens:
        if token.type == "table_open":
            box = Token("html_block", "", 0)
            box.content = '<div class="wide" tabindex="0" role="group" aria-label="Table">\n'
            tokens.append(box)
        if token.type in ("th_open", "td_open"):
            style = str(token.attrs.pop("style", ""))
            if style in ("text-align:right", "text-align:center"):
                token.attrSet("class", "num")
        if token.type == "th_open":
            token.attrSet("scope", "col")
        tokens.append(token)
        if token.type == "table_close":
            end = Token("html_block", "", 0)
            end.content = "</div>\n"
            tokens.append(end)
    state.tokens = _without_empty_heads(tokens)


def _without_empty_heads(tokens: list[Token]) -> list[Token]:
    """Leave out table heads that have no text: such a table's first column names its rows."""
    kept: list[Token] = []
    position = 0
    names_rows = False
    while position < len(tokens):
        token = tokens[position]
        if token.type == "thead_open":
            end = next(k for k in range(position, len(tokens)) if tokens[k].type == "thead_close")
            inner = tokens[position : end + 1]
            names_rows = not any(one.content.strip() for one in inner if one.type == "inline")
            if names_rows:
                position = end + 1
                continue
        if names_rows and token.type == "tr_open":
            cells = (k for k in range(position, len(tokens)) if tokens[k].type == "td_open")
            first = next(cells)
            last = next(k for k in range(first, len(tokens)) if tokens[k].type == "td_close")
            for cell in (tokens[first], tokens[last]):
                cell.tag = "th"
            tokens[first].attrSet("scope", "row")
        if token.type == "table_close":
            names_rows = False
        kept.append(token)
        position += 1
    return kept


def _formula(text: str, options: Mapping[str, object]) -> str:
    is_block = bool(options["display_mode"])
    return str(convert(text.strip(), display="block" if is_block else "inline"))


def _formula_block(
    renderer: RendererHTML, tokens: Sequence[Token], position: int, options: object, env: object
) -> str:
    formula = _formula(tokens[position].content, {"display_mode": True})
    return f'<div class="math" tabindex="0" role="group" aria-label="Formula">{formula}</div>\n'


def _fence(
    renderer: RendererHTML, tokens: Sequence[Token], position: int, options: object, env: object
) -> str:
    token = tokens[position]
    return highlighted(token.content, token.info.strip())


def highlighted(code: str, language: str) -> str:
    """A block of code as HTML, with classes for its syntax where the language is known."""
    body = str(escape(code))
    if language not in _PLAIN:
        try:
            lexer = get_lexer_by_name(language)
        except ClassNotFound:
            pass
        else:
            body = highlight(code, lexer, HtmlFormatter(nowrap=True))
    return f'<pre tabindex="0"><code>{body}</code></pre>\n'


def _outline(tokens: Sequence[Token]) -> tuple[tuple[Heading, ...], tuple[str, ...]]:
    headings: list[Heading] = []
    texts: list[list[str]] = [[]]
    is_heading = False
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            is_heading = True
            text = _text(tokens[position + 1])
            headings.append(Heading(int(token.tag[1]), str(token.attrGet("id") or ""), text))
            texts.append([])
        elif token.type == "heading_close":
            is_heading = False
        elif token.type == "inline" and not is_heading:
            texts[-1].append(_text(token))
        elif token.type in ("fence", "code_block"):
            texts[-1].append(token.content)
        elif token.type == "html_block":
            texts[-1].append(re.sub(r"<[^>]+>", " ", token.content))
    return tuple(headings), tuple(" ".join(" ".join(part).split()) for part in texts)


def _text(inline: Token) -> str:
    """The text of an inline token, without its marks."""
    parts = []
    for child in inline.children or ():
        if child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type == "math_inline":
            parts.append(child.content.replace("\\", ""))
    return "".join(parts)
