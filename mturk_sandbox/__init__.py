"""A local stand-in for Amazon Mechanical Turk: its requester API, and pages for workers.

    with Sandbox() as sandbox:
        client = boto3.client("mturk", endpoint_url=sandbox.url, region_name="us-east-1", ...)

It knows nothing of Concord: its data is in a SQLite file of its own, and any client of the API can
use it. Where it departs from MTurk, the modules say so; DEPARTURES.md lists all of it.
"""

from mturk_sandbox.options import Faults, Options
from mturk_sandbox.sandbox import Sandbox

__all__ = ["Faults", "Options", "Sandbox"]
