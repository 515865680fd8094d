"""What a language tells the tree-sitter engine beyond its query file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from repo_mcp.languages.treesitter.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node

# the nodes of one match by the names they were captured under
Captures: TypeAlias = Mapping[str, list["Node"]]
# module, name, alias
ImportParts: TypeAlias = tuple[str, str, str]

FUNCTIONS: Final = frozenset(
    {"function", "method", "constructor", "destructor", "operator", "getter", "setter", "accessor"}
)
CLASSES: Final = frozenset(
    {
        "class", "struct", "interface", "trait", "enum", "record", "annotation", "union", "impl",
        "protocol", "extension", "actor", "object",
    }
)  # fmt: skip
MODULES: Final = frozenset({"module", "namespace", "package"})
REOPENING: Final = frozenset({"impl", "extension"})
# what holds no other declaration, though its text may lie around one
LEAVES: Final = frozenset(
    {
        "field", "variable", "constant", "prototype", "typedef", "type", "macro", "property",
        "event", "using", "package",
    }
)  # fmt: skip
# where a file is not cut unless they stand at the beginning of a line
SMALL: Final = LEAVES | {"enumerator"}
# what counts only outside of functions
NOT_LOCAL: Final = frozenset({"variable", "constant", "prototype", "using"})


class Draft:
    """A declaration in the making: what the query found, for `refine` to complete."""

    __slots__ = (
        "access", "bases", "context", "end", "head_end", "head_start", "is_conditional", "kind",
        "last_row", "mark", "modifiers", "name", "name_start", "node", "number", "owner",
        "owner_joint", "parameter_count", "parameters", "parent", "prefix", "returns", "row",
        "start",
    )  # fmt: skip

    def __init__(self, kind: str, node: Node, start: int, end: int) -> None:
        """What stands at these offsets."""
        self.kind = kind
        self.node = node
        self.start = start
        self.end = end
        self.row, column = node.start_point
        self.last_row, column = node.end_point
        # some grammars count the line end to what stands before it
        self.last_row -= column == 0 and self.last_row > self.row
        # its place among the declarations of the file, once all are known
        self.number = -1
        self.name = ""
        self.name_start = -1
        # where its signature begins and ends, and what to put before it
        self.head_start = start
        self.head_end = end
        self.prefix = ""
        self.parent: Draft | None = None
        # the name of what holds it where that stands elsewhere, and what joins the two names if
        # it is not in this file at all
        self.owner = ""
        self.owner_joint = "."
        self.context = ""
        self.is_conditional = False
        # what the last `@access` directly in it says, as in `private:`
        self.mark = ""
        self.access = ""
        self.modifiers: set[str] = set()
        self.bases: tuple[str, ...] = ()
        self.parameters = ""
        self.parameter_count = 0
        self.returns = ""


def _keep(_draft: Draft, _captures: Captures, _source: Source) -> bool:
    return True


def _named_flow(label: str, _captures: Captures, _source: Source) -> str:
    return label


def _named_module(captures: Captures, source: Source) -> Iterable[ImportParts]:
    module, name, alias = (
        source.of(captures[key][0]) if key in captures else ""
        for key in ("module", "import.name", "alias")
    )
    yield module.strip("\"'<>`"), name, alias


@dataclass(frozen=True, slots=True)
class Rules:
    """One language. The query file has its name unless `queries` says otherwise."""

    name: str
    package: str  # the grammar's Python package
    extensions: tuple[str, ...]
    grammar: str = "language"  # the function in it that gives the grammar
    queries: tuple[str, ...] = ()  # files in queries/ without their suffix, read as one
    # the language a file is of, if its contents show that it is another after all
    really: Callable[[str, str], str] | None = None
    joint: str = "."  # what joins a qualifier and a name
    # completes a declaration; False drops it
    refine: Callable[[Draft, Captures, Source], bool] = _keep
    # what one `@import` brings in
    imports: Callable[[Captures, Source], Iterable[ImportParts]] = _named_module
    # the label of a `@flow.label`; empty when it is none after all
    flow: Callable[[str, Captures, Source], str] = _named_flow
    # which comments document what is below them
    doc_marks: tuple[str, ...] = ("/**", "///", "/*!", "//!")
    # types of the language itself: a reference to one says nothing
    builtins: frozenset[str] = frozenset()
    # what adds to a type declared elsewhere: its name is a reference too
    reopening: frozenset[str] = REOPENING
    # what may be named as the owner of something that is declared elsewhere
    owning: frozenset[str] = CLASSES | {"type"}
    # whether reads and writes count only of what is declared or imported in the file
    known_only: bool = False
    # what is always parsed instead of the text, each character in its place (C, C++)
    prepare: Callable[[str], str] | None = None
    # whether members are meant by their bare names
    implicit_self: bool = False
    # start, end and label of what is conditional by the text alone
    regions: Callable[[str], Iterable[tuple[int, int, str]]] | None = None
    # what to parse instead when there are errors, each character in its place
    alternatives: Callable[[str], Iterable[str]] | None = None
    # the grammar of a dialect, to be tried after that; its rules bear the same name
    second: Rules | None = None
    # a documentation text without what the language marks it up with
    plain_doc: Callable[[str], str] | None = None
    # what in a documentation text says that something is not to be used any more
    deprecated_mark: str = ""
    functions: frozenset[str] = FUNCTIONS
    modules: frozenset[str] = MODULES
    classes: frozenset[str] = CLASSES
    leaves: frozenset[str] = LEAVES
    small: frozenset[str] = SMALL
    not_local: frozenset[str] = NOT_LOCAL
