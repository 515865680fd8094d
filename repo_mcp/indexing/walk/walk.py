"""Walks the repository for files to index; counts excluded entries by reason, follows no links.

Paths come in byte order over the whole tree. A folder with its own `.git` starts with no inherited
ignore rules, as in git, and is walked like any other.
"""

from __future__ import annotations

import struct
import time
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, Protocol, Self, TypeVar

import xxhash

from index_format.records import Record
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget, do_nothing
from repo_mcp.documents import most_bytes_of
from repo_mcp.errors import Problem
from repo_mcp.indexing.walk.gitignore import (
    EXCLUDE_NAME,
    RULES_NAME,
    IgnoreRules,
    drop_match_all_rules,
)
from repo_mcp.indexing.walk.known_folders import (
    KnownFolders,
    SameFolders,
    UnchangedFolders,
    find_same,
)
from repo_mcp.model import Settings
from repo_mcp.safety.sandbox import Folder, FolderEntry, Sandbox, StatKey
from repo_mcp.text.globs import compile_glob

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

# raise it where the same entries and rules may decide otherwise which files are indexed
VERSION: Final = 4
_RULES_HEAD: Final = struct.Struct("<II")
_MAX_DEPTH: Final = 200
_MAX_PATH_BYTES: Final = 4095  # PATH_MAX of Linux, less the final NUL
_REPOSITORY_NAME: Final = ".git"
# folders with generated or third-party content, excluded even without an ignore rule
FOREIGN_FOLDERS: Final = frozenset(
    {
        *("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"),
        *(".ipynb_checkpoints", ".eggs", ".venv", ".tox", ".nox"),
        *("node_modules", "bower_components", ".yarn", ".next", ".nuxt", ".svelte-kit"),
        *(".turbo", ".parcel-cache", ".angular", ".dart_tool", ".build", ".bundle"),
        *(".repo_mcp", ".gradle", ".terraform", ".hg", ".svn", ".bzr", ".jj", "CVS"),
    }
)
# files that mark such a folder: a virtual environment, or a cache excluded from backups
FOREIGN_SIGNS: Final = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})
# files of `repo-mcp proof`: a hash of the tree can't have its own, and they repeat lines of others
CERTIFICATE: Final = ".proof.json"
# what the names of a folder contain if one of its entries changes how it is walked
_GIT_MARK: Final = b".git"
_ENVIRONMENT_MARK, _CACHE_MARK = (sign.encode() for sign in sorted(FOREIGN_SIGNS))
_NOTHING: Final = Counter[str]()
# a rule file that was modified this shortly before a walk may be modified again without a new time
_RACY_NANOSECONDS: Final = 2_000_000_000
# folders that are visited until `between` is called again
_FOLDERS_BETWEEN: Final = 64
# lists a folder by its path, with keys of files or without
ListFolder = Callable[[str], Folder]
# folders listed in one go, how many batches ahead, and on how many threads
_BATCH: Final = 64
_BATCHES: Final = 4
_THREADS: Final = 2


class HasPath(Protocol):
    """A folder to be listed."""

    @property
    def path(self) -> str:
        """The folder's path below the root."""


T = TypeVar("T", bound=HasPath)


