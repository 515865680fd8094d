"""Walks a syntax tree in text order and adds its symbolic code.

A language subclasses `Lowering` and lists its handlers: the type of a node and the name of the
method that lowers it. A handler returns the number of the expression that the node stands for, or
NONE. Nodes without a handler are passed through: their children are lowered, and a single child's
expression is theirs. Comments and constants cost nothing.

Handlers call `lower` for the nodes inside, so a deep tree makes a deep stack. Below a limit only
names are kept, without what is done with them; chains that are long in real code (members, calls,
operators, `else if`) are for a language to walk in a loop.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from code_graph.expressions import NONE, Argument, BindingKind, Code, CodeBuilder, Op
from code_graph.treesitter.sheet import Sheet
from code_graph.treesitter.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node

    from code_graph.treesitter.fact_numbers import ImportNumbers

# Deeper nodes are not lowered: generated code and chains of thousands of operators. Each level is
# two to four frames of the interpreter's stack.
_DEEPEST: Final = 110
_LONGEST_TEXT: Final = 80
# expressions of one file; one with more is data
_MOST_EXPRESSIONS: Final = 400_000
# a step back over so many expressions takes one byte
_NEAR: Final = 100
_PLUS_ONE: Final = (1).__add__
_new: Final = tuple.__new__

Handler: TypeAlias = "Callable[[Node], int]"


def first(node: Node) -> Node | None:
    """The first child that is no comment."""
    if node.named_child_count:
        for child in node.named_children:
            if not child.is_extra:
                return child
    return None


class Lowering:
    """Symbolic code of one file."""

    # what the nodes of the language are
    sheet: ClassVar[Sheet | None] = None
    # node type → name of the method that lowers it
    handlers: ClassVar[Mapping[str, str]] = {}
    # types of literals, by node type: the LITERAL's name
    literals: ClassVar[Mapping[str, str]] = {}
    # nodes that are not entered
    skipped: ClassVar[frozenset[str]] = frozenset({"comment", "line_comment", "block_comment"})
    # nodes that are names, which are kept where a tree is too deep
    names: ClassVar[frozenset[str]] = frozenset({"identifier", "type_identifier"})

    def __init_subclass__(cls) -> None:
        """Take the rows of a class's sheet."""
        sheet = vars(cls).get("sheet")
        if sheet is not None:
            cls.handlers, cls.literals = sheet.handlers(), sheet.literals()
            cls.skipped = sheet.skipped()

    def __init__(
        self,
        source: Source,
        declared: Mapping[int, int],
        imported: ImportNumbers,
    ) -> None:
        """`declared` are the numbers of declarations by the offsets of their names."""
        self.source = source
        self.code = CodeBuilder()
        self._declared = declared
        self._imported = imported
        self._depth = 0
        self._deepest = _DEEPEST
        # by the grammar's number of a node's type, which costs less than its name
        self._by_kind: dict[int, Handler] = {}
        self._kinds: dict[int, str] = {}
        # the last LITERAL of each type
        self._literals: dict[str, int] = {}
        lengths = map(_PLUS_ONE, map(len, source.text.split("\n")))
        self._line_starts = list(accumulate(lengths, initial=0))
        self.begin()

    def begin(self) -> None:
        """Begin without anything around."""

    def run(self, root: Node) -> Code:
        """The code of the whole file."""
        self.lower_all(root.named_children)
        return self.code.finish()

    def lower(self, node: Node | None) -> int:
        """Lower a node; the number of its expression, or NONE."""
        if node is None:
            return NONE
        handle = self._by_kind.get(node.kind_id)
        if handle is None:
            handle = self._by_kind[node.kind_id] = self._handler(node.type)
        depth = self._depth
        if depth >= self._deepest:
            return self._names_only(node)
        self._depth = depth + 1
        number = handle(node)
        self._depth = depth
        return number

    def kind(self, node: Node) -> str:
        """The type of a node, which is read from the grammar once."""
        number = node.kind_id
        found = self._kinds.get(number)
        if found is None:
            found = self._kinds[number] = node.type
        return found

    def lower_all(self, nodes: Iterable[Node]) -> list[int]:
        """Lower nodes in order; gives the expressions, where there are any."""
        found = []
        for node in nodes:
            number = self.lower(node)
            if number != NONE:
                found.append(number)
        return found

    def pass_through(self, node: Node) -> int:
        """Lower the children; several expressions give an unknown value."""
        children = node.named_children
        if len(children) == 1:
            return self.lower(children[0])
        found = self.lower_all(children)
        return found[0] if len(found) == 1 else NONE

    def opaque(self, node: Node) -> int:
        """Lower the children; the result says nothing."""
        self.lower_all(node.named_children)
        return NONE

    def nothing(self, _node: Node) -> int:
        """Leave a node out."""
        return NONE

    def name(self, node: Node) -> int:
        """A NAME expression for an identifier."""
        return self.member(NONE, node, Op.NAME)

    def member(self, of: int, node: Node, op: Op = Op.MEMBER) -> int:
        """A MEMBER expression; `node` is the member's name."""
        start, starts = node.start_byte, self._line_starts
        line = bisect_right(starts, start)
        text = self.source.text[start : node.end_byte]
        number = self.code.add(op, of, text, (), line, start - starts[line - 1])
        if number >= _MOST_EXPRESSIONS:
            self._deepest = NONE
        return number

    def text(self, text: str) -> int:
        """A string literal, whose text is kept if it is short."""
        if len(text) <= _LONGEST_TEXT:
            return self.code.add(Op.TEXT, name=text)
        return self.literal("str")

    def bind(
        self,
        node: Node,
        kind: BindingKind = BindingKind.ASSIGNED,
        value: int = NONE,
        *,
        name: str | None = None,
        annotation: int = NONE,
        declaration: int = NONE,
        scope: int | None = None,
    ) -> None:
        """Bind the name at a node, by default in the innermost scope that holds names."""
        line, column = self.place(node)
        self.code.bind(
            self.source.of(node) if name is None else name,
            kind,
            value,
            annotation=annotation,
            line=line,
            column=column,
            declaration=declaration,
            scope=scope,
        )

    def literal(self, name: str) -> int:
        """A LITERAL of a type; a recent one of the same type is used again."""
        number = self._literals.get(name, NONE)
        if number == NONE or self.code.size - number > _NEAR:
            number = self._literals[name] = self.code.add(Op.LITERAL, NONE, name)
        return number

    def arguments(self, nodes: Iterable[Node]) -> list[Argument]:
        """Positional arguments."""
        return [
            _new(Argument, (self.lower(node), ""))
            for node in nodes
            if node.type not in self.skipped
        ]

    def imported_at(self, node: Node, name: str) -> int:
        """The number of the import of a name in a statement, or NONE; it is empty for all."""
        return self._imported.numbers.get((self._imported.place_of(node), name), NONE)

    def declaration_of(self, name: Node | None) -> int:
        """The number of the declaration with its name at this node, or NONE."""
        return NONE if name is None else self._declared.get(name.start_byte, NONE)

    def place(self, node: Node) -> tuple[int, int]:
        """Line and column of a node."""
        start = node.start_byte
        line = bisect_right(self._line_starts, start)
        return line, start - self._line_starts[line - 1]

    def _handler(self, kind: str) -> Handler:
        """The function that lowers nodes of a type."""
        method = self.handlers.get(kind)
        if method is not None:
            found: Handler = getattr(self, method)
            return found
        literal = self.literals.get(kind)
        if literal is not None:
            return lambda _node: self.literal(literal)
        return self.nothing if kind in self.skipped else self.pass_through

    def _names_only(self, node: Node) -> int:
        """Keep the names of a tree that is too deep; after too many expressions, nothing."""
        left = [node]
        while left and self._deepest != NONE:
            inner = left.pop()
            if inner.type in self.names:
                self.name(inner)
            else:
                left += reversed(inner.named_children)
        return NONE
