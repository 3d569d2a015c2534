"""Rate limits, upload limits, response headers, and restricted calls to other servers.

`limits` has the rate limits, `uploads` the limits of request bodies, `outgoing` the calls to other
servers. All other Django packages may import this one.
"""
