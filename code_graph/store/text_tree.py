"""Shows the linker one snapshot of the text index, and one of the index of code."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Final

import xxhash

from code_graph.evaluate.dependencies import language_key
from code_graph.expressions import Code
from code_graph.facts import DamagedFactsError, Facts, declarations_of, decode_for_linking
from code_graph.recent import RecentValues
from code_graph.scip.occurrences import ScipOccurrences
from code_graph.store.code_files import CodeFiles, code_of
from code_graph.store.listing import list_files
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.tuples import NamedTuple

# files whose facts are kept decoded; a linker keeps what it made of them
_REMEMBERED: Final = 256


class TreeGenerations(NamedTuple):
    """The generations of the indexes of text and code.

    `answers` is a hash of paths and manifests, which each process reads itself.
    """

    text: int
    code: int
    answers: str


class TextTree:
    """The files of a snapshot that have facts.

    One whose code is missing, since it has changed after the snapshot, has another fingerprint than
    there: it is linked without, and again when its code is there.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        manifests: Mapping[str, str] | None = None,
        code: CodeFiles | None = None,
        scip: ScipOccurrences | None = None,
    ) -> None:
        """Nothing is read yet; manifests' texts and imported indexes are not in a snapshot."""
        self.scip = scip
        self.snapshot = snapshot
        self._code = code or CodeFiles(None, _without_code)
        self._manifests = {} if manifests is None else manifests
        self._files: Mapping[bytes, bytes] | None = None
        self._paths: dict[str, None] | None = None
        self._facts: RecentValues[str, Facts | None] = RecentValues(_REMEMBERED)

    def paths(self) -> Collection[str]:
        """The paths of all files with facts, in order."""
        if self._paths is None:
            paths = (path.decode("utf-8", "surrogatepass") for path in sorted(self.files))
            self._paths = dict.fromkeys(paths)
        return self._paths.keys()

    def facts(self, path: str) -> Facts | None:
        """The facts of a file for linking; None if there are none, or none that can be read."""
        return self._facts.get(path, self._decode_facts)

    def declarations(self, path: str) -> bytes:
        """The declarations of a file as they are stored; empty if they can't be read."""
        if self.facts(path) is None:
            return b""
        return declarations_of(self.snapshot.attachment(path, FACTS))

    def code(self, path: str) -> Code | None:
        """The code of a file; None without, or if it is not of the same text as the facts."""
        facts = self.facts(path)
        if facts is None or path in self._missing:
            return None
        return code_of(facts, self._code.code(path))

    @property
    def is_complete(self) -> bool:
        """True if no file's code is missing."""
        return not self._missing

    @property
    def generations(self) -> TreeGenerations:
        """The generations that the tree was read from."""
        return TreeGenerations(
            self.snapshot.generation, self._code.generation, self.projects_fingerprint.hex()
        )

    @cached_property
    def _missing(self) -> Collection[str]:
        """Paths of files whose code is missing."""
        return frozenset(self._code.changes(self.snapshot).changed)

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of the input of linking; empty for a file without facts."""
        return self.files.get(path.encode("utf-8", "surrogatepass"), b"")

    def manifests(self) -> Mapping[str, str]:
        """The texts of manifests by path."""
        return self._manifests

    def declared(self, language: str, name: str) -> Collection[str]:
        """Paths of files of a language that share a name."""
        found = self._code.sharing(language, name)
        if self._missing:
            key = language_key(language, name)
            found = [path for path in found if path not in self._missing]
            found += [path for path, keys in self._shared_without_code.items() if key in keys]
        return sorted(found)

    @cached_property
    def _shared_without_code(self) -> dict[str, frozenset[int]]:
        """Keys of the names that files share whose code is missing."""
        if not self._missing:
            return {}
        from code_graph.link.shared_names import keys_of  # noqa: PLC0415 loads all rules

        return {
            path: frozenset(keys_of(path, facts, None))
            for path in sorted(self._missing)
            if (facts := self.facts(path)) is not None
        }

    def last_line(self, path: str) -> int:
        """The number of a file's last line; 0 for an empty file."""
        file = self.snapshot.file(path)
        if file is None or file.first_chunk == file.last_chunk:
            return 0
        return self.snapshot.lines_of(file.last_chunk - 1)[1]

    @property
    def files(self) -> Mapping[bytes, bytes]:
        """Fingerprints of all files with facts by their paths."""
        if self._files is None:
            self._files = list_files(self.snapshot, FACTS)
            if self._missing:
                missing = [path.encode("utf-8", "surrogatepass") for path in self._missing]
                marked = {path: _marked(self._files[path]) for path in missing}
                self._files = {**self._files, **marked}
        return self._files

    def digest(self) -> str:
        """A hash of all files with facts and their content, and of the manifests."""
        found = xxhash.xxh3_128(self.projects_fingerprint)
        for path, fingerprint in sorted(self.files.items()):
            found.update(len(path).to_bytes(4, "little") + path + fingerprint)
        return found.hexdigest()

    @cached_property
    def projects_fingerprint(self) -> bytes:
        """A hash of all paths and manifests: equal ones give equal exports."""
        # no path has a NUL
        found = xxhash.xxh3_128(b"\0".join(sorted(self.files)))
        for name, text in sorted(self._manifests.items()):
            for part in (name, text):
                data = part.encode("utf-8", "surrogatepass")
                found.update(len(data).to_bytes(8, "little") + data)
        return found.digest()

    def _decode_facts(self, path: str) -> Facts | None:
        data = self.snapshot.attachment(path, FACTS)
        try:
            return decode_for_linking(data) if data else None
        except DamagedFactsError:
            return None


def _marked(fingerprint: bytes) -> bytes:
    """The fingerprint of a file that is linked without its code."""
    return xxhash.xxh3_128_digest(b"without code" + fingerprint)


def _without_code(_: str) -> bool:
    return False
