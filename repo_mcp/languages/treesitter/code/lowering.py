"""Walks a syntax tree in text order and adds its symbolic code.

A language subclasses `Lowering` and lists its handlers: the type of a node and the name of the
method that lowers it. A handler returns the number of the expression that the node stands for, or
NONE. Nodes without a handler are passed through: their children are lowered, and a single child's
expression is theirs. Comments and constants cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from repo_mcp.languages.code import NONE, Argument, Code, CodeBuilder, Op
from repo_mcp.languages.treesitter.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node

# deeper nodes are not lowered: generated code and chains of thousands of operators
_DEEPEST: Final = 200
_LONGEST_TEXT: Final = 80


class Lowering:
    """Symbolic code of one file."""

    # node type → name of the method that lowers it
    handlers: ClassVar[Mapping[str, str]] = {}
    # types of literals, by node type: the LITERAL's name
    literals: ClassVar[Mapping[str, str]] = {}
    # nodes that are not entered
    skipped: ClassVar[frozenset[str]] = frozenset({"comment", "line_comment", "block_comment"})

    def __init__(self, source: Source, declared: Mapping[int, int]) -> None:
        """`declared` are the numbers of declarations by the offsets of their names."""
        self.source = source
        self.code = CodeBuilder()
        self._declared = declared
        self._depth = 0
        self._by_type = {kind: getattr(self, name) for kind, name in self.handlers.items()}

    def run(self, root: Node) -> Code:
        """The code of the whole file."""
        self.lower_all(root.named_children)
        return self.code.finish()

    def lower(self, node: Node | None) -> int:
        """Lower a node; the number of its expression, or NONE."""
        if node is None or self._depth > _DEEPEST:
            return NONE
        kind = node.type
        handle = self._by_type.get(kind)
        if handle is None:
            literal = self.literals.get(kind)
            if literal is not None:
                return self.code.add(Op.LITERAL, name=literal)
            if kind in self.skipped:
                return NONE
        self._depth += 1
        try:
            return self.pass_through(node) if handle is None else int(handle(node))
        finally:
            self._depth -= 1

    def lower_all(self, nodes: Iterable[Node]) -> list[int]:
        """Lower nodes in order; the expressions of those that have one."""
        found = [self.lower(node) for node in nodes]
        return [number for number in found if number != NONE]

    def pass_through(self, node: Node) -> int:
        """Lower the children; of several expressions the result says nothing."""
        found = self.lower_all(node.named_children)
        return found[0] if len(found) == 1 else NONE

    def opaque(self, node: Node) -> int:
        """Lower the children; the result says nothing."""
        self.lower_all(node.named_children)
        return NONE

    def name(self, node: Node) -> int:
        """A NAME expression for an identifier."""
        row, column = node.start_point
        return self.code.add(Op.NAME, name=self.source.of(node), line=row + 1, column=column)

    def member(self, of: int, node: Node) -> int:
        """A MEMBER expression; `node` is the member's name."""
        row, column = node.start_point
        text = self.source.of(node)
        return self.code.add(Op.MEMBER, of, text, line=row + 1, column=column)

    def text(self, text: str) -> int:
        """A string literal, whose text is kept if it is short."""
        if len(text) <= _LONGEST_TEXT:
            return self.code.add(Op.TEXT, name=text)
        return self.code.add(Op.LITERAL, name="str")

    def arguments(self, nodes: Iterable[Node]) -> list[Argument]:
        """Positional arguments."""
        return [Argument(self.lower(node)) for node in nodes if node.type not in self.skipped]

    def declaration_of(self, name: Node | None) -> int:
        """The number of the declaration with its name at this node, or NONE."""
        return NONE if name is None else self._declared.get(name.start_byte, NONE)
