"""Finds the files to index: a walk that leaves out early, counts why, and never follows links.

Paths come in the order of their bytes over the whole tree. A folder that has a `.git` of its own
begins anew with rules, as git does there, and is walked like any other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.walk.file_types import EXTENSIONS, is_text_name
from repo_mcp.indexing.walk.gitignore import EXCLUDE_NAME, RULES_NAME, Ignore, without_everything
from repo_mcp.safety.sandbox import Folder, FolderEntry, Sandbox, StatKey
from repo_mcp.text.globs import Glob

_MAX_DEPTH: Final = 200
_MAX_PATH_BYTES: Final = 4095  # what systems open
_REPOSITORY_NAME: Final = ".git"
# folders that hold what others made, whether or not a .gitignore says so
FOREIGN_FOLDERS: Final = frozenset(
    {
        *("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"),
        *(".ipynb_checkpoints", ".eggs", ".venv", ".tox", ".nox"),
        *("node_modules", "bower_components", ".yarn", ".next", ".nuxt", ".svelte-kit"),
        *(".turbo", ".parcel-cache", ".angular", ".dart_tool", ".build", ".bundle"),
        *(".repo_mcp", ".gradle", ".terraform", ".hg", ".svn", ".bzr", ".jj", "CVS"),
    }
)
# the same by what lies in them: a virtual environment, and what asks to be left out of backups
FOREIGN_SIGNS: Final = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})


@dataclass(frozen=True, slots=True)
class Selection:
    """What is indexed besides what the tables say."""

    max_file_bytes: int
    include_extensions: Sequence[str] = ()
    exclude_globs: Sequence[str] = ()
    # whether names don't matter: what is no text is left out when it is read
    any_name: bool = False


class WalkedFile(NamedTuple):
    """A file to index, and what the system said of it when its folder was listed."""

    path: str
    key: StatKey


class Candidate(NamedTuple):
    """A path that was looked at, and why it is left out; empty when it is not."""

    path: str
    reason: str
    key: StatKey | None


class _Place(NamedTuple):
    """A folder on the walk: what its entries' paths begin with, and what holds in it."""

    prefix: str
    listed: Folder
    ignore: Ignore
    depth: int
    left: Iterator[FolderEntry]


