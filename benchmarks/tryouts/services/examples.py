"""Short examples from the papers, for the page "Try".

Each is quoted with its source and the human rating in the paper. Apostrophes are ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MOCHA = "Chen et al. (2020), MOCHA"
KPQA = "Lee et al. (2021), KPQA"
AVA = "Vu and Moschitti (2021), AVA"


@dataclass(frozen=True, slots=True)
class Answer:
    """A candidate with its human rating in the paper."""

    candidate: str
    people: str


@dataclass(frozen=True, slots=True)
class PaperExample:
    """An example of a paper. key: its name in URLs. source: where it is printed."""

    key: str
    title: str
    source: str
    question: str
    reference: str
    answers: tuple[Answer, ...]
    passage: str = ""

    @property
    def choices(self) -> Iterator[tuple[str, Answer]]:
        """Each answer with its name in URLs."""
        for number, answer in enumerate(self.answers, 1):
            yield f"{self.key}-{number}", answer


def example_fields(choice: str) -> dict[str, str] | None:
    """The form's fields for the answer `choice` of a URL, or None."""
    for example in EXAMPLES:
        for name, answer in example.choices:
            if name == choice:
                return {
                    "passage": example.passage,
                    "question": example.question,
                    "references": example.reference,
                    "candidate": answer.candidate,
                }
    return None


def _pair(
    key: str, phenomenon: str, passage: str, question: str, reference: str, *answers: Answer
) -> PaperExample:
    return PaperExample(
        f"mocha-{key}", phenomenon, f"{MOCHA}, Table 3", question, reference, answers, passage
    )


EXAMPLES = (
    PaperExample(
        "mocha-figure-1",
        "An answer in other words",
        f"{MOCHA}, Figure 1",
        "What feature do the doors have?",
        "soundproofed",
        (
            Answer(
                "They are heavily soundproofed to prevent the accused from hearing what's behind "
                "each one.",
                "5 of 5",
            ),
        ),
        "… Behind one door is a lady whom the king has deemed an appropriate match for the "
        "accused; behind the other is a fierce, hungry tiger. Both doors are heavily soundproofed "
        "to prevent the accused from hearing what is behind each one …",
    ),
    _pair(
        "coreference",
        "Coreference",
        "Norman is the supposed son of Frenchman de Vac … As de Vac dies, he reveals Norman is "
        "Richard, the king's son and Edward's brother, who he kidnapped.",
        "Who is the Frenchman de Vac?",
        "a fencing master who kidnapped Norman",
        Answer("a fencing master who kidnapped Richard", "5 of 5"),
        Answer("a fencing master who kidnapped Edward", "3 of 5"),
    ),
    _pair(
        "hyponymy",
        "Hyponymy",
        "With the electric rifle, Tom and friends bring down elephants, rhinoceroses, and buffalo.",
        "What does Tom bring down with his rifle?",
        "Rhinoceroses, buffalo, and elephants.",
        Answer("Animals", "4 of 5"),
        Answer("Humans", "1 of 5"),
    ),
    _pair(
        "negation",
        "Negation",
        "skylar told quinn's friend about a secret that quinn wanted to keep hidden.",
        "What will Quinn want to do next?",
        "be angry",
        Answer("Quinn will be mad at Skylar", "5 of 5"),
        Answer("Quinn will not be mad at Skylar", "1 of 5"),
    ),
    _pair(
        "semantic-role",
        "Semantic role",
        "Taylor gave a raise and promotion to Kendall.",
        "How would you describe Taylor?",
        "As someone who appreciates what Kendall does",
        Answer("Taylor appreciates Kendall", "5 of 5"),
        Answer("Kendall appreciates Taylor", "1 of 5"),
    ),
    _pair(
        "syntax",
        "Syntax",
        "Taylor looked around in Robin's cupboards and peeked inside Robin's drawers and medicine "
        "cabinet.",
        "How would you describe Taylor?",
        "intrusive",
        Answer("I would describe Taylor as intrusive", "5 of 5"),
        Answer("Would I describe Taylor as intrusive", "3 of 5"),
    ),
    _pair(
        "word-sense",
        "Word sense",
        "Taylor got married but kept her last name.",
        "How would you describe Taylor?",
        "independent",
        Answer("individualistic", "5 of 5"),
        Answer("nonpartisan", "1 of 5"),
    ),
    _pair(
        "other",
        "Other",
        "The Princess stuffs her ears with cotton and begins her journey.",
        "What does the Princess put in her ears?",
        "She puts cotton in her ears.",
        Answer("Her ears have cotton", "4 of 5"),
        Answer("Her ears are cotton", "2 of 5"),
    ),
    PaperExample(
        "kpqa-figure-1",
        "One wrong word",
        f"{KPQA}, Figure 1",
        "How many steps are involved in a hypothesis test?",
        "Four steps are involved in a hypothesis test.",
        (Answer("There are seven steps involved in a hypothesis test .", "0.063 of 1"),),
        "… , this process, called hypothesis testing, consists of four steps. , …",
    ),
    PaperExample(
        "ava-introduction",
        "Close in words, wrong in content",
        f"{AVA}, Section 1",
        "What percentage of water in the body?",
        "The percentage of water in the body is 60%.",
        (
            Answer("Most of the human body is water, with an average of roughly 60%.", "correct"),
            Answer("The percentage of water in the body is variable.", "incorrect"),
        ),
    ),
)
