"""The files of a tree that builds read, through the sandbox; each is read once for an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from code_graph.conditions.branches import Directive, conditions_of
from code_graph.recent import RecentValues
from index_format.analysis.content import fingerprint
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.files import decode

# bytes of text that are read for one answer, and included files that are followed for it: about
# half a second of work each
_MOST_TEXT: Final = 8_000_000
_MOST_INCLUDED: Final = 3_000
# files whose directives are remembered
_MOST_KNOWN: Final = 2_000
# files that are read in one go
_AT_ONCE: Final = 256
_C: Final = "code_graph.conditions.directives:read_directives"


# directives by what reads them and the fingerprint of a file, for the answers that come
KnownDirectives = RecentValues[tuple[str, bytes], Sequence[Directive]]


def known_directives() -> KnownDirectives:
    """Directives of no file yet."""
    return KnownDirectives(_MOST_KNOWN)


class SandboxFiles:
    """The files of one answer."""

    def __init__(self, sandbox: Sandbox, known: KnownDirectives) -> None:
        """Nothing is read yet."""
        self._sandbox = sandbox
        self._known = known
        self._texts: dict[str, str | None] = {}
        self._fingerprints: dict[str, bytes] = {}
        self._left = _MOST_TEXT
        self._included = 0
        # true once a file was not read, as too many were
        self.is_cut = False

    def text(self, path: str) -> str | None:
        """The text of a file; None if it can't be read."""
        if path not in self._texts and self._left < 0:
            self.is_cut = True
            return None
        if path not in self._texts:
            text = None
            with suppress(Problem):
                data = self._sandbox.read(path).data
                text = decode(data)
                self._fingerprints[path] = fingerprint(data)
            self._texts[path] = None if text is None else text.content
            self._left -= 0 if text is None else len(text.content)
        return self._texts[path]

    def texts_with(self, paths: Iterable[str], mark: bytes) -> Iterator[tuple[str, str]]:
        """The texts of those of many files whose bytes have a mark; none of them is kept."""
        waiting = iter(paths)
        while batch := [*islice(waiting, _AT_ONCE)]:
            for path, content in zip(batch, self._sandbox.read_plain(batch), strict=True):
                if content is not None and mark in content.data:
                    text = decode(content.data)
                    yield path, "" if text is None else text.content

    def names(self, folder: str) -> Sequence[str]:
        """The names in a folder; none of one that can't be listed."""
        try:
            return [entry.name for entry in self._sandbox.list_names(folder).entries]
        except Problem:
            return ()

    def conditions(self, path: str, reader: str) -> Sequence[Directive] | None:
        """The directives of a file, by the function that its language names; None if unread."""
        text = self.text(path)
        if text is None:
            return None
        key = reader, self._fingerprints[path]
        return self._known.get(key, lambda _: conditions_of(text, path, reader))

    def directives(self, path: str) -> Sequence[Directive] | None:
        """The directives of a file of C; None if it is not there, or too many were read."""
        self._included += 1
        if self._included > _MOST_INCLUDED:
            return None
        return self.conditions(path, _C)
