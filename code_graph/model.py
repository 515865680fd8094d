"""Symbols and edges of the graph, and what linking one file gives.

A symbol is what has one `node_id`: a declaration, or several that make one (parts of a class, the
overload signatures of a function, a namespace in many files). An edge leads from the declaration
that contains a place to the symbol that the place means.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from index_format.records import Record
from index_format.tuples import NamedTuple

# in place of a declaration's number: the file itself
FILE: Final = -1


class EdgeType(IntEnum):
    """The types of edges."""

    CALLS = 0
    INHERITS = 1  # a class of a class
    IMPLEMENTS = 2  # a type of an interface, protocol or trait
    IMPORTS = 3  # a file of a file, module or symbol
    OVERRIDES = 4  # a member of the member it replaces
    REFERENCES = 5  # any other use of a name
    CONTAINS = 6  # a symbol of its members
    ACCEPTS = 7  # a function of the type of a parameter
    EXTENDS = 8  # an interface of an interface, an extension of its type
    BELONGS_TO = 9  # a method, or a block of them, to the type that its receiver names


class Confidence(IntEnum):
    """Confidence of an edge; the lowest is given on request only."""

    EXACT = 0  # scope, import, receiver, declared type
    INFERRED = 1  # by values, results, generics
    CONTRACT = 2  # by a text that both sides have: a route, a topic, a table
    DISPATCH = 3  # an override of what is called, or what a library calls
    PROBABLE = 4  # by a name that nothing else has, or by what tells one of several apart
    POSSIBLE = 5  # by name alone


class Strategy(IntEnum):
    """Strategies by which the target of an edge was found."""

    SCOPE = 0  # the name is declared in a scope around
    IMPORT = 1  # the name is imported
    RECEIVER = 2  # a member through `self`, `this`, `super`, or the class's own name
    DECLARED = 3  # a member of a declared type
    FLOW = 4  # a member of a value that was followed
    RESULT = 5  # … through the result of a function without a declared one
    GENERIC = 6  # … through type arguments or the expected type of a callback
    OVERLOAD = 7  # chosen among several of a name: by arguments, includes or folders
    VERSION = 8  # any of several versions of a package, of which no lock file names one
    DECORATOR = 9  # the function that a decorator puts in place of another
    ARGUMENT = 10  # a parameter, by the arguments at its call sites
    OVERRIDE = 11  # an override of the target
    NAME = 12  # the name alone
    SCIP = 13  # an imported index says so
    FRAMEWORK = 14  # a framework calls it, by a name or a mark
    ROUTE = 15  # a request has the path that it answers
    MESSAGE = 16  # it gets the messages of a topic, an event or a queue
    RPC = 17  # a call of a service that a description of services has
    TABLE = 18  # a query names the table
    SETTING = 19  # a setting or variable of the environment has the name
    NATIVE = 20  # code in another language, by the name that it has there
    TEMPLATE = 21  # a page that code names to fill it
    SYNTAX = 22  # no name of it stands there: an operator, a loop, `with`, a property of a class
    ALIKE = 23  # a member of what other values of the receiver's name are
    SOLE_NAME = 24  # a member by a name that nothing else has, here or outside
    # of several of a name …
    RECEIVER_NAME = 25  # the one whose type the receiver is named as
    ARGUMENT_COUNT = 26  # the one that takes so many arguments
    SEEN_IN_FILE = 27  # the one that the file declares or imports


CONFIDENCE_OF: Final = {
    Strategy.SCOPE: Confidence.EXACT,
    Strategy.IMPORT: Confidence.EXACT,
    Strategy.RECEIVER: Confidence.EXACT,
    Strategy.DECLARED: Confidence.EXACT,
    Strategy.FLOW: Confidence.INFERRED,
    Strategy.RESULT: Confidence.INFERRED,
    Strategy.GENERIC: Confidence.INFERRED,
    Strategy.OVERLOAD: Confidence.INFERRED,
    Strategy.VERSION: Confidence.INFERRED,
    Strategy.DECORATOR: Confidence.INFERRED,
    Strategy.ARGUMENT: Confidence.INFERRED,
    Strategy.OVERRIDE: Confidence.DISPATCH,
    Strategy.NAME: Confidence.POSSIBLE,
    Strategy.SCIP: Confidence.EXACT,
    Strategy.FRAMEWORK: Confidence.DISPATCH,
    Strategy.ROUTE: Confidence.CONTRACT,
    Strategy.MESSAGE: Confidence.CONTRACT,
    Strategy.RPC: Confidence.CONTRACT,
    Strategy.TABLE: Confidence.CONTRACT,
    Strategy.SETTING: Confidence.CONTRACT,
    Strategy.NATIVE: Confidence.CONTRACT,
    Strategy.TEMPLATE: Confidence.CONTRACT,
    Strategy.SYNTAX: Confidence.INFERRED,
    Strategy.ALIKE: Confidence.DISPATCH,
    Strategy.SOLE_NAME: Confidence.PROBABLE,
    Strategy.RECEIVER_NAME: Confidence.PROBABLE,
    Strategy.ARGUMENT_COUNT: Confidence.PROBABLE,
    Strategy.SEEN_IN_FILE: Confidence.PROBABLE,
}


class GraphEdge(NamedTuple):
    """One edge; `source` is the number of a declaration of the file, or FILE."""

    source: int
    target: int  # the symbol's id
    type: int
    strategy: int
    line: int
    column: int


class ExternalUse(NamedTuple):
    """A use of a name that is declared outside the repository, e.g. `os.path.join`."""

    source: int
    name: str
    type: int
    line: int
    column: int


class UnresolvedUse(NamedTuple):
    """A use of a name whose receiver or declaration is unknown."""

    source: int
    name: str
    type: int
    line: int
    column: int
    # the last name of the object before it; empty where none is written, or it is the own object
    receiver: str = ""
    # the number of arguments by place, and of those by name; -1 where a list of any length is given
    arguments: int = -1
    named_arguments: int = 0


class LinkedSymbol(NamedTuple):
    """The identity of one declaration of a file; FILE is the file or module itself.

    Everything else about it is in the facts of the file.
    """

    declaration: int
    id: int
    qualified_name: str
    node_type: str  # file, module, class, interface, type, component, method, constructor, …
    is_public_api: bool = False
    # true if this part is the one to show first if several declarations make the symbol
    is_primary: bool = True


class CalledSignature(NamedTuple):
    """A call, and the first line of the signature that it calls of a function with several."""

    line: int
    column: int
    path: str
    first: int


class LinkedFile(Record):
    """The result of linking one file; equal facts of the repository give equal results.

    `dependencies` are keys of what the edges need of other files, whether it was there or
    not: the file is linked again when the export of one of them changes. `exports` are keys of
    facts that other files may need, each with a hash.
    """

    path: str
    fingerprint: bytes
    project: str
    language: str
    symbols: Sequence[LinkedSymbol] = ()
    edges: Sequence[GraphEdge] = ()
    external: Sequence[ExternalUse] = ()
    unresolved: Sequence[UnresolvedUse] = ()
    dependencies: Sequence[int] = ()
    exports: Sequence[tuple[int, int]] = ()
    # true if all places were evaluated: not in a file that exceeds its budget
    is_complete: bool = True
