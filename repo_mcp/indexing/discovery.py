"""Finds the files to index: a walk that leaves out early, counts why, and never follows links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.globs import Glob
from repo_mcp.indexing.file_types import EXTENSIONS, is_text_name
from repo_mcp.indexing.ignore import EXCLUDE_NAME, RULES_NAME, Ignore
from repo_mcp.sandbox import Folder, Listed, Sandbox

_MAX_DEPTH: Final = 200
# folders that hold what others made, whether or not a .gitignore says so
_CACHES: Final = {"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
_FOREIGN_FOLDERS: Final = _CACHES | {"node_modules", ".venv", ".tox", ".nox", ".hg", ".svn"}


@dataclass(frozen=True, slots=True)
class Selection:
    """What is indexed besides what the tables say."""

    max_file_bytes: int
    include_extensions: Sequence[str] = ()
    exclude_globs: Sequence[str] = ()


class Discovery:
    """One walk over the repository; `left_out` counts reasons while it goes on."""

    def __init__(self, sandbox: Sandbox, selection: Selection) -> None:
        """Compile what is configured."""
        self.left_out: Counter[str] = Counter()
        self._sandbox = sandbox
        self._max_bytes = selection.max_file_bytes
        self._extensions = EXTENSIONS | {item.lower() for item in selection.include_extensions}
        self._excluded = [Glob(pattern) for pattern in selection.exclude_globs]

    def paths(self, budget: Budget) -> Iterator[str]:
        """Paths of files to index, folder by folder, in the order of their bytes in each."""
        for path, reason in self.candidates(budget):
            if reason:
                self.left_out[reason] += 1
            else:
                yield path

    def candidates(self, budget: Budget) -> Iterator[tuple[str, str]]:
        """Every path that is looked at, and why it is left out (empty when it is not).

        What lies in a folder that is left out is not looked at.
        """
        root = Ignore().below("", self._sandbox.rules(EXCLUDE_NAME))
        pending: list[tuple[str, Ignore, int]] = [("", root, 0)]
        device: int | None = None
        while pending:
            budget.check()
            folder, ignore, depth = pending.pop()
            listed = self._list(folder)
            if listed is None or (device is not None and listed.device != device):
                yield folder, "unreadable" if listed is None else "mount"
                continue
            device = listed.device
            self.left_out["name"] += listed.unreadable_names
            ignore = self._with_rules(folder, listed, ignore)
            deeper: list[tuple[str, Ignore, int]] = []
            for entry in listed.entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                reason = self._reason(path, entry, ignore, depth)
                if entry.kind == "folder" and not reason:
                    deeper.append((path, ignore, depth + 1))
                else:
                    yield path, reason
            pending += reversed(deeper)

    def _list(self, folder: str) -> Folder | None:
        try:
            return self._sandbox.folder(folder)
        except (OSError, Problem):
            return None

    def _with_rules(self, folder: str, listed: Folder, ignore: Ignore) -> Ignore:
        if any(entry.name == RULES_NAME and entry.kind == "file" for entry in listed.entries):
            path = f"{folder}/{RULES_NAME}" if folder else RULES_NAME
            return ignore.below(folder, self._sandbox.rules(path))
        return ignore

    def _reason(self, path: str, entry: Listed, ignore: Ignore, depth: int) -> str:
        folder = entry.kind == "folder"
        if self._sandbox.is_denied(path):
            return "denied"
        if entry.kind in {"link", "other"}:
            return entry.kind
        if ignore.ignores(path, folder=folder):
            return "ignored"
        if any(glob.matches(path) for glob in self._excluded):
            return "excluded"
        return self._folder_reason(entry, depth) if folder else self._file_reason(path, entry)

    def _folder_reason(self, entry: Listed, depth: int) -> str:
        if entry.name in _FOREIGN_FOLDERS:
            return "excluded"
        return "depth" if depth >= _MAX_DEPTH else ""

    def _file_reason(self, path: str, entry: Listed) -> str:
        if not is_text_name(path, self._extensions):
            return "extension"
        return "large" if entry.size > self._max_bytes else ""
