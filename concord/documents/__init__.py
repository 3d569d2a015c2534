"""Types of the JSON documents that pages, API, CSV files and the library share.

Each is a TypedDict; a document is a plain dict at run time. These modules do not use
`from __future__ import annotations`: with it, `__required_keys__` and `__optional_keys__` would
ignore NotRequired.
"""
