"""Crowd platforms behind one interface: accounts here, any panel, Prolific, Mechanical Turk.

This room speaks the platforms' languages and knows nothing of the database: `provider` says what
every platform can be asked, `registry` finds one by its name. What is asked, in which order and
how often, the services decide.
"""
