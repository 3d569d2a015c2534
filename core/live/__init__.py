"""Pages that show long work as it goes on: server-sent events, in any number of web processes.

A stream says only that something changed; the page then fetches what it shows, as it does without
a stream. So nothing is shown that the page's own view would not show.
"""
