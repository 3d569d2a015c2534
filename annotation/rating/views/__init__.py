"""The raters' pages: invitation, overview, task, test result, messages, completion code.

Every one works in another site's frame and sets no cookie; `door` says how.
"""
