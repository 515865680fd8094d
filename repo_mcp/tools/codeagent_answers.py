"""The shape of the codeagent toolset's answers: bare results, or one error, as data and as text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from repo_mcp.errors import Problem
from repo_mcp.tools.codeagent_errors import fault_of
from repo_mcp.tools.codeagent_text import rendered
from repo_mcp.tools.envelope import Outcome, said

_FOR_THE_MODEL: Final[Mapping[str, Any]] = {"audience": ["assistant"], "priority": 1.0}


def answered(tool: str, outcome: Outcome, request_id: str = "") -> dict[str, Any]:  # noqa: ARG001 the document has no place for it: equal calls give equal answers
    """A call that was answered."""
    warnings = said(outcome.warnings)
    text = "\n".join([rendered(tool, outcome.result), *(f"warning: {item}" for item in warnings)])
    return _called(text, outcome.result, warnings, failed=False)


def refused(
    tool: str,  # noqa: ARG001 all errors have one shape
    problem: Problem,
    request_id: str = "",  # noqa: ARG001 as above
    warnings: Sequence[str] = (),
) -> dict[str, Any]:
    """A call that was not; the text is the error as the document writes it."""
    error = {"error": fault_of(problem)._asdict()}
    listed = said(warnings)
    data = {**error, "warnings": listed} if listed else error
    return _called(json.dumps(data, ensure_ascii=False), error, listed, failed=True)


def _called(
    text: str, result: Mapping[str, Any], warnings: list[str], *, failed: bool
) -> dict[str, Any]:
    return {
        "content": [{"type": "text", "text": text, "annotations": dict(_FOR_THE_MODEL)}],
        "structuredContent": {**result, **({"warnings": warnings} if warnings else {})},
        "isError": failed,
    }
