"""Rate limits, counted in the database for any number of processes.

`rates` parses rates, `buckets` counts requests, `callers` identifies callers, `rules` assigns
requests to rates, and `middleware` refuses requests over the limit.
"""
