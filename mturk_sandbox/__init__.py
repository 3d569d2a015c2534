"""A local stand-in for Amazon Mechanical Turk: its requester API, and pages for workers.

    with Sandbox() as sandbox:
        client = boto3.client("mturk", endpoint_url=sandbox.url, region_name="us-east-1", ...)

The package does not depend on Concord: its data is in a SQLite file, and any client of the API can
use it. DEPARTURES.md lists the differences from MTurk.
"""

from mturk_sandbox.options import Faults, SandboxOptions
from mturk_sandbox.sandbox import Sandbox

__all__ = ["Faults", "Sandbox", "SandboxOptions"]