class Discovery:
    """One walk over the repository; `left_out` counts reasons while it goes on."""

    def __init__(self, sandbox: Sandbox, selection: Selection) -> None:
        """Compile what is configured."""
        self.left_out: Counter[str] = Counter()
        self._sandbox = sandbox
        self._max_bytes = selection.max_file_bytes
        self._extensions = EXTENSIONS | {item.lower() for item in selection.include_extensions}
        self._excluded = [Glob(pattern) for pattern in selection.exclude_globs]
        self._any_name = selection.any_name
        self._visited: dict[str, _Place | str] = {}

    def files(self, budget: Budget) -> Iterator[WalkedFile]:
        """The files to index, in the order of their paths' bytes."""
        for path, reason, key in self.candidates(budget):
            if reason:
                self.left_out[reason] += 1
            elif key is not None:
                yield WalkedFile(path, key)

    def candidates(self, budget: Budget) -> Iterator[Candidate]:
        """Every path that is looked at; what lies in a folder that is left out is not."""
        yield from self._walk(self._root(), budget)

    def below(self, folder: str, budget: Budget) -> Iterator[Candidate]:
        """The same below one folder; nothing where the walk would not come to it."""
        place = self._come_to(folder.split("/"))
        if isinstance(place, _Place):
            fresh = place._replace(left=iter(_in_path_order(place.listed.entries)))
            yield from self._walk(fresh, budget)

    def folders(self, folder: str, budget: Budget) -> Iterator[str]:
        """The folders that a walk comes to, at this one (the root is "") and below it.

        Each is told of before it is listed: what is made in it from then on can be watched.
        """
        parent, _, name = folder.rpartition("/")
        if folder:
            above = self._come_to(parent.split("/") if parent else [])
            pending = [] if isinstance(above, str) else self._inner(above, budget, name)
        else:
            yield folder
            pending = self._inner(self._root(), budget)
        while pending:
            path, name, above = pending.pop()
            yield path
            place = self._visit(path, name, above)
            if isinstance(place, _Place):
                pending += self._inner(place, budget)

    def _inner(
        self, place: _Place, budget: Budget, only: str = ""
    ) -> list[tuple[str, str, _Place]]:
        """The folders in a folder that the walk enters, or one of them."""
        budget.check()
        return [
            (place.prefix + entry.name, entry.name, place)
            for entry in place.listed.entries
            if entry.kind == "folder"
            and (not only or entry.name == only)
            and not self._reason(place.prefix + entry.name, entry, place)
        ]

    def entries(self, folder: str) -> list[tuple[FolderEntry, str]] | str:
        """What lies in a folder (the root is ""), and of each why the walk leaves it out.

        Where the walk would not come to the folder: why not.
        """
        place = self._come_to(folder.split("/") if folder else [])
        if isinstance(place, str):
            return place
        return [
            (entry, self._reason(place.prefix + entry.name, entry, place))
            for entry in place.listed.entries
        ]

    def _walk(self, first: _Place, budget: Budget) -> Iterator[Candidate]:
        self.left_out["name"] += first.listed.unreadable_names
        pending = [first]
        while pending:
            place = pending[-1]
            for entry in place.left:
                path = place.prefix + entry.name
                reason = self._reason(path, entry, place)
                if entry.kind == "folder" and not reason:
                    budget.check()
                    inner = self._visit(path, entry.name, place)
                    if isinstance(inner, _Place):
                        pending.append(inner)
                        self.left_out["name"] += inner.listed.unreadable_names
                        break
                    reason = inner
                yield Candidate(path, reason, entry.key)
            else:
                pending.pop()

    def reason(self, path: str) -> str:
        """Why the walk would not come to this path; empty when it would, "missing" without a file.

        What was seen of the folders on the way is remembered for the next question.
        """
        *folders, last = path.split("/")
        if self._sandbox.is_denied(path):
            return "denied"
        if not last or "" in folders:
            return "missing"
        place = self._come_to(folders)
        return place if isinstance(place, str) else self._file_at(path, last, place)

    def _come_to(self, folders: Sequence[str]) -> _Place | str:
        """The folder, as the walk would come to it, or why it would not."""
        place = self._visited.get("") or self._visited.setdefault("", self._root())
        at = ""
        for name in folders:
            if isinstance(place, str):
                return place
            at += name
            if at not in self._visited:
                self._visited[at] = self._step(at, name, place)
            place = self._visited[at]
            at += "/"
        return place

    def _step(self, path: str, name: str, place: _Place) -> _Place | str:
        """Into a folder, as the walk would go."""
        entry = _entry(place, name)
        if entry is None:
            return "missing"
        reason = self._reason(path, entry, place)
        if reason or entry.kind != "folder":
            return reason or "missing"
        return self._visit(path, name, place)

    def _file_at(self, path: str, name: str, place: _Place) -> str:
        entry = _entry(place, name)
        if entry is None or entry.kind == "folder":
            return "missing"
        return self._reason(path, entry, place)

    def _root(self) -> _Place:
        """The walk's beginning; a root that can't be listed is a problem, not an empty tree."""
        listed = self._sandbox.folder("")
        ignore = Ignore().with_rules(self._sandbox.rules(EXCLUDE_NAME))
        place = self._place("", listed, ignore, 0)
        if _all_ignored(place) and not any(e.name == _REPOSITORY_NAME for e in listed.entries):
            # an exported tree whose rules were meant for another place: they say nothing here
            rules = without_everything(self._sandbox.rules(RULES_NAME))
            place = place._replace(ignore=ignore.with_rules(rules))
        return place

    def _visit(self, path: str, name: str, above: _Place) -> _Place | str:
        """The folder, or why it is left out."""
        try:
            listed = self._sandbox.folder(path)
        except Problem as problem:
            return _UNVISITED.get(problem.code, "unreadable")
        if listed.device != above.listed.device:
            return "mount"
        names = {entry.name for entry in listed.entries}
        if not FOREIGN_SIGNS.isdisjoint(names):
            return "excluded"
        ignore = Ignore() if _REPOSITORY_NAME in names else above.ignore.below(name)
        return self._place(f"{path}/", listed, ignore, above.depth + 1)

    def _place(self, prefix: str, listed: Folder, ignore: Ignore, depth: int) -> _Place:
        entries = listed.entries
        if any(entry.name == RULES_NAME and entry.kind == "file" for entry in entries):
            ignore = ignore.with_rules(self._sandbox.rules(prefix + RULES_NAME))
        return _Place(prefix, listed, ignore, depth, iter(_in_path_order(entries)))

    def _reason(self, path: str, entry: FolderEntry, place: _Place) -> str:
        folder = entry.kind == "folder"
        if self._sandbox.is_denied(path, folder=folder):
            return "denied"
        if entry.kind in {"link", "other"}:
            return entry.kind
        if place.ignore.ignores(entry.name, folder=folder):
            return "ignored"
        if self._excluded and any(glob.matches(path) for glob in self._excluded):
            return "excluded"
        return _folder_reason(path, entry, place) if folder else self._file_reason(entry)

    def _file_reason(self, entry: FolderEntry) -> str:
        if not self._any_name and not is_text_name(entry.name, self._extensions):
            return "extension"
        return "large" if entry.key is not None and entry.key.size > self._max_bytes else ""


# a folder that went away, or became something else, after the one above it was listed
_UNVISITED: Final = dict.fromkeys(("not_found", "not_a_file", "path_invalid"), "vanished")


def _folder_reason(path: str, entry: FolderEntry, place: _Place) -> str:
    if entry.name in FOREIGN_FOLDERS:
        return "excluded"
    return "depth" if place.depth >= _MAX_DEPTH or len(path.encode()) > _MAX_PATH_BYTES else ""


def _all_ignored(place: _Place) -> bool:
    return all(
        place.ignore.ignores(entry.name, folder=entry.kind == "folder")
        for entry in place.listed.entries
    )


def _in_path_order(entries: Sequence[FolderEntry]) -> Iterable[FolderEntry]:
    """As the paths below come: `a.c` before `a/b`, since a dot is less than a slash."""
    if any(entry.kind == "folder" for entry in entries):
        return sorted(entries, key=_path_key)
    return entries


def _path_key(entry: FolderEntry) -> str:
    # without surrogates, strings compare as their bytes do
    return f"{entry.name}/" if entry.kind == "folder" else entry.name


def _entry(place: _Place, name: str) -> FolderEntry | None:
    entries = place.listed.entries
    at = bisect_left(entries, name, key=_name)
    return entries[at] if at < len(entries) and entries[at].name == name else None


def _name(entry: FolderEntry) -> str:
    return entry.name
