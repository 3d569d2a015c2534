"""Who did what, when, to what: an append-only book that the services write in."""

from core.audit.actors import Actor, acting_as, current_actor
from core.audit.recording import record

__all__ = ["Actor", "acting_as", "current_actor", "record"]
