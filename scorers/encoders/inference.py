"""A network on its device, ready to run without gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
