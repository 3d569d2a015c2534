"""The audit log: an append-only record of who changed what and when."""

from core.audit.actors import Actor, acting_as, current_actor
from core.audit.recording import AuditScope, record

__all__ = ["Actor", "AuditScope", "acting_as", "current_actor", "record"]
