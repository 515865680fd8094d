"""Answers as text, for clients that show their model nothing else; no fact is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

Result = Mapping[str, Any]


def rendered(tool: str, envelope: Mapping[str, Any]) -> str:
    """The whole envelope as text."""
    return "\n".join(_parts(tool, envelope))


def _parts(tool: str, envelope: Mapping[str, Any]) -> Iterator[str]:
    result = envelope["result"]
    if envelope["ok"]:
        yield from _RENDERERS.get(tool, _plain)(result)
    else:
        head = "blocked" if envelope["blocked"] else "failed"
        yield f"{head} ({result['code']}): {result['reason']}"
        yield f"hint: {result['hint']}"
    yield from (f"warning: {text}" for text in envelope["warnings"])
    yield f"request: {envelope['request_id']}"


def _plain(result: Result) -> Iterator[str]:
    for name, value in result.items():
        if isinstance(value, Mapping):
            yield f"{name}: " + ", ".join(f"{key} {item}" for key, item in value.items())
        elif isinstance(value, list):
            yield f"{name}: {', '.join(map(str, value)) or 'none'}"
        else:
            yield f"{name}: {value}"


def _search(result: Result) -> Iterator[str]:
    cut = ", more were left out to keep this short" if result["truncated"] else ""
    words = ", ".join(result["terms"])
    yield f"{len(result['hits'])} hits for {words} (index generation {result['generation']}){cut}"
    for hit in result["hits"]:
        stale = ", stale" if hit["stale"] else ""
        matched = ", ".join(hit["matched_terms"])
        place = f"{hit['path']}:{hit['start_line']}-{hit['end_line']}"
        within = f" in {hit['symbol']}" if hit["symbol"] else ""
        yield f"\n{place}{within} (score {hit['score']}, matched {matched}{stale})"
        yield hit["snippet"]
    for item in result["suggestions"]:
        yield f"perhaps ({item['kind']}): {item['text']} ({item['why']})"
    yield ""


def _open_file(result: Result) -> Iterator[str]:
    place = f"{result['path']} lines {result['start_line']}-{result['end_line']}"
    yield f"{place} of {result['total_lines']} ({result['encoding']})"
    yield from (f"{row['line']}\t{row['text']}" for row in result["lines"])
    if result["truncated"]:
        following = result["next_start_line"]
        yield f"truncated; go on with start_line={following}" if following else "truncated"


def _refresh(result: Result) -> Iterator[str]:
    counts = ", ".join(f"{result[name]} {name}" for name in ("added", "updated", "removed"))
    yield f"{counts}; {result['indexed_files']} files indexed in {result['duration_seconds']} s"
    yield f"timestamp: {result['timestamp']}"
    yield "complete" if result["complete"] else "incomplete: some files were not looked at yet"
    left_out = ", ".join(f"{item['count']} {item['reason']}" for item in result["left_out"])
    yield f"left out: {left_out or 'nothing'}"


_RENDERERS: Final[dict[str, Callable[[Result], Iterator[str]]]] = {
    "repo.search": _search,
    "repo.open_file": _open_file,
    "repo.refresh_index": _refresh,
}
