"""Adapter for prose: each section is a declaration, and chunks begin at headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Final

from code_graph.adapter import Adapter
from code_graph.facts.model import Declaration, Facts
from code_graph.prose import asciidoc, html, markdown, rst
from code_graph.prose.notebook import markdown_rows
from code_graph.prose.sections import declarations
from index_format.analysis.content import lines
from index_format.records import replace

_Preparation = Callable[[Sequence[str]], Sequence[str]]

# raise it when equal text gives other sections
VERSION: Final = 3
# the module that finds headings, the extensions, and what takes the text out of the lines
_READERS: Final[dict[str, tuple[ModuleType, tuple[str, ...], _Preparation | None]]] = {
    "asciidoc": (asciidoc, (".adoc", ".asciidoc"), None),
    "html": (html, (".htm", ".html", ".xhtml"), None),
    "markdown": (markdown, (".md", ".markdown", ".mdx"), None),
    "notebook": (markdown, (".ipynb",), markdown_rows),
    "rst": (rst, (".rst", ".rest"), None),
}
# quoted or marked as code, and so meant literally
_QUOTED: Final = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|\u201c([^\u201d\n]+)\u201d")


def adapter(language: str) -> Adapter:
    """The adapter of a markup language."""
    reader, extensions, prepare = _READERS[language]
    return _Prose(language, reader, extensions, prepare)


class _Prose:
    """Adapter of one markup language."""

    version = VERSION

    def __init__(
        self,
        name: str,
        reader: ModuleType,
        extensions: tuple[str, ...],
        prepare: _Preparation | None,
    ) -> None:
        self.name = name
        self._prepare = prepare
        self._reader = reader
        self._extensions = extensions

    def supports_path(self, path: str) -> bool:
        """True if the file has one of the language's extensions, in any letter case."""
        return path.lower().endswith(self._extensions)

    def outline(self, path: str, text: str) -> Sequence[Declaration]:  # noqa: ARG002 of all adapters
        """Sections in the order of the text."""
        written = lines(text)
        rows = written if self._prepare is None else self._prepare(written)
        headings = self._reader.headings(rows)
        docs = [self._reader.doc(rows, heading) for heading in headings]
        found = declarations(headings, docs, rows)
        return found if self._prepare is None else [_placed(one, written) for one in found]

    def facts(self, path: str, text: str) -> Facts:
        """Sections, with their first lines as cuts."""
        found = tuple(self.outline(path, text))
        cuts = tuple(dict.fromkeys(one.start_line for one in found))
        return Facts(self.name, declarations=found, cuts=cuts)

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """The lines of the headings."""
        return self.facts(path, text).cuts

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """Quoted texts, each once: headings are not written as identifiers."""
        quoted = ("".join(match.groups("")).strip() for match in _QUOTED.finditer(prompt))
        return tuple(dict.fromkeys(text for text in quoted if text))


def _placed(one: Declaration, written: Sequence[str]) -> Declaration:
    """The declaration with the column of its name in the line as it is written."""
    row = written[one.name_line - 1]
    first = one.name.split()[:1]
    return replace(one, name_column=max(0, row.find(first[0]) if first else 0))
