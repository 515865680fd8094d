"""A call from what a client sent to what it gets: checked, done, written down, in its envelope."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from repo_mcp.audit.log import AuditLog, Entry
from repo_mcp.errors import Problem
from repo_mcp.log import log_place
from repo_mcp.toolsets.kit import envelope
from repo_mcp.toolsets.kit.arguments import checked, ignored
from repo_mcp.toolsets.kit.envelope import Outcome, counts_of, new_id
from repo_mcp.toolsets.kit.services import Context
from repo_mcp.toolsets.kit.spec import Tool


class ToolHandler(Protocol):
    """What runs tools, and where it writes calls down."""

    @property
    def audit(self) -> AuditLog:
        """The log of its repository."""
        ...

    def call(self, name: str, arguments: Mapping[str, Any], context: Context) -> Outcome:
        """Answer one call; what can't be answered is a `Problem`."""
        ...


class Shape(Protocol):
    """How a toolset words its answers: `envelope`, or a module of a toolset's own."""

    def answered(self, tool: str, outcome: Outcome, request_id: str = "") -> dict[str, Any]:
        """A call that was answered."""
        ...

    def refused(
        self, tool: str, problem: Problem, request_id: str = "", warnings: Sequence[str] = ()
    ) -> dict[str, Any]:
        """A call that was not."""
        ...


def answer(
    tool: Tool,
    given: Mapping[str, Any],
    handled: Callable[[], ToolHandler],
    context: Context,
    client: str = "",
    *,
    shape: Shape = envelope,
) -> dict[str, Any]:
    """Run a tool; whatever happens, there is an answer, and a line in the audit log."""
    call = _Call(tool, given, client, context.request_id or new_id(), shape)
    try:
        toolset = handled()
    except Problem as problem:  # without a repository there is no log either
        return shape.refused(tool.name, problem, call.request_id)
    except Exception as error:  # noqa: BLE001 the client gets an answer, the log the place
        log_place(error)
        return shape.refused(tool.name, Problem("internal"), call.request_id)
    return call.answered_by(toolset, context._replace(request_id=call.request_id))


class _Call:
    """One call on its way."""

    def __init__(
        self, tool: Tool, given: Mapping[str, Any], client: str, request_id: str, shape: Shape
    ) -> None:
        self.request_id = request_id
        self._shape = shape
        self._tool = tool
        self._given = given
        self._client = client
        self._began = time.monotonic()

    def answered_by(self, toolset: ToolHandler, context: Context) -> dict[str, Any]:
        name, warnings = self._tool.name, list[str]()
        try:
            warnings += ignored(self._tool, self._given)
            outcome = toolset.call(name, checked(self._tool, self._given), context)
        except Problem as problem:
            found = problem
        except Exception as error:  # noqa: BLE001 the client gets an answer, the log the place
            log_place(error)
            found = Problem("internal")
        else:
            said = self._record(toolset.audit, outcome, None)
            warnings = [*warnings, *outcome.warnings, *said]
            outcome = outcome._replace(warnings=warnings)
            return self._shape.answered(name, outcome, self.request_id)
        warnings += self._record(toolset.audit, Outcome({}), found)
        return self._shape.refused(name, found, self.request_id, warnings)

    def _record(self, audit: AuditLog, outcome: Outcome, problem: Problem | None) -> list[str]:
        """Write the call down; gives what to say where that fails."""
        entry = Entry(
            self.request_id,
            self._tool.name,
            self._given,
            ok=problem is None,
            blocked=problem is not None and problem.blocked,
            code="" if problem is None else problem.code,
            counts=counts_of(outcome.result),
            shown=outcome.shown,
            seconds=time.monotonic() - self._began,
            client=self._client,
            generation=_generation(outcome.result),
        )
        said = audit.record(entry)
        return [said] if said else []


def _generation(result: Mapping[str, Any]) -> int:
    """Of the index that answered; a bundle says it where it says how it came to be."""
    found = result.get("generation", result.get("audit", {}).get("generation", 0))
    return found if isinstance(found, int) else 0
