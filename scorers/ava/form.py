"""The input form of AVA: pairs made of question, reference and answer (Section 5.2)."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from scorers.encoders import tokenise_pairs
from scorers.judges.form import Readings
from scorers.judges.rows import Row
from scorers.late_import import late_import
from scorers.learned.adapters import add_adapters

if TYPE_CHECKING:
    import torch

Design = Literal["A0", "A1", "A2"]
Peer = Literal["other", "own", "cross"]

#: P0 and P1: the two sides of each pair. Adjacent letters are concatenated texts.
PAIRS: Mapping[str, Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "A0": {"q-r": ("q", "r"), "q-t": ("q", "t"), "r-t": ("r", "t")},
        "A1": {"q-rt": ("q", "rt"), "r-qt": ("r", "qt"), "t-qr": ("t", "qr")},
    }
)
_SIDES = {**PAIRS["A0"], **PAIRS["A1"]}
#: The paper's best pairs of A1, on which its A2 is built (Table 4).
BEST_PAIRS = ("r-qt", "t-qr")


@dataclass(frozen=True, slots=True)
class AvaForm:
    """The pairs of an input and the encoders. q is the question, r the reference, t the answer.

    A0 has pairs of two texts. A1 has pairs with two texts on one side, joined by a space. A2 has
    any two pairs, which attend to each other. Each pair has its own encoder (in A2 two: one for the
    encoding and one for the decoding pass), or with `shared` all pairs have the same one.

    `peer` is the state of the first pass that A2's second pass of a pair receives. "other" is the
    [CLS] state of the other pair, as one more input embedding after the pair's last token; "own" is
    that of the pair itself. "cross" are all states of the other pair, through cross-attention in
    every layer.

    A pair's first text may fill half of the length, its second the rest; longer texts lose their
    ends.
    """

    design: Design = "A2"
    pairs: tuple[str, ...] = BEST_PAIRS
    shared: bool = False
    peer: Peer = "other"

    def __post_init__(self) -> None:
        allowed = PAIRS.get(self.design, _SIDES)
        if not self.pairs or len({*self.pairs}) < len(self.pairs) or {*self.pairs} - {*allowed}:
            raise ValueError(
                f"the pairs of {self.design} must be different ones of {', '.join(allowed)}, "
                f"not {', '.join(self.pairs) or 'none'}"
            )
        if self.design == "A2" and len(self.pairs) != 2:
            raise ValueError(f"A2 needs two pairs, not {len(self.pairs)}")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> AvaForm:
        """The form that a card's options describe."""
        return cls(
            options["design"], tuple(options["pairs"]), bool(options["shared"]), options["peer"]
        )

    def options(self) -> dict[str, Any]:
        """The form's options in a card."""
        return {**asdict(self), "pairs": list(self.pairs)}

    def inputs(self, tokeniser: Any, rows: Sequence[Row], max_tokens: int) -> list[Readings]:
        """One input for each row and pair."""
        # Reserves one position for the state that the second pass receives.
        limit = max_tokens - (self.design == "A2" and self.peer != "cross")
        readings = []
        for pair in self.pairs:
            first, second = _SIDES[pair]
            texts = [(_side_text(row, first), _side_text(row, second)) for row in rows]
            readings.append(tokenise_pairs(tokeniser, texts, limit))
        return list(zip(*readings, strict=True))

    def reader(self, encoder: Any, lora_rank: int) -> tuple[torch.nn.Module, int]:
        """See `scorers.judges.form.Form`."""
        width = int(encoder.config.hidden_size)
        if self.design != "A2":
            count = 1 if self.shared else len(self.pairs)
            instances = [_copy_encoder(encoder, lora_rank) for _ in range(count)]
            first_states = late_import("scorers.judges.network", "FirstStates")
            return first_states(instances), width * len(self.pairs)
        second = encoder
        if self.peer == "cross":
            second = late_import("scorers.ava.network", "add_cross_attention")(encoder)
        if self.shared:
            instances = [_copy_encoder(second, lora_rank)]
        else:
            instances = [
                _copy_encoder(one, lora_rank) for one in (encoder, encoder, second, second)
            ]
        peers = late_import("scorers.ava.network", "PeerReader")
        return peers(instances, self.peer), 4 * width


def _copy_encoder(encoder: Any, lora_rank: int) -> Any:
    instance = copy.deepcopy(encoder)
    if not lora_rank:
        return instance
    adapted = add_adapters(instance, lora_rank)
    for name, value in adapted.named_parameters():
        # The added cross-attention is untrained, and an adapter alone could not train it.
        if "crossattention" in name:
            value.requires_grad_(True)
    return adapted


def _side_text(row: Row, letters: str) -> str:
    texts = {"q": row.question, "r": row.reference, "t": row.candidate}
    return " ".join(texts[letter] for letter in letters)
