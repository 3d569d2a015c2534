"""What LERC reads: the parts of an item as one input, or reference and candidate matched."""

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

#: The parts an input may have, in their order.
PARTS = ("passage", "question", "reference", "candidate")
_CONTEXT = ("passage", "question")


@dataclass(frozen=True, slots=True)
class LercForm:
    """How an item is read.

    "joined" is LERC's way (Section 3): `[CLS] passage [SEP] question [SEP] reference [SEP]
    candidate [SEP]`, token type 0 through the question's separator, then 1; only the passage's
    end is cut off. `parts` are those that are in it (Table 6); without passage and question the
    reference has type 0 and the candidate 1, as in a sentence pair. Without a passage it is the
    candidate that is cut.

    "match" reads reference and candidate apart, each after the question, and matches their tokens
    at hidden layer `layer` (see `MatchReader`); it sees no passage. `keyphrases` trains a
    keyphrase head beside a joined reading; a match has one anyway.
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
            raise ValueError("a match needs both reference and candidate")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> LercForm:
        """The form a card's options describe."""
        return cls(
            tuple(options["parts"]),
            options["reading"],
            int(options["layer"]),
            bool(options["keyphrases"]),
        )

    def options(self) -> dict[str, Any]:
        """What a card keeps of it."""
        return {**asdict(self), "parts": list(self.parts)}

    def inputs(self, tokeniser: Any, rows: Sequence[Row], max_tokens: int) -> list[Readings]:
        """Each row as one input, or for a match as two."""
        if self.reading == "match":
            question = "question" in self.parts
            asked = [row.question if question else "" for row in rows]
            sides = ([row.reference for row in rows], [row.candidate for row in rows])
            read = [
                tokenise_pairs(tokeniser, zip(asked, texts, strict=True), max_tokens)
                for texts in sides
            ]
            return [
                (_set_token_types(one), _set_token_types(other))
                for one, other in zip(*read, strict=True)
            ]
        context = any(part in _CONTEXT for part in self.parts)
        kinds = [
            int(part not in _CONTEXT if context else place > 0)
            for place, part in enumerate(self.parts)
        ]
        segments = [
            [(getattr(row, part), kind) for part, kind in zip(self.parts, kinds, strict=True)]
            for row in rows
        ]
        gives_way = 0 if self.parts[0] == "passage" else len(self.parts) - 1
        return [(row,) for row in join_texts(tokeniser, segments, max_tokens, gives_way)]

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
    """The text's tokens and its separator with type 1, for encoders of one type only as well."""
    start = row.start if row.start < row.end else len(row) - 1
    types = [0] * start + [1] * (len(row) - start)
    return replace(row, types=types)
