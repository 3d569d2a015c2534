"""`python -m config.embedded VAR`: the keeper process, which `ensure()` starts."""

import signal
import sys
from pathlib import Path

from config.embedded.keeper import run_keeper
from config.embedded.paths import ServerPaths

if __name__ == "__main__":
    # It ends when its last user has gone. A SIGTERM to its process group must not end it earlier.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run_keeper(ServerPaths(Path(sys.argv[1])))
