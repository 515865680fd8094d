"""The history of a checkout: its HEAD, the commits before it, and its other worktrees.

The files of `.git` say so; no program is started. A repository from elsewhere may have a `.git`
that names the folders of another one. So a folder outside of the checkout counts only if it names
the checkout in turn, as those of git's worktrees and submodules do, and names of commits are read
through no link. What can't be read ends the history there. That costs nothing but a publication
that is further away, or a file that is read from the checkout.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import translate
from itertools import chain, islice
from typing import Final

from repo_mcp.git.objects import GitObjects, content, is_own_folder
from repo_mcp.git.packs import DAMAGE

_HASH: Final = re.compile(r"[0-9a-f]{40}")
_REF: Final = re.compile(r"refs/[A-Za-z0-9._/@+-]{1,200}")
_PARENT: Final = re.compile(rb"^parent ([0-9a-f]{40})$", re.MULTILINE)
# where a submodule has its files
_SUBMODULE: Final = re.compile(rb"^[ \t]*worktree[ \t]*=[ \t]*(.+?)[ \t\r]*$", re.MULTILINE)
_EXTENSION: Final = re.compile(
    rb"^[ \t]*(objectformat|refstorage)[ \t]*=[ \t]*\"?([a-z0-9]+)\"?", re.MULTILINE
)
_PARTIAL: Final = re.compile(
    rb"^[ \t]*(promisor[ \t]*(=[ \t]*true|$)|partialclone(filter)?[ \t]*=)", re.MULTILINE
)
_UNREAD: Final = {
    (b"objectformat", b"sha256"): "its objects are named by SHA-256, and only SHA-1 is read",
    (b"refstorage", b"reftable"): "its branches are in a reftable, and only files are read",
}
_SMALL_BYTES: Final = 4096
_MAX_CONFIG_BYTES: Final = 64 << 10
_MAX_PACKED_REFS: Final = 64 << 20
_MAX_COMMIT_BYTES: Final = 1 << 20
# commits that are compared with the ancestors of HEAD, and how far back each is followed
_MOST_RELATIVES: Final = 64
_MOST_STEPS: Final = 1000
_MOST_WORKTREES: Final = 1000
# folders of branches, and how many names of a remote stand before that of a branch
_KINDS_OF_BRANCHES: Final = {"heads": 0, "remotes": 1}
# commits of the branches that are shown
_MOST_SHOWN: Final = 1 << 21


class BranchGlobs:
    """Tells branches by globs of their names, here and as remotes have them."""

    def __init__(self, globs: Sequence[str]) -> None:
        """Compile the globs."""
        self._matches = [re.compile(translate(glob)).match for glob in globs]

    def has(self, ref: str) -> bool:
        """True if a name below `refs/` is one of a branch."""
        for kind, steps in _KINDS_OF_BRANCHES.items():
            prefix = f"refs/{kind}/"
            if ref.startswith(prefix):
                branch = ref.removeprefix(prefix).split("/", steps)[-1]
                return any(matches(branch) for matches in self._matches)
        return False


class GitHistory:
    """The history of the checkout at a folder."""

    def __init__(self, root: str, branches: Sequence[str] | None = None) -> None:
        """Find the folders of `.git`; there may be none.

        With globs of `branches`, only commits of these are there for who asks by a name; with none
        at all, there is no history.
        """
        self._root = root
        self._branches = None if branches is None else BranchGlobs(branches)
        self._own = "" if branches is not None and not branches else git_folder(root)
        self._common = common_folder(self._own)
        self._objects = GitObjects(os.path.join(self._common, "objects"), _MAX_COMMIT_BYTES)
        # the last commits of branches that are shown, and all of their commits
        self._shown: tuple[tuple[str, ...], Collection[bytes]] = (), ()

    def open_objects(self, most: int, kept: int) -> GitObjects:
        """A reader of the repository's objects of up to `most` bytes, which remembers `kept`."""
        return GitObjects(os.path.join(self._common, "objects"), most, kept)

    @property
    def unread(self) -> str:
        """Why the history can't be read; empty if it can, or there is none."""
        if not self._common:
            return ""
        for name, value in _EXTENSION.findall(self.config().lower()):
            if (name, value) in _UNREAD:
                return _UNREAD[name, value]
        objects = os.path.join(self._common, "objects")
        if not all(map(is_own_folder, (objects, os.path.join(objects, "pack")))):
            return "its objects are behind a link, which is not followed"
        if content(os.path.join(objects, "info", "alternates"), _MAX_CONFIG_BYTES):
            return (
                "its objects are in another repository (objects/info/alternates), which is not"
                " read: `git repack -ad` copies them into this one"
            )
        return ""

    def config(self) -> bytes:
        """The settings of the repository itself; empty if they can't be read."""
        return content(os.path.join(self._common, "config"), _MAX_CONFIG_BYTES)

    @property
    def is_shallow(self) -> bool:
        """True if the repository has only the last commits of its history."""
        return bool(self._common and self.shallow_ends())

    @property
    def is_partial(self) -> bool:
        """True if the repository has not fetched all objects, and fetches others when needed."""
        if not self._common:
            return False
        if _PARTIAL.search(self.config().lower()):
            return True
        with suppress(OSError):
            folder = os.path.join(self._common, "objects", "pack")
            names = os.listdir(folder) if is_own_folder(folder) else []
            return any(name.endswith(".promisor") for name in names)
        return False

    def shallow_ends(self) -> bytes:
        """The file that says where a shallow clone ends; empty for others."""
        return content(os.path.join(self._common, "shallow"), _MAX_CONFIG_BYTES)

    @property
    def own(self) -> str:
        """The folder of this checkout alone; empty without one."""
        return self._own

    @property
    def common(self) -> str:
        """The folder that all worktrees of the repository have in common; empty without one."""
        return self._common

    def head(self) -> str:
        """The commit that is checked out; empty if that is not known."""
        if not self._own:
            return ""
        named = _text(os.path.join(self._own, "HEAD"))
        head = self._followed(named)
        if self._branches is None or self._branches.has(named.removeprefix("ref: ")):
            return head
        return head if self.shows(head) else ""

    def ref(self, name: str) -> str:
        """The hash that a name below `refs/` has; empty if there is none."""
        if not self._own or not _REF.fullmatch(name) or ".." in name:
            return ""
        return self._followed(self._ref(name))

    def shows(self, commit: str) -> bool:
        """True if a commit is one of the branches that are shown.

        All of these are read once and anew when a branch moves, so that it takes no longer to
        find that a commit is hidden than that it is not there.
        """
        if self._branches is None:
            return True
        tips = self._tips()
        if self._shown[0] != tips:
            commits = chain(tips, chain.from_iterable(map(self._before, tips)))
            self._shown = tips, frozenset(map(bytes.fromhex, islice(commits, _MOST_SHOWN)))
        return bool(commit) and bytes.fromhex(commit) in self._shown[1]

    def newest(self) -> str:
        """The commit that is checked out, or one of a branch that is shown; empty without one."""
        return self.head() or next(iter(self._tips()), "")

    def _tips(self) -> tuple[str, ...]:
        """The last commits of the branches that are shown, if not all are."""
        if self._branches is None or not self._own:
            return ()
        values = (self._followed(text) for name, text in self._refs() if self._branches.has(name))
        return tuple(sorted({value for value in values if value}))

    def _refs(self) -> Iterator[tuple[str, str]]:
        """All branches, here and of remotes, with what their names have."""
        packed = content(os.path.join(self._common, "packed-refs"), _MAX_PACKED_REFS)
        for line in packed.decode("utf-8", "replace").splitlines():
            value, _, name = line.partition(" ")
            if _HASH.fullmatch(value) and _REF.fullmatch(name):
                yield name, value
        for kind in _KINDS_OF_BRANCHES:
            top = os.path.join(self._common, "refs", kind)
            for folder, _, names in os.walk(top) if is_own_folder(top) else ():
                below = os.path.relpath(folder, self._common).replace(os.sep, "/")
                # a file has the branch as it is now, its line in the pack an older one
                yield from ((f"{below}/{name}", self._ref(f"{below}/{name}")) for name in names)

    def _followed(self, text: str) -> str:
        """The hash that a text is, or that the name in it leads to."""
        for _ in range(5):
            if _HASH.fullmatch(text):
                return text
            name = text.removeprefix("ref: ")
            if name == text or not _REF.fullmatch(name) or ".." in name:
                return ""
            text = self._ref(name)
        return ""

    def ancestors(self) -> Iterator[str]:
        """The commits before HEAD, the nearest first; reads as far as they are asked for."""
        return self._before(self.head())

    def relatives(self, commits: Iterable[str]) -> list[str]:
        """Those of these commits that have an ancestor in common with HEAD, the nearest first.

        As near as both are to that ancestor, together.
        """
        head, candidates = self.head(), list(islice(commits, _MOST_RELATIVES))
        if not head or not candidates:
            return []
        ranks = {item: rank for rank, item in enumerate(islice(self.ancestors(), _MOST_STEPS), 1)}
        ranks[head] = 0
        found = []
        for item in candidates:
            line = chain([item], islice(self._before(item), _MOST_STEPS))
            steps = next((n + ranks[at] for n, at in enumerate(line) if at in ranks), None)
            if steps is not None:
                found.append((steps, item))
        return [item for _, item in sorted(found)]

    def worktrees(self) -> Iterator[str]:
        """The folders of the repository's other worktrees, the first one first.

        A folder is a worktree only if it says so itself, and this one only if the repository does:
        a repository from elsewhere may name any folder.
        """
        marks = [os.path.realpath(git) for git in islice(self._git_marks(), _MOST_WORKTREES)]
        own = os.path.realpath(os.path.join(self._root, ".git"))
        for git in marks if own in marks else ():
            folder, mark = os.path.split(git)
            if git != own and mark == ".git" and GitHistory(folder).common == self.common:
                yield folder

    def _git_marks(self) -> Iterator[str]:
        """The entry `.git` of each worktree."""
        if not self._common:
            return
        yield self._common
        folder = os.path.join(self._common, "worktrees")
        with suppress(OSError):
            for name in sorted(os.listdir(folder)):
                told = _text(os.path.join(folder, name, "gitdir"))
                if told:  # relative to the folder that has the file, where git writes it so
                    yield os.path.normpath(os.path.join(folder, name, told))

    def has(self, commit: str) -> bool:
        """True if the commit is one of this repository."""
        try:
            return self._objects.read(commit).kind == "commit"
        except DAMAGE:
            return False

    def _before(self, commit: str) -> Iterator[str]:
        seen, waiting = {commit}, deque([commit] if commit else [])
        while waiting:
            for parent in self._parents(waiting.popleft()):
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
                    yield parent

    def _ref(self, name: str) -> str:
        for folder in (self._own, self._common):
            path = os.path.join(folder, *name.split("/"))
            text = _text(path) if os.path.realpath(path) == path else ""
            if text:
                return text
        packed = content(os.path.join(self._common, "packed-refs"), _MAX_PACKED_REFS)
        at = packed.find(f" {name}\n".encode())
        found = packed[max(at - 40, 0) : max(at, 0)].decode("latin-1")
        return found if _HASH.fullmatch(found) and packed[at - 41 : at - 40] in {b"", b"\n"} else ""

    def _parents(self, commit: str) -> list[str]:
        try:
            found = self._objects.read(commit)
        except DAMAGE:
            return []
        if found.kind != "commit":
            return []
        return [parent.decode() for parent in _PARENT.findall(found.data.partition(b"\n\n")[0])]


