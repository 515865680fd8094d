"""Rules of a language for the tree-sitter engine, in addition to its sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from code_graph.facts.model import ANONYMOUS
from code_graph.treesitter.outline_text import OutlineText
from code_graph.treesitter.sheet import Sheet
from code_graph.treesitter.source import Source
from index_format.records import Record

if TYPE_CHECKING:
    from tree_sitter import Node

# the nodes of one match by the names of their captures
Captures: TypeAlias = Mapping[str, list["Node"]]
# module, name, alias
ImportParts: TypeAlias = tuple[str, str, str]

FUNCTIONS: Final = frozenset(
    {"function", "method", "constructor", "destructor", "operator", "getter", "setter", "accessor"}
    | {"test"}
)
CLASSES: Final = frozenset(
    {
        "class", "struct", "interface", "trait", "enum", "record", "annotation", "union", "impl",
        "protocol", "extension", "actor", "object",
    }
)  # fmt: skip
MODULES: Final = frozenset({"module", "namespace", "package"})
REOPENING: Final = frozenset({"impl", "extension"})
# kinds without declarations inside, even if one is within their text
LEAVES: Final = frozenset(
    {
        "field", "variable", "constant", "prototype", "typedef", "type", "macro", "property",
        "event", "using", "package",
    }
)  # fmt: skip
# kinds that begin a chunk only if they are not indented
SMALL: Final = LEAVES | {"enumerator"}
# kinds that are declarations only outside functions
NOT_LOCAL: Final = frozenset({"variable", "constant", "prototype", "using"})


class Draft:
    """A declaration being built: the query's match, to be completed by `refine`."""

    # its number among the declarations of the file, once all are known
    number = -1
    name = ""
    name_start = -1
    # a text to put before its signature
    prefix = ""
    parent: Draft | None = None
    # the name of its parent if that is declared elsewhere, and the separator for a qualified
    # name if that is not in this file
    owner = ""
    owner_separator = "."
    context = ""
    is_conditional = False
    # used with a qualifier only, though its parent is no type: a member of an object
    is_member = False
    # the text of the last `@access` directly in it, as in `private:`
    mark = ""
    access = ""
    bases: tuple[str, ...] = ()
    parameters = ""
    parameter_count = 0
    returns = ""

    def __init__(self, kind: str, node: Node, start: int, end: int) -> None:
        """Begin with the node at these offsets."""
        self.kind = kind
        self.node = node
        self.start = start
        self.end = end
        self.row = node.start_point[0]
        self.last_row, column = node.end_point
        # some grammars include the line end in a node
        self.last_row -= column == 0 and self.last_row > self.row
        # the bounds of its signature
        self.head_start = start
        self.head_end = end
        self.modifiers: set[str] = set()


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


class OutlineOf(Protocol):
    """Leaves out of a text what declares nothing."""

    def __call__(self, text: str, /, *, values: bool = True) -> OutlineText:
        """The text without bodies, and without initial values, too."""
        ...


class Rules(Record):
    """The rules of one language beside its sheet."""

    name: str
    package: str  # the grammar's Python package
    sheet: Sheet  # what its types of nodes are
    extensions: tuple[str, ...]
    grammar: str = "language"  # the function in it that returns the grammar
    # the actual language of a file (path, text) if its content shows another one, else empty
    detect_language: Callable[[str, str], str] | None = None
    separator: str = "."  # between a qualifier and a name
    # completes a declaration; False drops it
    refine: Callable[[Draft, Captures, Source], bool] = _keep
    # the parts of one `@import`
    imports: Callable[[Captures, Source], Iterable[ImportParts]] = _named_module
    # the label of a `@flow.label`; empty if it is not control flow
    flow: Callable[[str, Captures, Source], str] = _named_flow
    # beginnings of comments that document the declaration below
    doc_marks: tuple[str, ...] = ("/**", "///", "/*!", "//!")
    # kinds that extend a type declared elsewhere: their name is a reference too
    reopening: frozenset[str] = REOPENING
    # kinds that can be the parent of members defined outside of them
    owner_kinds: frozenset[str] = CLASSES | {"type"}
    # replaces the text to parse by one of the same length (C, C++)
    prepare: Callable[[str], str] | None = None
    # true if the parser never ends on some texts whose last line has no end: all get one
    ends_last_line: bool = False
    # start, end and label of conditional text, found without parsing
    regions: Callable[[str], Iterable[tuple[int, int, str]]] | None = None
    # other texts of the same length to parse if there are errors
    alternatives: Callable[[str], Iterable[str]] | None = None
    # true if they are tried for errors in bodies too, where these cost code that is evaluated
    alternatives_for_bodies: bool = True
    # nodes of declarations that stand each for itself: another text is tried only if it differs
    # in one with errors; without any it is tried in any case
    containers: frozenset[str] = frozenset()
    # the rules of a dialect's grammar, tried last; they have the same name
    second: Rules | None = None
    # nodes whose errors cost no declarations: bodies of functions
    bodies: frozenset[str] = frozenset()
    # the text that facts are found in, without what declares nothing
    outline: OutlineOf | None = None
    # removes the language's markup from a documentation text
    plain_doc: Callable[[str], str] | None = None
    # text in a documentation that marks a declaration as deprecated
    deprecated_mark: str = ""
    # the class that lowers a file to symbolic code, as "module:Class"
    lowering: str = ""
    functions: frozenset[str] = FUNCTIONS
    modules: frozenset[str] = MODULES
    classes: frozenset[str] = CLASSES
    leaves: frozenset[str] = LEAVES
    # kinds that no hook concerns if they have nothing but a name
    plain: frozenset[str] = frozenset()
    small: frozenset[str] = SMALL
    not_local: frozenset[str] = NOT_LOCAL


def scope_inside(rules: Rules, holder: Draft | None) -> str:
    """The kind of the scope that a declaration is, or the module."""
    if holder is None or holder.kind in rules.modules:
        return "module"
    return "function" if holder.kind in rules.functions else "class"


def is_inside_function(rules: Rules, holder: Draft | None, start: int) -> bool:
    """True if what this declaration holds is in a function, or in an unnamed object of one."""
    while holder is not None and (holder.kind == "object" or ANONYMOUS in holder.modifiers):
        holder = holder.parent
    return holder is not None and holder.kind in rules.functions and start < holder.end
