"""Running a network over inputs of different lengths in batches with little padding."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scorers.encoders.pieces import Pieces
from scorers.errors import EncoderError

if TYPE_CHECKING:
    import torch

Forward = Callable[["dict[str, torch.Tensor]"], "torch.Tensor"]
Floats = NDArray[np.float32]

# Tokens of a batch, including padding; larger batches are not faster.
TOKENS_PER_BATCH = {"cpu": 4096, "cuda": 65536}


def run_in_batches(
    inputs: Sequence[Pieces],
    forward: Forward,
    device: torch.device,
    padding: int,
    tokens_per_batch: int | None = None,
) -> Iterator[tuple[int, Floats]]:
    """Yield (index in `inputs`, output for each of its tokens), the longest inputs first.

    `forward` maps a padded batch {input_ids, token_type_ids, attention_mask}, each of shape
    (batch, tokens), to a tensor of shape (batch, tokens, ...), from which the padding is removed.
    A batch too big for the device's memory is halved; raises EncoderError if a single input is too
    big. On a GPU the next batch runs while the results of the previous one are copied.
    """
    lengths = [len(row) for row in inputs]
    keys = [row.key for row in inputs]

    def run(batch: list[int]) -> torch.Tensor:
        return forward(pad_batch([inputs[index] for index in batch], device, padding))

    for index, output in run_indices(lengths, run, device, tokens_per_batch, keys):
        yield index, output[: lengths[index]]


def run_indices(
    lengths: Sequence[int],
    forward: Callable[[list[int]], torch.Tensor],
    device: torch.device,
    tokens_per_batch: int | None = None,
    keys: Sequence[Hashable] | None = None,
) -> Iterator[tuple[int, Floats]]:
    """Yield (index, output) for inputs addressed by index, the longest first.

    Inputs with equal `keys` are equal, and only one of them runs: to an encoder that ignores case,
    many names of one thing are the same tokens.

    `forward` maps the indices of a batch to a tensor with one row for each, and runs without
    gradients. `lengths` are the numbers of tokens. A batch too big for the device's memory is
    halved; raises EncoderError if a single input is too big. On a GPU the next batch runs while the
    results of the previous one are copied.
    """
    budget = tokens_per_batch or TOKENS_PER_BATCH.get(device.type, 4096)
    previous: tuple[list[int], torch.Tensor] | None = None
    equal: dict[Hashable, list[int]] = {}
    for index, key in enumerate(range(len(lengths)) if keys is None else keys):
        equal.setdefault(key, []).append(index)
    equals = {indices[0]: indices for indices in equal.values()}
    for batch in batches_by_length(lengths, budget, list(equals)):
        for part, output in _run_with_halving(lengths, batch, forward, device):
            if previous is not None:
                yield from _split_rows(*previous, equals)
            previous = (part, output)
    if previous is not None:
        yield from _split_rows(*previous, equals)


def batches_by_length(
    lengths: Sequence[int], budget: int, indices: Sequence[int] | None = None
) -> list[list[int]]:
    """Indices of inputs, longest first, in batches of at most `budget` tokens with padding.

    An input longer than the budget is a batch of its own. indices: those to divide; default: all.
    """
    chosen = range(len(lengths)) if indices is None else indices
    order = sorted(chosen, key=lambda index: -lengths[index])
    batches: list[list[int]] = []
    for index in order:
        if batches and lengths[batches[-1][0]] * (len(batches[-1]) + 1) <= budget:
            batches[-1].append(index)
        else:
            batches.append([index])
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
    # Outside the handler, so that the tensors of the failed batch are freed first.
    torch.cuda.empty_cache()
    middle = len(batch) // 2
    yield from _run_with_halving(lengths, batch[:middle], forward, device)
    yield from _run_with_halving(lengths, batch[middle:], forward, device)


def pad_batch(
    rows: Sequence[Pieces], device: torch.device, padding: int
) -> dict[str, torch.Tensor]:
    """Pad inputs to tensors of shape (rows, tokens of the longest row) on a device."""
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


def _split_rows(
    batch: list[int], output: torch.Tensor, equals: Mapping[int, list[int]]
) -> Iterator[tuple[int, Floats]]:
    for first, row in zip(batch, output.float().cpu().numpy(), strict=True):
        for index in equals[first]:
            yield index, row
