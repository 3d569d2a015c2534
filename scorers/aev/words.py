"""A stop list of English: the closed word classes.

It contains all forms of articles, pronouns, demonstratives, interrogatives, prepositions,
conjunctions, auxiliaries, particles and pronominal adverbs. It also contains clitics, both as Penn
Treebank tokens ("'s", "'ll") and attached to a word ("she's"). It omits words of closed classes
that can answer a question alone: negators ("no", "not", "never", "n't"), numerals, and quantifiers
("all", "few", "more", "enough", "every").
"""

from __future__ import annotations

_CLASSES = {
    "articles": "a an the",
    "personal pronouns": (
        "i me my mine myself we us our ours ourselves you your yours yourself yourselves "
        "he him his himself she her hers herself it its itself "
        "they them their theirs themselves themself one's oneself thou thee thy thine"
    ),
    "demonstratives": "this that these those such same",
    "indefinite pronouns": (
        "some any someone somebody something anyone anybody anything another other others "
        "other's others' either whichever whatever whoever whomever"
    ),
    "interrogatives and relatives": "who whom whose which what when where why how whether",
    "prepositions": (
        "about above across after against along alongside amid amidst among amongst around as at "
        "atop before behind below beneath beside besides between beyond by concerning despite "
        "down during for from in inside into like near of off on onto opposite out outside over "
        "past per regarding since through throughout till to toward towards under underneath "
        "until unto up upon via with within"
    ),
    "conjunctions": (
        "and or but if because although though unless while whilst whereas than lest so yet "
        "provided whenever wherever"
    ),
    "forms of be, have and do": (
        "be am is are was were been being have has had having do does did done doing"
    ),
    "modals": "will would shall should can could may might must ought",
    "pronominal adverbs": (
        "here there hence thence thus therefore thereby therein thereof thereafter thereupon "
        "hereby herein hither thither then now wherein whereby whereof whereupon"
    ),
    "particles and additive adverbs": "too also even just very quite rather else however",
}
_CLITICS = ("'s", "'re", "'ve", "'ll", "'d", "'m")
_HOSTS = {
    "'m": "i",
    "'re": "we you they who there",
    "'ve": "i we you they who would should could might must",
    "'ll": "i we you he she it they who that there this",
    "'d": "i we you he she it they who there that",
    "'s": "he she it that there who what where how here when why this let",
}

#: The words, in lower case, with the straight apostrophe.
CLOSED_CLASS = frozenset(
    [word for words in _CLASSES.values() for word in words.split()]
    + list(_CLITICS)
    + [host + clitic for clitic, hosts in _HOSTS.items() for host in hosts.split()]
)


def is_stop_word(word: str) -> bool:
    """Whether a token is on the list, ignoring case and the form of its apostrophe."""
    return word.lower().replace("\u2019", "'") in CLOSED_CLASS
