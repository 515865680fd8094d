"""Answers calls of the retrieval toolset; whatever happens, there is an answer and a log line."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from repo_mcp.audit.log import AuditLog, Entry
from repo_mcp.budget import Clock
from repo_mcp.errors import Problem
from repo_mcp.languages import Languages
from repo_mcp.log import log_call, log_place
from repo_mcp.model import LanguageChoice, Settings
from repo_mcp.safety.denylist import Denylist
from repo_mcp.settings import retrieval_roots
from repo_mcp.settings.retrieval_roots import Roots
from repo_mcp.toolsets.kit.arguments import checked, ignored
from repo_mcp.toolsets.kit.envelope import new_id
from repo_mcp.toolsets.kit.services import Context
from repo_mcp.toolsets.kit.spec import Tool
from repo_mcp.toolsets.retrieval import declarations as retrieval
from repo_mcp.toolsets.retrieval import files
from repo_mcp.toolsets.retrieval.answer import answered, meta_of, refused
from repo_mcp.toolsets.retrieval.errors import Refusal, refusal_of
from repo_mcp.toolsets.retrieval.root import Root
from repo_mcp.toolsets.retrieval.search import search

_KNOWN_REPOS: Final = frozenset({*retrieval_roots.NAMES, retrieval.BOTH})
# what was named then must not be named again
_BLOCKED: Final = frozenset({"PATH_DENIED", "PATH_OUTSIDE_ROOT"})
_DEFAULT_REPO: Final = retrieval.BOTH


class _CallResult(NamedTuple):
    """A result, whether there is more, and which files and lines it shows."""

    result: dict[str, Any]
    truncated: bool
    shown: list[str]


class Retrieval:
    """Both roots behind the tools' names."""

    def __init__(self, roots: Roots, settings: Settings, clock: Clock) -> None:
        """Open nothing yet; what is said of files holds for both roots, but where they lie."""
        every = Languages().all_names()
        # all text is searched, by what is written in it alone
        of_roots = replace(settings, any_name=True, languages=LanguageChoice(disabled=every))
        self._roots = {name: Root(name, roots, of_roots, clock) for name in retrieval_roots.NAMES}
        self._audit = AuditLog(roots.data, Denylist(settings.deny_globs))

    def answer(
        self, tool: Tool, given: Mapping[str, Any], context: Context, client: str = ""
    ) -> dict[str, Any]:
        """Answer one call, and write it down."""
        began = time.monotonic()
        repo = _repo_of(tool, given)
        try:
            done = self._done(tool, given, context)
        except Refusal as refusal:
            found = refusal
        except Problem as problem:
            found = refusal_of(problem, {"repo": repo})
        except Exception as error:  # noqa: BLE001 the client gets an answer, the log the place
            log_place(error)
            found = Refusal("INTERNAL")
        else:
            meta = meta_of(repo, time.monotonic() - began, truncated=done.truncated)
            self._log(tool, given, meta, "", done.shown, client)
            return answered(tool.name, done.result, meta)
        meta = meta_of(repo, time.monotonic() - began, truncated=False)
        self._log(tool, given, meta, found.code, [], client)
        return refused(found, meta)

    def close(self) -> None:
        """Stop what runs."""
        for root in self._roots.values():
            root.close()

    def _done(self, tool: Tool, given: Mapping[str, Any], context: Context) -> _CallResult:
        arguments = arguments_of(tool, given)
        if tool.name == retrieval.SEARCH.name:
            asked = arguments["repo"]
            roots = [root for root in self._roots.values() if asked in (root.name, retrieval.BOTH)]
            result, more = search(roots, arguments, context.budget)
            places = (f"{item['repo']}/{item['path']}:{item['line']}" for item in result["matches"])
            return _CallResult(result, more, [*places])
        root = self._roots[arguments["repo"]]
        if tool.name == retrieval.LIST_DIR.name:
            result, more = files.list_dir(root, arguments)
            return _CallResult(result, more, [])
        show = files.open_file
        if tool.name == retrieval.GET_SNIPPET.name:
            show = files.get_snippet
        result = show(root, arguments)
        lines = f"{result['start_line']}-{result['end_line']}"
        return _CallResult(result, truncated=False, shown=[f"{root.name}/{result['path']}:{lines}"])

    def _log(
        self,
        tool: Tool,
        given: Mapping[str, Any],
        meta: Mapping[str, Any],
        code: str,
        shown: list[str],
        client: str,
    ) -> None:
        """Tool, repo, duration and code; of files their names and lines, never what they hold."""
        took = meta["duration_ms"]
        about = f"repo={meta['repo'] or '-'} duration_ms={took} code={code or 'OK'}"
        log_call(f"{tool.name} {about}")
        blocked = code in _BLOCKED
        known = {item.name for item in tool.arguments} - {"repo", "path" if blocked else ""}
        entry = Entry(
            new_id(),
            f"{retrieval.NAME}/{tool.name}",
            {
                "repo": meta["repo"],
                **{name: value for name, value in given.items() if name in known},
            },
            ok=not code,
            blocked=blocked,
            code=code,
            shown=shown,
            seconds=took / 1000,
            client=client,
        )
        said = self._audit.record(entry)
        if said:
            log_call(said)


def _repo_of(tool: Tool, given: Mapping[str, Any]) -> str:
    """The repo as it was asked for; empty when it is none."""
    asked = given.get("repo")
    if asked is None and tool.name == retrieval.SEARCH.name:
        return _DEFAULT_REPO
    return asked if isinstance(asked, str) and asked in _KNOWN_REPOS else ""


_MOST: Final = {
    retrieval.SEARCH.name: retrieval.MOST_MATCHES,
    retrieval.LIST_DIR.name: retrieval.MOST_ENTRIES,
}


def arguments_of(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every argument with its value or default; what is wrong is a `Refusal`."""
    unknown = ignored(tool, given)
    if unknown:  # an answer without what they meant would look like one with it
        raise Refusal("ARGUMENT_INVALID", reason=unknown[0].removeprefix("ignored: "))
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
