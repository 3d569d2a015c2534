"""Types of the JSON documents that pages, API, CSV files and the library share.

Each is a TypedDict, so a document is a plain dict at run time and nothing is converted. These
modules do without `from __future__ import annotations`: with it, `__required_keys__` and
`__optional_keys__` would not know of NotRequired.
"""
