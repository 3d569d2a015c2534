"""The engine of a sandbox: its data and its clock, and the moments in which things are done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mturk_sandbox import queues, service_model
from mturk_sandbox.accounts import open_account
from mturk_sandbox.clock import Clock
from mturk_sandbox.context import Call, Context
from mturk_sandbox.errors import TurkError
from mturk_sandbox.lifecycle import process_due_events
from mturk_sandbox.operations import handler
from mturk_sandbox.options import Options
from mturk_sandbox.protocol import Request, Response, error_response, success_response
from mturk_sandbox.store import Store, get_meta, set_meta
from mturk_sandbox.system_qualifications import ensure_system_types


class LostAnswerError(Exception):
    """The call was done and committed, and its answer is to be lost, as a fault asked for."""


class Engine:
    """The data and the clock. Every request is one transaction at one moment."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._store = Store(options.data)
        self.clock = Clock(options.start)
        with self._store.transaction() as db:
            if options.start is None:
                self.clock.advance(float(get_meta(db, "ahead") or 0))
            # What was made to happen by moving the clock stays in the past.
            self.clock.advance_to(float(get_meta(db, "now") or 0))
            ensure_system_types(Context(db, self.clock.now(), options))

    @contextmanager
    def transaction(self) -> Iterator[Context]:
        """Now, with all that was due done: what is changed is kept unless an exception leaves."""
        with self._store.transaction() as db:
            context = Context(db, self.clock.now(), self.options)
            process_due_events(context)
            yield context

    def advance(self, seconds: float) -> float:
        """Move the clock, do what became due, and remember where it stands."""
        self.clock.advance(seconds)
        with self.transaction() as context:
            set_meta(context.db, "ahead", repr(self.clock.ahead))
            set_meta(context.db, "now", repr(context.now))
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
            with self.transaction() as context:
                response = success_response(request, self._done(request, context, url))
        except TurkError as error:
            response = error_response(request.service, error, self.clock.now())
        if lost:
            raise LostAnswerError(request.operation)
        return response

    def _done(self, request: Request, context: Context, url: str) -> dict[str, object]:
        open_account(context, request.account)
        call = Call(context.db, context.now, context.options, request.account, request.id, url)
        if request.service == queues.TARGET:
            if not isinstance(request.document, dict):
                raise TurkError("SerializationException", "The request is not a JSON object.")
            return queues.QUEUE_HANDLERS[request.operation](call, request.document)
        parameters = service_model.read(request.operation, request.document)
        return handler(request.operation)(call, parameters)

    def close(self) -> None:
        self._store.close()
