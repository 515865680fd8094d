"""Lowers Lua: a file is a function, so its locals are in a block and its globals around that.

What is put into a table is stored in a member of it, whatever function does so. Members with a mark
before their names are no names of code: the metatable of a table (`@meta`), its values that have no
known name (`@item`), its base by an annotation (`@base`). A class of annotations is a global
`@Name`. The member of a call `a:f()` has an item named `:`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Code, Op, ResultKind, Role, ScopeKind
from code_graph.languages.lua.syntax import SHEET
from code_graph.treesitter.code.lowering import Lowering

if TYPE_CHECKING:
    from tree_sitter import Node

SELF: Final = "self"
REST: Final = "..."
METHOD: Final = ":"
META: Final = "@meta"
ITEM: Final = "@item"
BASE: Final = "@base"
# before the name of a class of annotations
CLASS: Final = "@"
_SPREAD: Final = "*"
_NO_CLASSES: Final = frozenset(
    """
    any boolean fun function integer nil number self string table thread unknown userdata void
    """.split()  # noqa: SIM905 a list of words reads better
)
_OPEN: Final = frozenset({"function_call", "vararg_expression"})
_COMPARING: Final = frozenset({"==", "~=", "<", ">", "<=", ">="})


class Lua(Lowering):
    """Expressions and declarations of one file."""

    sheet = SHEET

    def begin(self) -> None:
        """Begin without annotations."""
        # rows and words of the annotations so far that no declaration has taken
        self._notes: list[tuple[int, list[str]]] = []
        # the declarations of functions that stand in an assignment or a call, by their offsets
        self._functions: dict[int, int] = {}
        self._noted: list[list[str]] = []

    def run(self, root: Node) -> Code:
        """The code of the whole file."""
        self.code.enter(ScopeKind.BLOCK)
        return super().run(root)

    # annotations

    def note(self, node: Node) -> int:
        """A comment, which may say a type: `---@param item Item`."""
        text = self.source.of(node).lstrip("- ")
        self._notes.append((node.start_point[0], text[1:].split() if text.startswith("@") else []))
        return NONE

    def _take_notes(self, node: Node) -> list[list[str]]:
        """The annotations right above a statement."""
        row, found = node.start_point[0], []
        while self._notes and self._notes[-1][0] == row - 1:
            row, words = self._notes.pop()
            found.append(words)
        self._notes.clear()
        return [words for words in reversed(found) if len(words) > 1]

    def _type(self, notes: Sequence[Sequence[str]], *head: str) -> int:
        """The type that the first annotation with these words says."""
        for words in notes:
            named = [word.rstrip("?:,") for word in words]
            if named[: len(head)] == [*head] and len(named) > len(head):
                names = named[len(head)].split("|")
                known = [name for name in names if name not in _NO_CLASSES and name[:1].isalpha()]
                types = [self.code.add(Op.NAME, name=f"{CLASS}{name}") for name in known]
                return self._either(types)
        return NONE

    def _declare_class(self, notes: Sequence[Sequence[str]], value: int) -> None:
        """`---@class Name: Base` above what holds the class."""
        for words in notes if value != NONE else ():
            if words[0] == "class":
                name, *bases = (word.strip(":,") for word in words[1:] if word.strip(":,"))
                self.code.bind(f"{CLASS}{name}", value=value, scope=0)
                for base in bases[:1]:
                    self._store(value, BASE, self.code.add(Op.NAME, name=f"{CLASS}{base}"))

    # statements

    def block(self, node: Node) -> int:
        """Statements with locals of their own, which may not run."""
        outer = self.code.enter(ScopeKind.BLOCK)
        self.lower_all(node.named_children)
        self.code.leave(outer)
        return NONE

    def loop(self, node: Node) -> int:
        """`for`, `while` and `repeat`, whose condition sees the locals of its body."""
        outer = self.code.enter(ScopeKind.LOOP)
        inner = self.code.enter(ScopeKind.BLOCK)
        for child in node.named_children:
            if child.type == "for_generic_clause":
                names, values = child.named_children[0], child.named_children[-1]
                of = self._values(values, 1)[0]
                for at, name in enumerate(names.named_children):
                    self.bind(name, value=self.code.add(Op.ELEMENT, of, str(at)))
            elif child.type == "for_numeric_clause":
                name, *bounds = child.named_children
                self.lower_all(bounds)
                self.bind(name, value=self.literal("float"))
            elif child.type == "block":
                self.lower_all(child.named_children)
            else:
                self.lower(child)
        self.code.leave(inner)
        self.code.leave(outer)
        return NONE

    def returned(self, node: Node) -> int:
        """`return a, b`."""
        values = self._values(node.named_children[0]) if node.named_child_count else []
        if len(values) == 1:
            self.code.result(ResultKind.RETURN, values[0])
        elif values:
            items = [Argument(value) for value in values]
            self.code.result(ResultKind.RETURN, self.code.add(Op.TUPLE, items=items))
        return NONE

    def local(self, node: Node) -> int:
        """`local a, b = …`; a name without a value gets one later."""
        notes = self._take_notes(node)
        inner = node.named_children[0]
        if inner.type == "assignment_statement":
            return self._assign(inner, notes, is_local=True)
        for name in inner.children_by_field_name("name"):
            self.bind(name, annotation=self._type(notes, "type"))
        return NONE

    def assignment(self, node: Node) -> int:
        """`a, b.c = …`."""
        return self._assign(node, self._take_notes(node), is_local=False)

    def _assign(self, node: Node, notes: list[list[str]], *, is_local: bool) -> int:
        targets = node.named_children[0].children_by_field_name("name")
        listed = node.named_children[-1].children_by_field_name("value")
        for target, value in zip_longest(targets, listed):
            if target is not None and value is not None:
                self._expect(value, self._declared_as(target), notes)
        places = [NONE if name.type == "identifier" else self.lower(name) for name in targets]
        values = self._values(node.named_children[-1], len(targets))
        for target, place, value in zip(targets, places, values, strict=False):
            declaration = self._declared_as(target)
            if place != NONE:
                self.code.store(place, value, declaration=declaration)
            elif is_local:
                typed = self._type(notes, "type")
                self.bind(target, value=value, annotation=typed, declaration=declaration)
            else:
                line, column = self.place(target)
                name = self.source.of(target)
                self.code.assign(name, value, line=line, column=column, declaration=declaration)
        self._declare_class(notes, values[0] if values else NONE)
        return NONE

    # functions

    def _declared_as(self, name: Node) -> int:
        """The declaration of the last name of `a.b.c`."""
        last = name.child_by_field_name("method") or name.child_by_field_name("field") or name
        number = self.declaration_of(last.child_by_field_name("content") or last)
        return number

    def _expect(self, value: Node, declaration: int, notes: list[list[str]]) -> None:
        """Have the function of `f = function() end`, or of `f = f or function() end`, declared."""
        if value.type == "binary_expression":
            value = value.child_by_field_name("right") or value
        if value.type == "function_definition":
            self._functions[value.start_byte] = declaration
            self._noted = notes

    def function_declaration(self, node: Node) -> int:
        """`function a.b:c() end`, and `local function f() end`, which sees itself."""
        name = node.child_by_field_name("name")
        notes = self._take_notes(node)
        if name is None:
            return NONE
        declaration = self._declared_as(name)
        if name.type != "identifier":
            place = self.lower(name)
            is_method = name.type == "method_index_expression"
            value = self._function(node, declaration, notes, is_method=is_method)
            self.code.store(place, value, declaration=declaration)
        elif node.children[0].type == "local":
            self.bind(name, BindingKind.DECLARED, declaration=declaration)
            self._function(node, declaration, notes)
        else:
            line, column = self.place(name)
            value = self._function(node, declaration, notes)
            self.code.assign(
                self.source.of(name), value, BindingKind.DECLARED,
                line=line, column=column, declaration=declaration,
            )  # fmt: skip
        return NONE

    def function_value(self, node: Node) -> int:
        """`function() end` as a value."""
        notes, self._noted = self._noted, []
        return self._function(node, self._functions.pop(node.start_byte, NONE), notes)

    def _function(
        self, node: Node, declaration: int, notes: list[list[str]], *, is_method: bool = False
    ) -> int:
        self.code.clause(declaration, Role.RESULT, self._type(notes, "return"))
        with self.code.inside(ScopeKind.FUNCTION, declaration) as scope:
            if is_method:
                self.code.bind(SELF, BindingKind.PARAMETER)
            parameters = node.child_by_field_name("parameters")
            for each in () if parameters is None else parameters.named_children:
                if each.type == "vararg_expression":
                    self.bind(each, BindingKind.VARIADIC)
                elif each.type == "identifier":
                    typed = self._type(notes, "param", self.source.of(each))
                    self.bind(each, BindingKind.PARAMETER, annotation=typed)
            body = node.child_by_field_name("body")
            if body is not None:
                self.lower_all(body.named_children)
        return self.code.add(Op.FUNCTION, scope)

    def call(self, node: Node) -> int:
        """A call; one may say what a table gets, and one of a test holds its body."""
        called = node.child_by_field_name("name")
        arguments = node.child_by_field_name("arguments")
        given = [] if arguments is None else arguments.named_children
        of = self.lower(called)
        if len(given) > 1 and given[0].type == "string":
            self._expect(given[1], self._declared_as(given[0]), [])
        items = self._items(given)
        number = self.code.add(Op.CALL, of, items=items)
        name = "" if called is None or len(items) < 2 else self.source.of(called)
        if name == "setmetatable":
            self._store(items[0].value, META, items[1].value)
        elif name in {"table.insert", "rawset"}:
            self._store(items[0].value, ITEM, items[-1].value)
        return number

    # values

    def _values(self, node: Node, count: int = 1) -> list[int]:
        """The values of a list, of which a call may be the last ones."""
        nodes = [child for child in node.named_children if not child.is_extra]
        found = [self.lower(child) for child in nodes]
        last = found[-1] if nodes and nodes[-1].type in _OPEN else NONE
        if last != NONE and nodes[-1].type == "vararg_expression":
            last = self.code.expression(last).of
        for at in range(1, count - len(found) + 1):
            found.append(NONE if last == NONE else self.code.add(Op.PART, last, str(at)))
        return found

    def _items(self, nodes: Sequence[Node]) -> list[Argument]:
        """Arguments, or values of a table, of which `...` may be the last ones."""
        found: list[Argument] = []
        for node in nodes:
            if node.type == "vararg_expression":
                found.append(Argument(self.name(node), _SPREAD))
            elif not node.is_extra:
                found.append(Argument(self.lower(node)))
        return found

    def vararg(self, node: Node) -> int:
        """The first of `...`."""
        return self.code.add(Op.PART, self.name(node), "0")

    def _store(self, of: int, name: str, value: int) -> None:
        if of != NONE:
            self.code.store(self.code.add(Op.MEMBER, of, name), value)

    def index(self, node: Node) -> int:
        """`a.b`, `a:b`, `a["b"]` and `a[b]`."""
        of = self.lower(node.child_by_field_name("table"))
        method = node.child_by_field_name("method")
        key = method or node.child_by_field_name("field")
        text = key if key is None or key.type != "string" else key.child_by_field_name("content")
        if text is None or (text == key and node.type == "bracket_index_expression"):
            return self.code.add(Op.INDEX, of, items=self._items([key] if key else []))
        line, column = self.place(text)
        items = [] if method is None else [Argument(NONE, METHOD)]
        return self.code.add(Op.MEMBER, of, self.source.of(text), items, line, column)

    def table(self, node: Node) -> int:
        """`{ a = 1, ["b"] = 2, [c] = 3, 4 }`."""
        items: list[Argument] = []
        for field in node.named_children:
            value = field.child_by_field_name("value")
            name = field.child_by_field_name("name")
            if value is None:
                self.lower(field)
                continue
            key = name if name is None or name.type != "string" else name.child_by_field_name("content")
            if name is not None and key == name and field.children[0].type == "[":
                self.lower(name)
                key = None
            notes = self._take_notes(field)
            if name is not None:
                self._expect(value, self._declared_as(name), notes)
            item = self._items([value])[0]
            items.append(item if key is None else item._replace(name=self.source.of(key)))
        return self.code.add(Op.OBJECT, items=items)

    def string(self, node: Node) -> int:
        """A text."""
        content = node.child_by_field_name("content")
        return self.text("" if content is None else self.source.of(content))

    def binary(self, node: Node) -> int:
        """An operator; the value of `a and b` is `b`, that of `a or b` either."""
        word = node.children[1].type
        left = self.lower(node.child_by_field_name("left"))
        right = self.lower(node.child_by_field_name("right"))
        if word in _COMPARING:
            return self.literal("bool")
        if word == "and":
            return right
        if word == "or":
            return self._either([left, right])
        return self.code.add(Op.OPERATOR, name=word, items=[Argument(left), Argument(right)])

    def unary(self, node: Node) -> int:
        """`not a`, `#a`, `-a`."""
        self.lower_all(node.named_children)
        return self.literal("bool" if node.children[0].type == "not" else "float")

    def _either(self, numbers: Sequence[int]) -> int:
        found = [number for number in numbers if number != NONE]
        if len(found) < 2:
            return found[0] if found else NONE
        return self.code.add(Op.EITHER, items=[Argument(number) for number in found])
