"""Penn Treebank tokens, as the COCO caption scripts make them.

Stanford's PTBTokenizer (CoreNLP 3.4.1) with lower-casing does the work in Java; this module holds
what surrounds it: making a text fit for one line, and dropping the punctuation tokens afterwards.

**Each text is tokenised alone.** The COCO scripts write all texts of a run into one file, a line
each, and Stanford's tokeniser looks across the line's end: whether "He lives in the U.S." ends in
`u.s.` or in `u.s. .` depends there on the line that follows, so a text's tokens, and scores,
depend on its neighbours in the file. Tokenised alone, as here, a text gives what the command line
gives for a file of that one text, whatever else is scored with it.
"""

from __future__ import annotations

import re

# The tokens that the COCO caption scripts drop.
_BRACKETS = {"-LRB-", "-RRB-", "-LCB-", "-RCB-"}
_PUNCTUATION = {"''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"} | _BRACKETS
# The COCO scripts turn only "\n" into a space. The others also end a line somewhere on the way
# through Java, which there shifts every later text by a line.
_LINE_BREAKS = re.compile("[\n\r\x0b\x0c\x85\u2028\u2029]")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def one_line(text: str) -> str:
    """The text with line breaks as spaces and lone surrogates as U+FFFD, which Java can hold."""
    return _LONE_SURROGATES.sub("\ufffd", _LINE_BREAKS.sub(" ", text))


def drop_punctuation(line: str) -> str:
    """Remove the punctuation tokens from a line of tokens separated by single spaces.

    The list has the brackets' names in upper case; after lower-casing they no longer occur, so
    that "-lrb-" stays a token. That is how the COCO scripts work, and it is kept.
    """
    return " ".join([word for word in line.rstrip().split(" ") if word not in _PUNCTUATION])
