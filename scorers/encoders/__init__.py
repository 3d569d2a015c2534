"""The one room that touches encoders: finding, loading and running pre-trained transformers.

torch and transformers are imported when an encoder is first loaded, never before.
"""

from scorers.encoders.batching import padded, run_in_batches, run_places
from scorers.encoders.encoder import (
    Device,
    Encoder,
    Precision,
    accepted,
    choose_device,
    load_encoder,
    open_model,
    position_limit,
    token_limit,
)
from scorers.encoders.joining import join_texts
from scorers.encoders.locate import DEFAULT, Located, locate
from scorers.encoders.pieces import Pieces, readable, tokenise, tokenise_pairs

__all__ = [
    "DEFAULT",
    "Device",
    "Encoder",
    "Located",
    "Pieces",
    "Precision",
    "accepted",
    "choose_device",
    "join_texts",
    "load_encoder",
    "locate",
    "open_model",
    "padded",
    "position_limit",
    "readable",
    "run_in_batches",
    "run_places",
    "token_limit",
    "tokenise",
    "tokenise_pairs",
]