class FolderLister(Generic[T]):
    """Lists folders in batches, on other threads while the caller looks at those listed before."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._pending: list[T] = []
        self._listed: deque[tuple[list[T], Future[list[Folder | Problem]]]] = deque()
        self._threads: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        """The lister itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the threads; what they list in vain is dropped."""
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)

    def add(self, folders: Iterable[T]) -> None:
        """List these folders as well."""
        self._pending += folders

    def __iter__(self) -> Iterator[tuple[T, Folder | Problem]]:
        """All folders, those added meanwhile too, as they were listed."""
        while self._pending or self._listed:
            while len(self._pending) >= _BATCH and len(self._listed) < _BATCHES:
                self._begin(self._take())
            if self._listed:
                batch, future = self._listed.popleft()
                found = future.result()
            else:
                batch = self._take()
                found = self._sandbox.list_folders([item.path for item in batch])
            yield from zip(batch, found, strict=True)

    def _take(self) -> list[T]:
        batch = self._pending[-_BATCH:]
        del self._pending[-_BATCH:]
        return batch

    def _begin(self, batch: list[T]) -> None:
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 not for a few folders

            self._threads = ThreadPoolExecutor(_THREADS, "lister")
        paths = [item.path for item in batch]
        self._listed.append((batch, self._threads.submit(self._sandbox.list_folders, paths)))


def _go_on(budget: Budget, between: Callable[[], None]) -> None:
    budget.check()
    between()


class Selection(Record):
    """Settings that change which files are indexed."""

    max_file_bytes: int
    exclude_globs: Sequence[str] = ()

    @classmethod
    def of(cls, settings: Settings) -> Selection:
        """The part of the settings that says which files are indexed."""
        return cls(
            settings.limits.max_file_bytes,
            settings.exclude_globs,
        )


class WalkedFile(NamedTuple):
    """A file to index, with its stat key from the folder listing."""

    path: str
    key: StatKey


class VisitedPath(NamedTuple):
    """A visited path, and why it is excluded; `reason` is empty if it is indexed."""

    path: str
    reason: str
    key: StatKey | None


class FolderFiles(NamedTuple):
    """The files of a folder to index, and reasons why others are left out.

    `files` is None where the digest is the known one: they are the same as at that time. The digest
    is empty where the folder has to be visited by the next walk too.
    """

    folder: str
    digest: bytes
    files: list[WalkedFile] | None
    left_out: Counter[str]


class WalkedFolder(NamedTuple):
    """A folder on the walk: its path with a slash, its entries and its ignore rules.

    `inherited` is the signature of rules that come from elsewhere: the listing and they decide the
    rules in force.
    """

    prefix: str
    listed: Folder
    ignore: IgnoreRules
    depth: int
    inherited: bytes

    def digest(self, walk_began: int) -> bytes:
        """Equal at two times where the same entries are indexed, and no file has changed.

        Empty where columns do not hold all entries, or do not prove that rules are the same.
        """
        if self.listed.unreadable_names or self._has_racy_rules(walk_began):
            return b""
        return self.listed.hash + hash_of_rules(self.inherited)

    @property
    def rules(self) -> bytes:
        """A hash of the rules in force, which subfolders inherit."""
        return hash_of_rules(self.ignore.signature)

    def _has_racy_rules(self, walk_began: int) -> bool:
        rules = _entry(self, RULES_NAME) if RULES_NAME in self.listed else None
        if rules is None or rules.key is None:
            return False
        return max(rules.key.mtime_ns, rules.key.ctime_ns) >= walk_began - _RACY_NANOSECONDS


def hash_of_rules(signature: bytes) -> bytes:
    """The part of a digest that stands for rules."""
    return xxhash.xxh3_64_digest(_RULES_HEAD.pack(VERSION, len(signature)) + signature)


class Subfolder(NamedTuple):
    """A folder to be listed: its path and name, and the folder that has it."""

    path: str
    name: str
    above: WalkedFolder


class Discovery:
    """One walk over the repository; `left_out` counts excluded entries by reason."""

    def __init__(
        self,
        sandbox: Sandbox,
        selection: Selection,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        """Compile the configured globs; `clock` is that of file times."""
        self.left_out: Counter[str] = Counter()
        self._sandbox = sandbox
        self._max_bytes = selection.max_file_bytes
        self._excluded = [compile_glob(pattern) for pattern in selection.exclude_globs]
        self._visited: dict[str, WalkedFolder | str] = {}
        # the same without the keys of files, which cost more where they are not listed
        self._named: dict[str, WalkedFolder | str] = {}
        self._clock = clock
        self._began = 0

    def files(self, budget: Budget) -> Iterator[WalkedFile]:
        """The files to index, in byte order of their paths."""
        for path, reason, key in self.candidates(budget):
            if reason:
                self.left_out[reason] += 1
            elif key is not None:
                yield WalkedFile(path, key)

    def by_folder(
        self,
        known: KnownFolders,
        budget: Budget,
        between: Callable[[], None] = do_nothing,
        same: SameFolders | None = None,
    ) -> Iterator[FolderFiles | UnchangedFolders]:
        """The files to index, one folder after the other; of unchanged ones no file is listed.

        First all known folders are compared with their hashes, which makes no object of them. Then
        those that differ are visited, those above them, and new ones. A hash holds the keys of the
        folder's own rule file, so any other is unchanged, as all below it is, if it inherits the
        same rules. `between` is called often. Where it is known already which folders are the
        `same`, none is compared.
        """
        self._began = self._clock()
        root = self._root()
        go_on = partial(_go_on, budget, between)
        same = same or find_same(self._sandbox, known, root.listed.device, go_on)
        with FolderLister[Subfolder](self._sandbox) as lister:
            yield from self._visit(root, same, lister, budget)
            for number, ((path, name, above), listed) in enumerate(lister):
                budget.check()
                if not number % _FOLDERS_BETWEEN:
                    between()
                place = self._place_of(path, name, above, listed)
                if isinstance(place, str):
                    self.left_out[place] += 1
                    # what is inside decides that, so that the next walk has to look again
                    yield FolderFiles(f"{path}/", b"", [], _NOTHING)
                else:
                    yield from self._visit(place, same, lister, budget)

    def _visit(
        self,
        place: WalkedFolder,
        same: SameFolders,
        lister: FolderLister[Subfolder],
        budget: Budget,
    ) -> Iterator[FolderFiles | UnchangedFolders]:
        """The folder's files and its unchanged subfolders; the others are listed later."""
        digest, rules = place.digest(self._began), place.rules
        if digest and digest == same.digest(place.prefix):
            yield FolderFiles(place.prefix, digest, None, _NOTHING)
            # as the entries and rules are the same, the walk enters the same subfolders
            subfolders = [
                Subfolder(path, path[len(place.prefix) :], place)
                for path in same.subfolders(place.prefix)
            ]
        else:
            left_out: Counter[str] = Counter()
            subfolders = self._subfolders(place, budget, left_out=left_out)
            yield FolderFiles(place.prefix, digest, self._files_in(place, left_out), left_out)
        for subfolder in subfolders:
            unchanged = same.below(subfolder.path, rules)
            if unchanged is None:
                lister.add([subfolder])
            else:
                yield unchanged

    def _files_in(self, place: WalkedFolder, left_out: Counter[str]) -> list[WalkedFile]:
        """The files to index; counts the others."""
        files: list[WalkedFile] = []
        if place.listed.unreadable_names:
            left_out["name"] += place.listed.unreadable_names
        for entry in place.listed.entries:
            if entry.kind != "folder":
                path = place.prefix + entry.name
                reason = self._reason(path, entry, place)
                if reason:
                    _count(reason, left_out)
                elif entry.key is not None:
                    files.append(WalkedFile(path, entry.key))
        return files

    def candidates(self, budget: Budget) -> Iterator[VisitedPath]:
        """Every visited path; excluded folders are not entered."""
        yield from self._walk(self._root(), budget)

    def below(self, folder: str, budget: Budget) -> Iterator[VisitedPath]:
        """`candidates` below one folder (the root is ""); none if the folder is excluded."""
        place = self._folder_at(folder.split("/") if folder else [])
        if isinstance(place, WalkedFolder):
            yield from self._walk(place, budget)

    def folders(self, folder: str, budget: Budget) -> Iterator[str]:
        """The folders that a walk enters: this one (the root is "") and those below it.

        Yields each before listing it, so that a watch can be set first.
        """
        parent, _, name = folder.rpartition("/")
        if folder:
            above = self._folder_at(parent.split("/") if parent else [])
            pending = [] if isinstance(above, str) else self._subfolders(above, budget, name)
        else:
            yield folder
            pending = self._subfolders(self._root(), budget)
        while pending:
            path, name, above = pending.pop()
            yield path
            place = self._enter(path, name, above, self._sandbox.list_names)
            if isinstance(place, WalkedFolder):
                pending += self._subfolders(place, budget)

    def _subfolders(
        self,
        place: WalkedFolder,
        budget: Budget,
        only: str = "",
        left_out: Counter[str] | None = None,
    ) -> list[Subfolder]:
        """The subfolders that the walk enters, or the one named `only`; counts the others."""
        budget.check()
        found: list[Subfolder] = []
        for entry in place.listed.folders():
            if only and entry.name != only:
                continue
            path = place.prefix + entry.name
            reason = self._reason(path, entry, place)
            if not reason:
                found.append(Subfolder(path, entry.name, place))
            elif left_out is not None:
                _count(reason, left_out)
        return found

    def entries(self, folder: str) -> list[tuple[FolderEntry, str]] | str:
        """A folder's entries (the root is ""), each with the reason why it is excluded, or "".

        If the folder itself is excluded, only the reason for that.
        """
        place = self._folder_at(folder.split("/") if folder else [])
        if isinstance(place, str):
            return place
        reasons = (
            (entry, self._reason(place.prefix + entry.name, entry, place))
            for entry in place.listed.entries
        )
        return [(entry, reason) for entry, reason in reasons if reason != _OUTSIDE]

    def _walk(self, first: WalkedFolder, budget: Budget) -> Iterator[VisitedPath]:
        self.left_out["name"] += first.listed.unreadable_names
        pending = [(first, iter(_in_path_order(first.listed.entries)))]
        while pending:
            place, left = pending[-1]
            for entry in left:
                path = place.prefix + entry.name
                reason = self._reason(path, entry, place)
                if entry.kind == "folder" and not reason:
                    budget.check()
                    inner = self._enter(path, entry.name, place)
                    if isinstance(inner, WalkedFolder):
                        pending.append((inner, iter(_in_path_order(inner.listed.entries))))
                        self.left_out["name"] += inner.listed.unreadable_names
                        break
                    reason = inner
                if reason != _OUTSIDE:
                    yield VisitedPath(path, reason, entry.key)
            else:
                pending.pop()

    def reason(self, path: str) -> str:
        """Why this path is excluded; empty if it is indexed, "missing" if there is no such file.

        Folders on the path are cached for the next call.
        """
        *folders, last = path.split("/")
        if self._sandbox.is_denied(path):
            return "missing" if self._sandbox.is_outside(path) else "denied"
        if not last or "" in folders:
            return "missing"
        place = self._folder_at(folders, by_name=True)
        return place if isinstance(place, str) else self._file_at(path, last, place)

    def _folder_at(self, folders: Sequence[str], *, by_name: bool = False) -> WalkedFolder | str:
        """The folder, or the reason why the walk does not reach it; `by_name`, without keys."""
        visited = self._named if by_name else self._visited
        list_folder = self._sandbox.list_names if by_name else self._sandbox.list_folder
        place = visited.get("") or visited.setdefault("", self._root(list_folder))
        at = ""
        for name in folders:
            if isinstance(place, str):
                return place
            at += name
            if at not in visited:
                visited[at] = self._enter_named(at, name, place, list_folder)
            place = visited[at]
            at += "/"
        return place

    def _enter_named(
        self, path: str, name: str, place: WalkedFolder, list_folder: ListFolder
    ) -> WalkedFolder | str:
        """A subfolder by name, or the reason why the walk does not enter it."""
        entry = _entry(place, name)
        if entry is None:
            return "missing"
        reason = self._reason(path, entry, place)
        if reason or entry.kind != "folder":
            return reason or "missing"
        return self._enter(path, name, place, list_folder)

    def _file_at(self, path: str, name: str, place: WalkedFolder) -> str:
        entry = _entry(place, name)
        if entry is None or entry.kind == "folder":
            return "missing"
        reason = self._reason(path, entry, place)
        if reason or entry.key is not None:
            return reason
        try:
            key = self._sandbox.file_key(path)
        except Problem as problem:  # others are for those who read it
            return "large" if problem.code == "file_too_large" else ""
        return self._file_reason(entry._replace(key=key))

    def _root(self, list_folder: ListFolder | None = None) -> WalkedFolder:
        """The root folder; raises a `Problem` if it can't be listed."""
        listed = (list_folder or self._sandbox.list_folder)("")
        ignore = IgnoreRules().with_rules(self._sandbox.read_rules(EXCLUDE_NAME))
        place = self._place(WalkedFolder("", listed, ignore, 0, b""))
        if _REPOSITORY_NAME not in listed and _all_ignored(place):
            # an exported tree: rules that ignore all of it were meant for another place
            rules = drop_match_all_rules(self._sandbox.read_rules(RULES_NAME))
            place = place._replace(ignore=ignore.with_rules(rules))
        # rules of the root come from a file outside the listing, too
        return place._replace(inherited=place.ignore.signature)

    def _enter(
        self,
        path: str,
        name: str,
        above: WalkedFolder,
        list_folder: ListFolder | None = None,
    ) -> WalkedFolder | str:
        """The folder, or the reason why it is excluded."""
        try:
            listed = (list_folder or self._sandbox.list_folder)(path)
        except Problem as problem:
            return self._place_of(path, name, above, problem)
        return self._place_of(path, name, above, listed)

    def _place_of(
        self, path: str, name: str, above: WalkedFolder, listed: Folder | Problem
    ) -> WalkedFolder | str:
        """The listed folder, or the reason why it is excluded."""
        if isinstance(listed, Problem):
            return _UNVISITED.get(listed.code, "unreadable")
        if listed.device != above.listed.device:
            return "mount"
        names = listed.columns.names
        place = WalkedFolder(
            f"{path}/", listed, above.ignore.below(name), above.depth + 1, above.ignore.signature
        )
        # a quick look, which is enough for most folders
        if not (_GIT_MARK in names or _ENVIRONMENT_MARK in names or _CACHE_MARK in names):
            return place
        if any(sign in listed for sign in FOREIGN_SIGNS):
            return "excluded"
        if _REPOSITORY_NAME in listed:
            place = place._replace(ignore=IgnoreRules())
        return self._place(place)

    def _place(self, found: WalkedFolder) -> WalkedFolder:
        """The folder with the rules of its own file."""
        rules = _entry(found, RULES_NAME) if RULES_NAME in found.listed else None
        if rules is None or rules.kind != "file":
            return found
        text = self._sandbox.read_rules(found.prefix + RULES_NAME)
        return found._replace(ignore=found.ignore.with_rules(text))

    def _reason(self, path: str, entry: FolderEntry, place: WalkedFolder) -> str:
        folder = entry.kind == "folder"
        if self._sandbox.is_denied(path, folder=folder):
            return _OUTSIDE if self._sandbox.is_outside(path) else "denied"
        if entry.kind in {"link", "other", "unreadable"}:
            return entry.kind
        if place.ignore.ignores(entry.name, folder=folder):
            return "ignored"
        if self._excluded and any(glob.matches(path) for glob in self._excluded):
            return "excluded"
        return _folder_reason(path, entry, place) if folder else self._file_reason(entry)

    def _file_reason(self, entry: FolderEntry) -> str:
        if entry.name.endswith(CERTIFICATE):
            return "excluded"
        if entry.key is None or entry.key.size <= self._max_bytes:
            return ""
        return "large" if entry.key.size > most_bytes_of(entry.name, self._max_bytes) else ""


