"""`python -m config.embedded VAR`: the keeper process. Started by `ensure()`, not by people."""

import signal
import sys
from pathlib import Path

from config.embedded.keeper import keep
from config.embedded.paths import ServerPaths

if __name__ == "__main__":
    # Its users decide when it ends; a stray SIGTERM to a process group must not end them.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep(ServerPaths(Path(sys.argv[1])))
