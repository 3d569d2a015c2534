"""The tasks of every feature, for Celery's autodiscovery."""

from annotation.crowds import tasks as crowds
from annotation.privacy import tasks as privacy
from annotation.stages import tasks as stages
from annotation.studies import tasks as studies

__all__ = ["crowds", "privacy", "stages", "studies"]
