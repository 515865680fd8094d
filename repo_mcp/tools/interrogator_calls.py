"""What the interrogator's tools do; loaded with the first call."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from typing import Any, Final

from index_format import CorruptIndexError
from repo_mcp import __version__
from repo_mcp.analysis.question import question as terms_of
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.globs import Glob
from repo_mcp.indexing.background import Background
from repo_mcp.indexing.manager import IndexManager
from repo_mcp.languages.registry import installed
from repo_mcp.model import Progress, Refreshed, SearchAnswer, SearchHit, Settings
from repo_mcp.sandbox import Sandbox
from repo_mcp.search.engine import Engine
from repo_mcp.search.scan import scan
from repo_mcp.text import decode, lines
from repo_mcp.tools import interrogator
from repo_mcp.tools.envelope import Outcome, size

# what the envelope takes besides lists: ids, warnings, single values
_ENVELOPE_BYTES: Final = 2000
_SECONDS_DIGITS: Final = 3
# what the first question waits for the comparison of all files with a finished index
_COMPARING_SECONDS: Final = 0.25
# what bringing files up to date that an answer shows to have changed may take
_UPDATE_SECONDS: Final = 0.5
_CUT: Final = " …"
_BEING_BUILT: Final = "the index is being built"
_NOT_BUILT: Final = "the index could not be built"

Arguments = Mapping[str, Any]


class Interrogator:
    """The services of one repository behind the tools' names."""

    def __init__(
        self,
        settings: Settings,
        sandbox: Sandbox,
        manager: IndexManager,
        background: Background,
        engine: Engine,
    ) -> None:
        """Take what the tools work with."""
        self._settings = settings
        self._limits = settings.limits
        self._room = settings.limits.max_total_bytes_per_response - _ENVELOPE_BYTES
        self._sandbox = sandbox
        self._manager = manager
        self._background = background
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
        now = state.progress
        result = {
            "repo_root": self._settings.root,
            "index_status": state.status,
            "last_refresh": state.last_refresh,
            "indexed_files": state.files,
            "generation": state.generation,
            "declarations_complete": state.status == "ready" and not state.shallow,
            "refreshing": now is not None,
            "progress": "" if now is None else _progress(now),
            "watching": self._background.watching,
            "enabled_adapters": list(installed().languages()),
            "limits": asdict(self._limits),
            "version": __version__,
        }
        warnings = [*self._background.notes]
        if state.status == "missing" and now is None:
            warnings.append("nothing is indexed yet: repo.search or repo.refresh_index will do it")
        return Outcome(result, warnings)

    def _search(self, arguments: Arguments, budget: Budget) -> Outcome:
        lacking = self._made_usable(budget)
        try:
            return self._found(arguments, budget, lacking)
        except CorruptIndexError:
            self._manager.rebuild(budget.within(self._settings.refresh_seconds))
            return self._found(arguments, budget, lacking)

    def _made_usable(self, budget: Budget) -> str:
        """Compare files and index if this process has not, and wait a moment; else keep it fresh.

        Gives what to say of an index that is not complete then.
        """
        if self._background.has_walked and self._manager.state().status == "ready":
            self._background.freshen()
            return _BEING_BUILT
        patience = self._settings.first_answer_seconds
        if self._manager.state().status == "ready":  # hits are compared with their files anyhow
            patience = min(patience, _COMPARING_SECONDS)
        try:
            self._background.ready(budget.within(patience))
        except Problem as problem:  # what it is, notes of the background say
            if problem.code == "cancelled":
                raise
            return _NOT_BUILT
        return _BEING_BUILT

    def _found(self, arguments: Arguments, budget: Budget, lacking: str) -> Outcome:
        warnings = [*self._background.notes]
        query, glob = arguments["query"], arguments["file_glob"]
        top_k = self._at_most("top_k", arguments["top_k"], self._limits.max_search_hits, warnings)
        # asked before: an index that is completed meanwhile must not make a part look whole
        complete = self._manager.state().status == "ready"
        snapshot = self._manager.snapshot()
        complete = complete and snapshot is not None
        found = SearchAnswer((), tuple(terms_of(query)), ())
        if snapshot is not None:
            found = self._engine.search(snapshot, query, top_k, glob, budget)
            if self._brought_up_to_date(found, budget):
                snapshot = self._manager.snapshot() or snapshot
                found = self._engine.search(snapshot, query, top_k, glob, budget)
            warnings += found.warnings
        hits = found.hits
        if not complete:
            known = frozenset() if snapshot is None else frozenset(snapshot.paths())
            more, said = self._unindexed(known, query, top_k, glob, budget)
            hits = _together(hits, more)[:top_k]
            warnings.append(f"{lacking}{said}")
        elif not self._background.has_walked:
            warnings.append("the files are still being compared with the index: ask again")
        fitting = self._fitting(hits)
        result = {
            "hits": fitting,
            "terms": list(found.terms),
            "suggestions": [asdict(item) for item in found.suggestions],
            "truncated": len(fitting) < len(hits),
            "generation": 0 if snapshot is None else snapshot.generation,
        }
        return Outcome(result, warnings)

    def _brought_up_to_date(self, found: SearchAnswer, budget: Budget) -> bool:
        """Index files anew that an answer shows to have changed; False where nothing was done."""
        stale = sorted({hit.path for hit in found.hits if hit.stale})
        if not stale:
            return False
        try:
            self._manager.refresh_paths(stale, budget.within(_UPDATE_SECONDS), deep=True)
        except Problem as problem:  # another process indexes: the hits say that they are stale
            if problem.code == "cancelled":
                raise
            return False
        return True

    def _unindexed(
        self, known: Collection[str], query: str, top_k: int, glob: str | None, budget: Budget
    ) -> tuple[tuple[SearchHit, ...], str]:
        """What a moment's look at files finds that are not indexed yet, and how far it went."""
        seconds = self._settings.first_answer_seconds
        listing = budget.within(seconds / 2)
        wanted = None if glob is None else Glob(glob)
        paths: list[str] = []
        listed = True
        for path in self._manager.awaited(budget):
            if listing.spent:
                listed = False
                break
            if path not in known and (wanted is None or wanted.matches(path)):
                paths.append(path)
        found = scan(self._sandbox, paths, query, top_k, budget.within(seconds / 2))
        progress = self._manager.state().progress
        now = "" if progress is None else f" ({_progress(progress)})"
        looked = f"{found.files} of {len(paths)}"
        if not listed:
            looked += " or more"
        return found.hits, (
            f"{now}: {len(known)} files were searched in it, and {looked} others read for this"
            " answer; ask again for a complete one"
        )

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
            del shown["reasons"]
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
        started = time.monotonic()
        limit = budget.within(self._settings.refresh_seconds)
        done = self._background.refresh(limit, force=arguments["force"])
        warnings = [*self._background.notes]
        state = self._manager.state()
        if done is None:
            now = "" if state.progress is None else f": {_progress(state.progress)}"
            warnings.append(f"it goes on in the background{now}; repo.status says how far it is")
            done = Refreshed(
                0, 0, 0, state.files, time.monotonic() - started, state.last_refresh, complete=False
            )
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
        return Outcome(result, warnings)


def _together(indexed: tuple[SearchHit, ...], read: tuple[SearchHit, ...]) -> tuple[SearchHit, ...]:
    """Scores of one kind say nothing of the other: who has more of the terms comes first."""
    return tuple(sorted([*indexed, *read], key=lambda hit: -len(hit.matched_terms)))


def _progress(now: Progress) -> str:
    return f"{now.phase} {now.files} of {now.all_files} files, {now.seconds:.0f} s so far"


def _cut(row: str, room: int) -> str:
    """The beginning of a line that fits, however its characters are written."""
    kept = len(row)
    while size(row[:kept] + _CUT) > room - 100:
        kept = kept * 3 // 4
    return row[:kept] + _CUT
