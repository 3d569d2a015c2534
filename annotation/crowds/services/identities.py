"""Workers' ids at their provider, opened only for calls to that provider."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from annotation.crowds.providers.provider import CrowdError
from annotation.rating.models import Worker


def identity_of(worker: Worker) -> str:
    """The worker's id at their provider. Raises CrowdError if it was removed."""
    if worker.identity is None:
        raise CrowdError(
            f"The identity of {worker.name} was removed, so no request can name this worker."
        )
    return worker.identity.open()


@contextmanager
def opened_for(worker: Worker) -> Iterator[str]:
    """Open the worker's id for a call to their provider.

    In a CrowdError the id is replaced by the worker's name, because its message is stored and
    shown. Raises CrowdError.
    """
    opened = identity_of(worker)
    try:
        yield opened
    except CrowdError as error:
        error.args = tuple(str(part).replace(opened, worker.name) for part in error.args)
        raise
