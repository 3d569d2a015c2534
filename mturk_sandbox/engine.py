"""The engine of a sandbox: its data, its clock, and transactions on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mturk_sandbox import queues, service_model
from mturk_sandbox.accounts import open_account
from mturk_sandbox.clock import Clock
from mturk_sandbox.context import Context, OperationCall
from mturk_sandbox.errors import TurkError
from mturk_sandbox.lifecycle import process_due_events
from mturk_sandbox.operations import handler
from mturk_sandbox.options import SandboxOptions
from mturk_sandbox.protocol import Request, Response, error_response, success_response
from mturk_sandbox.store import Store, get_meta, set_meta
from mturk_sandbox.system_qualifications import ensure_system_types


class LostAnswerError(Exception):
    """The call was executed and committed, but a fault drops its answer."""


class Engine:
    """The data and the clock. Every request is one transaction at a fixed time."""

    def __init__(self, options: SandboxOptions) -> None:
        self.options = options
        self._store = Store(options.data)
        self.clock = Clock(options.start)
        with self._store.transaction() as db:
            if options.start is None:
                self.clock.advance(float(get_meta(db, "ahead") or 0))
            # Events that an advanced clock caused must stay in the past.
            self.clock.advance_to(float(get_meta(db, "now") or 0))
            ensure_system_types(Context(db, self.clock.now(), options))

    @contextmanager
    def transaction(self) -> Iterator[Context]:
        """A transaction at the present time, after all due events; an exception rolls it back."""
        with self._store.transaction() as db:
            context = Context(db, self.clock.now(), self.options)
            process_due_events(context)
            yield context

    def advance(self, seconds: float) -> float:
        """Advance the clock, process what became due, and store the time."""
        self.clock.advance(seconds)
        with self.transaction() as context:
            set_meta(context.db, "ahead", repr(self.clock.ahead))
            set_meta(context.db, "now", repr(context.now))
        return self.clock.now()

    def handle(self, request: Request, url: str) -> Response:
        """Execute a call of MTurk or SQS and return the response, including error responses.

        Raises LostAnswerError after a call whose answer a fault drops.
        """
        lost = False
        try:
            if request.service == service_model.TARGET:
                throttled, lost = self.options.faults.next_call()
                if throttled:
                    raise TurkError("ThrottlingException", "Rate exceeded")
            with self.transaction() as context:
                response = success_response(request, self._execute(request, context, url))
        except TurkError as error:
            response = error_response(request.service, error, self.clock.now())
        if lost:
            raise LostAnswerError(request.operation)
        return response

    def _execute(self, request: Request, context: Context, url: str) -> dict[str, object]:
        open_account(context, request.account)
        call = OperationCall(
            context.db, context.now, context.options, request.account, request.id, url
        )
        if request.service == queues.TARGET:
            if not isinstance(request.document, dict):
                raise TurkError("SerializationException", "The request is not a JSON object.")
            return queues.QUEUE_HANDLERS[request.operation](call, request.document)
        parameters = service_model.read(request.operation, request.document)
        return handler(request.operation)(call, parameters)

    def close(self) -> None:
        self._store.close()
