"""The outline of a folder as an answer, page by page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from code_graph.facts import DamagedFactsError, decode_declarations
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.answers.repository import FOLDER, OutlineResult
from repo_mcp.ask import (
    OutlineFilter,
    qualified_names,
    reliable_declarations,
)
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import (
    FolderListing,
    OpenIndex,
    OutdatedFiles,
    SourceFiles,
    list_folder,
    outline_file,
)
from repo_mcp.text.cutting import cut
from repo_mcp.text.plurals import counted, with_rest
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.cursors import CHANGED, Position, decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.index_warnings import COMPARING, building_detail
from repo_mcp.toolsets.kit.services import Arguments, ToolHandler

# room for the cursor besides the name in it
_CURSOR: Final = 200
# time for looking for names, and names of a file that are shown
_SECONDS: Final = 3.0
_MOST_NAMES: Final = 40
_LONGEST_NAME: Final = 80
# as many files below a folder of folders are listed in their place
_FEW_FILES: Final = 12


class _Entry(NamedTuple):
    """A folder or a file of the listing, as it is shown."""

    name: str
    line: str
    is_file: bool


class _FolderPage(NamedTuple):
    """The entries of one page, and the files among them that changed since they were indexed."""

    entries: list[_Entry]
    total: int
    is_last: bool
    outdated: OutdatedFiles


class FolderOutlines(ToolHandler):
    """Lists what the files of a folder declare."""

    def __call__(self, folder: str, arguments: Arguments, budget: Budget) -> Outcome:
        """A page: folders first, then files, each by path.

        By name or kind of declarations, the files in it and below that have some.
        """
        services, warnings = self._services, list[AnswerWarning]()
        page = services.page_size(arguments["max_chars"], warnings)
        result = OutlineResult(path=folder or ".", status=FOLDER, total=0, symbols=[])
        room = services.room(page, result, warnings) - _CURSOR
        wanted = OutlineFilter.of(arguments)
        chosen = (sorted(wanted.kinds), wanted.match) if wanted.chooses_names else ()
        cursor_key = [FOLDER, folder, *chosen]
        position = Position(0, [""])
        if arguments["cursor"]:
            position = decode_cursor(arguments["cursor"], cursor_key, str)

        def find(index: OpenIndex) -> _FolderPage:
            if index.snapshot is None:
                raise Problem("index_missing", building_detail(services.repository))
            after = position.place[0]
            if wanted.chooses_names:
                return self._matching(index.snapshot, folder, wanted, after, room, budget)
            return self._page(index.snapshot, folder, after, room, budget)

        def answer(index: OpenIndex) -> Outcome:
            repository = services.repository
            found, index = repository.run_fresh_query(
                find, lambda item: item.outdated.paths, index, services.wait, budget
            )
            notes = [*warnings, *index.warnings]
            if arguments["cursor"] and position.generation != index.generation:
                notes.append(CHANGED)
            if index.complete and not index.compared:
                notes.append(COMPARING)
            if not found.total and found.is_last:
                text = "no file in this folder is indexed: repo.list_files lists all of them"
                if wanted.chooses_names and not arguments["cursor"]:
                    text = "no indexed file in this folder or below declares such a name"
                notes.append(AnswerWarning("left_out", text))
            return self._outcome(result, cursor_key, found, index, notes)

        return services.repository.run_query(answer, services.wait, budget)

    def _page(
        self, snapshot: Snapshot, folder: str, after: str, room: int, budget: Budget
    ) -> _FolderPage:
        listing = list_folder(snapshot, folder, _FEW_FILES)
        shown, is_last = _fit(_entries(snapshot, listing, after), room, budget)
        total = len(listing.files) + sum(count for _, count in listing.folders)
        return _FolderPage(shown, total, is_last, self._outdated(snapshot, shown))

    def _matching(
        self,
        snapshot: Snapshot,
        folder: str,
        wanted: OutlineFilter,
        after: str,
        room: int,
        budget: Budget,
    ) -> _FolderPage:
        """The files with declarations that are asked for; as many as are found in some seconds."""
        limit = budget.within(_SECONDS)
        found = _matching_entries(snapshot, folder, wanted, after, limit)
        shown, is_last = _fit(found, room, budget)
        if shown and not shown[-1].line:  # the place where time was up
            is_last = False
        listed = [entry for entry in shown if entry.line]
        outdated = self._outdated(snapshot, listed)
        return _FolderPage(shown, len(listed), is_last, outdated)

    def _outdated(self, snapshot: Snapshot, shown: Sequence[_Entry]) -> OutdatedFiles:
        files = SourceFiles(self._services.repository.sandbox, snapshot)
        return files.outdated(entry.name for entry in shown if entry.is_file)

    def _outcome(
        self,
        result: OutlineResult,
        cursor_key: object,
        found: _FolderPage,
        index: OpenIndex,
        warnings: list[AnswerWarning],
    ) -> Outcome:
        if found.outdated:
            warnings.append(found.outdated.warning())
        result.total = found.total
        result.folders = [entry.line for entry in found.entries if not entry.is_file]
        result.files = [entry.line for entry in found.entries if entry.is_file and entry.line]
        if not found.is_last:
            result.truncated = True
            result.cursor = encode_cursor(cursor_key, index.generation, [found.entries[-1].name])
        shown = [entry.name for entry in found.entries if entry.is_file and entry.line]
        return Outcome(result, warnings, shown=shown, generation=index.generation)


def _fit(entries: Iterable[_Entry], room: int, budget: Budget) -> tuple[list[_Entry], bool]:
    """As many entries as fit, at least one, and whether these are all."""
    shown: list[_Entry] = []
    for entry in entries:
        budget.check()
        room -= size(entry.line) + 1
        if shown and room < 2 * len(entry.name):
            return shown, False
        shown.append(entry)
    return shown, True


def _matching_entries(
    snapshot: Snapshot, folder: str, wanted: OutlineFilter, after: str, limit: Budget
) -> Iterator[_Entry]:
    """Files after this one, each with its declarations; one without any where time is up."""
    begin = (f"{folder}/" if folder else "").encode("utf-8", "surrogatepass")
    for data, _, _ in snapshot.files(begin, begin[:-1] + b"0" if begin else None):
        path = data.decode("utf-8", "surrogatepass")
        if path <= after:
            continue
        line = _matching_line(snapshot, path, wanted)
        if line:
            yield _Entry(path, line, is_file=True)
        if limit.spent:
            yield _Entry(path, "", is_file=True)
            return


def _matching_line(snapshot: Snapshot, path: str, wanted: OutlineFilter) -> str:
    """A file with its declarations that are asked for and their lines; empty without any."""
    facts = snapshot.attachment(path, FACTS)
    try:
        shown = reliable_declarations(decode_declarations(facts)) if facts else ()
    except DamagedFactsError:
        return ""
    names = qualified_names(shown)
    numbers = wanted.numbers(shown, names)
    parts = [
        f"{cut(' '.join(names[number].split()), _LONGEST_NAME)} {shown[number].start_line}"
        for number in numbers[:_MOST_NAMES]
    ]
    more = len(numbers) - len(parts)
    return f"{path}: {', '.join(with_rest(parts, more))}" if parts else ""


def _entries(snapshot: Snapshot, listing: FolderListing, after: str) -> Iterator[_Entry]:
    """Folders, then files, from the one after this name; a folder's name ends in a slash."""
    for folder, count in listing.folders:
        name = f"{folder}/"
        if not after or (after.endswith("/") and name > after):
            yield _Entry(name, f"{name} {counted(count, 'file')}", is_file=False)
    for path in listing.files:
        if not after or after.endswith("/") or path > after:
            yield _Entry(path, outline_file(snapshot, path).as_line(), is_file=True)
