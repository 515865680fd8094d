"""`repo_mcp.toml`: it comes with the repository, so it may leave out more and lower limits only."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from repo_mcp.errors import Problem
from repo_mcp.globs import Glob
from repo_mcp.model import MAX_CHUNK_LINES, Limits, Windows

FILE_NAME: Final = "repo_mcp.toml"
_KNOWN: Final = {
    "limits": frozenset(asdict(Limits())),
    "indexing": frozenset({"include_extensions", "exclude_globs", "chunk_lines", "chunk_overlap"}),
    "security": frozenset({"deny_globs"}),
}
_MAX_ITEMS: Final = 200


class RepoConfig:
    """What the file says; what it should not say, or says wrongly, becomes a note."""

    def __init__(self, data: bytes, is_extension: Callable[[str], bool]) -> None:
        """Read it; an unreadable file counts as empty."""
        self._notes: list[str] = []
        self._tables = self._parsed(data)
        self._report_unknown()
        self.include_extensions = self._extensions("include_extensions", is_extension)
        self.exclude_globs = self._globs("indexing", "exclude_globs")
        self.deny_globs = self._globs("security", "deny_globs")
        defaults = Windows()
        self.chunk_lines = self._number("chunk_lines", defaults.lines, 1)
        self.chunk_overlap = self._number("chunk_overlap", defaults.overlap, 0)
        if (
            self.chunk_overlap > self.chunk_lines // 2
            and "chunk_overlap" in self._tables["indexing"]
        ):
            self._note("chunk_overlap is half of chunk_lines at most")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the file."""
        return tuple(self._notes)

    def limits(self, least_response: int) -> Limits:
        """The defaults, lowered where the file says so."""
        values: dict[str, int] = {}
        for name, default in asdict(Limits()).items():
            wanted = self._tables["limits"].get(name, default)
            if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 1:
                self._note(f"{name} is a whole number above 0")
                wanted = default
            if wanted > default:
                self._note(f"{name} can only be lowered here, it stays {default}")
            values[name] = min(wanted, default)
        name = "max_total_bytes_per_response"
        if values[name] < least_response:
            self._note(f"{name} is {least_response} or more")
            values[name] = least_response
        return Limits(**values)

    def _parsed(self, data: bytes) -> dict[str, Mapping[str, Any]]:
        try:
            found = tomllib.loads(data.decode("utf-8"))
        except (ValueError, RecursionError):
            self._note("it is not valid TOML and counts as empty")
            found = {}
        self._unknown = sorted(set(found) - set(_KNOWN))
        tables: dict[str, Mapping[str, Any]] = {}
        for name in _KNOWN:
            table = found.get(name, {})
            tables[name] = table if isinstance(table, dict) else {}
            if tables[name] is not table:
                self._note(f"{name} is a table: [{name}]")
        return tables

    def _report_unknown(self) -> None:
        for name, table in self._tables.items():
            self._unknown += [f"{name}.{key}" for key in sorted(set(table) - _KNOWN[name])]
        if self._unknown:
            shown = ", ".join(repr(key)[:40] for key in self._unknown[:5])
            self._note(f"{len(self._unknown)} unknown setting(s): {shown}")

    def _texts(self, table: str, name: str) -> tuple[str, ...]:
        found = self._tables[table].get(name, [])
        if isinstance(found, list) and len(found) <= _MAX_ITEMS:
            texts = tuple(item for item in found if isinstance(item, str))
            if len(texts) == len(found):
                return texts
        self._note(f"{name} is a list of at most {_MAX_ITEMS} texts")
        return ()

    def _extensions(self, name: str, is_extension: Callable[[str], bool]) -> tuple[str, ...]:
        found = self._texts("indexing", name)
        kept = tuple(item for item in found if is_extension(item))
        if len(kept) < len(found):
            self._note(f"{name} are written like .lark")
        return kept

    def _globs(self, table: str, name: str) -> tuple[str, ...]:
        kept: list[str] = []
        for pattern in self._texts(table, name):
            try:
                Glob(pattern)
            except Problem as problem:
                self._note(f"{name}: {problem.reason}")
            else:
                kept.append(pattern)
        return tuple(kept)

    def _number(self, name: str, default: int, least: int) -> int:
        value = self._tables["indexing"].get(name, default)
        whole = isinstance(value, int) and not isinstance(value, bool)
        if whole and least <= value <= MAX_CHUNK_LINES:
            return int(value)
        self._note(f"{name} is a whole number from {least} to {MAX_CHUNK_LINES}")
        return default

    def _note(self, text: str) -> None:
        self._notes.append(f"{FILE_NAME}: {text}")
