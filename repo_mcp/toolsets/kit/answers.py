"""What a tool gives, and how a toolset words it: as data and as text with the same facts."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from repo_mcp.audit.log import Entry
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.kit.arguments import checked, unknown
from repo_mcp.toolsets.kit.records import Record, plain
from repo_mcp.toolsets.kit.spec import Tool

_MAX_WARNINGS: Final = 6
_MAX_WARNING: Final = 240
_ADVICE: Final = {"refresh": "call repo.refresh_index"}
# what the model reads first; a person is shown it where there is nothing better
_FOR_THE_MODEL: Final[Mapping[str, Any]] = {"audience": ["assistant"], "priority": 1.0}
_COUNTED: Final = frozenset(
    {"total", "total_lines", "matching_lines", "matching_files", "added", "updated", "removed"}
)

Fields = dict[str, Any]


class Outcome(NamedTuple):
    """What a tool has to say."""

    result: Record | Fields
    warnings: Sequence[AnswerWarning] = ()
    # blocks of content besides the text: links to resources, images, sounds
    content: Sequence[Fields] = ()
    # which files and lines are shown, for the audit log: `path:first-last`
    shown: Sequence[str] = ()
    # whether there is more, where the result itself has no place to say so
    more: bool = False
    # whether notes on the settings, which quote the configuration, may stand beside it
    with_notes: bool = True


class Call(NamedTuple):
    """One call on its way to its answer."""

    tool: Tool
    given: Mapping[str, Any]
    request_id: str
    client: str = ""
    seconds: float = 0.0


class Shape:
    """How a toolset checks what it is given and words its answers; each toolset has one."""

    def arguments(
        self, tool: Tool, given: Mapping[str, Any], warnings: list[AnswerWarning]
    ) -> Fields:
        """Every argument with its value or default; of names without effect there are warnings."""
        warnings += (AnswerWarning("ignored", f"ignored: {text}") for text in unknown(tool, given))
        return checked(tool, given)

    def explained(self, problem: Problem, call: Call) -> Problem:  # noqa: ARG002 others need it
        """A problem with this toolset's code."""
        return problem

    def entry(self, call: Call, outcome: Outcome, problem: Problem | None) -> Entry:
        """The call as the audit log keeps it."""
        result = plain(outcome.result)
        return Entry(
            call.request_id,
            call.tool.name,
            call.given,
            ok=problem is None,
            blocked=problem is not None and problem.blocked,
            code="" if problem is None else problem.code,
            counts=counts_of(result),
            shown=outcome.shown,
            seconds=call.seconds,
            client=call.client,
            generation=_generation(result),
        )

    def answered(self, call: Call, outcome: Outcome) -> Fields:
        """A call that was answered."""
        raise NotImplementedError

    def refused(self, call: Call, problem: Problem, warnings: Sequence[AnswerWarning]) -> Fields:
        """A call that was not."""
        raise NotImplementedError


def tool_result(
    text: str, data: Mapping[str, Any], content: Iterable[Fields] = (), *, failed: bool
) -> Fields:
    """A result as MCP has it; the text is for the model."""
    block = {"type": "text", "text": text, "annotations": dict(_FOR_THE_MODEL)}
    return {"content": [block, *content], "structuredContent": plain(data), "isError": failed}


def warning_texts(warnings: Iterable[AnswerWarning]) -> list[str]:
    """The warnings that are given, each once, in one line and not too long."""
    shown = (" ".join(_worded(warning).split())[:_MAX_WARNING] for warning in warnings)
    return list(dict.fromkeys(shown))[:_MAX_WARNINGS]


def _worded(warning: AnswerWarning) -> str:
    return f"{warning.text}: {_ADVICE[warning.advice]}" if warning.advice else warning.text


def new_id() -> str:
    """An id that no other request has."""
    return str(uuid.uuid4())


def counts_of(result: Mapping[str, Any]) -> dict[str, int]:
    """How much a result holds: the length of its lists, and what it counts itself, if any."""
    lengths = {name: len(value) for name, value in result.items() if isinstance(value, list)}
    counted = {name: value for name, value in result.items() if name in _COUNTED}
    return {name: count for name, count in {**lengths, **counted}.items() if count}


def size(value: object) -> int:
    """Bytes that a value takes in an answer, with the comma after it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=vars)
    return len(text.encode("utf-8", "surrogatepass")) + 1


def _generation(result: Mapping[str, Any]) -> int:
    """Of the index that answered; a bundle says it where it says how it came to be."""
    found = result.get("generation", result.get("audit", {}).get("generation", 0))
    return found if isinstance(found, int) else 0
