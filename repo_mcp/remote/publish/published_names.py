"""The names by which publications of a store are known: labels, and commits by their hashes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.remote.objects.contract import ObjectReader
from repo_mcp.remote.publish import names
from repo_mcp.remote.publish.notes import PublicationNote, commit_place, read_label, read_note
from repo_mcp.remote.publish.signing import check_public_keys

_SHOWN: Final = 12
_MOST_NAMED: Final = 12
_LEAST_HASH: Final = 7
_HASH_DIGITS: Final = frozenset("0123456789abcdef")


class PublishedNames:
    """Finds publications by their names; with globs of labels, only what such a label names."""

    def __init__(
        self,
        store: ObjectReader,
        signature: str,
        trust: Sequence[str] = (),
        globs: Sequence[str] | None = None,
    ) -> None:
        """Keep the arguments; of several publications of a commit that of `signature` is taken."""
        check_public_keys(trust)
        self._store = store
        self._signature = signature
        self._trust = trust
        self._globs = globs

    def find(self, name: str) -> str:
        """The publication of a label, or of a commit by 7 digits of its hash or more.

        Raises a `Problem` for a name of none, which tells some that there are.
        """
        if self._is_shown(name):
            with suppress(Problem):  # it need not be a label
                names.check_label(name)
                if read_note(self._store, names.label(name)) is not None:
                    return self._of_label(name)
        found = dict(self._of_hash(name)) if self._is_hash(name) else {}
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            several = " and ".join(commit[:_SHOWN] for commit in islice(found, 2))
            raise Problem("argument_invalid", f"{name} is the beginning of {several}")
        raise Problem("argument_invalid", f"nothing is published as {name!r}{self._listed()}")

    @staticmethod
    def _is_hash(name: str) -> bool:
        return len(name) >= _LEAST_HASH and set(name) <= _HASH_DIGITS

    def _is_shown(self, label: str) -> bool:
        globs = self._globs
        return globs is None or any(fnmatchcase(label, glob) for glob in globs)

    def _of_label(self, label: str) -> str:
        return read_label(self._store, label, self._trust, lambda _: 0).publication

    def _labels(self) -> Iterator[str]:
        """The labels that are shown, if the store tells them."""
        rows = self._store.rows(names.LABELS) if self._store.lists else ()
        return filter(self._is_shown, sorted(label_in(row.name) for row in rows))

    def _of_hash(self, name: str) -> Iterator[tuple[str, str]]:
        """Commits with such a hash, each with its publication; that of the signature comes last."""
        if self._store.lists:
            found = {row.name for row in self._store.rows(names.COMMITS)}
        else:
            found = {names.commit(self._signature, name)} if names.is_commit(name) else set()
        own = f"{names.commits(self._signature)}/"
        wanted = [path for path in found if names.stem(path).startswith(name)]
        shown = None if self._globs is None else {self._of_label(it) for it in self._labels()}
        for path in sorted(wanted, key=lambda path: (path.startswith(own), path)):
            note = read_note(self._store, path)
            if note is None or not self._is_trusted(note, path):
                continue
            if shown is None or note.publication in shown:
                yield names.stem(path), note.publication

    def _is_trusted(self, note: PublicationNote, path: str) -> bool:
        signature = path.split("/")[-2]
        place = commit_place(signature, names.stem(path))
        return not self._trust or note.is_by(self._trust, place)

    def _listed(self) -> str:
        """Labels and commits that there are."""
        if not self._store.lists:
            return ": name a label, or a whole hash, since a web server lists none"
        kinds: Mapping[str, Sequence[str]] = {
            "labels": [*self._labels()],
            "commits": sorted({commit[:_SHOWN] for commit, _ in self._of_hash("")}),
        }
        return "".join(
            f"; {kind}: {', '.join(listed[:_MOST_NAMED])}"
            + (f" and {len(listed) - _MOST_NAMED} more" if len(listed) > _MOST_NAMED else "")
            for kind, listed in kinds.items()
            if listed
        )


def label_in(name: str) -> str:
    """The label of an object's name, which may have dots."""
    return name.rpartition("/")[2].removesuffix(".json")
