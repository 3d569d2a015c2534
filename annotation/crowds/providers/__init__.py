"""Crowd platforms behind one interface: a link, Prolific, Mechanical Turk.

`provider` declares what every platform can be asked, and `registry` finds one by its name. Nothing
here reads the database: the services decide what is asked, in which order and how often.
"""
