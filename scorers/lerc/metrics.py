"""`lerc` and `sts`: a regression trained on ratings of answers, or of sentence similarity.

The default checkpoint of `lerc`, `lerc-features`, is not LERC as published: it combines the scores
of two other metrics, which an encoder corrects a little (see its card).

`lerc` (Chen et al., 2020, Section 3) reads passage, question, reference and candidate, or those of
them that its checkpoint's card names. `sts` reads reference and candidate. Scores are ratings from
1 (wrong) to 5 (right). `form=rating` leaves them as they are, and they may lie a little outside;
`form=unit` gives (score - 1) / 4, clipped to [0, 1]. Higher is better.

With several references the best score counts, under max and joint alike. Empty texts have no fixed
score. If the input is longer than the encoder reads, the passage loses its end. Raises ModelError
when the checkpoint is missing or invalid.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from concord.metrics.metric import MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration, choice
from scorers.encoders import Pieces, join_texts, tokenise_pairs
from scorers.late_import import late_import
from scorers.learned.metric import LearnedMetric, checkpoint_options
from scorers.learned.model import Readings
from scorers.learned.rows import Combine, Row

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
        """See `scorers.learned.model.Form`."""
        networks = late_import("scorers.learned.networks")
        width = int(encoder.config.hidden_size)
        encoder = networks.add_adapters(encoder, lora_rank)
        if self.reading == "match":
            return networks.MatchReader(encoder, width, self.layer), 4 + 2 * width
        if self.keyphrases:
            return networks.FirstStatesWithKeyphrases(encoder, width), width
        return networks.FirstStates([encoder]), width


def _set_token_types(row: Pieces) -> Pieces:
    """Set type 1 for the text's tokens and its separator, also for encoders with a single type."""
    start = row.start if row.start < row.end else len(row) - 1
    types = [0] * start + [1] * (len(row) - start)
    return replace(row, types=types)


LERC, STS = "lerc", "sts"


class _Regression(LearnedMetric):
    rating = True

    def __init__(self, spec: MetricSpec, title: str, summary: str, needs: frozenset[str]) -> None:
        self.unit = spec.options["form"] == "unit"
        facts = MetricInfo(
            title=title,
            summary=summary,
            family="learned from ratings",
            range=(0.0, 1.0) if self.unit else (-math.inf, math.inf),
            needs=needs,
        )
        super().__init__(spec, facts)

    @property
    def combination(self) -> Combine:
        return "max"

    def form(self, options: Mapping[str, Any]) -> LercForm:
        return LercForm.of(options)

    def convert_scores(self, scores: Scores) -> Scores:
        return np.clip((scores - 1) / 4, 0.0, 1.0) if self.unit else scores


class Lerc(_Regression):
    """See the module."""

    kind = LERC

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(
            spec,
            "LERC",
            "Rating of the candidate by an encoder trained on people's judgments.",
            frozenset({"question"}),
        )


class Sts(_Regression):
    """See the module."""

    kind = STS

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(
            spec,
            "STS regression",
            "Similarity of candidate and reference by an encoder trained on rated sentence pairs.",
            frozenset(),
        )


_FORM = {
    "form": choice(
        "rating", "unit", help="rating: from 1 (wrong) to 5 (right); unit: mapped to 0 to 1"
    )
}

REGISTRATIONS = (
    Registration(LERC, Lerc, {**checkpoint_options(LERC), **_FORM}),
    Registration(STS, Sts, {**checkpoint_options(STS), **_FORM}),
)
