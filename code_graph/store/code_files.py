"""The symbolic code of files in a snapshot of its index, and which files of a text have it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import cached_property
from typing import Final

import numpy as np

from code_graph.evaluate.dependencies import language_key
from code_graph.expressions import Code, FileCode
from code_graph.expressions.wire import DamagedCodeError, decode_code
from code_graph.facts import FULL, PARTIAL, Facts
from code_graph.store.listing import Choice, FileChanges, compare_files, list_files
from code_graph.store.schema import CODE, CODE_SCHEMA, FACTS, SHARED
from code_graph.store.terms import ID_BYTES, id_term
from index_format import CorruptIndexError, Snapshot

# lookups by which it pays to have read all keys: a link of few files does with less
_LOOKUPS_BEFORE_KEYS: Final = 2_000
_KEY: Final = np.dtype(f">u{ID_BYTES}")
_SHARED = CODE_SCHEMA.number(SHARED) or 0


class CodeFiles:
    """A generation of the index of code; None stands for an empty index."""

    def __init__(self, snapshot: Snapshot | None, choice: Choice) -> None:
        """`choice` says by its path whether a file has code."""
        self.snapshot = snapshot
        self._choice = choice
        self._lookups = 0

    @property
    def generation(self) -> int:
        """The number of the generation."""
        return 0 if self.snapshot is None else self.snapshot.generation

    def code(self, path: str) -> FileCode | None:
        """The code of a file; None if there is none, or none that can be read."""
        data = b"" if self.snapshot is None else self.snapshot.attachment(path, CODE)
        try:
            return decode_code(data) if data else None
        except DamagedCodeError:
            return None

    def sharing(self, language: str, name: str) -> list[str]:
        """The paths of files of a language that share a name, as far as the index tells."""
        paths: set[bytes] = set()
        key = language_key(language, name)
        if self.snapshot is not None and self._is_shared(key):
            for item in self.snapshot.postings(_SHARED, id_term(key)):
                files = item.segment.reader.files
                numbers = {files.file_of(chunk) for chunk in item.postings.all()[0].tolist()}
                paths.update(map(files.paths.path, numbers - item.segment.dead_files))
        return [path.decode("utf-8", "surrogatepass") for path in paths]

    def _is_shared(self, key: int) -> bool:
        """False if surely no file shares a name, as for most local names."""
        self._lookups += 1
        if self._lookups < _LOOKUPS_BEFORE_KEYS:
            return True
        keys = self._keys
        at = bisect_left(keys, key)
        return at < len(keys) and keys[at] == key

    @cached_property
    def _keys(self) -> memoryview:
        """The keys of all names that files share, ascending: 8 bytes for each."""
        parts = [np.zeros(0, dtype=_KEY)]
        for segment in () if self.snapshot is None else self.snapshot.segments:
            for _, text, _ in segment.reader.field(_SHARED).terms.joined():
                if len(text) % _KEY.itemsize:
                    at = segment.entry.name
                    raise CorruptIndexError(at, "names", 0, f"{len(text)} bytes", "keys of 8 bytes")
                parts.append(np.frombuffer(text, dtype=_KEY))
        return np.sort(np.concatenate(parts).astype(np.uint64)).data

    def changes(self, text: Snapshot) -> FileChanges:
        """The files to parse and to remove for the code of this text."""
        parsed = {} if self.snapshot is None else list_files(self.snapshot, CODE)
        return compare_files(parsed, self.wanted(text))

    def wanted(self, text: Snapshot) -> Mapping[bytes, bytes]:
        """Fingerprints by path of the files of a text that have code."""
        return list_files(text, FACTS, self._choice)


def code_of(facts: Facts, found: FileCode | None) -> Code | None:
    """The code that belongs to facts; None without, or if it is not of the same text."""
    counts = len(facts.declarations), len(facts.imports)
    if found is None or found[1:] != counts or facts.status not in {FULL, PARTIAL}:
        return None
    return found.code
