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
    words = ", ".join(result["terms"])
    how = f"{result['mode']}, index generation {result['generation']}"
    yield f"{_found(result)} for {words} ({how})"
    for hit in result["hits"]:
        stale = ", stale" if hit["stale"] else ""
        # the query itself stands above already
        matched = "" if hit["matched_terms"] == result["terms"] else _matched(hit)
        place = f"{hit['path']}:{_span(hit)}"
        within = f" in {hit['symbol']}" if hit["symbol"] else ""
        yield f"\n{place}{within} (score {hit['score']}{matched}{stale})"
        yield hit["snippet"]
    for item in result["suggestions"]:
        yield f"perhaps ({item['kind']}): {item['text']} ({item['why']})"
    fullest = ", ".join(
        f"{item['path']} {item['lines']}" for item in result.get("fullest_files", ())
    )
    if fullest:
        yield f"\nmost matching lines: {fullest}"
    yield from _rest(result)


def _matched(hit: Result) -> str:
    return f", matched {', '.join(hit['matched_terms'])}"


def _found(result: Result) -> str:
    """How much was found."""
    hits = f"{len(result['hits'])} hits"
    if "matching_lines" not in result:
        return hits
    more = "" if result["counted_all"] else " or more"
    lines, files = result["matching_lines"], result["matching_files"]
    return f"{hits}, {lines}{more} matching lines in {files}{more} files"


def _rest(result: Result) -> Iterator[str]:
    """How to go on."""
    if result["cursor"]:
        yield f"\nmore: call again with the same arguments and cursor={result['cursor']}"
    elif result["truncated"]:
        yield "\nthere is more than this"


def _open_file(result: Result) -> Iterator[str]:
    kind = f"{result['kind']} {result['mime_type']}, {result['size']} bytes"
    if result["kind"] != "text":
        yield f"{result['path']}: {kind}"
    else:
        place = f"{result['path']} lines {result['start_line']}-{result['end_line']}"
        yield f"{place} of {result['total_lines']} ({kind}, {result['encoding']})"
    if result["text"]:
        yield result["text"]
    if result["truncated"]:
        following = result["next_start_line"]
        yield f"truncated; go on with start_line={following}" if following else "truncated"


def _outline(result: Result) -> Iterator[str]:
    language = f"{result['language'] or 'unknown language'}, {result['status']}"
    shown = len(result["symbols"])
    yield f"{result['path']} ({language}): {shown} of {result['total']} declarations"
    for item in result["symbols"]:
        name = (
            f"{item['parent_symbol']}.{item['name']}" if "parent_symbol" in item else item["name"]
        )
        row = f"{_span(item)} {item['kind']} {name}"
        if item["signature"] not in {item["name"], f"{item['kind']} {name}"}:
            row += f": {item['signature']}"
        marks = [item["scope_kind"]] if "scope_kind" in item else []
        marks += ["conditional"] if item.get("is_conditional") else []
        marks += [item["decl_context"]] if "decl_context" in item else []
        row += f" [{', '.join(marks)}]" if marks else ""
        yield f"{row} # {item['doc']}" if "doc" in item else row
    yield from _rest(result)


def _list_files(result: Result) -> Iterator[str]:
    shown = len(result["files"])
    scope = "all files" if result["scope"] == "all" else "indexed files"
    partly = "" if result["complete"] else " or more"
    said = f"{shown} of {result['total']}{partly} {scope}"
    yield f"{said} (size, time of change; index generation {result['generation']})"
    yield from (f"{item['path']}\t{item['size']}\t{item['mtime']}" for item in result["files"])
    if result["folders"]:
        folders = ", ".join(f"{item['path']} {item['files']}" for item in result["folders"])
        yield f"fullest folders: {folders}"
    yield from _rest(result)


def _span(item: Result) -> str:
    """First and last line, or the only one."""
    first, last = item["start_line"], item["end_line"]
    return f"{first}-{last}" if last > first else f"{first}"


def _refresh(result: Result) -> Iterator[str]:
    counts = ", ".join(f"{result[name]} {name}" for name in ("added", "updated", "removed"))
    yield f"{counts}; {result['indexed_files']} files indexed in {result['duration_seconds']} s"
    yield f"timestamp: {result['timestamp']}"
    yield "complete" if result["complete"] else f"incomplete: {_still_to_do(result)}"
    left_out = ", ".join(f"{item['count']} {item['reason']}" for item in result["left_out"])
    yield f"left out: {left_out or 'nothing'}"


