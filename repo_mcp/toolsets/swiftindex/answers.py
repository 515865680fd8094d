"""Renders the SwiftIndex toolset's answers: data, and text as TOON, JSON or for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from repo_mcp.answers.records import plain
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.kit.answers import (
    Fields,
    Outcome,
    Shape,
    ToolCall,
    tool_result,
    warning_texts,
)
from repo_mcp.toolsets.kit.spec import Tool
from repo_mcp.toolsets.swiftindex.declarations import HUMAN, JSON
from repo_mcp.toolsets.swiftindex.errors import EMPTY_QUERY, MISSING, SwiftIndexRefusal, message_of

_QUERY: Final = "query"


class SwiftIndexShape(Shape):
    """Answers of the SwiftIndex toolset; errors are one line of text."""

    def read_arguments(
        self, tool: Tool, given: Mapping[str, Any], warnings: list[AnswerWarning]
    ) -> Fields:
        """Every argument with its value or default."""
        for item in tool.arguments:
            if item.required and given.get(item.name) is None:
                raise SwiftIndexRefusal(MISSING, item.name)
        found = super().read_arguments(tool, given, warnings)
        if _QUERY in found and not found[_QUERY].strip():
            raise SwiftIndexRefusal(EMPTY_QUERY)
        return found

    def render_outcome(self, call: ToolCall, outcome: Outcome) -> Fields:
        """The result of a call that succeeded, in the form that was asked for."""
        listed = warning_texts(outcome.warnings)
        data = {**plain(outcome.result), **({"warnings": listed} if listed else {})}
        form = _form_of(call)
        if form == HUMAN:
            lines = [*outcome.result.as_text(), *(f"warning: {item}" for item in listed)]
            text = "\n".join(lines)
        elif form == JSON:
            text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        else:
            from toon_format import encode  # noqa: PLC0415 not before the first answer

            text = encode(data)
        return tool_result(text, data, outcome.content, failed=False)

    def render_problem(
        self,
        call: ToolCall,  # noqa: ARG002 all tools share one form of errors
        problem: Problem,
        warnings: Sequence[AnswerWarning],  # noqa: ARG002 the form has no place for them
    ) -> Fields:
        """The result of a call that failed."""
        return {"content": [{"type": "text", "text": message_of(problem)}], "isError": True}


SHAPE = SwiftIndexShape()


def _form_of(call: ToolCall) -> str:
    """The form of the text: as asked for, or the tool's default."""
    declared = {item.name: item.default for item in call.tool.arguments}
    if "format" not in declared:
        return HUMAN
    return str(call.given.get("format") or declared["format"])