def git_folder(root: str) -> str:
    """The folder of a checkout's `.git`, with all links resolved; empty if it has none."""
    path = os.path.join(os.path.realpath(root), ".git")
    if os.path.isdir(path) and not os.path.islink(path):
        return path
    named = _text(path)
    folder = named.removeprefix("gitdir: ")
    folder = os.path.realpath(os.path.join(root, folder)) if folder != named else ""
    return folder if folder and (_is_below(folder, path) or _names_back(folder, path)) else ""


def common_folder(own: str) -> str:
    """The folder that a checkout's own one has in common with those of other worktrees."""
    named = _text(os.path.join(own, "commondir")) if own else ""
    if not named:
        return own
    common = os.path.realpath(os.path.join(own, named))
    return common if os.path.dirname(own) == os.path.join(common, "worktrees") else own


def _names_back(folder: str, mark: str) -> bool:
    """True for a folder outside of a checkout that names the checkout with this `.git`."""
    worktree = _text(os.path.join(folder, "gitdir"))
    if worktree:
        return os.path.realpath(os.path.join(folder, worktree)) == mark
    found = _SUBMODULE.search(content(os.path.join(folder, "config"), _MAX_CONFIG_BYTES))
    named = os.fsdecode(found[1]) if found and b"\0" not in found[1] else ""
    return bool(named) and os.path.realpath(os.path.join(folder, named)) == os.path.dirname(mark)


def _is_below(folder: str, mark: str) -> bool:
    return folder.startswith(os.path.join(os.path.dirname(mark), ""))


def _text(path: str) -> str:
    """The text of a small file that names something; no name has a zero byte."""
    text = content(path, _SMALL_BYTES).decode("utf-8", "replace").strip()
    return "" if "\0" in text else text
