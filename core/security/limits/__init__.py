"""How often somebody may ask for something: counted in the database, for any number of processes.

`rates` says how often, `buckets` counts, `callers` says who is asking, `rules` which requests are
counted under which rate, and `middleware` turns away those that come too often.
"""
