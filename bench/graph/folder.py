"""Links every file of a folder with the product's linker, without an index."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from code_graph import PROSE, GraphLinker, Languages, SourceTree
from code_graph.facts import Facts
from code_graph.model import LinkedFile
from code_graph.projects.source import is_manifest


class FolderTree(SourceTree):
    """The files of a folder that have a language, parsed when they are asked for."""

    def __init__(self, root: Path, languages: Collection[str] = ()) -> None:
        """Files of these languages alone, if there are any."""
        known = Languages()
        self._sizes: dict[str, int] = {}
        texts = {}
        for file in root.rglob("*"):
            path = file.relative_to(root).as_posix()
            language = known.language_of(path)
            is_code = language in languages if languages else language and language not in PROSE
            if (is_code or is_manifest(path)) and file.is_file():
                data = file.read_bytes()
                self._sizes[path] = len(data)
                texts[path] = data.decode("utf-8", "replace")
        super().__init__(texts, known)

    def size(self, path: str) -> int:
        """The length of a file in bytes."""
        return self._sizes[path]


def linked(root: Path) -> tuple[Iterable[LinkedFile], Mapping[str, Facts]]:
    """All files of a folder, linked in the order of their paths, and their facts."""
    tree = FolderTree(root)
    linker = GraphLinker(tree)
    files = [linker.link(path) for path in tree.paths()]
    facts = {path: tree.facts(path) for path in tree.paths()}
    return files, {path: found for path, found in facts.items() if found is not None}
