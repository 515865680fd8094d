"""The shape of the retrieval toolset's answers: `result` or `error`, and `meta`; data and text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from repo_mcp.audit.log import Entry
from repo_mcp.errors import Problem
from repo_mcp.log import log_call
from repo_mcp.model import AnswerWarning
from repo_mcp.settings import retrieval_roots
from repo_mcp.toolsets.kit.answers import Call, Fields, Outcome, Shape, tool_result
from repo_mcp.toolsets.kit.arguments import checked, unknown
from repo_mcp.toolsets.kit.records import plain
from repo_mcp.toolsets.kit.spec import Tool
from repo_mcp.toolsets.retrieval import declarations as retrieval
from repo_mcp.toolsets.retrieval import errors
from repo_mcp.toolsets.retrieval.errors import Refusal, refusal_of

Result = Mapping[str, Any]

_KNOWN_REPOS: Final = frozenset({*retrieval_roots.NAMES, retrieval.BOTH})
_MOST: Final = {errors.SEARCH: retrieval.MOST_MATCHES, errors.LIST_DIR: retrieval.MOST_ENTRIES}


class RetrievalShape(Shape):
    """Answers of the retrieval toolset; what its document has no place for goes to the log."""

    def arguments(self, tool: Tool, given: Result, warnings: list[AnswerWarning]) -> Fields:  # noqa: ARG002 nothing is answered with a warning
        """Every argument with its value or default; what is wrong is a `Refusal`."""
        names = unknown(tool, given)
        if names:  # an answer without what they meant would look like one with it
            raise Refusal("ARGUMENT_INVALID", reason=names[0])
        loose = tuple(item._replace(choices=(), minimum=None) for item in tool.arguments)
        try:
            found = checked(tool._replace(arguments=loose), given)
        except Problem as problem:
            raise refusal_of(problem, {}) from None
        allowed = next(item.choices for item in tool.arguments if item.name == "repo")
        if found["repo"] not in allowed:
            raise Refusal("REPO_INVALID", argument="repo", allowed=list(allowed))
        most = _MOST.get(tool.name)
        if most is not None and not 1 <= found["limit"] <= most:
            raise Refusal("LIMIT_INVALID", argument="limit", minimum=1, maximum=most)
        return found

    def explained(self, problem: Problem, call: Call) -> Problem:
        """A problem with this toolset's code."""
        return refusal_of(problem, {"repo": _repo_of(call)})

    def entry(self, call: Call, outcome: Outcome, problem: Problem | None) -> Entry:
        """Tool, repo, duration and code; of files their names and lines, never what they hold."""
        blocked = problem is not None and problem.blocked
        known = {item.name for item in call.tool.arguments} - {"repo", "path" if blocked else ""}
        arguments = {name: value for name, value in call.given.items() if name in known}
        return Entry(
            call.request_id,
            f"{retrieval.NAME}/{call.tool.name}",
            {"repo": _repo_of(call), **arguments},
            ok=problem is None,
            blocked=blocked,
            code="" if problem is None else problem.code,
            shown=outcome.shown,
            seconds=_milliseconds(call) / 1000,
            client=call.client,
        )

    def answered(self, call: Call, outcome: Outcome) -> Fields:
        """A call that was answered."""
        meta = _meta(call, truncated=outcome.more)
        _log(call, "OK", outcome.warnings)
        result = plain(outcome.result)
        text = "\n".join([*_RENDERED[call.tool.name](result), _about(meta)])
        return tool_result(text, {"result": result, "meta": meta}, failed=False)

    def refused(self, call: Call, problem: Problem, warnings: Sequence[AnswerWarning]) -> Fields:
        """A call that was not; some clients show their model the text alone."""
        refusal = refusal_of(problem, {})
        meta = _meta(call, truncated=False)
        _log(call, refusal.code, warnings)
        error = {"code": refusal.code, "message": refusal.reason, "details": refusal.details}
        lines = [f"error {refusal.code}: {refusal.reason}"]
        for name, value in refusal.details.items():
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            lines.append(f"{name}: {shown}")
        text = "\n".join([*lines, _about(meta)])
        return tool_result(text, {"error": error, "meta": meta}, failed=True)


SHAPE = RetrievalShape()


def _repo_of(call: Call) -> str:
    """The repo as it was asked for; empty when it is none."""
    asked = call.given.get("repo")
    if asked is None and call.tool.name == errors.SEARCH:
        return retrieval.BOTH
    return asked if isinstance(asked, str) and asked in _KNOWN_REPOS else ""


def _milliseconds(call: Call) -> int:
    return round(call.seconds * 1000)


def _meta(call: Call, *, truncated: bool) -> Fields:
    """What is said about every answer."""
    return {"repo": _repo_of(call), "duration_ms": _milliseconds(call), "truncated": truncated}


def _log(call: Call, code: str, warnings: Sequence[AnswerWarning]) -> None:
    about = f"repo={_repo_of(call) or '-'} duration_ms={_milliseconds(call)} code={code}"
    log_call(f"{call.tool.name} {about}")
    for warning in warnings:
        log_call(warning.text)


def _about(meta: Result) -> str:
    more = ", truncated: there is more" if meta["truncated"] else ""
    return f"(repo {meta['repo'] or 'unknown'}, {meta['duration_ms']} ms{more})"


def _search(result: Result) -> Iterator[str]:
    matches = result["matches"]
    count = f"{len(matches)} match{'' if len(matches) == 1 else 'es'}"
    if result["scope"] == "file":
        yield f"{count}; scope file: no line has all words, these files do"
    else:
        yield f"{count}; scope line"
    place = ("", "")
    for match in matches:
        if place != (match["repo"], match["path"]):
            place = (match["repo"], match["path"])
            yield f"\n{match['repo']}: {match['path']}"
        yield f"{match['line']}\t{match['preview']}"
    yield from _rest(result)


def _lines(result: Result) -> Iterator[str]:
    about = f"lines {result['start_line']}-{result['end_line']} of {result['total_lines']}"
    clamped = ", clamped to the file" if result.get("clamped") else ""
    kind = f", {result['size']} bytes, {result['encoding']}" if "size" in result else ""
    yield f"{result['path']} {about}{clamped}{kind}"
    if result["content"]:
        yield result["content"]


def _list_dir(result: Result) -> Iterator[str]:
    yield f"{result['path'] or '(root)'}: {len(result['entries'])} of {result['total']} entries"
    for entry in result["entries"]:
        size = f"\t{entry['size']}" if "size" in entry else ""
        yield f"{entry['type']}\t{entry['path']}{size}"
    yield from _rest(result)


def _rest(result: Result) -> Iterator[str]:
    if result["cursor"]:
        yield f"\nmore: call again with the same arguments and cursor={result['cursor']}"


_RENDERED: Final = {
    errors.SEARCH: _search,
    errors.OPEN_FILE: _lines,
    errors.GET_SNIPPET: _lines,
    errors.LIST_DIR: _list_dir,
}