# the folder was removed or replaced after its parent was listed
# the reason of entries outside of the part of a root that is served
_OUTSIDE: Final = "outside"
_UNVISITED: Final = dict.fromkeys(("not_found", "not_a_file", "path_invalid"), "vanished")


def _folder_reason(path: str, entry: FolderEntry, place: WalkedFolder) -> str:
    if entry.name in FOREIGN_FOLDERS:
        return "excluded"
    return "depth" if place.depth >= _MAX_DEPTH or len(path.encode()) > _MAX_PATH_BYTES else ""


def _count(reason: str, left_out: Counter[str]) -> None:
    """Count an entry that is left out, unless no answer tells that it is there."""
    if reason != _OUTSIDE:
        left_out[reason] += 1


def _all_ignored(place: WalkedFolder) -> bool:
    return all(
        place.ignore.ignores(entry.name, folder=entry.kind == "folder")
        for entry in place.listed.entries
    )


def _in_path_order(entries: Sequence[FolderEntry]) -> Iterable[FolderEntry]:
    """Entries in byte order of the paths below them: `a.c` before `a/b`."""
    if any(entry.kind == "folder" for entry in entries):
        return sorted(entries, key=_path_key)
    return entries


def _path_key(entry: FolderEntry) -> str:
    # without surrogates, strings compare as their bytes do
    return f"{entry.name}/" if entry.kind == "folder" else entry.name


def _entry(place: WalkedFolder, name: str) -> FolderEntry | None:
    entries = place.listed.entries
    at = bisect_left(entries, name, key=_name)
    return entries[at] if at < len(entries) and entries[at].name == name else None


def _name(entry: FolderEntry) -> str:
    return entry.name
