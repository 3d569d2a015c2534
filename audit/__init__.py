"""Who did what, when, to what: an append-only book that the services write in."""

from audit.actors import Actor, acting_as, acting_now
from audit.recording import record

__all__ = ["Actor", "acting_as", "acting_now", "record"]
