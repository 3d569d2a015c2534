"""An encoder: a pre-trained transformer, its tokeniser, and the device they run on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from scorers.encoders.batching import Floats, run_in_batches
from scorers.encoders.locate import EncoderFiles, locate
from scorers.encoders.pieces import Pieces, tokenise
from scorers.errors import EncoderError
from scorers.late_import import late_import

if TYPE_CHECKING:
    import torch


def prepare_for_inference(network: Any, device: torch.device, *, pack: bool = True) -> Any:
    """The network on a device, in evaluation mode; it cannot be trained afterwards.

    pack: on a CPU, oneDNN computes the linear layers that have float32 weights, from weights that
    are stored in its own layout. PyTorch would use MKL, which leaves out the AVX-512 instructions
    of processors other than Intel's and takes twice the time there. Outputs differ by rounding.
    """
    import torch

    network = network.to(device).eval()
    one_dnn: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    if pack and device.type == "cpu" and one_dnn:
        _pack_layers(network)
    return network


def _pack_layers(network: Any) -> None:
    import torch

    packed = late_import("scorers.encoders.packed_linear", "PackedLinear")
    for name, module in network.named_children():
        if type(module) is torch.nn.Linear and module.weight.dtype == torch.float32:
            setattr(network, name, packed(module))
        else:
            _pack_layers(module)


Device = Literal["auto", "cpu", "cuda"]
Precision = Literal["float32", "bf16", "fp16"]

# The limit in tokens for an encoder that states none.
DEFAULT_MAX_TOKENS = 512


class Encoder:
    """Hidden states of texts.

    Threads may share an encoder; forward passes run one after another.
    """

    def __init__(
        self, encoder_files: EncoderFiles, device: torch.device, precision: Precision = "float32"
    ) -> None:
        import torch

        self.name = encoder_files.name
        self.sha256 = encoder_files.sha256
        self.device = device
        self.precision = precision
        self.tokeniser, model = open_model(encoder_files)
        dtype = {"float32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[precision]
        self.model = prepare_for_inference(model.to(dtype), device)
        self.layers: int = model.config.num_hidden_layers
        self.width: int = model.config.hidden_size
        self.max_tokens = token_limit(self.tokeniser, model)
        self._lock = threading.Lock()

    def tokenise(self, texts: Sequence[str]) -> list[Pieces]:
        """The wordpieces of each text, cut at the encoder's limit."""
        return tokenise(self.tokeniser, texts, self.max_tokens)

    def encode(
        self,
        inputs: Sequence[Pieces],
        layers: Sequence[int],
        on_progress: Callable[[int], None] | None = None,
    ) -> list[Floats]:
        """The hidden states of each input: float32 of shape (len(layers), tokens, width).

        Layer 0 is the embedding layer, layer k the k-th transformer layer; higher layers than
        needed are not computed. The states of an input do not depend on the other inputs, except
        for rounding (about 1e-7 in float32). `on_progress(inputs so far)` is called after each
        batch; an exception it raises ends the work.
        """
        for layer in layers:
            self._check(layer)
        results: list[Floats | None] = [None] * len(inputs)
        with self._lock, self._limit_layers(max(layers, default=0)):
            outputs = run_in_batches(
                inputs, lambda batch: self._states(batch, layers), self.device, self._padding
            )
            for count, (index, states) in enumerate(outputs, 1):
                # A copy, because a view would keep the whole padded batch in memory.
                results[index] = np.ascontiguousarray(states.swapaxes(0, 1))
                if on_progress:
                    on_progress(count)
        return [states for states in results if states is not None]

    def _check(self, layer: int) -> None:
        if not 0 <= layer <= self.layers:
            raise EncoderError(
                f"the encoder {self.name} has no layer {layer}: choose one from 0 (its embeddings) "
                f"to {self.layers}"
            )

    @property
    def _padding(self) -> int:
        return self.tokeniser.pad_token_id or 0

    def _states(self, batch: dict[str, torch.Tensor], layers: Sequence[int]) -> torch.Tensor:
        import torch

        stack = self._stack()
        if stack is None:  # another architecture: all layers are computed
            inputs = supported_inputs(self.model, batch)
            all_states = self.model(**inputs, output_hidden_states=True).hidden_states
            return torch.stack([all_states[layer] for layer in layers], dim=2)
        states: dict[int, torch.Tensor] = {}
        modules = [self.model.embeddings, *stack]
        hooks = [
            modules[layer].register_forward_hook(_store_states(states, layer))
            for layer in set(layers)
        ]
        try:
            self.model(**supported_inputs(self.model, batch))
        finally:
            for hook in hooks:
                hook.remove()
        return torch.stack([states[layer] for layer in layers], dim=2)

    def _stack(self) -> Any:
        """The transformer layers of a model built like BERT; None for other architectures."""
        stack = getattr(getattr(self.model, "encoder", None), "layer", None)
        return stack if stack is not None and hasattr(self.model, "embeddings") else None

    @contextmanager
    def _limit_layers(self, layer: int) -> Iterator[None]:
        """Temporarily remove the layers above one from the model."""
        stack = self._stack()
        if stack is None or layer >= len(stack):
            yield
            return
        self.model.encoder.layer = stack[:layer]
        try:
            yield
        finally:
            self.model.encoder.layer = stack


