"""The raters' pages: invitation, overview, task, test result, messages, completion code.

They work in another site's frame and need no cookie: see `page_guard`.
"""
