"""The queues of the broker, by the kind of work."""

from __future__ import annotations

LIGHT = "light"  # metrics without a model
FINISH = "finish"  # final steps of metric runs, so that they need not wait for other runs' chunks
JOBS = "jobs"  # the default: imports, crowds, webhooks
ANALYSES = "analyses"  # what pages compute, so that an import does not wait for it
EXTERNAL = "external"  # submitted metrics and model judges, which wait for other servers
ENCODER = "encoder"  # metrics with a model
INTERACTIVE = "interactive"  # models for a page that somebody waits for

QUEUES = (LIGHT, FINISH, JOBS, ANALYSES, EXTERNAL, ENCODER, INTERACTIVE)
