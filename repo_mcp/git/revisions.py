"""Names of commits: hashes and their beginnings, branches, tags, and steps back from them."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

from repo_mcp.git.commits import read_commit
from repo_mcp.git.history import GitHistory
from repo_mcp.git.objects import GitObjects
from repo_mcp.git.packs import DAMAGE

_NAME: Final = re.compile(r"(?P<name>[^~^:\s]{1,250}?)(?P<steps>(?:~\d{0,6}|\^\d{0,2})*)")
_STEP: Final = re.compile(r"([~^])(\d*)")
_HASH: Final = re.compile(r"[0-9a-f]{4,40}")
_FULL_HASH: Final = 40
# where a name is looked for, as git does
_PLACES: Final = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}")
_REMOTE_HEAD: Final = "refs/remotes/{}/HEAD"
_TAGGED: Final = re.compile(rb"\Aobject ([0-9a-f]{40})\n")
_MOST_TAGS: Final = 5
# hashes with the same beginning that are looked at
_MOST_ALIKE: Final = 20


class RevisionError(ValueError):
    """A name that is of no commit, with the reason."""


class Revisions:
    """Finds commits of a repository by names."""

    def __init__(self, history: GitHistory, objects: GitObjects) -> None:
        """Keep the arguments; reads nothing."""
        self._history = history
        self._objects = objects

    def find(self, name: str) -> bytes:
        """The hash of the commit with this name; raises `RevisionError`."""
        parsed = _NAME.fullmatch(name.strip())
        if parsed is None:
            msg = f"{name!r} is no revision: a hash, a branch, a tag, or one with ~2 or ^"
            raise RevisionError(msg)
        found = self._commit_of(parsed["name"])
        if not self._history.shows(found.hex()):
            raise self._unknown(parsed["name"])
        for sign, digits in _STEP.findall(parsed["steps"]):
            found = self._step(found, sign, digits, name)
        return found

    def _step(self, commit: bytes, sign: str, digits: str, name: str) -> bytes:
        count = int(digits) if digits else 1
        if sign == "^":
            return self._parent(commit, count, name) if count else commit
        for _ in range(count):
            commit = self._parent(commit, 1, name)
        return commit

    def _parent(self, commit: bytes, number: int, name: str) -> bytes:
        with suppress(*DAMAGE):
            found = read_commit(self._objects, commit)
            if found is not None and number <= len(found.parents):
                return found.parents[number - 1]
        msg = f"{name!r} goes back before the first commit that is there"
        raise RevisionError(msg)

    def _commit_of(self, name: str) -> bytes:
        if name in {"@", "HEAD"}:
            found = self._history.head()
        elif _HASH.fullmatch(name) and len(name) == _FULL_HASH:
            found = name
        else:
            found = next(filter(None, map(self._ref, _places_of(name))), "")
        peeled = self._peeled(bytes.fromhex(found)) if found else None
        if peeled is not None:
            return peeled
        return self._abbreviated(name)

    def _unknown(self, name: str) -> RevisionError:
        """The error for a commit that is not there, and in the same time for a hidden one."""
        self._history.shows("")
        return RevisionError(f"no branch, tag or commit is named {name!r}")

    def _ref(self, name: str) -> str:
        return self._history.ref(name)

    def _peeled(self, identity: bytes) -> bytes | None:
        """The commit that a hash is of, or that a tag of this hash names."""
        with suppress(*DAMAGE):
            for _ in range(_MOST_TAGS):
                found = self._objects.get(identity)
                if found.kind == "commit":
                    return identity
                tagged = _TAGGED.match(found.data) if found.kind == "tag" else None
                if tagged is None:
                    return None
                identity = bytes.fromhex(tagged[1].decode())
        return None

    def _abbreviated(self, name: str) -> bytes:
        if ".." in name:
            msg = f"{name!r} is a range of commits, and one commit is asked for"
            raise RevisionError(msg)
        if not _HASH.fullmatch(name):
            raise self._unknown(name)
        found: list[bytes] = []
        with suppress(*DAMAGE):
            alike = self._objects.beginning(name, _MOST_ALIKE)
            peeled = (self._peeled(bytes.fromhex(item)) for item in alike)
            commits = [item for item in dict.fromkeys(peeled) if item is not None]
            found = [commit for commit in commits if self._history.shows(commit.hex())]
        if len(found) == 1:
            return found[0]
        if not found:
            raise self._unknown(name)
        several = ", ".join(item.hex()[:12] for item in found[:5])
        msg = f"{name!r} is the beginning of several commits: {several}"
        raise RevisionError(msg)


def _places_of(name: str) -> list[str]:
    return [place.format(name) for place in (*_PLACES, _REMOTE_HEAD)]
