"""The shape of the retrieval toolset's answers: `result` or `error`, and `meta`; data and text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from repo_mcp.toolsets.retrieval import errors
from repo_mcp.toolsets.retrieval.errors import Refusal

_FOR_THE_MODEL: Final[Mapping[str, Any]] = {"audience": ["assistant"], "priority": 1.0}

Result = Mapping[str, Any]


def meta_of(repo: str, seconds: float, *, truncated: bool) -> dict[str, Any]:
    """What is said about every answer."""
    return {"repo": repo, "duration_ms": round(seconds * 1000), "truncated": truncated}


def answered(tool: str, result: Result, meta: Result) -> dict[str, Any]:
    """A call that was answered."""
    text = "\n".join([*_RENDERED[tool](result), _about(meta)])
    return _called(text, {"result": result, "meta": meta}, failed=False)


def refused(refusal: Refusal, meta: Result) -> dict[str, Any]:
    """A call that was not; some clients show their model the text alone."""
    error = {"code": refusal.code, "message": refusal.message, "details": refusal.details}
    lines = [f"error {refusal.code}: {refusal.message}"]
    for name, value in refusal.details.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f"{name}: {shown}")
    return _called("\n".join([*lines, _about(meta)]), {"error": error, "meta": meta}, failed=True)


def _called(text: str, data: Result, *, failed: bool) -> dict[str, Any]:
    return {
        "content": [{"type": "text", "text": text, "annotations": dict(_FOR_THE_MODEL)}],
        "structuredContent": data,
        "isError": failed,
    }


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
