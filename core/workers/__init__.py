"""Celery workers: their queues and pools, starting them, and whether one is alive."""
