"""Webhooks: signed messages about events, delivered until the receiver accepts them.

`events` lists the events, `targets` is the registry of what they can be about, and `signing` signs
messages. `services.emitting` stores a message in the transaction of the event; workers deliver it.
"""
