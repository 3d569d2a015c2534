"""The books of a sandbox: its data and its clock, and the moments in which things are done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mturk_sandbox import queues, service_model
from mturk_sandbox.accounts import open_account
from mturk_sandbox.clock import Clock
from mturk_sandbox.errors import TurkError
from mturk_sandbox.life import settle
from mturk_sandbox.operations import handler
from mturk_sandbox.options import Options
from mturk_sandbox.protocol import Request, Response, answered, refused
from mturk_sandbox.store import Store, remember, remembered
from mturk_sandbox.system_qualifications import ensure_system_types
from mturk_sandbox.world import Call, World


class LostAnswerError(Exception):
    """The call was done and committed, and its answer is to be lost, as a fault asked for."""


class Books:
    """The data and the clock. Every request is one transaction at one moment."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._store = Store(options.data)
        self.clock = Clock(options.start)
        with self._store.transaction() as db:
            if options.start is None:
                self.clock.advance(float(remembered(db, "ahead") or 0))
            # What was made to happen by moving the clock stays in the past.
            self.clock.not_before(float(remembered(db, "now") or 0))
            ensure_system_types(World(db, self.clock.now(), options))

    @contextmanager
    def moment(self) -> Iterator[World]:
        """Now, with all that was due done: what is changed is kept unless an exception leaves."""
        with self._store.transaction() as db:
            world = World(db, self.clock.now(), self.options)
            settle(world)
            yield world

    def advance(self, seconds: float) -> float:
        """Move the clock, do what became due, and remember where it stands."""
        self.clock.advance(seconds)
        with self.moment() as world:
            remember(world.db, "ahead", repr(self.clock.ahead))
            remember(world.db, "now", repr(world.now))
        return self.clock.now()

    def answer(self, request: Request, url: str) -> Response:
        """Do a call of either service and answer it, refusals included.

        Raises LostAnswerError after doing a call whose answer a fault takes.
        """
        lost = False
        try:
            if request.service == service_model.TARGET:
                throttled, lost = self.options.faults.next_call()
                if throttled:
                    raise TurkError("ThrottlingException", "Rate exceeded")
            with self.moment() as world:
                response = answered(request, self._done(request, world, url))
        except TurkError as error:
            response = refused(request.service, error, self.clock.now())
        if lost:
            raise LostAnswerError(request.operation)
        return response

    def _done(self, request: Request, world: World, url: str) -> dict[str, object]:
        open_account(world, request.account)
        call = Call(world.db, world.now, world.options, request.account, request.id, url)
        if request.service == queues.TARGET:
            if not isinstance(request.document, dict):
                raise TurkError("SerializationException", "The request is not a JSON object.")
            return queues.QUEUE_HANDLERS[request.operation](call, request.document)
        parameters = service_model.read(request.operation, request.document)
        return handler(request.operation)(call, parameters)

    def close(self) -> None:
        self._store.close()
