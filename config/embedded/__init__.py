"""The embedded servers: PostgreSQL and Redis from wheels, used when no URL is set.

`ensure()` starts the servers or joins running ones. They run at least as long as this process. A
keeper process has the servers as children and stops them when the last process has left or died.
"""

from config.embedded.keeper import EmbeddedError, ensure, leave
from config.embedded.paths import ServerPaths

__all__ = ["EmbeddedError", "ServerPaths", "ensure", "leave"]
