"""Narrowing by tests of names and paths: `instanceof`, `typeof`, tags, predicates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, ScopeKind
from code_graph.languages.ecmascript.lower.types import TypeSyntax
from code_graph.treesitter.code.lowering import first
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

# the name of a CAST's type that the value is not of
NOT: Final = "not"
_DEEPEST: Final = 8
_LONGEST_PATH: Final = 4
# functions that may be tests of a type: those called by a name alone, and methods named like tests
_PREDICATE: Final = re.compile(r"^[\w$]+$|\.[_$]*(?:is|(?:is|are|has|assert)[A-Z_]\w*)$")
# functions that are named like those that throw unless a test holds
_ASSERTION: Final = re.compile(r"(?:[\w$]+\.)?[_$]*(?:[a-z]*[aA]ssert\w*|invariant|ensure\w*)")
# … and those that throw unless their argument is true, whatever their type says
_CONDITION: Final = re.compile(r"(?:\w+\.)?(?:assert\w*|invariant|ensure\w*)")
_LONGEST_NAME: Final = 60
_KEYED: Final = re.compile(r"""\.?\[(["']?)([\w$]+)\1\]""")
# names with the form of a constant or a member of an enum
_CONSTANT: Final = re.compile(r"[A-Z][A-Z0-9_]+|(?:\w{1,40}\.)?[A-Z]\w{0,60}\.\w{1,60}")
_EQUAL: Final = frozenset({"===", "=="})
_UNEQUAL: Final = frozenset({"!==", "!="})
_TYPE_NAMES: Final = {
    "string": "str",
    "number": "float",
    "boolean": "bool",
    "bigint": "int",
    "symbol": "symbol",
}


class TypeTest(NamedTuple):
    """A test of the type of a name or path: the expression tested, and that of the type.

    Of a tag, `kind` is the MEMBER and `text` its value, or `tag` the constant that it is compared
    with; without both it is only true. Of `typeof`, `text` is the name of the type.
    """

    name: str
    subject: int
    kind: int
    holds: bool
    op: int = NONE
    text: str = ""
    tag: int = NONE
    # other tests of the name, of which one holds if this one does not
    others: tuple[TypeTest, ...] = ()


class TypeTests(TypeSyntax):
    """Binds names to the types that a test shows, in the current scope."""

    # true if a comparison of a member with a text is kept
    narrows_tags = True
    # true if what is lowered may be a test of a type
    in_test: bool
    # where the last of these begins
    last_noted: int
    # operands of comparisons, by the bounds of these
    compared: dict[tuple[int, int], tuple[int, int]]
    # calls with one argument that are named like predicates, by their bounds: call and argument
    asked: dict[tuple[int, int], tuple[int, int]]

    def condition(self, test: Node | None) -> int:
        """Lower a test, so that `narrowed` finds what it says."""
        outer, self.in_test = self.in_test, True
        number = self.lower(test)
        self.in_test = outer
        return number

    def narrowed(self, test: Node | None, *, holds: bool) -> list[TypeTest]:
        """The narrowing of a lowered test, where it holds or where it fails."""
        found: list[TypeTest] = []
        # tests are lowered in the order of the text
        if test is not None and self.last_noted >= test.start_byte:
            self._find(test, holds, found, 0)
        return found

    def narrow(self, found: list[TypeTest]) -> None:
        """Bind what tests say."""
        for shown in found:
            self.narrow_to(shown.name, self.shown_value(shown))

    def narrow_to(self, path: str, value: int) -> None:
        """Bind a name or path to a value, where its first name is declared."""
        if path.partition(".")[0] == "this":
            scope = self.code.binding_scope(ScopeKind.FUNCTION)
            self.code.bind(path, BindingKind.NARROWED, value, scope=scope)
        else:
            self.code.assign(path, value, BindingKind.NARROWED)

    def shown_value(self, shown: TypeTest) -> int:
        """The expression of the type that a test proves."""
        code, kind = self.code, shown.kind
        if shown.others:
            one = self.shown_value(shown._replace(others=()))
            return self.either((one, *map(self.shown_value, shown.others)))
        if shown.op == Op.LITERAL:
            kind = self.literal(shown.text)
        elif shown.op == Op.CALLABLE:
            kind = code.add(Op.CALLABLE)
        elif shown.op == Op.OBJECT:
            tag = shown.tag
            if tag == NONE:
                tag = code.add(Op.TEXT, NONE, shown.text) if shown.text else self.literal("bool")
            kind = code.add(Op.OBJECT, NONE, "", [Argument(tag, code.expression(kind).name)])
        item = Argument(kind, "" if shown.holds else NOT)
        return code.add(Op.CAST, shown.subject, "", [item])

    def _find(self, test: Node, holds: bool, found: list[TypeTest], depth: int) -> None:  # noqa: FBT001
        kind = self.kind(test)
        if depth > _DEEPEST:
            return
        if kind == "parenthesized_expression":
            inner = first(test)
            if inner is not None:
                self._find(inner, holds, found, depth + 1)
        elif kind == "unary_expression":
            inner = test.child_by_field_name("argument")
            operator = test.child_by_field_name("operator")
            if inner is not None and operator is not None and operator.type == "!":
                self._find(inner, not holds, found, depth + 1)
        elif kind == "binary_expression":
            self._find_binary(test, holds, found, depth)
        elif kind == "call_expression":
            self._find_call(test, holds, found)
        elif kind == "member_expression":
            number = self.compared.get((test.start_byte, test.end_byte), (NONE, NONE))[0]
            found += self._find_tag(test, number, "", holds=holds)

    def _find_binary(self, test: Node, holds: bool, found: list[TypeTest], depth: int) -> None:  # noqa: FBT001
        operator = test.child_by_field_name("operator")
        left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
        name = "" if operator is None else operator.type
        if left is None or right is None:
            return
        if name in ("&&", "||"):
            # of a failed `&&`, or an `||` that holds, no part is certain
            if (name == "&&") == holds:
                self._find(left, holds, found, depth + 1)
                self._find(right, holds, found, depth + 1)
            else:
                found += self._find_either(left, right, depth, holds=holds)
            return
        numbers = self.compared.get((test.start_byte, test.end_byte))
        if numbers is None:
            return
        if name == "instanceof":
            path = self.path_of(left)
            if path and numbers[0] != NONE and numbers[1] != NONE:
                found.append(TypeTest(path, numbers[0], numbers[1], holds))
        elif name in _EQUAL or name in _UNEQUAL:
            found += self.equal(left, right, numbers, holds=holds == (name in _EQUAL))

    def _find_either(
        self, left: Node, right: Node, depth: int, *, holds: bool
    ) -> Iterator[TypeTest]:
        """Tests of one name in both operands, where one of the operands holds."""
        first_: list[TypeTest] = []
        second: list[TypeTest] = []
        self._find(left, holds, first_, depth + 1)
        self._find(right, holds, second, depth + 1)
        for shown in first_:
            more = tuple(other for other in second if other.name == shown.name)
            if more:
                yield shown._replace(others=(*shown.others, *more))

    def equal(
        self, left: Node, right: Node, numbers: tuple[int, int], *, holds: bool = True
    ) -> list[TypeTest]:
        """The narrowing by a comparison with a string, a constant, or with true or false."""
        if right.type in ("true", "false"):
            return self._find_tag(left, numbers[0], "", holds=holds == (right.type == "true"))
        if self._is_constant(left) and not self._is_constant(right):
            left, right, numbers = right, left, (numbers[1], numbers[0])
        if not self._is_constant(right):
            return []
        if right.type != "string":
            shown = self._find_tag(left, numbers[0], "", holds=holds)
            return [item._replace(tag=numbers[1]) for item in shown if numbers[1] != NONE]
        text = self.source.of(right)[1:-1]
        if left.type == "unary_expression":
            return self._find_typeof(left, text, holds=holds)
        return self._find_tag(left, numbers[0], text, holds=holds)

    def _is_constant(self, node: Node) -> bool:
        """True if an expression is a string, or is named like a constant."""
        if node.type == "string":
            return True
        if node.type not in ("identifier", "member_expression"):
            return False
        is_short = node.end_byte - node.start_byte <= 2 * _LONGEST_NAME
        return is_short and _CONSTANT.fullmatch(self.source.of(node)) is not None

    def _find_tag(self, member: Node, number: int, text: str, *, holds: bool) -> list[TypeTest]:
        """Narrow an object by the value of one of its members, its tag."""
        if member.type == "member_expression" and number != NONE and self.narrows_tags:
            inner = member.child_by_field_name("object")
            path = "" if inner is None else self.path_of(inner)
            tag = self.code.expression(number)
            if path and tag.op == Op.MEMBER and tag.of != NONE:
                return [TypeTest(path, tag.of, number, holds, Op.OBJECT, text)]
        return []

    def _find_typeof(self, left: Node, text: str, *, holds: bool) -> list[TypeTest]:
        operator = left.child_by_field_name("operator")
        inner = left.child_by_field_name("argument")
        subject = self.compared.get((left.start_byte, left.end_byte), (NONE, NONE))[0]
        if operator is None or operator.type != "typeof" or inner is None or subject == NONE:
            return []
        path = self.path_of(inner)
        if path and text in _TYPE_NAMES:
            return [TypeTest(path, subject, NONE, holds, Op.LITERAL, _TYPE_NAMES[text])]
        if path and text == "function":
            return [TypeTest(path, subject, NONE, holds, Op.CALLABLE)]
        return []

    def _find_call(self, test: Node, holds: bool, found: list[TypeTest]) -> None:  # noqa: FBT001
        numbers = self.asked.get((test.start_byte, test.end_byte))
        arguments = test.child_by_field_name("arguments")
        subject = None if arguments is None else first(arguments)
        if numbers is None or subject is None:
            return
        path = self.path_of(subject)
        if path and numbers[1] != NONE:
            found.append(TypeTest(path, numbers[1], numbers[0], holds))

    def note_predicate(self, node: Node, call: int, argument: int) -> None:
        """Remember a call that may be a test of its first argument's type."""
        function = node.child_by_field_name("function")
        if function is None:
            return
        end = function.end_byte
        name = self.source.text[max(function.start_byte, end - _LONGEST_NAME) : end]
        if _PREDICATE.search(name):
            self.asked[node.start_byte, node.end_byte] = (call, argument)
            self.last_noted = max(self.last_noted, node.start_byte)

    def note_comparison(self, node: Node, left: int, right: int) -> None:
        """Remember the operands of a comparison, or of `typeof`."""
        self.compared[node.start_byte, node.end_byte] = (left, right)
        self.last_noted = max(self.last_noted, node.start_byte)

    def asserts_something(self, node: Node) -> bool:
        """True if a call may stop the program unless its first argument holds."""
        function = node.child_by_field_name("function")
        if function is None or function.end_byte - function.start_byte > _LONGEST_NAME:
            return False
        return _ASSERTION.fullmatch(self.source.of(function)) is not None

    def asserts_its_argument(self, node: Node) -> bool:
        """True if a call that may stop the program takes the test itself."""
        function = node.child_by_field_name("function")
        return function is not None and _CONDITION.fullmatch(self.source.of(function)) is not None

    def path_of(self, node: Node) -> str:
        """`a`, `a.b.c`, or `a[0].c` as `a.0.c`; empty for anything else."""
        inner: Node | None = node
        for _ in range(_LONGEST_PATH):
            if inner is None:
                return ""
            if inner.type in ("identifier", "this"):
                text = "".join(self.source.of(node).split()).replace("?.", ".").replace("!", "")
                return _KEYED.sub(r".\2", text) if "[" in text else text
            if inner.type == "subscript_expression":
                index = inner.child_by_field_name("index")
                if index is None or index.type not in ("number", "string"):
                    return ""
            elif inner.type not in ("member_expression", "non_null_expression"):
                return ""
            inner = inner.child_by_field_name("object") or first(inner)
        return ""
