"""The embedded default: a private PostgreSQL and Redis, from wheels, for whoever gives no URL.

One way in: `ensure()` starts the servers or joins those that run, and keeps them running for as
long as this process lives. Nobody has to stop them: a keeper process holds the servers as its
children and stops them when the last process that joined has gone, however it went.
"""

from config.embedded.keeper import EmbeddedError, ensure, leave
from config.embedded.paths import ServerPaths

__all__ = ["EmbeddedError", "ServerPaths", "ensure", "leave"]
