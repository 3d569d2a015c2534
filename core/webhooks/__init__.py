"""Telling other programs what happened: signed messages, delivered until they are taken.

`events` says what there is to tell, `targets` what of (the rooms above register theirs), and
`signing` how a receiver knows that it was us. `services.events` writes a message down in the
transaction of what happened, so that neither is without the other; workers deliver it.
"""
