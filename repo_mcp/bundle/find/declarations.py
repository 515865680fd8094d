"""Looks up the declarations of an exact name in the whole repository."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.facts import MODULE, Declaration
from code_graph.paths.path_kinds import is_test
from index_format import Snapshot, decode_chunks
from index_format.analysis.words import terms_of_word
from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.weights import FileWeights as Weights
from repo_mcp.search import FileAxis
from repo_mcp.stored import SYMBOL

# kinds of declarations without a definition
_WITHOUT_DEFINITION: Final = frozenset({"prototype", "declaration"})
_PROSE: Final = frozenset({"section", "heading"})

# kinds of declarations with members
TYPES: Final = frozenset({"class", "interface", "trait", "protocol", "impl", "extension"})
# kinds of declarations that have a value
CONSTANTS: Final = frozenset(
    {"variable", "constant", "macro", "field", "property", "enum_member", "enumerator", "member"}
)


class Site(NamedTuple):
    """A declaration and its file."""

    path: str
    declaration: Declaration
    # names of the enclosing declarations, outermost first
    holders: tuple[str, ...]

    @property
    def qualified(self) -> str:
        """The qualified name."""
        return ".".join((*self.holders, self.declaration.name))


class DeclarationLookup:
    """Looks up declarations by name in one snapshot, with a cache."""

    def __init__(self, snapshot: Snapshot, files: Files) -> None:
        self._snapshot = snapshot
        self._files = files
        self._field = snapshot.schema.number(SYMBOL)
        self._axis: FileAxis | None = None
        self._paths_of: dict[tuple[str, str], list[str] | None] = {}

    @property
    def axis(self) -> FileAxis:
        """The numbered files of the snapshot."""
        if self._axis is None:
            self._axis = FileAxis(self._snapshot)
        return self._axis

    def sites(self, name: str, owner: str = "") -> list[Site] | None:
        """The declarations of a name, definitions if there are any; None if in too many files.

        With `owner`, only those in a declaration or file of that name, if there are any.
        """
        paths = self._paths(name)
        if paths is None and owner:
            paths = self._paths(name, owner) or None
        if paths is None:
            return None
        found = [site for path in paths for site in self.in_file(path, name)]
        return _definitions(_inside(found, owner))

    def in_file(self, path: str, name: str) -> list[Site]:
        """The declarations of a name in one file, in order."""
        declarations = self._files.declarations(path)
        return [
            Site(path, item, _holders(declarations, item))
            for item in declarations
            if item.name == name and item.kind not in _PROSE
        ]

    def _paths(self, name: str, owner: str = "") -> list[str] | None:
        """Files that declare a name in any letter case; with `owner`, those that match it too."""
        if (name, owner) not in self._paths_of:
            self._paths_of[name, owner] = self._look_up(name, owner)
        return self._paths_of[name, owner]

    def _look_up(self, name: str, owner: str) -> list[str] | None:
        files = self._declaring(name)
        if owner:
            files = self._filter_inside(files, owner)
        if len(files) > Weights.MANY_DECLARING * Weights.MOST_DECLARING:
            return None
        paths = sorted(self._snapshot.path_of(file) for file in files)
        plain = [path for path in paths if not is_test(path)] or paths
        return plain if len(plain) <= Weights.MOST_DECLARING else None

    def _filter_inside(self, files: list[int], owner: str) -> list[int]:
        if len(files) > Weights.MOST_OWNED:
            files = sorted(set(files).intersection(self._declaring(owner)))[: Weights.MOST_OWNED]
        holders, stem = set(self._declaring(owner)), owner.lower()
        path_of = self._snapshot.path_of
        return [file for file in files if file in holders or stem in _stems(path_of(file))]

    def _declaring(self, name: str) -> list[int]:
        terms = terms_of_word(name)
        if not terms or self._field is None:
            return []
        lists = self._snapshot.postings(self._field, terms[0].encode("utf-8", "surrogatepass"))
        if not lists:
            return []
        axis = self.axis
        files = axis.only_alive(axis.files_of_chunks(decode_chunks(lists)))
        found: list[int] = files.nonzero()[0].tolist()
        return found


def _holders(declarations: Sequence[Declaration], item: Declaration) -> tuple[str, ...]:
    names: list[str] = []
    parent = item.parent
    while parent != MODULE and len(names) < len(declarations):
        names.append(declarations[parent].name)
        parent = declarations[parent].parent
    return tuple(reversed(names))


def _inside(sites: list[Site], owner: str) -> list[Site]:
    if not owner:
        return sites
    inside = [site for site in sites if site.holders[-1:] == (owner,)]
    if inside:
        return inside
    stem = owner.lower()
    there = [site for site in sites if stem in _stems(site.path)] or sites
    return [site for site in there if not site.holders] or there


def _stems(path: str) -> set[str]:
    *folders, name = path.lower().split("/")
    return {*folders, name.partition(".")[0]}


def _definitions(sites: list[Site]) -> list[Site]:
    """The definitions; if there are none, prototypes and the like."""
    defined = [site for site in sites if site.declaration.kind not in _WITHOUT_DEFINITION]
    return defined or sites
