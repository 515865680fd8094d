"""Types of symbolic code: expressions without constants, and the scopes that bind their names.

Expressions are numbered in the order in which they are evaluated: operands before what uses them,
statements in text order. An expression refers to others by their numbers, NONE where there is
nothing to follow. The same operators serve values and types: `List[int]` and `Map<K, V>` are both
an APPLY. Lines count from 1 and columns from 0 in characters, as in the facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from index_format.records import Record
from index_format.tuples import NamedTuple

NONE: Final = -1
# a place that is none
NOWHERE: Final = (0, 0)


class Op(IntEnum):
    """The operations of expressions; `of`, `name` and `items` of each stand beside it."""

    NAME = 0  # name: looked up from the expression's scope
    MEMBER = 1  # of: object; name: `a.b`, `a->b`, `a?.b`, `A::b`
    CALL = 2  # of: function; items: arguments
    NEW = 3  # of: type; items: arguments, of `new T(…)`, `T { … }`
    INDEX = 4  # of: object; name: the key if it is a literal; items: the key: `a[k]`
    APPLY = 5  # of: generic; items: type arguments
    LITERAL = 6  # name: its type: str bytes int float bool none regex; as a type, true false
    TEXT = 7  # name: a short string literal, for `getattr(x, "y")` and `require("m")`
    TUPLE = 8  # items
    LIST = 9  # items
    SET = 10  # items
    DICT = 11  # items: values, named by their keys where these are literals; keys as "=key" items
    OBJECT = 12  # items: properties by name
    FUNCTION = 13  # of: scope of a function or class without a declaration of its own
    EITHER = 14  # items: one of several: conditions, `or`, union types
    AWAIT = 15  # of
    ELEMENT = 16  # of: what an iteration over it gives
    ENTER = 17  # of: what a context manager gives on entry
    PART = 18  # of: tuple or list; name: position from 0, negative from the end, "…" for a rest
    CAST = 19  # of: value; items: its declared type
    OPERATOR = 20  # name: the operator; items: operands
    CALLABLE = 21  # of: type of its result; items: types of its parameters, and of `this`
    THIS = 22  # `this`, `self` where they are keywords
    SUPER = 23  # `super`, `base`; items: arguments
    TYPE_OF = 24  # of: value; `typeof x` and `decltype(x)` in a type
    OPAQUE = 25  # items: evaluated, but the result says nothing

    # a spread argument or element has the name "*", or "**" for a mapping


# operations that look a name up
NAMING: Final = frozenset({Op.NAME, Op.MEMBER})


class Argument(NamedTuple):
    """An operand in a list; `name` is empty for a positional one."""

    value: int
    name: str = ""


class Expression(NamedTuple):
    """One expression; line and column are those of its name and 0 where it has none."""

    op: int
    of: int = NONE
    name: str = ""
    items: tuple[Argument, ...] = ()
    line: int = 0
    column: int = 0


class ScopeKind(IntEnum):
    """Kinds of scopes; branches and loops hold no names of their own."""

    MODULE = 0
    CLASS = 1
    FUNCTION = 2
    BLOCK = 3  # names declared in a block, of a comprehension, of a `catch`
    BRANCH = 4  # runs once or not at all
    LOOP = 5  # runs any number of times


class Scope(NamedTuple):
    """A scope; `declaration` is NONE for blocks, modules and anonymous functions."""

    kind: int
    parent: int
    declaration: int = NONE


class BindingKind(IntEnum):
    """Ways in which a name gets a value."""

    ASSIGNED = 0
    PARAMETER = 1
    VARIADIC = 2  # `*args`, `...rest`, `params T[] xs`
    KEYWORDS = 3  # `**kwargs`
    KEYWORD_ONLY = 4  # a parameter that is given by name only
    DECLARED = 5  # a declaration: function, class, module, type
    IMPORTED = 6  # `value` is the number of the import in the facts
    NARROWED = 7  # a test shows a type: `value` is a CAST
    DELETED = 8


class Binding(NamedTuple):
    """A name gets a value; `at` is the number of expressions before it.

    The name belongs to `scope`; it is bound in `region`, which may be a branch or loop inside.
    """

    scope: int
    region: int
    name: str
    kind: int
    at: int
    value: int = NONE
    annotation: int = NONE
    line: int = 0
    column: int = 0
    declaration: int = NONE


class MemberStore(NamedTuple):
    """A value is stored in a MEMBER or INDEX expression."""

    target: int
    value: int
    annotation: int = NONE
    declaration: int = NONE


class ResultKind(IntEnum):
    """Ways in which a function gives a value."""

    RETURN = 0
    YIELD = 1
    DELEGATE = 2  # `yield from`, `yield*`


class Result(NamedTuple):
    """A value that the function around `scope` gives."""

    scope: int
    kind: int
    value: int


class Role(IntEnum):
    """Roles of clauses in a declaration."""

    BASE = 0  # extends or implements; the linker tells by what it is
    DECORATOR = 1  # also annotations and attributes
    RESULT = 2  # declared type of the result
    TYPE = 3  # declared type of a field, property or variable
    TYPE_PARAMETER = 4  # `name` is the parameter, `value` its bound
    RECEIVER = 5  # type that a method or extension belongs to, declared elsewhere
    ALIAS = 6  # type that a type alias stands for
    METACLASS = 7
    IMPLEMENTS = 8  # an explicit `implements` or `impl Trait for`
    MEMBER_OF = 9  # interface of an explicitly implemented member
    RAISES = 10
    BODY = 11  # `value` is an anonymous function, `name` says what its body gives
    PARAMETER = 12  # `name` is a parameter as it is written, where a list of them is long
    NAMED = 13  # `name` is that for other languages; without a declaration, of the file as a type


class Clause(NamedTuple):
    """Something that the head of a declaration says."""

    declaration: int
    role: int
    value: int
    name: str = ""


class Export(NamedTuple):
    """A name that a module exports: its own, or from a module it names."""

    name: str  # "*" for all names of `module`, "=" for a whole module: `module.exports = …`
    local: str = ""
    module: str = ""
    value: int = NONE


class ContractRole(IntEnum):
    """The sides of a contract."""

    GIVES = 0  # it is reached by the text: the handler of a route, the reader of a topic
    USES = 1  # it reaches others by the text: a request, a message
    RUNS = 2  # what a library is handed here is called by it; there is no text


class Contract(NamedTuple):
    """A place where code meets other code by a text that both have, or by way of a library.

    `declaration` is the declaration that gives or uses it, NONE where it is the file itself. A
    handler that is named elsewhere has the place of its name.
    """

    role: int
    kind: str  # "route", "message", …
    key: str  # the text, in the form that both sides agree on
    declaration: int
    # line and column of the text, or of the callee; and of the handler's name
    place: tuple[int, int]
    handler: tuple[int, int] = NOWHERE


class Code(Record):
    """Symbolic code of one file; scope 0 is the module."""

    scopes: Sequence[Scope] = (Scope(ScopeKind.MODULE, NONE),)
    expressions: Sequence[Expression] = ()
    # the scope that each expression is evaluated in
    scope_of: Sequence[int] = ()
    bindings: Sequence[Binding] = ()
    stores: Sequence[MemberStore] = ()
    results: Sequence[Result] = ()
    clauses: Sequence[Clause] = ()
    exports: Sequence[Export] = ()
    contracts: Sequence[Contract] = ()


class FileCode(NamedTuple):
    """The code of a file, and how many declarations and imports the facts of its text have."""

    code: Code
    declarations: int
    imports: int
