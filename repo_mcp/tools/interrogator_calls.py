"""What the interrogator's tools do; loaded with the first call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from index_format import CorruptIndexError
from repo_mcp import __version__
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.manager import IndexManager
from repo_mcp.model import Refreshed, SearchHit, Settings
from repo_mcp.sandbox import Sandbox
from repo_mcp.search.engine import Engine
from repo_mcp.text import decode, lines
from repo_mcp.tools import interrogator
from repo_mcp.tools.envelope import Outcome, size

# what the envelope takes besides lists: ids, warnings, single values
_ENVELOPE_BYTES: Final = 2000
_SECONDS_DIGITS: Final = 3
_CUT: Final = " …"

Arguments = Mapping[str, Any]


class Interrogator:
    """The services of one repository behind the tools' names."""

    def __init__(
        self, settings: Settings, sandbox: Sandbox, manager: IndexManager, engine: Engine
    ) -> None:
        """Take what the tools work with."""
        self._settings = settings
        self._limits = settings.limits
        self._room = settings.limits.max_total_bytes_per_response - _ENVELOPE_BYTES
        self._sandbox = sandbox
        self._manager = manager
        self._engine = engine
        self._calls: dict[str, Callable[[Arguments, Budget], Outcome]] = {
            interrogator.STATUS.name: self._status,
            interrogator.SEARCH.name: self._search,
            interrogator.OPEN_FILE.name: self._open_file,
            interrogator.REFRESH.name: self._refresh,
        }

    def call(self, name: str, arguments: Arguments, budget: Budget) -> Outcome:
        """Answer one call; what can't be answered is a `Problem`."""
        outcome = self._calls[name](arguments, budget)
        return Outcome(outcome.result, [*self._settings.notes, *outcome.warnings])

    def _status(self, _: Arguments, _budget: Budget) -> Outcome:
        state = self._manager.state()
        result = {
            "repo_root": self._settings.root,
            "index_status": state.status,
            "last_refresh": state.last_refresh,
            "indexed_files": state.files,
            "generation": state.generation,
            "enabled_adapters": [],
            "limits": asdict(self._limits),
            "version": __version__,
        }
        missing = ["nothing is indexed yet: repo.search or repo.refresh_index will do it"]
        return Outcome(result, missing if state.status == "missing" else ())

    def _search(self, arguments: Arguments, budget: Budget) -> Outcome:
        limit = budget.within(self._settings.first_build_seconds)
        built = self._manager.ensure(limit)
        try:
            return self._found(arguments, built, budget)
        except CorruptIndexError:
            return self._found(arguments, self._manager.rebuild(limit), budget)

    def _found(self, arguments: Arguments, built: Refreshed | None, budget: Budget) -> Outcome:
        warnings = [] if built is None else [_built(built)]
        snapshot = self._manager.snapshot()
        if snapshot is None:
            raise Problem("index_unavailable")
        if built is None and self._manager.state().status == "partial":
            warnings.append("the index does not hold all files yet: call repo.refresh_index")
        top_k = self._at_most("top_k", arguments["top_k"], self._limits.max_search_hits, warnings)
        found = self._engine.search(
            snapshot, arguments["query"], top_k, arguments["file_glob"], budget
        )
        hits = self._fitting(found.hits)
        result = {
            "hits": hits,
            "terms": list(found.terms),
            "truncated": len(hits) < len(found.hits),
            "generation": snapshot.generation,
        }
        return Outcome(result, [*warnings, *found.warnings])

    def _at_most(self, name: str, value: int, most: int, warnings: list[str]) -> int:
        if value > most:
            warnings.append(f"{name} is {most} at most, {value} was asked for")
        return min(value, most)

    def _fitting(self, hits: tuple[SearchHit, ...]) -> list[dict[str, Any]]:
        """As many of the best hits as an answer has room for."""
        fitting: list[dict[str, Any]] = []
        left = self._room
        for hit in hits:
            shown = {**asdict(hit), "matched_terms": list(hit.matched_terms)}
            left -= size(shown)
            if left < 0:
                break
            fitting.append(shown)
        return fitting

    def _open_file(self, arguments: Arguments, _: Budget) -> Outcome:
        content = self._sandbox.read(arguments["path"])
        text = decode(content.data)
        if text is None:
            raise Problem("binary_file")
        rows = lines(text.content)
        start = arguments["start_line"]
        end = len(rows) if arguments["end_line"] is None else arguments["end_line"]
        if end < start and rows:
            raise Problem("argument_invalid", f"lines {start} to {end} are none")
        if start > max(len(rows), 1):
            raise Problem("argument_invalid", f"the file has {len(rows)} lines")
        end = min(end, len(rows))
        shown, warnings = self._lines(rows, start, end)
        last = shown[-1]["line"] if shown else 0
        result = {
            "path": content.path,
            "start_line": shown[0]["line"] if shown else 0,
            "end_line": last,
            "total_lines": len(rows),
            "encoding": text.encoding,
            "lines": shown,
            "truncated": last < end or bool(warnings),
            "next_start_line": last + 1 if last < end else 0,
        }
        return Outcome(result, warnings)

    def _lines(
        self, rows: list[str], start: int, end: int
    ) -> tuple[list[dict[str, Any]], list[str]]:
        """As many lines as an answer has room for; a first line beyond that is cut."""
        shown: list[dict[str, Any]] = []
        left = self._room
        for number in range(start, min(end, start + self._limits.max_open_lines - 1) + 1):
            row = {"line": number, "text": rows[number - 1]}
            left -= size(row)
            if left < 0 and shown:
                break
            shown.append(row)
            if left < 0:
                row["text"] = _cut(rows[number - 1], self._room)
                return shown, [f"line {number} is too long for one answer: here is its beginning"]
        return shown, []

    def _refresh(self, arguments: Arguments, budget: Budget) -> Outcome:
        limit = budget.within(self._settings.refresh_seconds)
        done = self._manager.refresh(limit, force=arguments["force"])
        result = {
            "added": done.added,
            "updated": done.updated,
            "removed": done.removed,
            "indexed_files": done.files,
            "duration_seconds": round(done.seconds, _SECONDS_DIGITS),
            "timestamp": done.timestamp,
            "complete": done.complete,
            "left_out": [
                {"reason": reason, "count": count} for reason, count in done.left_out.items()
            ],
        }
        unfinished = "time was up: call repo.refresh_index again, without force, to go on"
        return Outcome(result, () if done.complete else (unfinished,))


def _built(done: Refreshed) -> str:
    took = (
        f"there was no usable index: {done.files} files were indexed first, in {done.seconds:.1f} s"
    )
    if done.complete:
        return took
    return f"{took}; time was up, so the answer is from these only: call repo.refresh_index"


def _cut(row: str, room: int) -> str:
    """The beginning of a line that fits, however its characters are written."""
    kept = len(row)
    while size(row[:kept] + _CUT) > room - 100:
        kept = kept * 3 // 4
    return row[:kept] + _CUT
