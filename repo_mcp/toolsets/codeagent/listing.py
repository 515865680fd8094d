"""`list_directory` and `get_directory_tree`: one folder, or several levels of folders."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import DIRECTORY, FolderItem, Folders, FolderView
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.toolsets.codeagent.declarations import MOST_BYTES, MOST_CHILDREN, MOST_DEPTH
from repo_mcp.toolsets.codeagent.results import (
    DirectoryEntry,
    DirectoryResult,
    DirectoryTreeResult,
    TreeNode,
)
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_ROOT: Final = "."
_IGNORED: Final = AnswerWarning(
    "ignored", "the folder is ignored by .gitignore: its entries are not shown"
)
_DEEPEST_CUT: Final = AnswerWarning(
    "cut", "cut, deepest levels first: pass a folder or a smaller depth"
)
# entries between two checks of the budget
_CHECK_EVERY: Final = 1000
# size of a folder's node without name and children
_FOLDER_BYTES: Final = size({"type": DIRECTORY, "children": [], "truncated": True})


class ListDirectory:
    """Lists one folder."""

    def __init__(self, services: ToolServices) -> None:
        self._sandbox = services.repository.sandbox

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Its entries, as many as fit."""
        folders = Folders(self._sandbox)
        place = folders.find(arguments["path"])
        rows: list[DirectoryEntry] = []
        room = MOST_BYTES
        for entry in _check_budget(folders.entries(place), context):
            row = _row(entry)
            room -= size(row)
            if room < 0:
                break
            rows.append(row)
        warnings = [_IGNORED] if place.ignored else []
        result = DirectoryResult(entries=rows)
        if room < 0:
            result.truncated = True
            text = f"cut after {len(rows)} of at most {len(place.listed.entries)} entries"
            warnings.append(AnswerWarning("cut", text))
        shown = [place.prefix + row.name for row in rows]
        return Outcome(result, [*warnings, *folders.warnings], shown=shown)


class DirectoryTree:
    """Shows the tree below a folder."""

    def __init__(self, services: ToolServices) -> None:
        self._sandbox = services.repository.sandbox

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The folder and everything below it, as far as depth and size allow."""
        depth = arguments["depth"]
        if not 0 <= depth <= MOST_DEPTH:
            raise Problem("argument_invalid", f"depth must be 0 to {MOST_DEPTH}")
        return _TreeBuilder(self._sandbox, context).build(arguments["path"], depth)


_Node = DirectoryTreeResult | TreeNode


class _PendingFolder(NamedTuple):
    """A folder still to be listed, with the number of levels left."""

    node: _Node
    above: FolderView
    levels: int


class _TreeBuilder:
    """Builds a tree breadth first: if it is cut, all levels above the cut are complete."""

    def __init__(self, sandbox: Sandbox, context: Context) -> None:
        self._folders = Folders(sandbox)
        self._context = context
        self._waiting: deque[_PendingFolder] = deque()
        self._room = MOST_BYTES
        self._listed: list[str] = []

    def build(self, path: str, depth: int) -> Outcome:
        place = self._folders.find(path)
        name = place.prefix.rstrip("/").rpartition("/")[2] or _ROOT
        node = DirectoryTreeResult(name=name, type=DIRECTORY)
        if depth:
            self._fill(node, place, depth - 1)
        while self._waiting and self._room >= 0:
            waiting = self._waiting.popleft()
            inner = self._folders.enter(waiting.above, waiting.node.name)
            if inner is not None:
                self._fill(waiting.node, inner, waiting.levels - 1)
        for waiting in self._waiting:
            waiting.node.truncated = True
        warnings = [_IGNORED] if place.ignored else []
        if self._room < 0:
            warnings.append(_DEEPEST_CUT)
        return Outcome(node, [*warnings, *self._folders.warnings], shown=self._listed)

    def _fill(self, node: _Node, place: FolderView, levels: int) -> None:
        """List a folder; queues its subfolders if there are levels left."""
        children: list[TreeNode] = []
        node.children = children
        self._listed.append(place.prefix or _ROOT)
        entries = _check_budget(self._folders.entries(place), self._context)
        for entry in islice(entries, MOST_CHILDREN):
            child = TreeNode(name=entry.name, type=entry.type)
            folder = entry.type == DIRECTORY
            self._room -= size(entry.name) + _FOLDER_BYTES if folder else size(child)
            if self._room < 0:
                break
            children.append(child)
            if folder and levels:
                self._waiting.append(_PendingFolder(child, place, levels))
        if self._room < 0 or next(entries, None) is not None:
            node.truncated = True
            if not children:
                del node.children


def _row(entry: FolderItem) -> DirectoryEntry:
    if entry.type == DIRECTORY:
        return DirectoryEntry(name=entry.name, type=entry.type)
    return DirectoryEntry(name=entry.name, type=entry.type, size=entry.size)


def _check_budget(entries: Iterator[FolderItem], context: Context) -> Iterator[FolderItem]:
    """The entries; checks the budget from time to time."""
    for number, entry in enumerate(entries):
        if not number % _CHECK_EVERY:
            context.budget.check()
        yield entry
