"""`python -m scorers`: the command line of the metrics."""

import sys

from scorers.cli import main

if __name__ == "__main__":
    sys.exit(main())
