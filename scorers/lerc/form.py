"""The input form of LERC: joined parts of an item, or reference and candidate matched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from scorers.encoders import Pieces, join_texts, tokenise_pairs
from scorers.judges.form import Readings
from scorers.judges.rows import Row
from scorers.late_import import late_import
from scorers.learned.adapters import add_adapters

if TYPE_CHECKING:
    import torch

Reading = Literal["joined", "match"]

#: The parts of an input, in order.
PARTS = ("passage", "question", "reference", "candidate")
_CONTEXT = ("passage", "question")


@dataclass(frozen=True, slots=True)
class LercForm:
    """How an item is encoded.

    The reading "joined" is LERC's (Section 3): `[CLS] passage [SEP] question [SEP] reference [SEP]
    candidate [SEP]`, with token type 0 up to the question's separator, then 1. If it is too long,
    the passage loses its end. `parts` are the parts in it (Table 6). Without passage and question
    the reference has type 0 and the candidate 1, as in a sentence pair. Without a passage the
    candidate is shortened.

    The reading "match" encodes reference and candidate separately, each after the question, and
    matches their tokens at hidden layer `layer` (see `MatchReader`); it does not read the passage.
    `keyphrases` adds a keyphrase head to a joined reading; a match always has one.
    """

    parts: tuple[str, ...] = PARTS
    reading: Reading = "joined"
    layer: int = 0
    keyphrases: bool = False

    def __post_init__(self) -> None:
        if not self.parts or [part for part in PARTS if part in self.parts] != list(self.parts):
            raise ValueError(
                f"parts must be some of {', '.join(PARTS)}, in this order, "
                f"not {', '.join(self.parts) or 'none'}"
            )
        if self.reading == "match" and not {"reference", "candidate"} <= set(self.parts):
            raise ValueError("the reading match needs the parts reference and candidate")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> LercForm:
        """The form that a card's options describe."""
        return cls(
            tuple(options["parts"]),
            options["reading"],
            int(options["layer"]),
            bool(options["keyphrases"]),
        )

    def options(self) -> dict[str, Any]:
        """The form's options in a card."""
        return {**asdict(self), "parts": list(self.parts)}

    def inputs(self, tokeniser: Any, rows: Sequence[Row], max_tokens: int) -> list[Readings]:
        """One input for each row, or for a match two."""
        if self.reading == "match":
            has_question = "question" in self.parts
            questions = [row.question if has_question else "" for row in rows]
            sides = ([row.reference for row in rows], [row.candidate for row in rows])
            inputs = [
                tokenise_pairs(tokeniser, zip(questions, texts, strict=True), max_tokens)
                for texts in sides
            ]
            return [
                (_set_token_types(one), _set_token_types(other))
                for one, other in zip(*inputs, strict=True)
            ]
        has_context = any(part in _CONTEXT for part in self.parts)
        kinds = [
            int(part not in _CONTEXT if has_context else index > 0)
            for index, part in enumerate(self.parts)
        ]
        segments = [
            [(getattr(row, part), kind) for part, kind in zip(self.parts, kinds, strict=True)]
            for row in rows
        ]
        shortened = 0 if self.parts[0] == "passage" else len(self.parts) - 1
        return [(row,) for row in join_texts(tokeniser, segments, max_tokens, shortened)]

    def reader(self, encoder: Any, lora_rank: int) -> tuple[torch.nn.Module, int]:
        """See `scorers.judges.form.Form`."""
        width = int(encoder.config.hidden_size)
        if lora_rank:
            encoder = add_adapters(encoder, lora_rank)
        if self.reading == "match":
            match = late_import("scorers.lerc.network", "MatchReader")
            return match(encoder, width, self.layer), 4 + 2 * width
        if self.keyphrases:
            both = late_import("scorers.lerc.network", "FirstStatesWithKeyphrases")
            return both(encoder, width), width
        return late_import("scorers.judges.network", "FirstStates")([encoder]), width


def _set_token_types(row: Pieces) -> Pieces:
    """Set type 1 for the text's tokens and its separator, also for encoders with a single type."""
    start = row.start if row.start < row.end else len(row) - 1
    types = [0] * start + [1] * (len(row) - start)
    return replace(row, types=types)
