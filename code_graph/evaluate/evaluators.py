"""The evaluator of a language's expressions, and what finds definitions, as places use them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from code_graph.evaluate.rules import ImpliedCallFinder
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, External, Injection, Result, Value
from code_graph.expressions import Binding
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.evaluate.definitions import Definition

# ruff: noqa: ARG002 each says what it is asked about


class Resolver:
    """The evaluator of a language's expressions; what it does not say, few languages have."""

    # true if what nothing else resolves is followed through parameters and containers
    follows: bool = False
    # true if a decorator is called where it stands
    calls_decorators: bool = False
    # true if making an object calls its class
    constructs: bool = True
    # finds what is called without being named; None where nothing is
    implied: ImpliedCallFinder | None = None
    # true if an expression that makes an object is a call, as it is not in Rust: only `T(…)` is
    new_calls: bool = True
    # true if a call may read a value: a component of a record, a property by its accessor
    reads_by_call: bool = False

    @abstractmethod
    def file(self, path: str) -> SourceFile | None:
        """A file of the tree."""

    @abstractmethod
    def evaluate(self, file: SourceFile, number: int) -> Result:
        """The possible values of an expression."""

    @abstractmethod
    def callees(self, file: SourceFile, number: int) -> Result:
        """The functions or classes that a call calls."""

    def may_mean_more(self, file: SourceFile, number: int, *, is_outside: bool) -> bool:
        """True if a call may mean another function than those found, which may all be outside."""
        return False

    @abstractmethod
    def targets(self, functions: Result) -> Iterator[tuple[Value, Strategy]]:
        """The callables among values."""

    def signatures(self, file: SourceFile, number: int) -> Iterator[tuple[str, int]]:
        """Path and line of the signature that a call calls, where one symbol has several."""
        return iter(())

    @abstractmethod
    def constructors(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        """The constructors that a call of a class runs, as far as the class declares them."""

    def called_for(self, file: SourceFile, declaration: int) -> Iterator[Injection]:
        """The functions that a framework calls before a function, or before all of a FILE."""
        return iter(())

    def guessed(self, file: SourceFile, number: int) -> Result:
        """The functions that a call is likely to reach of which nothing tells the target."""
        return {}

    def called_inside(self, file: SourceFile, number: int) -> Result:
        """The functions of the repository that a call of something outside runs in turn."""
        return {}

    @abstractmethod
    def imported(self, file: SourceFile, number: int) -> Result:
        """The values that an import names."""


class Finder:
    """The finder of a language's definitions; what it does not find, few languages have."""

    @abstractmethod
    def of(self, file: SourceFile, number: int) -> list[Definition]:
        """The definitions that a name or member refers to."""

    @abstractmethod
    def of_import(self, file: SourceFile, binding: Binding) -> list[Definition]:
        """The definitions that an imported name refers to."""

    def of_module(self, file: SourceFile, number: int) -> list[Definition]:
        """The file that an import names as its module."""
        return []

    @abstractmethod
    def of_value(self, value: Value, strategy: Strategy) -> Iterator[Definition]:
        """The declaration of a value."""

    def of_member(self, value: Value, name: str) -> Iterator[Definition]:
        """The declarations of a member of a value, as far as names are looked up so."""
        return iter(())

    def of_chain(self, value: Value, names: Sequence[str]) -> Iterator[Definition]:
        """The declarations of the last of some members, each of the one before it."""
        return iter(())

    @abstractmethod
    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The members of bases that a member replaces."""

    def implemented(self, file: SourceFile, number: int) -> Sequence[Definition | External]:
        """The interfaces that a type implements without naming them, as in Go."""
        return ()

    def is_called_by_name(self, found: Definition) -> bool:
        """True if a function is called where its name stands alone."""
        return False

    def belongs_to_type(self, file: SourceFile, number: int, owner: Definition) -> bool:
        """True if a declaration outside of its type belongs to it, and is no extension of it."""
        return False
