"""Lowers Ruby: a name that no assignment above it has made a variable is a call of the object.

A method binds the object that it is called on as `self`, its first parameter; outside of methods it
is a THIS. Variables of an object are members with their `@`, and `x.name = 1` calls `name=`. What a
class includes is a base of it, and what it extends is a metaclass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.expressions import (
    NONE,
    Argument,
    BindingKind,
    Op,
    ResultKind,
    Role,
    ScopeKind,
)
from code_graph.languages.ruby.syntax import SHEET
from code_graph.treesitter.code.lowering import Lowering

if TYPE_CHECKING:
    from tree_sitter import Node


SELF: Final = "self"
# no variable has this name
_EACH: Final = "&each"
# around the name of a method that is given as a symbol or text
_MARKS: Final = ":\"'"
_INCLUDING: Final = {
    "include": Role.IMPLEMENTS,
    "prepend": Role.IMPLEMENTS,
    "extend": Role.METACLASS,
}
_ATTRIBUTES: Final = frozenset({"attr", "attr_reader", "attr_writer", "attr_accessor"})
_REQUIRING: Final = frozenset({"require", "require_relative", "load", "autoload"})
_MAKING: Final = {"Struct": "new", "Class": "new", "Module": "new", "Data": "define"}
_PARAMETERS: Final = {
    "identifier": BindingKind.PARAMETER,
    "optional_parameter": BindingKind.PARAMETER,
    "splat_parameter": BindingKind.VARIADIC,
    "keyword_parameter": BindingKind.KEYWORD_ONLY,
    "hash_splat_parameter": BindingKind.KEYWORDS,
    "block_parameter": BindingKind.KEYWORD_ONLY,
}
_COMPARING: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "=~", "!~", "===", "<=>"})
_CHOOSING: Final = frozenset({"&&", "||", "and", "or"})


class Ruby(Lowering):
    """Expressions and declarations of one file."""

    sheet = SHEET

    names: ClassVar[frozenset[str]] = frozenset({"constant"})

    def begin(self) -> None:
        """Begin outside of any declaration."""
        super().begin()
        # the variables of each method, class and block around, with the scopes that hold them; a
        # block sees those around it
        self._variables: list[tuple[dict[str, int], bool]] = [({}, False)]
        self._in_method = False
        self._in_type = False
        # the declaration of the class around, and the name of the method
        self._type = NONE
        self._method: Node | None = None

    # names

    def variable_scope(self, name: str) -> int:
        """The scope of a local variable of this name, or NONE."""
        for variables, is_block in reversed(self._variables):
            if name in variables:
                return variables[name]
            if not is_block:
                break
        return NONE

    def declare_variable(self, node: Node, value: int = NONE) -> None:
        """Bind a local variable, in the block or method that has it."""
        name = self.source.of(node)
        scope = self.variable_scope(name)
        if scope == NONE:
            scope = self.code.binding_scope()
            self._variables[-1][0][name] = scope
        self.bind(node, value=value, scope=scope)

    def self_value(self) -> int:
        """The object that code is run on."""
        if self._in_method and self._in_type:
            return self.code.add(Op.NAME, name=SELF)
        return self.code.add(Op.THIS)

    def self_object(self, _node: Node) -> int:
        """`self`."""
        return self.self_value()

    def identifier(self, node: Node) -> int:
        """A variable, or a call without arguments."""
        if self.variable_scope(self.source.of(node)) != NONE:
            return self.name(node)
        if self.source.of(node) == "module_function" and not self._in_method:
            self.code.clause(self._type, Role.METACLASS, self.self_value())
            return NONE
        return self.code.add(Op.CALL, self.member(self.self_value(), node))

    def object_variable(self, node: Node) -> int:
        """`@name`."""
        return self.code.add(Op.MEMBER, self.self_value(), self.source.of(node))

    def scope_resolution(self, node: Node) -> int:
        """`Outer::Inner`, or `::Top`."""
        name = node.child_by_field_name("name")
        outer = node.child_by_field_name("scope")
        if name is None:
            return self.opaque(node)
        if outer is None:
            number = self.name(name)
            self.code.look_up_from(number, 0)
            return number
        return self.member(self.lower(outer), name)

    # declarations

    def type_body(self, node: Node) -> int:
        """A class, a module, or what is done with the class itself."""
        if node.type == "singleton_class":
            return self.opaque_body(node.child_by_field_name("body"))
        name = node.child_by_field_name("name")
        if name is None:
            return self.opaque(node)
        declaration = self.declaration_of(name)
        base = node.child_by_field_name("superclass")
        if base is not None:
            self.code.clause(declaration, Role.BASE, self.pass_through(base))
        last = name.child_by_field_name("name") if name.type == "scope_resolution" else name
        self.bind(last or name, BindingKind.DECLARED, declaration=declaration)
        self._type_scope(declaration, node.child_by_field_name("body"))
        return NONE

    def _type_scope(
        self, declaration: int, body: Node | None, attributes: Sequence[Node] = ()
    ) -> None:
        around = self._type, self._in_method, self._in_type
        self._type, self._in_method, self._in_type = declaration, False, True
        self._variables.append(({}, False))
        with self.code.inside(ScopeKind.CLASS, declaration):
            self._attributes(attributes)
            self.opaque_body(body)
        self._variables.pop()
        self._type, self._in_method, self._in_type = around

    def opaque_body(self, body: Node | None) -> int:
        """Statements of which the last says nothing."""
        if body is not None:
            self.lower_all(body.named_children)
        return NONE

    def method(self, node: Node) -> int:
        """A method, or a function outside of classes."""
        name = node.child_by_field_name("name")
        if name is None:
            return NONE
        declaration = self.declaration_of(name)
        is_nested = self._in_method
        if not is_nested:
            self.bind(name, BindingKind.DECLARED, declaration=declaration)
        around = self._method, self._in_method
        self._method, self._in_method = name, True
        self._variables.append(({}, False))
        with self.code.inside(ScopeKind.FUNCTION, declaration):
            if self._in_type:
                self.code.bind(SELF, BindingKind.PARAMETER)
            self._parameters(node.child_by_field_name("parameters"))
            body = node.child_by_field_name("body")
            if body is not None:
                self.code.result(ResultKind.RETURN, self.lower(body))
        self._variables.pop()
        self._method, self._in_method = around
        return NONE

    def _parameters(self, node: Node | None) -> None:
        for part in () if node is None else node.named_children:
            kind = _PARAMETERS.get(part.type)
            if kind is None:
                for inner in part.named_children:
                    if inner.type == "identifier":
                        self.declare_variable(inner)
                continue
            name = part if part.type == "identifier" else part.child_by_field_name("name")
            if name is None:
                continue
            value = self.lower(part.child_by_field_name("value")) if name != part else NONE
            self._variables[-1][0][self.source.of(name)] = self.code.scope
            self.bind(name, kind, value, scope=self.code.scope)

    def block(self, node: Node) -> int:
        """A block or lambda; one whose call is a declaration, as a test, is its body."""
        return self._block(node, NONE)

    def _block(self, node: Node, declaration: int) -> int:
        parameters = node.child_by_field_name("parameters")
        body = node.child_by_field_name("body")
        if body is not None and body.type in {"block", "do_block"}:  # of a lambda
            body = body.child_by_field_name("body")
        self._variables.append(({}, True))
        with self.code.inside(ScopeKind.FUNCTION, declaration) as scope:
            self._parameters(parameters)
            if body is not None:
                self.code.result(ResultKind.RETURN, self.lower(body))
        self._variables.pop()
        return self.code.add(Op.FUNCTION, scope)

    # calls

    def call(self, node: Node) -> int:
        """A call, with its arguments and its block."""
        method = node.child_by_field_name("method")
        receiver = node.child_by_field_name("receiver")
        arguments = node.child_by_field_name("arguments")
        if method is not None and method.type == "super":
            return self._super(method, arguments, node.child_by_field_name("block"))
        if method is None:
            of = self.lower(receiver)
        elif receiver is None:
            if self._is_statement(node, method, arguments):
                return NONE
            of = self.member(self.self_value(), method)
        else:
            of = self.member(self.lower(receiver), method)
        items = self._arguments(arguments)
        items += self._given_block(node, arguments)
        return self.code.add(Op.CALL, of, items=items)

    def _given_block(self, node: Node, arguments: Node | None) -> list[Argument]:
        block = node.child_by_field_name("block")
        if block is None:
            return []
        declaration = NONE
        for part in () if arguments is None else arguments.named_children[:1]:
            inner = (
                part.named_children[0] if part.type == "string" and part.named_children else part
            )
            declaration = self.declaration_of(inner)
        return [Argument(self._block(block, declaration), "&")]

    def _arguments(self, node: Node | None) -> list[Argument]:
        items: list[Argument] = []
        for part in () if node is None else node.named_children:
            if part.type == "pair":
                key = part.child_by_field_name("key")
                value = part.child_by_field_name("value")
                name = "" if key is None else self.source.of(key).strip(_MARKS)
                number = self.lower(value)
                items.append(Argument(number, name if name.isidentifier() else "=key"))
            elif part.type in {"splat_argument", "hash_splat_argument"}:
                mark = "*" if part.type == "splat_argument" else "**"
                items.append(Argument(self.pass_through(part), mark))
            elif part.type == "block_argument":
                given = part.named_children[:1]
                is_symbol = bool(given) and given[0].type == "simple_symbol"
                number = self._symbol_block(given[0]) if is_symbol else self.pass_through(part)
                items.append(Argument(number, "&"))
            elif part.type not in self.skipped:
                items.append(Argument(self.lower(part)))
        return items

    def _is_statement(self, node: Node, method: Node, arguments: Node | None) -> bool:
        """Lower a call that declares something; false for any other."""
        word = self.source.of(method)
        parts = [] if arguments is None else arguments.named_children
        if word in _INCLUDING and parts and not self._in_method:
            for part in parts:
                self.code.clause(self._type, _INCLUDING[word], self.lower(part))
            return True
        if word == "module_function" and not self._in_method:
            self.code.clause(self._type, Role.METACLASS, self.self_value())
        elif word in _ATTRIBUTES and not self._in_method:
            self._attributes(parts)
            return True
        elif word in _REQUIRING:
            is_text = bool(parts) and parts[-1].type == "string"
            number = self.imported_at(node, "") if is_text else NONE
            if number != NONE:
                self.bind(parts[-1], BindingKind.IMPORTED, number, scope=0)
                return True
        elif word in {"define_method", "alias_method"} and parts and not self._in_method:
            is_alias = word == "alias_method" and len(parts) > 1
            self._named_method(parts[0], parts[1] if is_alias else None)
        return False

    def alias(self, node: Node) -> int:
        """`alias new old`."""
        name = node.child_by_field_name("name")
        if name is not None and not self._in_method:
            self._named_method(name, node.child_by_field_name("alias"))
        return NONE

    def _named_method(self, name: Node, called: Node | None) -> None:
        """A method that a name or symbol declares, and the one that an alias of it calls."""
        declaration = self.declaration_of(name)
        if declaration == NONE:
            declaration = self._declared.get(name.start_byte + 1, NONE)
        if declaration == NONE:
            return
        text = self.source.of(name).strip(_MARKS)
        self.bind(name, BindingKind.DECLARED, name=text, declaration=declaration)
        if called is None:
            return
        around, self._in_method = self._in_method, True
        with self.code.inside(ScopeKind.FUNCTION, declaration):
            if self._in_type:
                self.code.bind(SELF, BindingKind.PARAMETER)
            self.code.result(ResultKind.RETURN, self._call_of(called, self.self_value()))
        self._in_method = around

    def _symbol_block(self, node: Node) -> int:
        """`&:name`, which is `{ |each| each.name }`."""
        with self.code.inside(ScopeKind.FUNCTION, NONE) as scope:
            self.code.bind(_EACH, BindingKind.PARAMETER)
            each = self.code.add(Op.NAME, name=_EACH)
            self.code.result(ResultKind.RETURN, self._call_of(node, each))
        return self.code.add(Op.FUNCTION, scope)

    def _call_of(self, name: Node, receiver: int) -> int:
        """A call of the method that a name, symbol or text says, at its place."""
        text, (line, column) = self.source.of(name), self.place(name)
        bare = text.strip(_MARKS)
        column += text.index(bare)
        return self.code.add(
            Op.CALL, self.code.add(Op.MEMBER, receiver, bare, line=line, column=column)
        )

    def _attributes(self, parts: Sequence[Node]) -> None:
        for part in parts:
            declaration = self._declared.get(part.start_byte + 1, NONE)
            if declaration != NONE:
                text = self.source.of(part).strip(_MARKS)
                self.bind(part, BindingKind.DECLARED, name=text, declaration=declaration)

    def super_call(self, node: Node) -> int:
        """`super` without arguments, which passes those of the method on."""
        return self._super(node, None, None)

    def _super(self, word: Node, arguments: Node | None, block: Node | None) -> int:
        line, column = self.place(word)
        name = "" if self._method is None else self.source.of(self._method)
        of = self.code.add(Op.SUPER)
        member = self.code.add(Op.MEMBER, of, name, line=line, column=column)
        items = self._arguments(arguments)
        if block is not None:
            items.append(Argument(self._block(block, NONE), "&"))
        return self.code.add(Op.CALL, member, items=items)

    def yielded(self, node: Node) -> int:
        """`yield`, which calls the block of the method."""
        for number in self.lower_all(node.named_children):
            self.code.result(ResultKind.YIELD, number)
        return NONE

    # statements

    def body(self, node: Node) -> int:
        """Statements: the value of the last, and of what handles its errors."""
        last = NONE
        values: list[int] = []
        for child in node.named_children:
            number = self.lower(child)
            if child.type == "rescue":
                values.append(number)
            elif child.type not in {"ensure", *self.skipped}:
                last = number
        return self._either([last, *values])

    def rescue(self, node: Node) -> int:
        """A branch that handles errors of classes."""
        outer = self.code.enter(ScopeKind.BRANCH)
        classes = node.child_by_field_name("exceptions")
        made = self.lower_all([] if classes is None else classes.named_children)
        variable = node.child_by_field_name("variable")
        if variable is not None and variable.named_children:
            target = variable.named_children[0]
            if target.type == "identifier":
                value = self._either([self.code.add(Op.NEW, each) for each in made])
                self.declare_variable(target, value)
        number = self.lower(node.child_by_field_name("body"))
        self.code.leave(outer)
        return number

    def choice(self, node: Node) -> int:
        """A condition or `case`: one of its branches."""
        values: list[int] = []
        condition = node.child_by_field_name("condition") or node.child_by_field_name("value")
        if condition is not None:
            self.lower(condition)
        for child in node.named_children:
            if child == condition:
                continue
            outer = self.code.enter(ScopeKind.BRANCH)
            if child.type in {"when", "in_clause"}:
                for part in child.named_children[:-1]:
                    self._pattern(part)
                values.append(self.lower(child.named_children[-1]))
            else:
                values.append(self.lower(child))
            self.code.leave(outer)
        return self._either(values)

    def _pattern(self, node: Node) -> None:
        """A pattern of `in`: it binds names."""
        if node.type == "identifier":
            self.declare_variable(node)
        elif node.named_children and node.type not in {"pattern", "call"}:
            for child in node.named_children:
                self._pattern(child)
        else:
            self.lower(node)

    def loop(self, node: Node) -> int:
        """A loop."""
        outer = self.code.enter(ScopeKind.LOOP)
        self.lower_all(node.named_children)
        self.code.leave(outer)
        return NONE

    def for_loop(self, node: Node) -> int:
        """`for x in y`."""
        values = self.pass_through(node.child_by_field_name("value") or node)
        outer = self.code.enter(ScopeKind.LOOP)
        target = node.child_by_field_name("pattern")
        if target is not None:
            self._assign(target, self.code.add(Op.ELEMENT, values))
        self.lower(node.child_by_field_name("body"))
        self.code.leave(outer)
        return NONE

    def returned(self, node: Node) -> int:
        """`return`."""
        values = [self.lower_all(part.named_children) for part in node.named_children]
        for numbers in values:
            for number in numbers[:1] if len(numbers) == 1 else ():
                self.code.result(ResultKind.RETURN, number)
        return NONE

    def assignment(self, node: Node) -> int:
        """`x = 1`, `@x = 1`, `a.x = 1`, `X = 1`, `a, b = 1, 2`."""
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        if left is None or right is None:
            return self.opaque(node)
        if left.type == "constant" and self._makes_type(left, right):
            return NONE
        value = self.lower(right)
        self._assign(left, value)
        return value

    def _makes_type(self, left: Node, right: Node) -> bool:
        """Lower `Point = Struct.new(:x) do … end`; false if no class is made."""
        if right.type != "call":
            return False
        receiver = right.child_by_field_name("receiver")
        method = right.child_by_field_name("method")
        made = "" if receiver is None else _MAKING.get(self.source.of(receiver), "")
        if not made or method is None or self.source.of(method) != made:
            return False
        declaration = self.declaration_of(left)
        arguments = right.child_by_field_name("arguments")
        parts = [] if arguments is None else arguments.named_children
        if receiver is not None and self.source.of(receiver) == "Class":
            for part in parts[:1]:
                self.code.clause(declaration, Role.BASE, self.lower(part))
        self.bind(left, BindingKind.DECLARED, declaration=declaration)
        block = right.child_by_field_name("block")
        body = None if block is None else block.child_by_field_name("body")
        self._type_scope(declaration, body)
        return True

    def operator_assignment(self, node: Node) -> int:
        """`x ||= 1`, `x += 1`."""
        left = node.child_by_field_name("left")
        value = self.lower(node.child_by_field_name("right"))
        if left is not None:
            if left.type not in {"identifier", "constant"}:
                self.lower(left)
            self._assign(left, value, again=left.type not in {"identifier", "instance_variable"})
        return value

    def _assign(self, target: Node, value: int, *, again: bool = False) -> None:
        kind = target.type
        if kind == "identifier":
            self.declare_variable(target, value)
        elif kind == "constant":
            declaration = self.declaration_of(target)
            self.bind(target, BindingKind.ASSIGNED, value, declaration=declaration)
        elif kind in {"instance_variable", "class_variable"}:
            self.code.store(self.object_variable(target), value)
        elif kind == "call":
            self._set_attribute(target, value, again=again)
        elif kind == "element_reference":
            holder = target.child_by_field_name("object")
            if holder is not None and not again:
                self._operate(holder, "[]=", self.lower(holder))
        elif kind in {"left_assignment_list", "destructured_left_assignment"}:
            for at, part in enumerate(target.named_children):
                self._assign(part, self.code.add(Op.PART, value, str(at)))
        elif kind == "rest_assignment":
            for part in target.named_children:
                self._assign(part, value)

    def _set_attribute(self, target: Node, value: int, *, again: bool) -> None:
        """`a.x = 1`: calls `x=`, which of an attribute stores the value."""
        receiver = target.child_by_field_name("receiver")
        method = target.child_by_field_name("method")
        if receiver is None or method is None:
            return
        of = self.lower(receiver)
        line, column = self.place(method)
        name = self.source.of(method)
        member = self.code.add(Op.MEMBER, of, f"{name}=", line=line, column=column)
        self.code.add(Op.CALL, member, items=[Argument(value)])
        if not again:
            self.code.store(self.code.add(Op.MEMBER, of, f"@{name}"), value)

    # values

    def element(self, node: Node) -> int:
        """`a[1]`."""
        holder = node.child_by_field_name("object")
        if holder is None:
            return self.opaque(node)
        of = self.lower(holder)
        items = [Argument(self.lower(child)) for child in node.named_children[1:]]
        self._operate(holder, "[]", of)
        return self.code.add(Op.INDEX, of, items=items)

    def _operate(self, holder: Node, name: str, of: int) -> int:
        """A call of an operator, at the end of what it is called on."""
        line, column = self.place(holder)
        member = self.code.add(Op.MEMBER, of, name, line=line, column=column)
        return self.code.add(Op.CALL, member)

    def binary(self, node: Node) -> int:
        """An operator, which is a method."""
        left = node.child_by_field_name("left")
        operator = node.child_by_field_name("operator")
        name = "" if operator is None else self.source.of(operator)
        if left is None:
            return self.opaque(node)
        first = self.lower(left)
        second = self.lower(node.child_by_field_name("right"))
        if name in _CHOOSING:
            return self._either([first, second])
        if name in _COMPARING or self.code.size == 0:
            return self.literal("bool")
        if first == NONE or self.code.expression(first).op in {Op.LITERAL, Op.TEXT}:
            return first
        return self._operate(left, name, first)

    def array(self, node: Node) -> int:
        """`[a, b]`."""
        return self.code.add(Op.LIST, items=self._arguments(node))

    def hash(self, node: Node) -> int:
        """`{a: 1}`."""
        return self.code.add(Op.DICT, items=self._arguments(node))

    def template(self, node: Node) -> int:
        """A text, perhaps with code in it."""
        self.lower_all(node.named_children)
        return self.literal("str")

    def template_regex(self, node: Node) -> int:
        """A regular expression, perhaps with code in it."""
        self.lower_all(node.named_children)
        return self.literal("regex")

    def _either(self, numbers: Sequence[int]) -> int:
        found = [number for number in numbers if number != NONE]
        if len(found) < 2:
            return found[0] if found else NONE
        return self.code.add(Op.EITHER, items=[Argument(number) for number in found])
