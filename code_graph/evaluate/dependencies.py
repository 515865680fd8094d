"""Keys of dependencies: facts about other files that a linked file relies on.

A key stands for one fact: the meaning of a name in a scope of a file, the results of a function,
whether a path exists. Files export a hash for each fact about them; a fact that no file has, such
as a name that is not declared, has a key too.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import xxhash

from code_graph.projects.tree import FILE_KEY, FOLDER_KEY

_BITS: Final = (1 << 64) - 1


def name_key(path: str, scope: str, name: str) -> int:
    """The key of the meanings of a name in a module or class of a file."""
    return _key("name", path, scope, name)


def body_key(path: str, scope: str) -> int:
    """The key of the effects and results of a function of a file."""
    return _key("body", path, scope, "")


def names_key(path: str) -> int:
    """The key of the names that a file exports to `import *`."""
    return _key("names", path, "", "")


def imports_key(path: str) -> int:
    """The key of the imports of a file, for files that see them through it."""
    return _key("imports", path, "", "")


def export_key(path: str, name: str) -> int:
    """The key of the exports of a module under a name."""
    return _key("export", path, "", name)


def table_key(text: str) -> int:
    """The key of an entry of a table of the repository's projects."""
    return _key("answer", text, "", "")


def dependency_of(note: str) -> tuple[str, int]:
    """The path or table entry of a note of a `Probe`, and its key."""
    if note.startswith(FILE_KEY):
        path = note[len(FILE_KEY) :]
        return path, path_key(path)
    if note.startswith(FOLDER_KEY):
        path = note[len(FOLDER_KEY) :]
        return path, path_key(f"{path}/")
    return note, table_key(note)


def path_key(path: str) -> int:
    """The key of the existence of a file or folder."""
    return _key("path", path, "", "")


def language_key(language: str, name: str) -> int:
    """The key of the files of a language that declare a name for all others."""
    return _key("language", language, "", name)


def symbol_key(symbol: str) -> int:
    """The key of the declaration of a symbol that a SCIP index names."""
    return _key("symbol", symbol, "", "")


def text_hash(*parts: object) -> int:
    """A hash of values that are equal in every process."""
    return xxhash.xxh3_64_intdigest(repr(parts).encode("utf-8", "surrogatepass")) & _BITS


@lru_cache(1 << 16)
def _key(kind: str, path: str, scope: str, name: str) -> int:
    text = f"{kind}\0{path}\0{scope}\0{name}"
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) & _BITS
