"""Calls to other servers: only to checked addresses, with limits of size and time."""
