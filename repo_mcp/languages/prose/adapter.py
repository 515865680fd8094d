"""Adapter for prose: each section is a declaration, and chunks begin at headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import ModuleType
from typing import Final

from repo_mcp.languages.adapter import Adapter
from repo_mcp.languages.facts.model import Declaration, Facts
from repo_mcp.languages.prose import markdown, rst
from repo_mcp.languages.prose.sections import declarations
from repo_mcp.text.files import lines

# raise it when equal text gives other sections
VERSION: Final = 1
_READERS: Final = {
    "markdown": (markdown, (".md", ".markdown", ".mdx")),
    "rst": (rst, (".rst", ".rest")),
}
# quoted or marked as code, and so meant literally
_QUOTED: Final = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|\u201c([^\u201d\n]+)\u201d")


def adapter(language: str) -> Adapter:
    """The adapter of "markdown" or "rst"."""
    reader, extensions = _READERS[language]
    return _Prose(language, reader, extensions)


class _Prose:
    """Adapter of one markup language."""

    version = VERSION

    def __init__(self, name: str, reader: ModuleType, extensions: tuple[str, ...]) -> None:
        self.name = name
        self._reader = reader
        self._extensions = extensions

    def supports_path(self, path: str) -> bool:
        """Whether the file has one of the language's extensions, in any letter case."""
        return path.lower().endswith(self._extensions)

    def outline(self, path: str, text: str) -> Sequence[Declaration]:  # noqa: ARG002 of all adapters
        """Sections in the order of the text."""
        rows = lines(text)
        headings = self._reader.headings(rows)
        docs = [self._reader.doc(rows, heading) for heading in headings]
        return declarations(headings, docs, rows)

    def facts(self, path: str, text: str) -> Facts:
        """Sections, with their first lines as cuts."""
        found = tuple(self.outline(path, text))
        cuts = tuple(one.start_line for one in found)
        return Facts(self.name, declarations=found, cuts=cuts)

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """The lines of the headings."""
        return self.facts(path, text).cuts

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """Quoted texts, each once: headings are not written as identifiers."""
        quoted = ("".join(match.groups("")).strip() for match in _QUOTED.finditer(prompt))
        return tuple(dict.fromkeys(text for text in quoted if text))
