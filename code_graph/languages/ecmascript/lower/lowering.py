"""The lowering of JavaScript, TypeScript and JSX: all of its handlers together."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from code_graph.expressions import Code
from code_graph.languages.ecmascript.lower.elements import Elements
from code_graph.languages.ecmascript.lower.expressions import Expressions
from code_graph.languages.ecmascript.lower.modules import ModuleSyntax
from code_graph.languages.ecmascript.lower.statements import Statements
from code_graph.languages.ecmascript.syntax import JAVASCRIPT, TYPESCRIPT

if TYPE_CHECKING:
    from tree_sitter import Node


class EcmaScriptLowering(ModuleSyntax, Elements, Statements, Expressions):
    """Symbolic code of one file of TypeScript."""

    sheet = TYPESCRIPT

    names: ClassVar[frozenset[str]] = frozenset(
        {"identifier", "type_identifier", "shorthand_property_identifier"}
    )

    def begin(self) -> None:
        """Begin without code."""
        super().begin()
        self.declaration_at = {}
        self.hoisted = set()
        self.in_test = False
        self.compared = {}
        self.asked = {}
        self.last_noted = -1
        self.given = set()

    def run(self, root: Node) -> Code:
        """The code of the whole file."""
        self.statements(root.named_children)
        return self.code.finish()


class JavaScriptLowering(EcmaScriptLowering):
    """Symbolic code of a file without types, in which no union is narrowed by a tag."""

    sheet = JAVASCRIPT

    narrows_tags = False
