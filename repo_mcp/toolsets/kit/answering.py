"""A call from what a client sent to what it gets: checked, done, written down, worded."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from repo_mcp.audit.log import AuditLog
from repo_mcp.errors import Problem
from repo_mcp.log import log_place
from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.kit.answers import Call, Fields, Outcome, Shape, new_id
from repo_mcp.toolsets.kit.loading import beside
from repo_mcp.toolsets.kit.services import Arguments, Context, Handler
from repo_mcp.toolsets.kit.spec import HandlerTable, Tool


class ToolHandlers:
    """Handlers of one toolset by the names of its tools; each is imported with its first call."""

    def __init__(
        self,
        table: HandlerTable,
        services: object,
        audit: AuditLog,
        notes: Sequence[AnswerWarning] = (),
    ) -> None:
        """Handlers take `services`; `notes` stand beside all answers that allow it."""
        self.audit = audit
        self._table = table
        self._services = services
        self._notes = notes
        self._handlers: dict[str, Handler] = {}

    def call(self, name: str, arguments: Arguments, context: Context) -> Outcome:
        """Answer one call; what can't be answered is a `Problem`."""
        row = self._table[name]
        target = row if isinstance(row, str) else row(arguments)
        handler = self._handlers.get(target)
        if handler is None:
            handler = beside(lambda: self._made(target), context.budget)
        outcome = handler(arguments, context)
        if not outcome.with_notes:
            return outcome
        return outcome._replace(warnings=[*self._notes, *outcome.warnings])

    def _made(self, target: str) -> Handler:
        handler: Handler = loaded(target)(self._services)
        return self._handlers.setdefault(target, handler)


def loaded(target: str) -> Any:  # noqa: ANN401 whatever has this name
    """What is called "module:name"."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


class _Handlers(Protocol):
    """What runs tools, and where it writes calls down."""

    @property
    def audit(self) -> AuditLog: ...

    def call(self, name: str, arguments: Arguments, context: Context) -> Outcome: ...


def answer(
    tool: Tool,
    given: Mapping[str, Any],
    handlers: Callable[[], _Handlers],
    context: Context,
    client: str,
    shape: Shape,
) -> Fields:
    """Run a tool; whatever happens, there is an answer, and a line in the audit log."""
    call = Call(tool, given, context.request_id or new_id(), client)
    context = context._replace(request_id=call.request_id)
    began = time.monotonic()
    try:
        toolset = handlers()
    except Exception as error:  # noqa: BLE001 the client gets an answer, the log the place
        # without a repository there is no log of calls either
        return shape.refused(call, shape.explained(_problem_of(error), call), ())
    warnings: list[AnswerWarning] = []
    outcome, problem = Outcome({}), None
    try:
        arguments = shape.arguments(tool, given, warnings)
        outcome = toolset.call(tool.name, arguments, context)
    except Exception as error:  # noqa: BLE001 as above
        problem = shape.explained(_problem_of(error), call)
    call = call._replace(seconds=time.monotonic() - began)
    failed = toolset.audit.record(shape.entry(call, outcome, problem))
    unwritten = [AnswerWarning("audit", failed)] if failed else []
    if problem is not None:
        return shape.refused(call, problem, [*warnings, *unwritten])
    said = [*warnings, *outcome.warnings, *unwritten]
    return shape.answered(call, outcome._replace(warnings=said))


def _problem_of(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    log_place(error)
    return Problem("internal")
