"""Lowers types as TypeScript writes them; the expressions are those of values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, Role, ScopeKind
from code_graph.treesitter.code.lowering import Lowering, first

if TYPE_CHECKING:
    from tree_sitter import Node

_PREDEFINED: Final = {
    "string": "str",
    "number": "float",
    "bigint": "int",
    "boolean": "bool",
    "void": "none",
    "symbol": "symbol",
    "unique symbol": "symbol",
    "never": "never",
}
_EMPTY: Final = frozenset({"null", "undefined"})
# a text that may be the name of a member or a module
_KEY: Final = re.compile(r"[\w$@.:/#~*+()\[\]!?=&%,-]{1,200}", re.ASCII)
_LONGEST_KEY: Final = 100
# a computed name that is the same wherever it is written: of a constant, or of a symbol
_NAMED_KEY: Final = re.compile(r"\[(?:[A-Z][A-Z0-9_]*|[\w$]+\.[\w$.]+|Symbol\.[^\n]*)\]")
_FRAGMENTS: Final = frozenset({"string_fragment", "escape_sequence"})
_PARAMETERS: Final = frozenset({"required_parameter", "optional_parameter"})
_QUOTES: Final = "\"'`"
# literal types, whose names tell parts of a union apart
_TRUTHS: Final = frozenset({"true", "false"})


class TypeSyntax(Lowering):
    """Lowers type annotations, and literals as they are in types and values."""

    # true if the members of the next type literal are bound in the current scope
    binds_members = False

    def this(self, node: Node) -> int:
        """`this` as a value or a type."""
        return self.code.add(Op.THIS, NONE, "", (), *self.place(node))

    def super_(self, node: Node) -> int:
        """`super`."""
        return self.code.add(Op.SUPER, NONE, "", (), *self.place(node))

    def named_text(self, node: Node) -> int:
        """A string literal, with its text if that may be a name."""
        text = self.source.of(node)[1:-1]
        if _KEY.fullmatch(text):
            return self.code.add(Op.TEXT, NONE, text)
        return self.literal("str")

    def template(self, node: Node) -> int:
        """A template: what is put into it is evaluated."""
        for child in node.named_children:
            if child.type not in _FRAGMENTS:
                self.lower(child)
        return self.literal("str")

    def template_type(self, node: Node) -> int:
        """A template as a type: what is put into it are types."""
        for child in node.named_children:
            if child.type not in _FRAGMENTS:
                self.code.add(Op.CAST, NONE, "", [Argument(self.lower(child))])
        return self.literal("str")

    def nested_type(self, node: Node) -> int:
        """`A.B` in a type."""
        return self.path(node, "module", "name")

    def nested_name(self, node: Node) -> int:
        """`A.B` where a name is required."""
        return self.path(node, "object", "property")

    def path(self, node: Node, left: str, right: str) -> int:
        """Members of members, without a stack for the length of the path."""
        parts = []
        inner: Node | None = node
        while inner is not None and inner.type == node.type:
            last = inner.child_by_field_name(right)
            if last is not None:
                parts.append(last)
            inner = inner.child_by_field_name(left)
        number = self._imported_module(inner)
        for part in reversed(parts):
            number = self.member(number, part)
        return number

    def _imported_module(self, node: Node | None) -> int:
        """The first name of a path; the parser may have got one in place of `import("m")`."""
        is_name = node is not None and self.kind(node) in self.names
        if node is None or not is_name or not self.source.of(node).startswith("import("):
            return self.lower(node)
        line, column = self.place(node)
        of = self.code.add(Op.NAME, NONE, "import", (), line, column)
        module = self.source.of(node)[len("import(") : -1].strip(_QUOTES)
        return self.code.add(Op.CALL, of, "", [Argument(self.code.add(Op.TEXT, NONE, module))])

    def generic_type(self, node: Node) -> int:
        """`A<B>`."""
        children = [child for child in node.named_children if not child.is_extra]
        if not children:
            return NONE
        of = self.lower(children[0])
        return self.apply(of, children[-1] if len(children) > 1 else None)

    def apply(self, of: int, arguments: Node | None) -> int:
        """A generic with type arguments; without them, itself."""
        if arguments is None:
            return of
        items = self.arguments(arguments.named_children)
        return self.code.add(Op.APPLY, of, "", items)

    def predefined_type(self, node: Node) -> int:
        """`string` and the like."""
        name = _PREDEFINED.get(self.source.of(node))
        return NONE if name is None else self.literal(name)

    def literal_type(self, node: Node) -> int:
        """A literal as a type; null and undefined say nothing of a union."""
        child = first(node)
        if child is None or child.type in _EMPTY:
            return NONE
        if child.type in _TRUTHS:
            return self.literal(child.type)
        return self.named_text(child) if child.type == "string" else self.lower(child)

    def union_type(self, node: Node) -> int:
        """One of several types."""
        return self.either(self.lower(child) for child in self.operands(node))

    def either(self, numbers: Iterable[int]) -> int:
        """One of several expressions, of which NONE say nothing."""
        items = [Argument(number) for number in dict.fromkeys(numbers) if number != NONE]
        if len(items) > 1:
            return self.code.add(Op.EITHER, NONE, "", items)
        return items[0].value if items else NONE

    def intersection_type(self, node: Node) -> int:
        """All of several types."""
        items = [Argument(self.lower(child)) for child in self.operands(node)]
        if len(items) == 1:
            return items[0].value
        return self.code.add(Op.OPERATOR, NONE, "&", items)

    def operands(self, node: Node) -> list[Node]:
        """The operands of a nest of the same binary type, in text order."""
        kind, found, left = node.kind_id, [], [node]
        while left:
            inner = left.pop()
            if inner.kind_id == kind:
                left += reversed(inner.named_children)
            elif not inner.is_extra:
                found.append(inner)
        return found

    def array_type(self, node: Node) -> int:
        """`T[]`."""
        item = self.lower(first(node))
        return self.code.add(Op.LIST, NONE, "", [Argument(item)])

    def tuple_type(self, node: Node) -> int:
        """`[A, b: B, ...C[]]`."""
        items = []
        for child in node.named_children:
            if child.is_extra:
                continue
            rest = child.type == "rest_type"
            inner: Node | None = child
            if child.type in _PARAMETERS:
                name = child.child_by_field_name("name") or child.child_by_field_name("pattern")
                rest = name is not None and name.type == "rest_pattern"
                inner = child.child_by_field_name("type")
            items.append(Argument(self.lower(inner), "*" if rest else ""))
        return self.code.add(Op.TUPLE, NONE, "", items)

    def function_type(self, node: Node) -> int:
        """`(a: A) => B`."""
        return self.signature(node)

    def signature(self, node: Node) -> int:
        """A CALLABLE; its type parameters are bound in a BLOCK."""
        parameters = node.child_by_field_name("type_parameters")
        code = self.code
        outer = code.scope
        if parameters is not None:
            code.enter(ScopeKind.BLOCK)
            self.type_parameters(parameters, NONE)
        items = self.parameter_types(node.child_by_field_name("parameters"))
        result = node.child_by_field_name("return_type") or node.child_by_field_name("type")
        of = self.lower(result)
        code.scope = outer
        return code.add(Op.CALLABLE, of, "", items)

    def parameter_types(self, parameters: Node | None) -> list[Argument]:
        """The types of the parameters of a signature."""
        items = []
        for child in () if parameters is None else parameters.named_children:
            if child.type not in _PARAMETERS:
                continue
            pattern = child.child_by_field_name("pattern")
            number = self.lower(child.child_by_field_name("type"))
            kind = "" if pattern is None else pattern.type
            number = self.optional(child, number)
            name = "*" if kind == "rest_pattern" else ""
            items.append(Argument(number, "this" if kind == "this" else name))
        return items

    def constructor_type(self, node: Node) -> int:
        """`new (a: A) => B`."""
        return self.code.add(Op.OBJECT, NONE, "", [Argument(self.signature(node), "new")])

    def type_parameters(self, node: Node | None, declaration: int) -> None:
        """Bind the type parameters of a declaration in the current scope."""
        for child in () if node is None else node.named_children:
            name = child.child_by_field_name("name")
            if child.type != "type_parameter" or name is None:
                continue
            bound = self.lower(child.child_by_field_name("constraint"))
            default = self.lower(child.child_by_field_name("value"))
            self.code.clause(declaration, Role.TYPE_PARAMETER, bound, self.source.of(name))
            self.bind(name, BindingKind.DECLARED, default, annotation=bound)

    def object_type(self, node: Node) -> int:
        """`{ a: A; b(): B }`."""
        binds, self.binds_members = self.binds_members, False
        mapped = self.mapped_type(node)
        if mapped != NONE:
            return mapped
        items = []
        for child in node.named_children:
            kind = child.type
            name = child.child_by_field_name("name")
            if kind == "construct_signature":
                name = child.children[0]
            key, value = self._member_type(child, kind, name)
            if not key:
                continue
            items.append(Argument(value, key))
            declaration = self.declaration_of(name)
            if kind == "property_signature":
                self.code.clause(declaration, Role.TYPE, value)
            elif kind == "method_signature" and value != NONE:
                self.code.clause(declaration, Role.RESULT, self.code.expression(value).of)
                items[-1] = Argument(self.optional(child, value), key)
            elif value != NONE and kind != "index_signature":
                self.code.clause(declaration, Role.RESULT, self.code.expression(value).of)
            if binds:
                place = child if name is None else name
                self.bind_member(place, key, declaration, NONE, value)
        return self.code.add(Op.OBJECT, NONE, "", items)

    def _member_type(self, node: Node, kind: str, name: Node | None) -> tuple[str, int]:
        """The name and the type of a member of a type literal."""
        if kind == "property_signature":
            key = self.key(name)
            return key, self.optional(node, self.lower(node.child_by_field_name("type")))
        if kind == "method_signature":
            return self.key(name), self.signature(node)
        if kind == "call_signature":
            return "()", self.signature(node)
        if kind == "construct_signature":
            return "new", self.signature(node)
        if kind == "index_signature":
            return "[]", self.index_signature(node)
        self.lower(node)
        return "", NONE

    def optional(self, node: Node, number: int) -> int:
        """The type of a member or parameter that may be left out; any other type stays as it is."""
        if node.type != "optional_parameter" and all(child.type != "?" for child in node.children):
            return number
        return self.code.add(Op.OPERATOR, NONE, "?", [Argument(number)] if number != NONE else [])

    def mapped_type(self, node: Node) -> int:
        """`{ [K in T]: V }`; NONE for another type literal."""
        signature = next((child for child in node.named_children if not child.is_extra), None)
        if signature is None or signature.type != "index_signature":
            return NONE
        clause = next(
            (child for child in signature.named_children if child.type == "mapped_type_clause"),
            None,
        )
        if clause is None:
            return NONE
        code = self.code
        outer = code.enter(ScopeKind.BLOCK)
        keys = self.lower(clause.child_by_field_name("type"))
        name = clause.child_by_field_name("name")
        if name is not None:
            self.bind(name, BindingKind.DECLARED, annotation=keys)
        alias = self.lower(clause.child_by_field_name("alias"))
        value = self.lower(signature.child_by_field_name("type"))
        code.scope = outer
        items = [Argument(keys), Argument(value), Argument(alias)]
        return code.add(Op.OPERATOR, NONE, "mapped", items if alias != NONE else items[:2])

    def index_signature(self, node: Node) -> int:
        """The type of the values of an index signature."""
        self.lower(node.child_by_field_name("index_type"))
        return self.lower(node.child_by_field_name("type"))

    def key(self, node: Node | None) -> str:
        """The name of a member as it is written; the expression of a computed one is evaluated."""
        if node is None:
            return ""
        text = self.source.of(node)
        if self.kind(node) == "computed_property_name":
            inner = first(node)
            if inner is not None and inner.type == "string":
                return self.source.of(inner)[1:-1]
            self.lower(inner)
            is_named = len(text) <= _LONGEST_KEY and _NAMED_KEY.fullmatch(text)
            return text if is_named else "[]"
        if len(text) > _LONGEST_KEY:
            return "[]"
        return text.strip(_QUOTES) if text[:1] in _QUOTES else text

    def bind_member(
        self,
        node: Node | None,
        key: str,
        declaration: int,
        value: int,
        annotation: int = NONE,
        kind: BindingKind = BindingKind.DECLARED,
    ) -> None:
        """Bind a member in the current scope; a quoted name begins after its quote."""
        if node is None:
            return
        inner = first(node) if self.kind(node) == "computed_property_name" else node
        place = node if inner is None or self.kind(inner) != "string" else inner
        if key == "[]" and declaration != NONE:
            key = self.source.of(node)[:_LONGEST_KEY]  # a computed name is no index signature
        line, column = self.place(place)
        self.code.bind(
            key,
            kind,
            value,
            annotation=annotation,
            line=line,
            column=column + (self.kind(place) == "string"),
            declaration=declaration,
        )

    def type_query(self, node: Node) -> int:
        """`typeof x` in a type."""
        children = [child for child in node.named_children if not child.is_extra]
        if not children:
            return NONE
        of = self.code.add(Op.TYPE_OF, self.lower(children[0]))
        return self.apply(of, children[1] if len(children) > 1 else None)

    def keyof_type(self, node: Node) -> int:
        """`keyof T`."""
        return self.code.add(Op.OPERATOR, NONE, "keyof", [Argument(self.lower(first(node)))])

    def lookup_type(self, node: Node) -> int:
        """`T["k"]`."""
        children = [child for child in node.named_children if not child.is_extra]
        of = self.lower(children[0]) if children else NONE
        key = self.lower(children[1]) if len(children) > 1 else NONE
        if key == self.code.size - 1 and key != NONE:
            known = self.code.expression(key)
            if known.op == Op.TEXT:
                return self.code.add(Op.INDEX, of, known.name)
        return self.code.add(Op.INDEX, of, "", [Argument(key)])

    def conditional_type(self, node: Node) -> int:
        """`A extends B ? C : D`; a chain of them is walked in a loop."""
        code = self.code
        outer, levels = code.scope, []
        inner: Node | None = node
        while inner is not None and inner.kind_id == node.kind_id:
            code.enter(ScopeKind.BLOCK)
            left, right, then = (
                inner.child_by_field_name(field) for field in ("left", "right", "consequence")
            )
            checked, limit = self.lower(left), self._limit(right)
            levels.append([checked, limit, self.lower(then)])
            code.leave(outer)
            inner = inner.child_by_field_name("alternative")
        last = self.lower(inner)
        for level in reversed(levels):
            items = [Argument(number) for number in (*level, last)]
            last = code.add(Op.OPERATOR, NONE, "extends", items)
        return last

    def _limit(self, node: Node | None) -> int:
        """The type that a conditional type compares with; what nothing else is, is not nothing."""
        number = self.lower(node)
        is_empty = node is not None and self.source.of(node) in _EMPTY
        return self.literal("none") if number == NONE and is_empty else number

    def infer_type(self, node: Node) -> int:
        """`infer T`."""
        children = node.named_children
        name = children[0] if children else None
        if name is None:
            return NONE
        bound = self.lower(children[1]) if len(children) > 1 else NONE
        self.bind(name, BindingKind.DECLARED, annotation=bound)
        return self.name(name)

    def type_predicate(self, node: Node) -> int:
        """`x is T`."""
        name = node.child_by_field_name("name")
        of = self.this(name) if name is not None and name.type == "this" else self.lower(name)
        kind = self.lower(node.child_by_field_name("type"))
        return self.code.add(Op.OPERATOR, NONE, "is", [Argument(of), Argument(kind)])

    def asserts(self, node: Node) -> int:
        """`asserts x is T`, `asserts x`."""
        inner = self.lower(first(node))
        return self.code.add(Op.OPERATOR, NONE, "asserts", [Argument(inner)])
