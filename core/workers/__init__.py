"""Celery workers: their pools and queues, and starting and supervising them."""
