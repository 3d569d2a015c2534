"""Finding, loading and running encoders, that is pre-trained transformers.

Only this package uses transformers. torch and transformers are imported when the first encoder is
loaded.
"""

from scorers.encoders.batching import pad_batch, run_in_batches, run_indices
from scorers.encoders.encoder import (
    Device,
    Encoder,
    Precision,
    choose_device,
    load_encoder,
    open_model,
    position_limit,
    prepare_for_inference,
    supported_inputs,
    token_limit,
)
from scorers.encoders.locate import (
    DEFAULT,
    EncoderFiles,
    bertscore_layer,
    file_sha256,
    is_added,
    last_layer,
    locate,
)
from scorers.encoders.pieces import Pieces, join_texts, replace_surrogates, tokenise, tokenise_pairs

__all__ = [
    "DEFAULT",
    "Device",
    "Encoder",
    "EncoderFiles",
    "Pieces",
    "Precision",
    "bertscore_layer",
    "choose_device",
    "file_sha256",
    "is_added",
    "join_texts",
    "last_layer",
    "load_encoder",
    "locate",
    "open_model",
    "pad_batch",
    "position_limit",
    "prepare_for_inference",
    "replace_surrogates",
    "run_in_batches",
    "run_indices",
    "supported_inputs",
    "token_limit",
    "tokenise",
    "tokenise_pairs",
]
