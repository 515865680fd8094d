"""Outcomes of tools, and their rendering as structured data and as text with the same facts."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.records import AnswerRecord, Failure, plain
from repo_mcp.audit.log import AuditEntry
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.text.cutting import cut_list
from repo_mcp.toolsets.kit.arguments import check_arguments, unknown_names
from repo_mcp.toolsets.kit.spec import Tool

_MAX_WARNINGS: Final = 6
_MAX_WARNING: Final = 240
_ADVICE: Final = {
    "refresh": "call repo.refresh_index",
    "tests": "set include_tests to get them",
    "log": "repo.status and the server's log say why, asking again does not help",
}
# annotations of the text block: for the model, not for display
_TEXT_ANNOTATIONS: Final[Mapping[str, Any]] = {"audience": ["assistant"], "priority": 1.0}
_COUNTED: Final = frozenset(
    {"total", "total_lines", "matching_lines", "matching_files", "added", "updated", "removed"}
)

Fields = dict[str, Any]
# forms of answers
TEXT: Final = "text"
STRUCTURED: Final = "structured"
BOTH: Final = "both"


class Outcome(NamedTuple):
    """The result of a handler."""

    result: AnswerRecord
    warnings: Sequence[AnswerWarning] = ()
    # content blocks besides the text: resource links, images, audio
    content: Sequence[Fields] = ()
    # citations for the audit log: `path:first-last`
    shown: Sequence[str] = ()
    # further counts for the audit log
    counts: Mapping[str, int] = {}
    # true if there are more results, for results without a field for it
    more: bool = False
    # true if notes on the settings may be added: they quote the configuration
    with_notes: bool = True
    # the index that was used; 0 if none
    generation: int = 0


class ToolCall(NamedTuple):
    """One tool call."""

    tool: Tool
    given: Mapping[str, Any]
    request_id: str
    client: str = ""
    token: str = ""
    seconds: float = 0.0


class Shape(ABC):
    """A toolset's way to check arguments and render answers; each toolset has one."""

    # true if answers have the id of their call
    tells_id = False

    def read_arguments(
        self, tool: Tool, given: Mapping[str, Any], warnings: list[AnswerWarning]
    ) -> Fields:
        """Every argument with its value or default; adds a warning about unknown names."""
        warnings += (
            AnswerWarning("ignored", f"ignored: {text}") for text in unknown_names(tool, given)
        )
        return check_arguments(tool, given)

    def map_problem(self, problem: Problem, call: ToolCall) -> Problem:  # noqa: ARG002 subclasses use it
        """The problem with this toolset's error code."""
        return problem

    def failure(self, problem: Problem) -> Failure:
        """The problem as a record."""
        return Failure(code=problem.code, reason=problem.reason, hint=problem.hint)

    def audit_entry(self, call: ToolCall, outcome: Outcome, problem: Problem | None) -> AuditEntry:
        """The call as an entry of the audit log."""
        return AuditEntry(
            call.request_id,
            call.tool.name,
            call.given,
            ok=problem is None,
            blocked=problem is not None and problem.blocked,
            code="" if problem is None else problem.code,
            counts={**counts_of(vars(outcome.result)), **outcome.counts},
            shown=outcome.shown,
            seconds=call.seconds,
            client=call.client,
            token=call.token,
            generation=outcome.generation,
        )

    @abstractmethod
    def render_outcome(self, call: ToolCall, outcome: Outcome) -> Fields:
        """The result of a call that succeeded."""

    @abstractmethod
    def render_problem(
        self, call: ToolCall, problem: Problem, warnings: Sequence[AnswerWarning]
    ) -> Fields:
        """The result of a call that failed."""


def tool_result(
    text: str, data: Mapping[str, Any], content: Iterable[Fields] = (), *, failed: bool
) -> Fields:
    """An MCP tool result with a text block and structured content."""
    block = {"type": "text", "text": text, "annotations": dict(_TEXT_ANNOTATIONS)}
    return {"content": [block, *content], "structuredContent": plain(data), "isError": failed}


def narrow(answer: Fields, form: str) -> Fields:
    """The answer in one form: text, structured, or both; a failure always has text."""
    if form == TEXT:
        return {name: value for name, value in answer.items() if name != "structuredContent"}
    if form == STRUCTURED and "structuredContent" in answer and not answer["isError"]:
        return {**answer, "content": [item for item in answer["content"] if item["type"] != "text"]}
    return answer


def warning_texts(warnings: Iterable[AnswerWarning]) -> list[str]:
    """Rendered warnings without duplicates, each one line, limited in length and number."""
    texts = (" ".join(_warning_text(warning).split()) for warning in warnings)
    return list(dict.fromkeys(cut_list(text, _MAX_WARNING) for text in texts))[:_MAX_WARNINGS]


def _warning_text(warning: AnswerWarning) -> str:
    return f"{warning.text}: {_ADVICE[warning.advice]}" if warning.advice else warning.text


def counts_of(result: Mapping[str, Any]) -> dict[str, int]:
    """Counts for the audit log: lengths of lists, and count fields; without zeros."""
    lengths = {
        name: len(value) for name, value in result.items() if isinstance(value, list | tuple)
    }
    counted = {name: value for name, value in result.items() if name in _COUNTED}
    return {name: count for name, count in {**lengths, **counted}.items() if count}


_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=plain).encode


def size(value: object) -> int:
    """The size of a value as JSON in bytes, with the comma after it."""
    return len(_encode(value).encode("utf-8", "surrogatepass")) + 1
