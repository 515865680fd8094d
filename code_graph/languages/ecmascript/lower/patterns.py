"""Lowers what binds names: destructuring with defaults, parameters, assignments to members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, Role
from code_graph.languages.ecmascript.lower.types import TypeSyntax
from code_graph.treesitter.code.lowering import first
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPED: Final = frozenset({"required_parameter", "optional_parameter"})
_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier_pattern", "undefined"})
_AROUND: Final = frozenset(
    {"rest_pattern", "non_null_expression", "parenthesized_expression", "as_expression"}
)
_MARKS: Final = frozenset({"accessibility_modifier", "override_modifier", "readonly"})


class PatternTarget(NamedTuple):
    """The scope of a pattern's names; without one they are declared elsewhere."""

    scope: int | None
    kind: BindingKind = BindingKind.ASSIGNED
    annotation: int = NONE


class Patterns(TypeSyntax):
    """Binds the names of patterns to parts of values."""

    def bind_pattern(self, node: Node | None, value: int, target: PatternTarget) -> None:
        """Bind all names of a pattern."""
        if node is None:
            return
        kind = node.type
        if kind in _NAMES:
            self._bind_name(node, value, target)
        elif self._depth >= self._deepest:
            self._names_only(node)
        elif kind in ("object_pattern", "array_pattern", "object", "array"):
            self._depth += 1
            inner = target._replace(annotation=NONE, kind=BindingKind.ASSIGNED)
            value = self._annotated(value, target.annotation)
            if kind.startswith("object"):
                self._bind_object(node, value, inner)
            else:
                self._bind_array(node, value, inner)
            self._depth -= 1
        else:
            self._bind_other(node, value, target, kind)

    def _annotated(self, value: int, annotation: int) -> int:
        """A value with its declared type."""
        if annotation == NONE:
            return value
        return self.code.add(Op.CAST, value, "", [Argument(annotation)])

    def _bind_other(self, node: Node, value: int, target: PatternTarget, kind: str) -> None:
        if kind in ("assignment_pattern", "assignment_expression"):
            default = self.lower(node.child_by_field_name("right"))
            self._depth += 1
            left = node.child_by_field_name("left")
            self.bind_pattern(left, self.either((value, default)), target)
            self._depth -= 1
        elif kind in _AROUND:
            self._depth += 1
            self.bind_pattern(first(node), value, target)
            self._depth -= 1
        elif kind != "comment":
            place = self.lower(node)
            if place != NONE and self.code.expression(place).op in (Op.MEMBER, Op.INDEX):
                self.code.store(place, value)

    def _bind_name(self, node: Node, value: int, target: PatternTarget) -> None:
        declaration = self.declaration_of(node)
        if target.scope is None:
            self.name(node)  # a use of what is declared elsewhere, if anything is
            line, column = self.place(node)
            text = self.source.of(node)
            self.code.assign(text, value, line=line, column=column, declaration=declaration)
            return
        self.bind(
            node,
            target.kind,
            value,
            annotation=target.annotation,
            declaration=declaration,
            scope=target.scope,
        )

    def _bind_object(self, node: Node, value: int, target: PatternTarget) -> None:
        for child in node.named_children:
            kind = child.type
            if kind in ("shorthand_property_identifier_pattern", "shorthand_property_identifier"):
                self._bind_name(child, self.member(value, child), target)
            elif kind in ("pair_pattern", "pair"):
                part = self._property(value, child.child_by_field_name("key"))
                self.bind_pattern(child.child_by_field_name("value"), part, target)
            elif kind == "object_assignment_pattern":
                self._bind_shorthand(child, value, target)
            elif kind in ("rest_pattern", "spread_element"):
                self.bind_pattern(first(child), value, target)
            else:
                self.lower(child)

    def _bind_shorthand(self, node: Node, value: int, target: PatternTarget) -> None:
        """`{ a = b }`."""
        left = node.child_by_field_name("left")
        if left is None:
            return
        default = self.lower(node.child_by_field_name("right"))
        if self.kind(left) not in _NAMES:
            self.bind_pattern(left, self.either((value, default)), target)
            return
        self._bind_name(left, self.either((self.member(value, left), default)), target)

    def _property(self, value: int, key: Node | None) -> int:
        """The property of a value that a pattern names."""
        if key is None:
            return NONE
        if key.type == "property_identifier":
            return self.member(value, key)
        if key.type == "computed_property_name":
            inner = self.lower(first(key))
            return self.code.add(Op.INDEX, value, "", [Argument(inner)])
        return self.code.add(Op.INDEX, value, self.key(key))

    def _bind_array(self, node: Node, value: int, target: PatternTarget) -> None:
        position = 0
        for child in node.children:
            kind = child.type
            if kind == ",":
                position += 1
            elif kind in ("rest_pattern", "spread_element"):
                part = self.code.add(Op.PART, value, "…")
                self.bind_pattern(first(child), part, target)
            elif child.is_named and kind != "comment":
                part = self.code.add(Op.PART, value, str(position))
                self.bind_pattern(child, part, target)

    def bind_parameters(self, node: Node, fields: int = NONE) -> None:
        """Bind the parameters of a function; those with a modifier are members of `fields` too."""
        single = node.child_by_field_name("parameter")
        if single is not None:
            self._parameter(single, NONE, NONE, 0)
        parameters = node.child_by_field_name("parameters")
        position = 0
        for child in () if parameters is None else parameters.named_children:
            if self.kind(child) in _TYPED:
                position += self._typed_parameter(child, position, fields)
            elif not child.is_extra:
                self._parameter(child, NONE, NONE, position)
                position += 1

    def _typed_parameter(self, node: Node, position: int, fields: int) -> int:
        """Bind a parameter of TypeScript; gives how many places it takes."""
        pattern = node.child_by_field_name("pattern")
        annotation = self.lower(node.child_by_field_name("type"))
        if pattern is None:
            return 1
        if self.kind(pattern) == "this":
            self._typed_this(pattern, annotation)
            return 0
        marks = list(map(self.kind, node.children))
        decorators = []
        if "decorator" in marks:
            found = (child for child in node.named_children if child.type == "decorator")
            decorators = [self.lower(first(child)) for child in found]
        default = self.lower(node.child_by_field_name("value"))
        if annotation != NONE:
            annotation = self.optional(node, annotation)
        self._parameter(pattern, annotation, default, position)
        if fields != NONE and pattern.type == "identifier" and not _MARKS.isdisjoint(marks):
            declaration = self.declaration_of(pattern)
            for decorator in decorators:
                self.code.clause(declaration, Role.DECORATOR, decorator)
            self._bind_name(pattern, default, PatternTarget(fields, annotation=annotation))
        return 1

    def _typed_this(self, node: Node, annotation: int) -> None:
        if annotation == NONE or self.code.expression(annotation).op == Op.LITERAL:
            return
        of = self.code.add(Op.THIS)
        value = self.code.add(Op.CAST, of, "", [Argument(annotation)])
        self.bind(node, BindingKind.NARROWED, value, name="this")

    def _parameter(self, pattern: Node, annotation: int, default: int, position: int) -> None:
        kind, scope = BindingKind.PARAMETER, self.code.scope
        inner: Node | None = pattern
        form = self.kind(pattern)
        if form == "rest_pattern":
            kind, inner = BindingKind.VARIADIC, first(pattern)
        elif form == "assignment_pattern":
            default = self.lower(pattern.child_by_field_name("right"))
            inner = pattern.child_by_field_name("left")
        if inner is None:
            return
        is_name = self.kind(inner) in _NAMES
        name = self.source.of(inner) if is_name else f"{{{position}}}"
        self.bind(inner, kind, default, name=name, annotation=annotation, scope=scope)
        if not is_name:
            self.bind_pattern(inner, self.code.add(Op.NAME, NONE, name), PatternTarget(scope))
