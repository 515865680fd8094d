"""Python by its own parser: what a file declares, uses and imports, without running any of it."""

from __future__ import annotations

import operator
import re
import sys
from typing import Final

from repo_mcp.languages.facts.model import FAILED, FULL, SKIPPED, Declaration, Facts, Reference
from repo_mcp.languages.hints import identifiers_in
from repo_mcp.languages.python.cuts import cuts
from repo_mcp.languages.python.parse import is_too_large, parse, undisturbed
from repo_mcp.languages.python.scopes import Use
from repo_mcp.languages.python.source import Source
from repo_mcp.languages.python.walk import Walk

NAME: Final = "python"
EXTENSIONS: Final = (".py", ".pyi", ".pyw")
_FOREIGN_JOINT: Final = re.compile(r"::|->|#")
# raise it when equal text gives other facts
VERSION: Final = 1

_IN_TEXT: Final = operator.itemgetter(3, 4, 0)


class PythonAdapter:
    """Reads Python as the interpreter that runs this does."""

    name = NAME
    # what is Python depends on who reads it: a newer one takes more
    version = VERSION * 10_000 + sys.version_info[0] * 100 + sys.version_info[1]

    def supports_path(self, path: str) -> bool:
        """Whether the file's name ends like Python's."""
        return path.lower().endswith(EXTENSIONS)

    def outline(self, path: str, text: str) -> tuple[Declaration, ...]:
        """What is declared; nothing of a file that the parser refuses."""
        del path
        if is_too_large(text):
            return ()
        with undisturbed:
            found = _read(Source(text))
        return found.declarations if found else ()

    def facts(self, path: str, text: str) -> Facts:  # noqa: ARG002 the protocol's
        """Declarations, references, imports and cuts."""
        if is_too_large(text):
            return Facts(NAME, SKIPPED)
        source = Source(text)
        with undisturbed:
            return _read(source) or _recovered(text) or Facts(NAME, FAILED)

    def smart_chunks(self, path: str, text: str) -> tuple[int, ...]:
        """Where functions and classes begin."""
        return self.facts(path, text).cuts

    def symbol_hints(self, prompt: str) -> tuple[str, ...]:
        """Names that are written as Python writes them."""
        return tuple(name for name in identifiers_in(prompt) if not _FOREIGN_JOINT.search(name))


def adapter(language: str = NAME) -> PythonAdapter:
    """The adapter of a language of this module."""
    if language != NAME:
        raise ValueError(language)
    return PythonAdapter()


def _read(source: Source) -> Facts | None:
    tree = parse(source)
    if tree is None:
        return None
    walk = Walk(source, tree)
    declarations, places = walk.declared.finished()
    return Facts(
        NAME,
        FULL,
        tuple(declarations),
        tuple(_references(walk.uses.kept(), source, places)),
        tuple(item._replace(owner=places[item.owner]) for item in walk.imports),
        cuts(source, tree),
    )


def _recovered(text: str) -> Facts | None:
    from repo_mcp.languages.python.recovered import recovered  # noqa: PLC0415 rarely needed

    return recovered(NAME, text)


def _references(uses: list[Use], source: Source, places: list[int]) -> list[Reference]:
    uses.sort(key=_IN_TEXT)
    if source.all_ascii:
        return [
            Reference(name, before, role, line, column, places[owner])
            for name, before, role, line, column, owner, _ in uses
        ]
    return [
        Reference(name, before, role, line, source.column(line, column), places[owner])
        for name, before, role, line, column, owner, _ in uses
    ]
