"""The queues of the broker, by the kind of work."""

from __future__ import annotations

LIGHT = "light"  # metrics without a model
FINISH = "finish"  # the ends of metric runs, which do not wait behind other runs' chunks
JOBS = "jobs"  # imports, analyses, crowds, webhooks: whatever names no other queue
EXTERNAL = "external"  # submitted metrics, which may wait for other people's servers
ENCODER = "encoder"  # metrics with a model
INTERACTIVE = "interactive"  # models for a page that a person waits for
TRAINING = "training"

QUEUES = (LIGHT, FINISH, JOBS, EXTERNAL, ENCODER, INTERACTIVE, TRAINING)
