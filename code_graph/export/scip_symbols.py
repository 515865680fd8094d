"""Symbols of SCIP for the declarations of the graph: equal if and only if the ids are.

Packages are the projects of the repository. Namespaces are the folders and the name of the file,
but for what several files declare together, such as namespaces and partial types. What is declared
in a function is a local if no other file uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.facts import MODULE, Declaration
from code_graph.identity import scope_path
from code_graph.language_table import language_named
from code_graph.projects.catalog import Projects
from code_graph.projects.model import ProjectKind
from code_graph.query.edges import EdgeFilter, sources_of
from code_graph.query.model import MENTIONS, Symbol
from code_graph.query.snapshot import GraphSnapshot
from code_graph.recent import RecentValues
from code_graph.scip.symbols import LOCAL, Descriptor, Package, Suffix, SymbolName, suffix_of

SCHEME: Final = "repo-mcp"
_FILES: Final = 512
# package managers that are called otherwise than the kind of project; a folder has none
_MANAGERS: Final = {
    ProjectKind.FOLDER: "",
    ProjectKind.PYTHON: "pip",
    ProjectKind.GO: "gomod",
    ProjectKind.GRADLE: "maven",
    ProjectKind.DOTNET: "nuget",
}
_TYPES: Final = EdgeFilter(MENTIONS)


class SymbolNames:
    """The symbols of all files of a graph; those of files used last are kept."""

    def __init__(self, graph: GraphSnapshot, projects: Projects) -> None:
        """Nothing is read yet."""
        self._graph = graph
        self._projects = projects
        self._kept: RecentValues[str, Sequence[str]] = RecentValues(_FILES)

    def of_file(self, path: str) -> Sequence[str]:
        """The symbols of the file and its declarations; empty where there is no id."""
        return self._kept.get(path, self._name_file)

    def of_id(self, symbol_id: int) -> str:
        """The symbol of an id; empty if there is none here."""
        found = self._graph.symbol(symbol_id)
        return "" if found is None else self.of_file(found.path)[found.declaration + 1]

    def external(self, name: str) -> str:
        """The symbol of something outside of the repository."""
        *around, last = name.split(".")
        descriptors = [Descriptor(part, Suffix.NAMESPACE) for part in around if part]
        descriptors.append(Descriptor(last or name, Suffix.TERM))
        return str(SymbolName(SCHEME, Package("external"), tuple(descriptors)))

    def _name_file(self, path: str) -> Sequence[str]:
        rows = self._graph.outline(path)
        project = self._projects.project_of(path)
        manager = _MANAGERS.get(project.kind, "")
        package = Package(manager, project.name, project.version)
        folders = [Descriptor(part, Suffix.NAMESPACE) for part in path.split("/")]
        found = [str(SymbolName(SCHEME, package, (*folders, Descriptor("__file__", Suffix.META))))]
        declarations = [item for _, item in rows[1:] if item is not None]
        language = language_named(rows[0][0].language if rows else "")
        given: dict[str, int] = {}
        for number, (symbol, _) in enumerate(rows[1:]):
            if not symbol.id:
                found.append("")
                continue
            steps = _chain(declarations, number)
            if _is_inside(declarations, number) and self._is_own(symbol.id, path):
                found.append(f"{LOCAL}{_first(rows, symbol.id)}")
                continue
            where = scope_path(language, path, declarations, number)
            around = [Descriptor(part, Suffix.NAMESPACE) for part in where.split("/") if part]
            name = SymbolName(SCHEME, package, (*around, *steps))
            text = str(name)
            if not where and steps[-1].suffix is Suffix.METHOD:
                # overloads in several parts of a type: told apart by nothing in one file
                text = str(_apart(name, symbol.id))
            elif given.setdefault(text, symbol.id) != symbol.id:
                text = str(_apart(name, symbol.id))
            found.append(text)
        return found

    def _is_own(self, symbol_id: int, path: str) -> bool:
        """True if a symbol is used in its file alone."""
        graph = self._graph
        chunks, _ = sources_of(graph, symbol_id, _TYPES)
        return all(graph.path_of(file) == path for file in set(graph.files_of(chunks).tolist()))


def _first(rows: Sequence[tuple[Symbol, object]], symbol_id: int) -> int:
    return next(number for number, (item, _) in enumerate(rows) if item.id == symbol_id)


def _apart(name: SymbolName, symbol_id: int) -> SymbolName:
    """The symbol with what tells it from others of its name: its id."""
    *around, last = name.descriptors
    if last.suffix is Suffix.METHOD:
        last = last._replace(disambiguator=f"{symbol_id:016x}")
    else:
        last = last._replace(name=f"{last.name}#{symbol_id:016x}")
    return name._replace(descriptors=(*around, last))


def _chain(declarations: Sequence[Declaration], number: int) -> list[Descriptor]:
    found: list[Descriptor] = []
    while number != MODULE and len(found) <= len(declarations):
        item = declarations[number]
        suffix = suffix_of(item.kind)
        parts = item.name.split(".") if suffix is Suffix.NAMESPACE else [item.name]
        found += [Descriptor(part, suffix) for part in reversed(parts) if part]
        number = item.parent
    found.reverse()
    return found or [Descriptor("?", Suffix.TERM)]


def _is_inside(declarations: Sequence[Declaration], number: int) -> bool:
    """True if a declaration is in a function."""
    for _ in range(len(declarations)):
        if number == MODULE:
            break
        if declarations[number].scope_kind == "function":
            return True
        number = declarations[number].parent
    return False