def _still_to_do(result: Result) -> str:
    text, declared = result["text_left"], result["declarations_left"]
    if text:
        read = f"{text} files that are new or may have changed are still to be read"
        return f"{read}, and what {declared} files declare"
    if not result["text_complete"]:
        return "the files were not compared with the index yet"
    searched = "the text of all files can be searched"
    if declared:
        return f"{searched}, what {declared} files declare is still to be read"
    return f"{searched} as it was; whether files changed since is still to be found out"


def _bundle(result: Result) -> Iterator[str]:
    used, budget = result["used"], result["budget"]
    tests = "with tests" if result["include_tests"] else "without tests"
    yield f"bundle {result['bundle_id']} ({result['strategy']}, {tests})"
    yield f"prompt: {result['prompt_fingerprint']}"
    yield (
        f"used: {used['files']} of {budget['max_files']} files, {used['lines']} of"
        f" {budget['max_total_lines']} lines, {used['tokens']} of"
        f" {budget['max_tokens'] or 'any number of'} tokens, {budget['max_bytes']} bytes at most"
    )
    for item in result["files"]:
        stale = ", stale" if item["stale"] else ""
        yield (
            f"{item['path']} lines {', '.join(item['ranges'])} ({item['lines']} lines,"
            f" {item['fingerprint']}{stale}): {item['rationale']}"
        )
    for item in result["excerpts"]:
        within = f" in {item['symbol']}" if item["symbol"] else ""
        yield f"\n{item['citation']}{within} ({item['role']}, score {item['score']})"
        count = item["left_out_lines"]
        gaps = f"; {count} line{'s' if count > 1 else ''} left out" if count else ""
        yield f"why: {item['rationale']}{gaps}"
        yield item["text"]
    yield from _bundle_audit(result["audit"])


def _bundle_audit(audit: Result) -> Iterator[str]:
    """How a bundle came to be."""
    yield f"\nmade by {audit['bundler']} from index generation {audit['generation']}"
    said = (_keyword(item) for item in audit["keywords"])
    yield f"keywords: {', '.join(said) or 'none'}"
    made = (f"{item['kind']} {item['query']} ({item['hits']})" for item in audit["searches"])
    yield f"searches: {'; '.join(made) or 'none'}"
    yield f"{audit['considered']} places considered, {audit['left_out_count']} left out"
    for item in audit["left_out"]:
        within = f" in {item['symbol']}" if item["symbol"] else ""
        place = f"{item['path']}:{_span(item)}"
        yield f"left out: {place}{within}: {item['reason']}"
    if not audit["complete"]:
        yield "incomplete: there was no time for all searches"
    yield f"tokens: {audit['token_estimate']}"


def _keyword(item: Result) -> str:
    line = f" line {item['line']}" if item["line"] else ""
    return f"{item['text']}{line} ({item['kind']} {item['weight']})"


def _audit_log(result: Result) -> Iterator[str]:
    yield f"{len(result['calls'])} calls, newest first"
    if result["skipped_lines"]:
        yield f"{result['skipped_lines']} lines of the log can't be read"
    for item in result["calls"]:
        became = (
            "ok" if item["ok"] else f"{'blocked' if item['blocked'] else 'failed'} {item['code']}"
        )
        client = f" by {item['client']}" if item["client"] else ""
        took = f"{item['milliseconds']} ms, generation {item['generation']}"
        yield f"{item['time']} {item['tool']} {became}{client} ({took}) {item['request_id']}"
        counts = ", ".join(f"{count['name']} {count['count']}" for count in item["counts"])
        yield f"  {item['arguments']}{' -> ' if counts else ''}{counts}"
        if item["shown"]:
            yield f"  shown: {', '.join(item['shown'])}"
    yield from _rest(result)


_RENDERERS: Final[dict[str, Callable[[Result], Iterator[str]]]] = {
    "repo.search": _search,
    "repo.open_file": _open_file,
    "repo.outline": _outline,
    "repo.list_files": _list_files,
    "repo.build_context_bundle": _bundle,
    "repo.refresh_index": _refresh,
    "repo.audit_log": _audit_log,
}
