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
class ExampleAnswer:
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
    answers: tuple[ExampleAnswer, ...]
    passage: str = ""

    @property
    def choices(self) -> Iterator[tuple[str, ExampleAnswer]]:
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
    key: str, phenomenon: str, passage: str, question: str, reference: str, *answers: ExampleAnswer
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
            ExampleAnswer(
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
        ExampleAnswer("a fencing master who kidnapped Richard", "5 of 5"),
        ExampleAnswer("a fencing master who kidnapped Edward", "3 of 5"),
    ),
    _pair(
        "hyponymy",
        "Hyponymy",
        "With the electric rifle, Tom and friends bring down elephants, rhinoceroses, and buffalo.",
        "What does Tom bring down with his rifle?",
        "Rhinoceroses, buffalo, and elephants.",
        ExampleAnswer("Animals", "4 of 5"),
        ExampleAnswer("Humans", "1 of 5"),
    ),
    _pair(
        "negation",
        "Negation",
        "skylar told quinn's friend about a secret that quinn wanted to keep hidden.",
        "What will Quinn want to do next?",
        "be angry",
        ExampleAnswer("Quinn will be mad at Skylar", "5 of 5"),
        ExampleAnswer("Quinn will not be mad at Skylar", "1 of 5"),
    ),
    _pair(
        "semantic-role",
        "Semantic role",
        "Taylor gave a raise and promotion to Kendall.",
        "How would you describe Taylor?",
        "As someone who appreciates what Kendall does",
        ExampleAnswer("Taylor appreciates Kendall", "5 of 5"),
        ExampleAnswer("Kendall appreciates Taylor", "1 of 5"),
    ),
    _pair(
        "syntax",
        "Syntax",
        "Taylor looked around in Robin's cupboards and peeked inside Robin's drawers and medicine "
        "cabinet.",
        "How would you describe Taylor?",
        "intrusive",
        ExampleAnswer("I would describe Taylor as intrusive", "5 of 5"),
        ExampleAnswer("Would I describe Taylor as intrusive", "3 of 5"),
    ),
    _pair(
        "word-sense",
        "Word sense",
        "Taylor got married but kept her last name.",
        "How would you describe Taylor?",
        "independent",
        ExampleAnswer("individualistic", "5 of 5"),
        ExampleAnswer("nonpartisan", "1 of 5"),
    ),
    _pair(
        "other",
        "Other",
        "The Princess stuffs her ears with cotton and begins her journey.",
        "What does the Princess put in her ears?",
        "She puts cotton in her ears.",
        ExampleAnswer("Her ears have cotton", "4 of 5"),
        ExampleAnswer("Her ears are cotton", "2 of 5"),
    ),
    PaperExample(
        "kpqa-figure-1",
        "One wrong word",
        f"{KPQA}, Figure 1",
        "How many steps are involved in a hypothesis test?",
        "Four steps are involved in a hypothesis test.",
        (ExampleAnswer("There are seven steps involved in a hypothesis test .", "0.063 of 1"),),
        "… , this process, called hypothesis testing, consists of four steps. , …",
    ),
    PaperExample(
        "ava-introduction",
        "Close in words, wrong in content",
        f"{AVA}, Section 1",
        "What percentage of water in the body?",
        "The percentage of water in the body is 60%.",
        (
            ExampleAnswer(
                "Most of the human body is water, with an average of roughly 60%.", "correct"
            ),
            ExampleAnswer("The percentage of water in the body is variable.", "incorrect"),
        ),
    ),
)
