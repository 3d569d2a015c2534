"""`python -m docs`: build the documentation into docs/_build/html. Warnings are errors."""

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import main

DOCS = Path(__file__).resolve().parent
BUILT = DOCS / "_build" / "html"

if __name__ == "__main__":
    arguments = [
        "--fail-on-warning",
        "--keep-going",
        "--nitpicky",
        "--quiet",
        str(DOCS),
        str(BUILT),
    ]
    status = main(arguments)
    if status:  # else the next build would not read the faulty pages again, and pass
        shutil.rmtree(BUILT / ".doctrees", ignore_errors=True)
    sys.exit(status)
