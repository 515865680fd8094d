"""Runs a tool call: checks arguments, calls the handler, audits, renders the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from index_format.late_import import import_object
from index_format.tuples import NamedTuple
from repo_mcp.answers.records import AnswerRecord, ToolReply
from repo_mcp.audit.log import AuditLog
from repo_mcp.audit.record import new_request_id
from repo_mcp.console import log_place
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.place.place import Place, PlacedQuestion
from repo_mcp.place.reading import read_place
from repo_mcp.toolsets.kit.answers import Fields, Outcome, Shape, ToolCall, warning_texts
from repo_mcp.toolsets.kit.loading import load_in_thread
from repo_mcp.toolsets.kit.services import Arguments, Context, Handler
from repo_mcp.toolsets.kit.spec import HandlerTable, Tool


class ToolHandlers:
    """Handlers of one toolset by tool name; each is imported on its first call."""

    def __init__(
        self,
        table: HandlerTable,
        services: object,
        audit: AuditLog,
        notes: Sequence[AnswerWarning] = (),
        root_warnings: Callable[[], Sequence[AnswerWarning]] = tuple,
    ) -> None:
        """Handlers get `services`; answers that allow it get the warnings in `notes`.

        `root_warnings` are those about the root; each call asks for them once.
        """
        self.audit = audit
        self.root_warnings = root_warnings
        self._table = table
        self._services = services
        self._notes = notes
        self._handlers: dict[str, Handler] = {}

    def call(self, name: str, arguments: Arguments, context: Context) -> Outcome:
        """Run one call; raises `Problem` if it can't be answered."""
        row = self._table[name]
        target = row if isinstance(row, str) else row(arguments)
        handler = self._handlers.get(target)
        if handler is None:
            handler = load_in_thread(lambda: self._create(target), context.budget)
        outcome = handler(arguments, context)
        if not outcome.with_notes:
            return outcome
        return outcome._replace(warnings=[*self._notes, *outcome.warnings])

    def _create(self, target: str) -> Handler:
        handler: Handler = import_object(target)(self._services)
        return self._handlers.setdefault(target, handler)


class _Handlers(Protocol):
    """Runs tools; has an audit log."""

    @property
    def audit(self) -> AuditLog: ...

    @property
    def root_warnings(self) -> Callable[[], Sequence[AnswerWarning]]: ...

    def call(self, name: str, arguments: Arguments, context: Context) -> Outcome: ...


class FinishedCall(NamedTuple):
    """A call that was run and written down: it has an outcome or a problem."""

    call: ToolCall
    outcome: Outcome | None
    problem: Problem | None
    warnings: Sequence[AnswerWarning]

    def rendered(self, shape: Shape) -> Fields:
        """The answer as a client gets it."""
        if self.problem is not None:
            return shape.render_problem(self.call, self.problem, self.warnings)
        outcome = self.outcome or Outcome(AnswerRecord())
        return shape.render_outcome(self.call, outcome._replace(warnings=self.warnings))

    def reply(self, shape: Shape) -> ToolReply:
        """The record or failure, for the faces of this process."""
        warnings = warning_texts(self.warnings)
        request_id = self.call.request_id if shape.tells_id else ""
        if self.problem is not None:
            failure, blocked = shape.failure(self.problem), shape.tells_id and self.problem.blocked
            reply = ToolReply(failure, warnings, ok=False, blocked=blocked, request_id=request_id)
            return reply._replace(notices=self.warnings, problem=self.problem)
        result = AnswerRecord() if self.outcome is None else self.outcome.result
        reply = ToolReply(result, warnings, request_id=request_id, notices=self.warnings)
        if not shape.tells_id:
            return reply
        from repo_mcp.answers.verdicts import is_judged, judge  # noqa: PLC0415 not before a call

        if not is_judged(result):
            return reply
        verdict = judge(result, self.warnings)
        return reply._replace(verdict=str(verdict), step=str(verdict.step))


def run_call(
    tool: Tool,
    given: Mapping[str, Any],
    handlers_at: Callable[[Place], _Handlers],
    context: Context,
    client: str,
    shape: Shape,
    inner: Mapping[str, Any] = MappingProxyType({}),
    read: Callable[[Arguments], PlacedQuestion] = read_place,
) -> FinishedCall:
    """Run a tool; always returns, and writes a line to the audit log.

    `inner` are arguments that this process gives, and that no client can; `read` finds the place
    that the arguments name.
    """
    call = ToolCall(tool, given, context.request_id or new_request_id(), client, context.token)
    context = context._replace(request_id=call.request_id)
    began = time.monotonic()
    question, outcome = PlacedQuestion(Place(), {}), Outcome(AnswerRecord())
    ignored = list[AnswerWarning]()
    failure: Exception | None = None
    try:
        question = read({**tool.inner, **inner, **shape.read_arguments(tool, given, ignored)})
    except Exception as error:  # noqa: BLE001 it is logged, and the client gets an answer
        failure = error
    try:
        toolset = handlers_at(question.place)
    except Exception as error:  # noqa: BLE001 as above
        # without a repository there is no audit log
        return FinishedCall(call, None, shape.map_problem(_problem_of(error), call), ())
    warnings = [*toolset.root_warnings(), *ignored]
    try:
        if failure is None:
            placed = context._replace(place=question.place)
            outcome = toolset.call(tool.name, question.arguments, placed)
    except Exception as error:  # noqa: BLE001 as above
        failure = error
    problem = None
    if failure is not None:
        problem = _without_frames(shape.map_problem(_problem_of(failure), call))
    call = call._replace(seconds=time.monotonic() - began)
    failed = toolset.audit.record(shape.audit_entry(call, outcome, problem))
    unwritten = [AnswerWarning("audit", failed)] if failed else []
    warnings += [*outcome.warnings, *unwritten, *question.warnings]
    return FinishedCall(call, None if problem else outcome, problem, warnings)


def _without_frames(problem: Problem) -> Problem:
    """The problem without what led to it: frames that hold it in turn, and with it the root."""
    problem.__cause__ = problem.__context__ = None
    return problem.with_traceback(None)


def _problem_of(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    log_place(error)
    return Problem("internal")
