"""Renders the retrieval toolset's answers: `result` or `error`, and `meta`, as data and text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from repo_mcp.answers.records import record_of
from repo_mcp.audit.log import AuditEntry
from repo_mcp.console import log_call
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.settings import retrieval_roots
from repo_mcp.toolsets.kit.answers import Fields, Outcome, Shape, ToolCall, tool_result
from repo_mcp.toolsets.kit.arguments import check_arguments, unknown_names
from repo_mcp.toolsets.kit.spec import Tool
from repo_mcp.toolsets.retrieval import declarations as retrieval, errors
from repo_mcp.toolsets.retrieval.errors import RetrievalRefusal, refusal_of
from repo_mcp.toolsets.retrieval.results import Details, Meta, RetrievalCallError

Result = Mapping[str, Any]

_KNOWN_REPOS: Final = frozenset({*retrieval_roots.NAMES, retrieval.BOTH})
_MOST: Final = {errors.SEARCH: retrieval.MOST_MATCHES, errors.LIST_DIR: retrieval.MOST_ENTRIES}


class RetrievalShape(Shape):
    """Answers of the retrieval toolset; they have no field for warnings, which go to the log."""

    def read_arguments(self, tool: Tool, given: Result, warnings: list[AnswerWarning]) -> Fields:  # noqa: ARG002 answers have no warnings
        """Every argument with its value or default; raises `RetrievalRefusal` for a wrong one."""
        names = unknown_names(tool, given)
        if names:  # ignoring them would silently change the meaning of the call
            raise RetrievalRefusal("ARGUMENT_INVALID", reason=names[0])
        loose = tuple(item._replace(choices=(), minimum=None) for item in tool.arguments)
        try:
            found = check_arguments(tool._replace(arguments=loose), given)
        except Problem as problem:
            raise refusal_of(problem, {}) from None
        allowed = next(item.choices for item in tool.arguments if item.name == "repo")
        if found["repo"] not in allowed:
            raise RetrievalRefusal("REPO_INVALID", argument="repo", allowed=list(allowed))
        most = _MOST.get(tool.name)
        if most is not None and not 1 <= found["limit"] <= most:
            raise RetrievalRefusal("LIMIT_INVALID", argument="limit", minimum=1, maximum=most)
        return found

    def map_problem(self, problem: Problem, call: ToolCall) -> Problem:
        """The problem with this toolset's error code."""
        return refusal_of(problem, {"repo": _repo_of(call)})

    def audit_entry(self, call: ToolCall, outcome: Outcome, problem: Problem | None) -> AuditEntry:
        """Tool, repo, duration, code and citations; never content of files."""
        blocked = problem is not None and problem.blocked
        known = {item.name for item in call.tool.arguments} - {"repo", "path" if blocked else ""}
        arguments = {name: value for name, value in call.given.items() if name in known}
        return AuditEntry(
            call.request_id,
            f"{retrieval.NAME}/{call.tool.name}",
            {"repo": _repo_of(call), **arguments},
            ok=problem is None,
            blocked=blocked,
            code="" if problem is None else problem.code,
            shown=outcome.shown,
            seconds=_milliseconds(call) / 1000,
            client=call.client,
            token=call.token,
        )

    def render_outcome(self, call: ToolCall, outcome: Outcome) -> Fields:
        """The result of a call that succeeded."""
        meta = _meta(call, truncated=outcome.more)
        _log(call, "OK", outcome.warnings)
        result = outcome.result
        text = "\n".join([*result.as_text(), *meta.as_text()])
        return tool_result(text, {"result": result, "meta": meta}, failed=False)

    def render_problem(
        self, call: ToolCall, problem: Problem, warnings: Sequence[AnswerWarning]
    ) -> Fields:
        """The result of a call that failed; some clients show only text to the model."""
        refusal = refusal_of(problem, {})
        meta = _meta(call, truncated=False)
        _log(call, refusal.code, warnings)
        details = record_of(Details, refusal.details)
        error = RetrievalCallError(code=refusal.code, message=refusal.reason, details=details)
        lines = [f"error {refusal.code}: {refusal.reason}"]
        for name, value in refusal.details.items():
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            lines.append(f"{name}: {shown}")
        text = "\n".join([*lines, *meta.as_text()])
        return tool_result(text, {"error": error, "meta": meta}, failed=True)


SHAPE = RetrievalShape()


def _repo_of(call: ToolCall) -> str:
    """The requested repo; empty if it is not a valid one."""
    repo = call.given.get("repo")
    if repo is None and call.tool.name == errors.SEARCH:
        return retrieval.BOTH
    return repo if isinstance(repo, str) and repo in _KNOWN_REPOS else ""


def _milliseconds(call: ToolCall) -> int:
    return round(call.seconds * 1000)


def _meta(call: ToolCall, *, truncated: bool) -> Meta:
    """The `meta` of an answer."""
    return Meta(repo=_repo_of(call), duration_ms=_milliseconds(call), truncated=truncated)


def _log(call: ToolCall, code: str, warnings: Sequence[AnswerWarning]) -> None:
    about = f"repo={_repo_of(call) or '-'} duration_ms={_milliseconds(call)} code={code}"
    log_call(f"{call.tool.name} {about}")
    for warning in warnings:
        log_call(warning.text)
