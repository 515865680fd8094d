"""Answers a command line of ripgrep from the index."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

from code_graph.paths.globs import is_below
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.cli.command_line import complain
from repo_mcp.cli.ripgrep.arguments import BetterLeftError, LeftToRipgrepError, RipgrepRequest
from repo_mcp.cli.ripgrep.output import AnswerOutput
from repo_mcp.cli.ripgrep.printer import RawPrinter, look_of
from repo_mcp.cli.ripgrep.selection import (
    FileSelection,
    UserRules,
    path_key,
    uses_git,
)
from repo_mcp.cli.search.environment import git_ignore_rules, wants_colours
from repo_mcp.cli.search.freshness import MOST_FILES
from repo_mcp.cli.search.index import CommandIndex
from repo_mcp.cli.search.scope import STDIN, current_folder
from repo_mcp.documents import has_text
from repo_mcp.errors import Problem
from repo_mcp.repository import UnindexedEntry, noted_left_out
from repo_mcp.search import PatternSyntax, RawLine, RawPattern, RawText
from repo_mcp.services import Services
from repo_mcp.text.plurals import counted

# of more files ripgrep is as quick, where there is one and an engine of expressions reads them
_MOST_FILES: Final = 2_500
# likewise, where it reads only the lines with the longest text of the expression
_MOST_WITH_NEEDLE: Final = 6_000
# ripgrep stops at a NUL byte, and passes a file over with one in its first bytes
_FIRST_BYTES: Final = 1 << 16
_UNSEARCHED: Final = frozenset({"denied", "large", "file_too_large"})
_UNKNOWN: Final = frozenset({"excluded", "mount", "depth", "name", "unreadable", "other"})
# files of these reasons are read here
_READABLE: Final = frozenset({"binary", "excluded"})
_FOUND: Final = 0
_NOTHING: Final = 1


class NamedPlace(NamedTuple):
    """A path of the command line: as it was given, in the repository, and whether it is a file."""

    name: str
    path: str
    is_file: bool


class SearchedFile(NamedTuple):
    """A file with the name that is printed of it."""

    path: str
    shown: str


class RipgrepAnswer:
    """One request, answered in one repository."""

    def __init__(
        self,
        parts: Services,
        request: RipgrepRequest,
        syntax: PatternSyntax,
        output: AnswerOutput,
        *,
        has_ripgrep: bool,
    ) -> None:
        self._parts = parts
        self._request = request
        self._root = parts.settings.root
        self._current = current_folder({"": self._root})
        self._pattern = RawPattern(syntax)
        self._output = output
        self._most_files = sys.maxsize
        if has_ripgrep and (self._is_whole or not self._pattern.is_decided):
            has_needle = self._pattern.has_needle and not self._is_whole
            self._most_files = _MOST_WITH_NEEDLE if has_needle else _MOST_FILES
        self._has_ripgrep = has_ripgrep
        self._indexed = 0
        self._index: CommandIndex | None = None
        self._uses_git = uses_git(self._root)
        self._selection = FileSelection(
            request, self._current, parts.sandbox, uses_git=self._uses_git
        )
        self._unsearched = 0

    def run(self) -> int:
        """Print the answer; returns the exit code."""
        places = [self._place(name) for name in self._request.paths]
        places = places or [NamedPlace("", self._current, is_file=False)]
        files = self._files(places)
        printer = self._printer(one_file=len(places) == 1 and places[0].is_file)
        if printer.is_unlike:
            raise LeftToRipgrepError("-v with marks and lines around")
        is_sure = self._pattern.is_decided and not (self._is_whole or printer.is_on_terminal)
        if self._has_ripgrep and not is_sure:
            self._output.hold()
        found = self._search(files, printer)
        if not (found or files or self._request.paths or self._searches_any()):
            raise LeftToRipgrepError("no file is searched")
        self._output.finish()
        self._tell()
        return _FOUND if found else _NOTHING

    def _place(self, name: str) -> NamedPlace:
        if name == STDIN:
            raise LeftToRipgrepError("standard input is searched")
        if not os.path.lexists(name):
            raise LeftToRipgrepError(f"{name}: no such file or folder here")
        here = os.path.realpath(os.curdir)
        real = os.path.realpath(name)
        if real != os.path.normpath(os.path.join(here, name)) or "//" in name:
            raise LeftToRipgrepError(f"{name} leads over a link")
        root = os.path.realpath(self._root)
        if not is_below(real, root):
            raise BetterLeftError(f"{name} is outside of the repository")
        path = "" if real == root else os.path.relpath(real, root).replace(os.sep, "/")
        is_file = os.path.isfile(real)
        if path and self._parts.sandbox.is_denied(path, folder=not is_file):
            raise Problem("path_denied")
        if not (is_file or os.path.isdir(real)):
            raise LeftToRipgrepError(f"{name} is neither a file nor a folder")
        return NamedPlace(name, path, is_file)

    def _files(self, places: Sequence[NamedPlace]) -> list[SearchedFile]:
        """The files to search in the order of ripgrep, named as it names them."""
        folders = _topmost([place.path for place in places if not place.is_file])
        selection = self._selection
        candidates = self._candidates(folders) if folders else []
        user_rules = UserRules(self._root, git_ignore_rules())
        found: list[SearchedFile] = []
        for place in places:
            if place.is_file:
                if self._request.max_filesize is not None:
                    raise LeftToRipgrepError("--max-filesize and a file")
                found.append(SearchedFile(place.path, place.name))
                continue
            self._check_left_out(place.path)
            inside = list(selection.files(candidates, place.path))
            user_rules.check(inside)
            found += (
                SearchedFile(path, _shown(place, path)) for path in sorted(inside, key=path_key)
            )
        found = [item for item in found if self._is_small(item.path)]
        if self._request.sort_reverse:
            found.sort(key=lambda item: path_key(item.shown), reverse=True)
        return found

    def _is_small(self, path: str) -> bool:
        most = self._request.max_filesize
        if most is None:
            return True
        try:
            return self._parts.sandbox.file_key(path).size <= most
        except Problem:
            return False

    def _candidates(self, folders: Sequence[str]) -> list[str]:
        """Files of some folders that may match."""
        manager, request = self._parts.manager, self._request
        if manager.snapshot() is None and self._has_ripgrep:
            raise LeftToRipgrepError("there is no index yet, `repo-mcp index` makes one")
        walk = manager.discovery()
        for folder in folders:
            if folder and isinstance(walk.entries(folder), str):
                raise LeftToRipgrepError(f"{folder} is not indexed")
        index = self._index = CommandIndex(self._parts, refresh=False, of_lines=True)
        narrowed = not (request.inverted or request.passthru)

        def ask(snapshot: Snapshot) -> list[str] | None:
            self._indexed = snapshot.file_count
            # their bytes are searched there, and here their text
            if self._has_ripgrep and any(map(has_text, snapshot.paths())):
                raise LeftToRipgrepError("there are PDF files or exported tickets")
            return self._pattern.candidates(
                snapshot, folders, self._most_files, self._parts.budget, narrowed=narrowed
            )

        found = index.answer(ask, lambda _: ())
        if found is None:
            raise BetterLeftError("the index excludes few files")
        if self._has_ripgrep and not index.has_all_words:
            raise LeftToRipgrepError("not all files are indexed yet")
        if self._has_ripgrep and self._indexed <= MOST_FILES and not index.knows_changes:
            raise BetterLeftError("files and index could not be compared in time")
        changed = [path for path in index.differing if any(is_below(path, at) for at in folders)]
        return list(dict.fromkeys([*found, *changed]))

    def _searches_any(self) -> bool:
        """True if there is a file that ripgrep searches."""
        chosen, above = self._selection, self._current

        def ask(snapshot: Snapshot) -> bool:
            return any(
                is_below(path, above) and chosen.allows(path, above) and self._is_small(path)
                for path in snapshot.paths()
            )

        return self._index is not None and self._index.answer(ask, lambda _: ())

    def _check_left_out(self, above: str) -> None:
        """Count what is never searched here; what ripgrep might find elsewhere is left to it."""
        git, selection = self._uses_git, self._selection
        reasons = {*_UNSEARCHED, *_UNKNOWN, "binary"}
        reasons |= set() if git and not selection.may_add else {"ignored"}
        noted = noted_left_out(self._parts.manager, reasons)
        if noted is None:
            raise LeftToRipgrepError("nothing is remembered of the files that are not indexed")
        for item in noted:
            if not is_below(item.path, above):
                continue
            if item.reason == "ignored" and git:
                if selection.names(item.path, above, folder=item.is_folder):
                    raise LeftToRipgrepError(f"a glob names {item.path}, which git ignores")
            elif selection.allows(item.path, above, folder=item.is_folder):
                self._check_allowed(item)

    def _check_allowed(self, item: UnindexedEntry) -> None:
        if item.reason in _UNSEARCHED:
            self._unsearched += 1
        elif item.is_folder or item.reason not in _READABLE or self._is_searched(item.path):
            raise LeftToRipgrepError(f"{item.path} is not indexed ({item.reason})")

    def _is_searched(self, path: str) -> bool:
        """True if ripgrep finds something in a file before its first NUL byte."""
        try:
            data = self._parts.sandbox.read(path, follow=False).data
        except Problem:
            return True
        end = data.find(b"\0")
        if 0 <= end < _FIRST_BYTES:
            return False
        if self._request.inverted or self._request.passthru:
            return True
        text = RawText.read(path, data[:end] if end >= 0 else data)
        return text.rows is None or bool(self._pattern.lines(text, spans=False, most=1))

    def _printer(self, *, one_file: bool) -> RawPrinter:
        request, out = self._request, sys.stdout
        terminal = out is not None and out.isatty()
        colors = wants_colours(out, request.color)
        return RawPrinter(
            request, look_of(request, terminal=terminal, colors=colors, one_file=one_file)
        )

    def _search(self, files: Sequence[SearchedFile], printer: RawPrinter) -> bool:
        """Print what is found; whether that is anything."""
        request, found = self._request, False
        is_whole = self._is_whole
        most = 0 if printer.counts_only else request.max_count
        texts = self._pattern.texts(
            self._parts.sandbox,
            [item.path for item in files],
            whole=is_whole,
            most=-1 if most is None or not printer.is_plain else most,
        )
        names = iter(files)
        for text in texts:
            file = next(item for item in names if item.path == text.path)
            if text.rows is None:
                raise LeftToRipgrepError(f"{text.path} has a NUL byte")
            lines: Sequence[RawLine] | None = None
            if text.matching is not None and printer.is_plain:
                count = text.matching
            else:
                lines = self._lines(text, printer)
                count = len(lines)
                if not lines and not (text.rows and request.passthru and request.mode == "lines"):
                    continue
            pieces = list(printer.file(os.fsencode(file.shown), text, lines))
            found |= bool(count)
            if request.quiet:
                if found:
                    return True
                continue
            self._output.write(pieces, count)
        return found

    @property
    def _is_whole(self) -> bool:
        """True if lines that do not match are printed, too, or counted."""
        request = self._request
        around = request.before or request.after or request.passthru
        return bool(request.inverted or around or request.byte_offset or request.max_columns)

    def _lines(self, text: RawText, printer: RawPrinter) -> list[RawLine]:
        request = self._request
        if not text.rows:
            return []
        if request.inverted:
            return text.others(self._pattern.lines(text, spans=False))
        around = request.before or request.after or request.passthru
        most = 1 if request.quiet or request.mode == "files" else request.max_count
        if around and (request.mode != "files" and not request.quiet):
            most = None
        return self._pattern.lines(text, spans=printer.needs_spans, most=most)

    def _tell(self) -> None:
        """Say on standard error what the answer may lack."""
        for text in () if self._index is None else self._index.warnings:
            complain(f"warning: {text}")
        if self._unsearched:
            count = counted(self._unsearched, "file")
            complain(f"note: {count} not searched: too large for the index, or may hold secrets")


def _topmost(folders: Sequence[str]) -> list[str]:
    """Folders without those that are in others of them."""
    found: list[str] = []
    for folder in sorted(set(folders)):
        if not any(is_below(folder, above) for above in found):
            found.append(folder)
    return found


def _shown(place: NamedPlace, path: str) -> str:
    """A path as ripgrep shows it: below the folder as that was named."""
    inside = path[len(place.path) + 1 :] if place.path else path
    return f"{place.name.rstrip('/')}/{inside}" if place.name else inside