def _store_states(states: dict[int, torch.Tensor], layer: int) -> Callable[..., None]:
    """A hook that stores a module's output as a layer's states."""

    def store(_module: object, _inputs: object, output: Any) -> None:
        states[layer] = output[0] if isinstance(output, tuple) else output

    return store


def supported_inputs(
    model: torch.nn.Module, batch: dict[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """The inputs that a model accepts: some, such as RoBERTa, have no token types."""
    if getattr(model.config, "type_vocab_size", 0) < 2:
        return {name: value for name, value in batch.items() if name != "token_type_ids"}
    return batch


def open_model(encoder_files: EncoderFiles) -> tuple[Any, Any]:
    """An encoder's fast tokeniser and its model, in float32 on the CPU.

    Raises EncoderError when the files cannot be loaded, or there is no fast tokeniser.
    """
    try:
        late_import("transformers", "logging").disable_progress_bar()
        tokeniser = late_import("transformers", "AutoTokenizer").from_pretrained(
            encoder_files.folder
        )
        model = late_import("transformers", "AutoModel").from_pretrained(
            encoder_files.folder, dtype="float32"
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise EncoderError(
            f"the encoder in {encoder_files.folder} cannot be loaded: {error}"
        ) from error
    if not tokeniser.is_fast:
        raise EncoderError(
            f"the encoder {encoder_files.name} has no fast tokeniser: choose an encoder with one"
        )
    return tokeniser, model


def token_limit(tokeniser: Any, model: Any) -> int:
    """The maximum number of tokens of a text, by the model's positions and its tokeniser."""
    positions = position_limit(model)
    return int(min(positions, tokeniser.model_max_length or positions))


def position_limit(model: Any) -> int:
    """The number of positions of a model."""
    positions = getattr(model.config, "max_position_embeddings", None) or DEFAULT_MAX_TOKENS
    if getattr(model.config, "model_type", "") in ("roberta", "xlm-roberta", "camembert", "mpnet"):
        positions -= 2  # these models number positions from 2
    return int(positions)


def choose_device(device: Device) -> torch.device:
    """The torch device; "auto" is a GPU if there is one.

    Raises EncoderError for "cuda" without a GPU.
    """
    import torch

    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device == "cuda" and not torch.cuda.is_available():
        raise EncoderError("torch finds no GPU on this machine: choose --device cpu or auto")
    return torch.device(device)


def load_encoder(name: str, device: Device = "auto", precision: Precision = "float32") -> Encoder:
    """Load an encoder by name; see `locate` for valid names."""
    return Encoder(locate(name), choose_device(device), precision)
