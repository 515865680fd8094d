"""Renders the codeagent toolset's answers: a result without an envelope, or an error."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from repo_mcp.answers.records import Failure, plain
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.codeagent.errors import fault_of
from repo_mcp.toolsets.codeagent.results import CallError
from repo_mcp.toolsets.kit.answers import (
    Fields,
    Outcome,
    Shape,
    ToolCall,
    tool_result,
    warning_texts,
)


class BareShape(Shape):
    """Answers of the codeagent toolset; they are deterministic."""

    def render_outcome(self, call: ToolCall, outcome: Outcome) -> Fields:  # noqa: ARG002 as below
        """The result of a call that succeeded."""
        listed = warning_texts(outcome.warnings)
        result = plain(outcome.result)
        lines = [*outcome.result.as_text(), *(f"warning: {item}" for item in listed)]
        return tool_result("\n".join(lines), _with_warnings(result, listed), failed=False)

    def failure(self, problem: Problem) -> Failure:
        """The problem as a record, with a code of this toolset."""
        fault = fault_of(problem)
        return Failure(code=fault.code, reason=fault.message)

    def render_problem(
        self,
        call: ToolCall,  # noqa: ARG002 all tools share one form of errors
        problem: Problem,
        warnings: Sequence[AnswerWarning],
    ) -> Fields:
        """The result of a call that failed; the text is the error as JSON."""
        error = plain(CallError(**fault_of(problem)._asdict()))
        data = _with_warnings({"error": error}, warning_texts(warnings))
        return tool_result(json.dumps(data, ensure_ascii=False), data, failed=True)


SHAPE = BareShape()


def _with_warnings(result: Mapping[str, Any], warnings: list[str]) -> Fields:
    return {**result, **({"warnings": warnings} if warnings else {})}
