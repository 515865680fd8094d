"""Shared lowering of languages that declare types: dispatch by node numbers, places, bindings.

What the linker must know beyond the types in `code_graph.expressions.model`:

* scopes: the head of a type and the whole of a field or property are evaluated in a BLOCK with its
  declaration, so that each expression has an owner; the body of a type is the CLASS in it, the
  accessors of a property are FUNCTIONs in it, all with the same declaration. Members are bound in
  the CLASS, but for constructors, operators, indexers and what implements an interface explicitly.
* type parameters: DECLARED without a declaration in the BLOCK or FUNCTION of their declaration,
  the first bound as annotation; a TYPE_PARAMETER clause for each bound, or one without.
* types: LIST is an array, TUPLE a tuple, CALLABLE a function type; a type that is a keyword is a
  NAME without a place. Annotations are types: variables of the same name are none.
* assignments: a name that is declared elsewhere is not bound again, the store is in its NAME.
  What object initializers set are stores in MEMBERs of the NEW; constants are not stored.
* variables that a pattern binds have a CAST as value. Kotlin and PHP narrow: a branch that shows a
  variable's type is a BLOCK that binds it to a CAST, and again where the variable is assigned.
* calls: of THIS or SUPER where one constructor calls another; a NEW without a type has the type
  that is expected; a parameter with a default has a value, if only an OPAQUE.
* attributes: DECORATOR is a CALL if there are arguments; named ones that set a property or an
  element are stores in MEMBERs of the CALL.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from code_graph.expressions import (
    NONE,
    Argument,
    BindingKind,
    Code,
    Op,
    ResultKind,
    Role,
    ScopeKind,
)
from code_graph.treesitter.code.lowering import Lowering
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

    Handler: TypeAlias = Callable[[Any, Node], int]
    # with the number of what stands before it
    Step: TypeAlias = Callable[[Any, Node, int], int]

# expressions of one file; one with more is data
_MOST_EXPRESSIONS: Final = 400_000


def _nothing(_lowering: object, _node: Node) -> int:
    return NONE


def _literal(name: str) -> Handler:
    def add(lowering: DeclaredTypes, _node: Node) -> int:
        return lowering.literal(name)

    return add


def children_of(node: Node | None) -> Sequence[Node]:
    """The named children of a node, without comments."""
    if node is None:
        return ()
    return [child for child in node.children if child.is_named and not child.is_extra]


class ShownType(NamedTuple):
    """A variable whose type an open branch shows, until it is assigned."""

    name: str
    branch: int
    # its NAME in the scope around, if it is of its declared type again once it is assigned
    outside: int = NONE


class DeclaredTypes(Lowering):
    """Symbolic code of a file in a language with declared types."""

    # anonymous tokens that are expressions, by their text: the method that lowers them
    tokens: ClassVar[Mapping[str, str]] = {}
    names: ClassVar[frozenset[str]] = frozenset(
        {"identifier", "type_identifier", "field_identifier"}
    )
    # operators that give truth values, whatever their operands are
    truths: ClassVar[frozenset[str]] = frozenset()
    # steps of chains (calls, members, elements), and the methods that lower them
    steps: ClassVar[Mapping[str, str]] = {}
    _steps_by_kind: ClassVar[dict[int, Step | None]]
    _handlers_by_kind: ClassVar[dict[int, Handler]]

    def __init_subclass__(cls) -> None:
        """Handlers are found once for each kind of node of a class's grammar."""
        super().__init_subclass__()
        if "sheet" in vars(cls) and cls.sheet is not None:
            cls.steps, cls.tokens = cls.sheet.steps(), cls.sheet.tokens()
            cls.truths = cls.sheet.truths()
        cls._handlers_by_kind = {}
        cls._steps_by_kind = {}

    def begin(self) -> None:
        """Begin in the first line."""
        super().begin()
        self._row = 0
        # true if there are errors, and those that are lowered
        self._broken = False
        self._errors: set[int] = set()
        self._shown: tuple[ShownType, ...] = ()

    def run(self, root: Node) -> Code:
        """The code of the whole file."""
        self._broken = root.has_error
        self.lower_each(root.children)
        return self.code.finish()

    # dispatch

    def lower(self, node: Node | None) -> int:
        """Lower a node; the number of its expression, or NONE."""
        if node is None:
            return NONE
        if self._depth >= self._deepest:
            return self._names_only(node)
        kind = node.kind_id
        handle = self._handlers_by_kind.get(kind) or self._find_handler(node, kind)
        depth = self._depth
        self._depth = depth + 1
        try:
            number = handle(self, node)
        except IndexError:  # in an error a node may lack the children that the grammar promises
            number = NONE
        if self._broken and node.has_error:
            self.lower_errors(node)
        self._depth = depth
        return number

    def lower_each(self, nodes: Sequence[Node]) -> list[int]:
        """Lower nodes in order; gives the expressions, where there are any."""
        found: list[int] = []
        if self._depth >= self._deepest:
            for child in nodes:
                self._names_only(child)
            return found
        depth = self._depth
        self._depth = depth + 1
        known = self._handlers_by_kind.get
        for child in nodes:
            kind = child.kind_id
            handle = known(kind) or self._find_handler(child, kind)
            if handle is not _nothing:
                try:
                    number = handle(self, child)
                except IndexError:
                    number, self._depth = NONE, depth + 1
                if self._broken and child.has_error:
                    self.lower_errors(child)
                if number != NONE:
                    found.append(number)
        self._depth = depth
        return found

    def lower_errors(self, node: Node) -> None:
        """Lower the errors in a node that its handler left out."""
        for child in node.children:
            if child.is_error:
                self.error(child)

    def error(self, node: Node) -> int:
        """Lower the content of an error, once."""
        if node.id not in self._errors:
            self._errors.add(node.id)
            self.lower_each(node.children)
        return NONE

    def pass_through(self, node: Node) -> int:
        """Lower the children; several expressions give an unknown value."""
        found = self.lower_each(node.children)
        return found[0] if len(found) == 1 else NONE

    def opaque(self, node: Node) -> int:
        """Lower the children; the result says nothing."""
        self.lower_each(node.children)
        return NONE

    def first_child(self, node: Node) -> int:
        """The first of the children that says something."""
        numbers = self.lower_each(node.children)
        return numbers[0] if numbers else NONE

    def last_child(self, node: Node) -> int:
        """The last child's expression; the others are evaluated."""
        self.lower_each(node.children[:-1])
        return self.last_value(node)

    def last_value(self, node: Node) -> int:
        """The last child's expression; the others are names and signs."""
        return self.lower(node.children[-1] if node.children else None)

    def _find_handler(self, node: Node, kind: int) -> Handler:
        text, here = node.type, type(self)
        handle: Handler = _nothing
        if not node.is_named:
            if text in here.tokens:
                handle = getattr(here, here.tokens[text])
        elif node.is_error:
            handle = here.error
        elif text in here.handlers:
            handle = self._handler_named(here.handlers[text], text)
        elif text in here.literals:
            handle = _literal(here.literals[text])
        elif text not in here.skipped:
            handle = here.pass_through
        here._handlers_by_kind[kind] = handle  # noqa: SLF001 its own class
        return handle

    def _handler_named(self, name: str, node: str) -> Handler:
        """The handler of a type of nodes."""
        del node
        handle: Handler = getattr(type(self), name)
        return handle

    # places and names

    def place(self, node: Node) -> tuple[int, int]:
        """Line and column of a node; of a verbatim name behind its sign."""
        start = node.start_byte
        line, column = self.place_at(start)
        return line, column + (self.source.text[start : start + 1] == "@")

    def place_at(self, start: int) -> tuple[int, int]:
        """Line and column of a place in the text."""
        starts, row = self._line_starts, self._row
        if not starts[row] <= start < starts[row + 1]:
            row = self._row = min(bisect_right(starts, start), len(starts) - 1) - 1
        return row + 1, start - starts[row]

    def spelled(self, node: Node) -> str:
        """The name that an identifier spells, without the sign of a verbatim one (C#)."""
        text = self.source.text[node.start_byte : node.end_byte]
        return text[1:] if text[:1] == "@" else text

    def member(self, of: int, node: Node, op: Op = Op.MEMBER) -> int:
        """A MEMBER expression, or another with a name; its object, if the name is missing."""
        start = node.start_byte
        text = self.source.text[start : node.end_byte]
        if not text or "\n" in text:  # what a parser makes of errors
            return of
        if text[0] == "@":
            text, start = text[1:], start + 1
        starts, row = self._line_starts, self._row
        if not starts[row] <= start < starts[row + 1]:
            row = self._row = min(bisect_right(starts, start), len(starts) - 1) - 1
        number = self.code.add(op, of, text, (), row + 1, start - starts[row])
        if number >= _MOST_EXPRESSIONS:
            self._deepest = NONE
        return number

    def builtin(self, node: Node) -> int:
        """The NAME of a type that is a keyword; it has no place. `void` gives no name."""
        text = self.spelled(node)
        return NONE if text == "void" else self.code.add(Op.NAME, name=text)

    def this(self, node: Node) -> int:
        """The object that a method is called on."""
        line, column = self.place(node)
        return self.code.add(Op.THIS, line=line, column=column)

    def super(self, node: Node) -> int:
        """The expression of `super`: the object itself, as a value of its base."""
        line, column = self.place(node)
        return self.code.add(Op.SUPER, line=line, column=column)

    def bind_name(
        self,
        node: Node | None,
        kind: BindingKind = BindingKind.ASSIGNED,
        value: int = NONE,
        annotation: int = NONE,
        declaration: int = NONE,
        scope: int | None = None,
    ) -> None:
        """Bind the name at a node; a missing or blank one is no variable."""
        if node is None:
            return
        text = self.spelled(node)
        if text and (text != "_" or kind != BindingKind.ASSIGNED):
            line, column = self.place(node)
            self.code.bind(
                text,
                kind,
                value,
                annotation=annotation,
                line=line,
                column=column,
                declaration=declaration,
                scope=scope,
            )

    def store(self, target: int, value: int) -> None:
        """Store a value that says something."""
        if NONE not in {target, value} and self.code.expression(value).op != Op.LITERAL:
            self.code.store(target, value)

    # statements

    @contextmanager
    def flow(self, *kinds: ScopeKind) -> Iterator[None]:
        """Scopes without a declaration, as far as they bind names."""
        outer = [self.code.enter(kind) for kind in kinds]
        try:
            yield
        finally:
            for scope in reversed(outer):
                self.code.leave(scope)

    @contextmanager
    def showing(self) -> Iterator[int]:
        """A branch that may show types of variables; gives the scope that binds them."""
        shown = self._shown
        with self.flow(ScopeKind.BRANCH, ScopeKind.BLOCK):
            yield self.code.scope
        self._shown = shown

    def bind_shown(self, name: Node, declared: Node) -> None:
        """Bind a variable as one of a type, in the innermost scope that holds names."""
        of = self.code.add(Op.NAME, name=self.spelled(name))
        value = self.cast(of, self.lower(declared))
        self.bind_name(name, value=value, scope=self.code.binding_scope())

    def end_shown(self, ended: Sequence[ShownType], value: int, annotation: int = NONE) -> None:
        """Forget the types that branches show of an assigned variable."""
        inner = self.code.scope
        for one in ended:
            self.code.scope = one.branch
            self.code.bind(one.name, value=value, annotation=annotation)
        self.code.scope = inner

    def nested_block(self, node: Node) -> int:
        """The statements of a block within a body."""
        with self.flow(ScopeKind.BLOCK):
            self.lower_each(node.children)
        return NONE

    def in_branch(self, node: Node | None) -> None:
        """Lower what runs once or not at all."""
        if node is not None:
            with self.flow(ScopeKind.BRANCH):
                self.lower(node)

    def if_statement(self, node: Node) -> int:
        """A condition and its branches; a chain of `else if` is no nest."""
        left: Node | None = node
        while left is not None:
            self.lower(left.child_by_field_name("initializer"))
            self.lower(left.child_by_field_name("condition"))
            self.in_branch(left.child_by_field_name("consequence"))
            left = left.child_by_field_name("alternative")
            if left is not None and left.type != "if_statement":
                self.in_branch(left)
                left = None
        return NONE

    def while_statement(self, node: Node) -> int:
        """A loop with its condition inside."""
        with self.flow(ScopeKind.LOOP):
            self.lower_each(node.children)
        return NONE

    def for_statement(self, node: Node) -> int:
        """A loop with variables of its own."""
        with self.flow(ScopeKind.BLOCK):
            self.while_statement(node)
        return NONE

    def return_statement(self, node: Node) -> int:
        """A result of the function around."""
        self.result(self.pass_through(node))
        return NONE

    def yielded(self, node: Node) -> int:
        """A value that a generator gives."""
        self.result(self.pass_through(node), ResultKind.YIELD)
        return NONE

    def labeled_statement(self, node: Node) -> int:
        """A statement with a label, which is no name."""
        self.lower_each(node.children[1:])
        return NONE

    def result(self, value: int, kind: ResultKind = ResultKind.RETURN) -> None:
        """Add a result, if its value says something."""
        if value != NONE:
            self.code.result(kind, value)

    # expressions

    def chain(self, node: Node) -> int:
        """Calls, members and elements; a chain of them is no nest."""
        known = self._steps_by_kind
        spine: list[tuple[Node, Step]] = []
        first = node
        while True:
            kind = first.kind_id
            step = known[kind] if kind in known else self._find_step(first, kind)
            if step is None:
                break
            spine.append((first, step))
            first = first.children[0]
        of = self.chain_start(first, spine)
        for one, step in reversed(spine):
            of = step(self, one, of)
            if self._broken and one.has_error:
                self.lower_errors(one)
        return of

    def chain_start(self, node: Node, spine: list[tuple[Node, Step]]) -> int:
        """The first node of a chain; it may be part of the first steps, whose last is here."""
        del spine
        return self.lower(node)

    def _find_step(self, node: Node, kind: int) -> Step | None:
        here = type(self)
        name = here.steps.get(node.type)
        step: Step | None = None if name is None else getattr(here, name)
        here._steps_by_kind[kind] = step  # noqa: SLF001 its own class
        return step

    def binary(self, node: Node) -> int:
        """Operators; a chain of them is no nest."""
        spine = [node]
        kind, first = node.kind_id, node.children[0]
        while first.kind_id == kind:
            spine.append(first)
            first = first.children[0]
        left = self.lower(first)
        for one in reversed(spine):
            children = one.children
            operator = next((child.type for child in children[1:] if not child.is_named), "")
            left = self.operation(operator, left, self.lower(children[-1]))
        return left

    def unary(self, node: Node) -> int:
        """A sign before a value, which changes no type but for `!`."""
        value = self.last_value(node)
        return self.literal("bool") if node.children[0].type == "!" else value

    def operation(self, operator: str, left: int, right: int) -> int:
        """The value of a binary operator; nothing if neither operand says anything."""
        if operator in self.truths:
            return self.literal("bool")
        if left == NONE and right == NONE:
            return NONE
        return self.code.add(Op.OPERATOR, name=operator, items=(Argument(left), Argument(right)))

    def either(self, numbers: Sequence[int]) -> int:
        """One of several values."""
        known = [number for number in numbers if number != NONE]
        if len(known) == len(known[:1]):
            return known[0] if known else NONE
        return self.code.add(Op.EITHER, items=list(map(Argument, known)))

    def conditional(self, node: Node) -> int:
        """A condition and two values."""
        self.lower(node.child_by_field_name("condition"))
        first = self.lower(node.child_by_field_name("consequence"))
        return self.either([first, self.lower(node.child_by_field_name("alternative"))])

    def cast_expression(self, node: Node) -> int:
        """A value as one of a type."""
        declared = self.lower(node.child_by_field_name("type"))
        return self.cast(self.lower(node.child_by_field_name("value")), declared)

    def await_expression(self, node: Node) -> int:
        """The operand of `await`."""
        value = self.last_value(node)
        return value if value == NONE else self.code.add(Op.AWAIT, value)

    def generic_type(self, node: Node) -> int:
        """A generic with its type arguments."""
        of = self.lower(node.child_by_field_name("type"))
        return self.apply(of, node.child_by_field_name("type_arguments"))

    def apply(self, of: int, arguments: Node | None) -> int:
        """A generic with its type arguments, or itself without any."""
        items = [Argument(self.lower(child)) for child in children_of(arguments)]
        return self.code.add(Op.APPLY, of, items=items) if items else of

    def cast(self, value: int, declared: int) -> int:
        """A value as one of a type."""
        if declared == NONE:
            return value
        return self.code.add(Op.CAST, value, items=(Argument(declared),))

    def truth(self, node: Node) -> int:
        """A truth value."""
        self.lower_each(node.children)
        return self.literal("bool")

    def text_with_values(self, node: Node) -> int:
        """A text, maybe with values in it."""
        self.lower_each(node.children)
        return self.literal("str")

    def list_values(self, node: Node) -> int:
        """A list of values."""
        return self.list_of(self.lower_each(node.children))

    def list_of(self, numbers: Sequence[int], op: Op = Op.LIST) -> int:
        """A list or tuple of values, or of types."""
        return self.code.add(op, items=list(map(Argument, numbers)))

    def new(self, of: int, items: Sequence[Argument], at: Node) -> int:
        """A created object; it is placed at the name of its type."""
        line, column = self.place(at)
        return self.code.add(Op.NEW, of, items=items, line=line, column=column)

    def function(self, scope: int, at: Node) -> int:
        """The value of an anonymous function or class."""
        line, column = self.place(at)
        return self.code.add(Op.FUNCTION, scope, line=line, column=column)

    def type_clause(self, declaration: int, role: Role, value: int) -> None:
        """A clause about a declared type, if there is one."""
        if value != NONE:
            self.code.clause(declaration, role, value)

    def whole_number(self, node: Node) -> int:
        """A whole number, by its last letter."""
        return self.literal("long" if self.source.of(node)[-1:] in {"l", "L"} else "int")

    def fraction(self, node: Node) -> int:
        """A number with a fraction, by its last letter."""
        return self.literal("single" if self.source.of(node)[-1:] in {"f", "F"} else "float")
