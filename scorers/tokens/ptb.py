"""Penn Treebank tokens, as the COCO caption scripts make them.

Stanford's PTBTokenizer (CoreNLP 3.4.1) tokenises and lower-cases in Java. This module makes a text
one line before, and drops the punctuation tokens afterwards.

**Each text is tokenised alone.** The COCO scripts write all texts of a run into one file, one a
line, and Stanford's tokeniser looks beyond the line's end: whether "He lives in the U.S." ends in
`u.s.` or in `u.s. .` depends on the next line. There a text's tokens and scores depend on the other
texts. Here they are those of a file with this text alone.
"""

from __future__ import annotations

import re

# The tokens that the COCO caption scripts drop.
_BRACKETS = {"-LRB-", "-RRB-", "-LCB-", "-RCB-"}
_PUNCTUATION = {"''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"} | _BRACKETS
# The COCO scripts replace only "\n" by a space. Java treats the others as line ends, too, and in
# the COCO scripts they shift all later texts by a line.
_LINE_BREAKS = re.compile("[\n\r\x0b\x0c\x85\u2028\u2029]")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def one_line(text: str) -> str:
    """Replace line breaks by spaces, and lone surrogates, which Java rejects, by U+FFFD."""
    return _LONE_SURROGATES.sub("\ufffd", _LINE_BREAKS.sub(" ", text))


def drop_punctuation(line: str) -> str:
    """Remove the punctuation tokens from a line of tokens separated by single spaces.

    The list has the names of brackets in upper case. Lower-cased tokens such as "-lrb-" are not
    dropped, as in the COCO scripts.
    """
    return " ".join([word for word in line.rstrip().split(" ") if word not in _PUNCTUATION])
