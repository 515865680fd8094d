"""Shows the linker one snapshot of the text index, and one of the index of code."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Final, NamedTuple

import xxhash

from index_format import Snapshot
from repo_mcp.graph.index.code_files import CodeFiles
from repo_mcp.graph.index.listing import list_files
from repo_mcp.graph.recent import RecentValues
from repo_mcp.graph.scip.occurrences import ScipIndex
from repo_mcp.languages.code import Code
from repo_mcp.languages.facts import FULL, PARTIAL, DamagedFactsError, Facts, decode
from repo_mcp.stored import BODY, FACTS, SYMBOL
from repo_mcp.text.words import folded

# extensions of the languages whose files find names without importing files
_ENDINGS: Final = {
    "csharp": (".cs", ".csx"),
    "java": (".java",),
    "go": (".go",),
    "c": (".c", ".h", ".inc"),
    "cpp": (".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".h", ".ipp", ".inl"),
    "rust": (".rs",),
    "swift": (".swift",),
}
# what follows a name where the interfaces that declare or embed it are meant
_WITH_MEMBER: Final = " interface"
_EMBEDDING: Final = " embedded"
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
        scip: ScipIndex | None = None,
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
        """All facts of a file; None if there are none, or none that can be read."""
        return self._facts.get(path, self._decode_facts)

    def code(self, path: str) -> Code | None:
        """The code of a file; None without, or if it is not of the same text as the facts."""
        facts = self.facts(path)
        if facts is None or facts.status not in {FULL, PARTIAL} or path in self._missing:
            return None
        found = self._code.code(path)
        counts = len(facts.declarations), len(facts.imports)
        return found.code if found is not None and found[1:] == counts else None

    @property
    def is_complete(self) -> bool:
        """Whether no file's code is missing."""
        return not self._missing

    @property
    def generations(self) -> TreeGenerations:
        """What the tree is of."""
        return TreeGenerations(
            self.snapshot.generation, self._code.generation, self.answers_print.hex()
        )

    @cached_property
    def _missing(self) -> Collection[str]:
        """Paths of files whose code is missing."""
        return frozenset(self._code.changes(self.snapshot).changed)

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of what a file is linked from; empty for a file without facts."""
        return self.files.get(path.encode("utf-8", "surrogatepass"), b"")

    def manifests(self) -> Mapping[str, str]:
        """The texts of manifests by path."""
        return self._manifests

    def declared(self, language: str, name: str) -> Collection[str]:
        """Paths of files that may declare a name for all files of a language.

        Found by the words of the text index: some of them declare another name of equal letters.
        """
        endings = _ENDINGS.get(language, ())
        folder, has_folder, _ = name.partition("\0")
        if has_folder:
            found = self._by_folder.get(folder, [])
        elif name.endswith((_WITH_MEMBER, _EMBEDDING)):  # interfaces by what is in them
            word, _, ending = name.partition(" ")
            found = self._holding(SYMBOL if ending == _WITH_MEMBER[1:] else BODY, word)
            interfaces = set(self._holding(BODY, "interface"))
            found = [path for path in found if path in interfaces]
        elif " " in name:  # not a name of the language: what is written with this word
            found = self._holding(BODY, name.partition(" ")[0])
        else:
            found = self._holding(SYMBOL, name.rpartition(".")[2])
        return [path for path in found if path.endswith(endings)]

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.paths():
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    def _holding(self, field: str, word: str) -> list[str]:
        """The paths of live files with a word in a field, in order."""
        number = self.snapshot.schema.number(field)
        if number is None:
            return []
        term = folded(word).encode("utf-8", "surrogatepass")
        paths: set[str] = set()
        for item in self.snapshot.postings(number, term):
            files = item.segment.reader.files
            numbers = {files.file_of(chunk) for chunk in item.postings.all()[0].tolist()}
            for file in numbers - item.segment.dead_files:
                paths.add(files.path(file).decode("utf-8", "surrogatepass"))
        return sorted(paths)

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
        found = xxhash.xxh3_128(self.answers_print)
        for path, fingerprint in sorted(self.files.items()):
            found.update(len(path).to_bytes(4, "little") + path + fingerprint)
        return found.hexdigest()

    @cached_property
    def answers_print(self) -> bytes:
        """A hash of all that paths and manifests answer: equal ones give equal answers."""
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
            return decode(data) if data else None
        except DamagedFactsError:
            return None


def _marked(fingerprint: bytes) -> bytes:
    """The fingerprint of a file that is linked without its code."""
    return xxhash.xxh3_128_digest(b"without code" + fingerprint)


def _without_code(_: str) -> bool:
    return False
