"""`list_directory` and `get_directory_tree`: what lies in folders, level by level."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import DIRECTORY, FolderItem, Folders, FolderView
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.toolsets.codeagent.declarations import MOST_BYTES, MOST_CHILDREN, MOST_DEPTH
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_ROOT: Final = "."
_IGNORED: Final = AnswerWarning(
    "ignored", "the folder is named by .gitignore: what lies in it is not shown"
)
_DEEPEST_CUT: Final = AnswerWarning(
    "cut", "cut, deepest levels first: name a folder, or ask for less depth"
)
# how often a long folder asks whether anybody still waits
_CHECK_EVERY: Final = 1000
# what a folder may take beside its name: its type, its children's brackets, and that it is cut
_FOLDER_BYTES: Final = size({"type": DIRECTORY, "children": [], "truncated": True})


class ListDirectory:
    """Lists one folder."""

    def __init__(self, services: ToolServices) -> None:
        """Take what it works with."""
        self._sandbox = services.repository.sandbox

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Its entries, as many as an answer may hold."""
        folders = Folders(self._sandbox)
        place = folders.come_to(arguments["path"])
        rows: list[dict[str, Any]] = []
        room = MOST_BYTES
        for entry in _checked(folders.entries(place), context):
            row = _row(entry)
            room -= size(row)
            if room < 0:
                break
            rows.append(row)
        warnings = [_IGNORED] if place.ignored else []
        result: dict[str, Any] = {"entries": rows}
        if room < 0:
            result["truncated"] = True
            text = f"cut after {len(rows)} of {len(place.listed.entries)} or fewer entries"
            warnings.append(AnswerWarning("cut", text))
        shown = [place.prefix + row["name"] for row in rows]
        return Outcome(result, [*warnings, *folders.warnings], shown=shown)


class DirectoryTree:
    """Shows what lies below a folder."""

    def __init__(self, services: ToolServices) -> None:
        """Take what it works with."""
        self._sandbox = services.repository.sandbox

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The folder and all below it, as far as depth and room allow."""
        depth = arguments["depth"]
        if not 0 <= depth <= MOST_DEPTH:
            raise Problem("argument_invalid", f"depth is 0 to {MOST_DEPTH}")
        return _TreeBuilder(self._sandbox, context).grown(arguments["path"], depth)


class _PendingFolder(NamedTuple):
    """A folder whose entries are still to be listed, and how many levels above the last it is."""

    node: dict[str, Any]
    above: FolderView
    levels: int


class _TreeBuilder:
    """One tree, grown level by level: where room ends, all levels above are complete."""

    def __init__(self, sandbox: Sandbox, context: Context) -> None:
        self._folders = Folders(sandbox)
        self._context = context
        self._waiting: deque[_PendingFolder] = deque()
        self._room = MOST_BYTES
        self._listed: list[str] = []

    def grown(self, path: str, depth: int) -> Outcome:
        place = self._folders.come_to(path)
        name = place.prefix.rstrip("/").rpartition("/")[2] or _ROOT
        node: dict[str, Any] = {"name": name, "type": DIRECTORY}
        if depth:
            self._fill(node, place, depth - 1)
        while self._waiting and self._room >= 0:
            waiting = self._waiting.popleft()
            inner = self._folders.within(waiting.above, waiting.node["name"])
            if inner is not None:
                self._fill(waiting.node, inner, waiting.levels - 1)
        for waiting in self._waiting:
            waiting.node["truncated"] = True
        warnings = [_IGNORED] if place.ignored else []
        if self._room < 0:
            warnings.append(_DEEPEST_CUT)
        return Outcome(node, [*warnings, *self._folders.warnings], shown=self._listed)

    def _fill(self, node: dict[str, Any], place: FolderView, levels: int) -> None:
        """List a folder; its folders wait for their turn where there are levels left."""
        children: list[dict[str, Any]] = []
        node["children"] = children
        self._listed.append(place.prefix or _ROOT)
        entries = _checked(self._folders.entries(place), self._context)
        for entry in islice(entries, MOST_CHILDREN):
            child = {"name": entry.name, "type": entry.type}
            folder = entry.type == DIRECTORY
            self._room -= size(entry.name) + _FOLDER_BYTES if folder else size(child)
            if self._room < 0:
                break
            children.append(child)
            if folder and levels:
                self._waiting.append(_PendingFolder(child, place, levels))
        if self._room < 0 or next(entries, None) is not None:
            node["truncated"] = True
            if not children:
                del node["children"]


def _row(entry: FolderItem) -> dict[str, Any]:
    row: dict[str, Any] = {"name": entry.name, "type": entry.type}
    return row if entry.type == DIRECTORY else {**row, "size": entry.size}


def _checked(entries: Iterator[FolderItem], context: Context) -> Iterator[FolderItem]:
    """The entries, for as long as anybody waits for them."""
    for number, entry in enumerate(entries):
        if not number % _CHECK_EVERY:
            context.budget.check()
        yield entry
