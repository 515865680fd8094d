"""Names that may stand between backticks, which are no part of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Op
from code_graph.treesitter.code.forms import Forms

if TYPE_CHECKING:
    from tree_sitter import Node

_QUOTE: Final = "`"


class QuotedNames(Forms):
    """Lowering of a language in which a keyword between backticks is a name."""

    def spelled(self, node: Node) -> str:
        """The name that an identifier spells, without its quotes."""
        text = self.source.text[node.start_byte : node.end_byte]
        return text.strip(_QUOTE) if text[:1] == _QUOTE else text

    def place(self, node: Node) -> tuple[int, int]:
        """Line and column of a node; of a quoted name behind the quote."""
        line, column = super().place(node)
        return line, column + self._is_quoted(node)

    def member(self, of: int, node: Node, op: Op = Op.MEMBER) -> int:
        """A MEMBER expression, or another with a name, without its quotes."""
        if not self._is_quoted(node):
            return super().member(of, node, op)
        line, column = self.place(node)
        return self.code.add(op, of, self.spelled(node), (), line, column)

    def declared_at(self, name: Node | None) -> int:
        """The number of the declaration with its name at this node, or NONE."""
        if name is None:
            return NONE
        return self._declared.get(name.start_byte + self._is_quoted(name), NONE)

    def _is_quoted(self, node: Node) -> bool:
        return self.source.text.startswith(_QUOTE, node.start_byte)
