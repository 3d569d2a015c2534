"""Running a network over inputs of uneven length, little of it on padding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scorers.encoders.pieces import Pieces
from scorers.errors import EncoderError

if TYPE_CHECKING:
    import torch

Forward = Callable[["dict[str, torch.Tensor]"], "torch.Tensor"]
Floats = NDArray[np.float32]

# Tokens of a batch, padding included: beyond these a processor gains nothing.
TOKENS_PER_BATCH = {"cpu": 4096, "cuda": 65536}


def run_in_batches(
    inputs: Sequence[Pieces],
    forward: Forward,
    device: torch.device,
    padding: int,
    tokens_per_batch: int | None = None,
) -> Iterator[tuple[int, Floats]]:
    """Yield (place in `inputs`, output for each of its tokens), the longest inputs first.

    `forward` maps a padded batch {input_ids, token_type_ids, attention_mask}, each of shape
    (batch, tokens), to a tensor of shape (batch, tokens, ...); the padding is taken off again.
    A batch too big for the device's memory is halved; EncoderError when one input alone is.
    On a GPU the next batch is under way while the last one's results are fetched.
    """
    lengths = [len(row) for row in inputs]

    def run(batch: list[int]) -> torch.Tensor:
        return forward(pad_batch([inputs[place] for place in batch], device, padding))

    for place, output in run_indices(lengths, run, device, tokens_per_batch):
        yield place, output[: lengths[place]]


def run_indices(
    lengths: Sequence[int],
    forward: Callable[[list[int]], torch.Tensor],
    device: torch.device,
    tokens_per_batch: int | None = None,
) -> Iterator[tuple[int, Floats]]:
    """Yield (place, its row of the output) for inputs known by their places, the longest first.

    `forward` maps the places of a batch to a tensor whose first axis is theirs, and runs without
    gradients. An input's length in tokens is that of all it holds. A batch too big for the
    device's memory is halved; EncoderError when one input alone is. On a GPU the next batch is
    under way while the last one's results are fetched.
    """
    budget = tokens_per_batch or TOKENS_PER_BATCH.get(device.type, 4096)
    waiting: tuple[list[int], torch.Tensor] | None = None
    for batch in batches_by_length(lengths, budget):
        for part, output in _run_with_halving(lengths, batch, forward, device):
            if waiting is not None:
                yield from _split_rows(*waiting)
            waiting = (part, output)
    if waiting is not None:
        yield from _split_rows(*waiting)


def batches_by_length(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Places of inputs, longest first, in batches of at most `budget` tokens with padding.

    An input longer than the budget is a batch of its own.
    """
    order = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    batches: list[list[int]] = []
    for place in order:
        if batches and lengths[batches[-1][0]] * (len(batches[-1]) + 1) <= budget:
            batches[-1].append(place)
        else:
            batches.append([place])
    return batches


def _run_with_halving(
    lengths: Sequence[int],
    batch: list[int],
    forward: Callable[[list[int]], torch.Tensor],
    device: torch.device,
) -> Iterator[tuple[list[int], torch.Tensor]]:
    import torch

    try:
        with torch.inference_mode():
            output = forward(batch)
    except torch.OutOfMemoryError as error:
        if len(batch) == 1:
            raise EncoderError(
                f"an input of {lengths[batch[0]]} tokens does not fit the memory of {device}: "
                "use --device cpu, or a smaller encoder"
            ) from error
    else:
        yield batch, output
        return
    # Outside the handler, so that the failed batch's tensors are let go first.
    torch.cuda.empty_cache()
    middle = len(batch) // 2
    yield from _run_with_halving(lengths, batch[:middle], forward, device)
    yield from _run_with_halving(lengths, batch[middle:], forward, device)


def pad_batch(
    rows: Sequence[Pieces], device: torch.device, padding: int
) -> dict[str, torch.Tensor]:
    """Inputs as tensors of shape (rows, longest row's tokens) on a device."""
    import torch

    longest = max(len(row) for row in rows)
    ids = np.full((len(rows), longest), padding, dtype=np.int64)
    types = np.zeros((len(rows), longest), dtype=np.int64)
    mask = np.zeros((len(rows), longest), dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row.ids
        types[i, : len(row)] = row.types
        mask[i, : len(row)] = 1
    arrays = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    if device.type == "cuda":
        return {
            name: tensor.pin_memory().to(device, non_blocking=True)
            for name, tensor in tensors.items()
        }
    return tensors


def _split_rows(batch: list[int], output: torch.Tensor) -> Iterator[tuple[int, Floats]]:
    whole = output.float().cpu().numpy()
    yield from zip(batch, whole, strict=True)
