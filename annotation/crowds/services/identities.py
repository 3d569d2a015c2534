"""A worker's id at their provider, opened only to tell that provider."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from annotation.crowds.providers.provider import CrowdError
from annotation.rating.models import Worker


def identity_of(worker: Worker) -> str:
    """The worker's id at their provider. Raises CrowdError where it was removed."""
    if worker.identity is None:
        raise CrowdError(
            f"{worker.name}'s identity was removed, so their platform cannot be told who it is."
        )
    return worker.identity.open()


@contextmanager
def opened_for(worker: Worker) -> Iterator[str]:
    """The worker's id, to tell their provider; what the provider answers with an error is passed
    on with the worker's name in its place, since that is stored and shown. Raises CrowdError."""
    opened = identity_of(worker)
    try:
        yield opened
    except CrowdError as error:
        error.args = tuple(str(part).replace(opened, worker.name) for part in error.args)
        raise
