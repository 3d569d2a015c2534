"""The command `encoders`: list the known encoders, and add one."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, TypedDict

from scorers.encoders.catalog import KNOWN, KnownEncoder, added_folder, is_added
from scorers.encoders.fetch import add_encoder


class EncoderRow(TypedDict):
    """`folder` is null for the encoder that is installed with Concord, and for absent ones."""

    name: str
    parameters: int
    licence: str
    origin: str
    sha256: str
    layers: int
    bertscore_layer: int
    available: bool
    folder: str | None


def add_encoders_command(commands: Any) -> None:
    """Add the command `encoders`, with `encoders add NAME`."""
    encoders = commands.add_parser("encoders", help="list the known encoders, or add one")
    encoders.add_argument("--json", action="store_true", help="print all facts as JSON")
    encoders.set_defaults(run=_list)
    actions = encoders.add_subparsers(metavar="ACTION")
    adding = actions.add_parser("add", help="download an encoder, verify it and store it")
    adding.add_argument("name", metavar="NAME", help="such as all-mpnet-base-v2")
    adding.set_defaults(run=_add)


def _list(parsed: argparse.Namespace) -> int:
    rows = [_row(known) for known in KNOWN.values()]
    if parsed.json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        print(f"{row['name']}  {row['parameters'] / 1e6:.0f} million parameters, {row['licence']}")
        print(f"    From {row['origin']}.")
        print(f"    Weights: SHA-256 {row['sha256']}")
        print(f"    {_state(row)}")
    return 0


def _state(row: EncoderRow) -> str:
    if not row["available"]:
        return f"Not here: python -m scorers encoders add {row['name']}"
    return f"In {row['folder']}" if row["folder"] else "Installed with Concord"


def _row(known: KnownEncoder) -> EncoderRow:
    added = is_added(known.name)
    return {
        "name": known.name,
        "parameters": known.parameters,
        "licence": known.licence,
        "origin": known.origin,
        "sha256": known.sha256,
        "layers": known.layers,
        "bertscore_layer": known.bertscore_layer,
        "available": added or known.archive is None,
        "folder": str(added_folder(known.name)) if added else None,
    }


def _add(parsed: argparse.Namespace) -> int:
    folder = add_encoder(parsed.name, lambda line: print(line, file=sys.stderr))
    print(f"{parsed.name} is in {folder}")
    return 0
