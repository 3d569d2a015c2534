"""Errors of the database that say nothing about the work: it may be done again."""

from __future__ import annotations

from django.db import InterfaceError, InternalError, OperationalError

# A connection that was lost, in the words of psycopg: by the server, by the client's own end, and
# by a pooler that breaks off in the middle of an answer or leads to a replica.
DATABASE_AWAY = (OperationalError, InterfaceError, InternalError)
