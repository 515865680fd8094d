"""Makes the edges and uses of a file: visits its places, and evaluates the meaning of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from code_graph.contracts.conventions import words
from code_graph.evaluate.definitions import Definition, Finder
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluators import Resolver
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    Value,
    is_none,
)
from code_graph.expressions import (
    NAMING,
    NONE,
    BindingKind,
    Clause,
    ContractRole,
    Expression,
    Op,
    Role,
    ScopeKind,
)
from code_graph.facts import INTERFACES
from code_graph.identity import file_id
from code_graph.link.focus import CALLING, FileFocus, names_in
from code_graph.link.handed import HandedFunctions, Replacement
from code_graph.model import (
    CONFIDENCE_OF,
    FILE,
    Confidence,
    EdgeType,
    ExternalUse,
    GraphEdge,
    Strategy,
    UnresolvedUse,
)
from code_graph.tree import LinkFocus
from index_format.tuples import NamedTuple

# of a declaration that is one object: what is called is a member of it
_OBJECT: Final = "object"
_OBJECTS: Final = (Instance, ExternalInstance)
# declarations with a scope of their own that are no functions or types
_VALUES: Final = frozenset(
    {"field", "property", "event", "variable", "constant", "enumerator", "type", "typedef"}
)
# what stands between an object and its last name: `users[0]`, `await user()`, `(user as User)`
_AROUND: Final = frozenset({Op.CALL, Op.NEW, Op.APPLY, Op.AWAIT, Op.CAST, Op.INDEX})
_SPREADS: Final = frozenset({"*", "**"})
# a block that is handed on beside the arguments
_BLOCK: Final = "&"


class LinkContext(NamedTuple):
    """The inputs for linking the places of a file."""

    engine: Engine
    evaluation: Resolver
    definitions: Finder
    # the ids of a file's declarations
    ids: Callable[[str], list[int]]
    # the part of the file that is linked; all of it if that is not given
    focus: LinkFocus | None = None


class Places:
    """The edges of one file, and its external and unresolved uses."""

    def __init__(self, context: LinkContext, file: SourceFile) -> None:
        self._engine = context.engine
        self._ids = context.ids
        # of the files that edges of this one lead to
        self._known_ids: dict[str, list[int]] = {}
        self._file = file
        self._evaluation = context.evaluation
        self._definitions = context.definitions
        self._handed = HandedFunctions(context.evaluation, context.definitions, file)
        # functions of which a description says that a library calls them where they are declared
        self._described = {
            file.declared_at.get(item.handler, NONE)
            for item in file.code.contracts
            if item.role == ContractRole.RUNS
        }
        self._syntax = context.evaluation.implied
        self._implying = frozenset() if self._syntax is None else self._syntax.operations
        self._focus = None if context.focus is None else FileFocus(file, context.focus)
        # the definitions that each name refers to
        self._meant: dict[int, list[Definition]] = {}
        self.edges: set[GraphEdge] = set()
        # the declaration of each target
        self.targets: dict[int, Definition] = {}
        self.external: set[ExternalUse] = set()
        self.unresolved: set[UnresolvedUse] = set()
        # attributes and annotations, which say something of a declaration and run nothing
        decorators = {item.value for item in file.decorators if item.value != NONE}
        self._silent = set() if self._evaluation.calls_decorators else decorators
        # a class that decorates makes an object
        self._making = decorators - self._silent
        self._called = {
            named_by(file, item.of)
            for number, item in enumerate(file.expressions)
            if item.of != NONE and number not in self._silent and self._is_call(item)
        }

    def visit(self) -> None:
        """Visit all places, as far as the limits of the file allow."""
        scopes, depths = self._file.code.scope_of, self._file.depths
        begin_place = self._engine.begin_place
        for number, item in enumerate(self._file.expressions):
            if self._focus is not None and not self._focus.has(item, scopes[number]):
                continue
            if not begin_place(depths[scopes[number]]):
                return
            if item.op in CALLING:
                if number not in self._silent:
                    self._call(number)
                    self._implied(number)
            elif item.op in NAMING and item.line:
                self._reference(number)
            elif item.op in self._implying:
                self._implied(number)
        for number in range(len(self._file.declarations)):
            if not begin_place():
                return
            self._declaration(number)
        if self._focus is None:
            self._replacements(self._handed.replacements())
            self._injected(FILE)
        self._imports()

    def _is_call(self, item: Expression) -> bool:
        return item.op == Op.CALL or (item.op == Op.NEW and self._evaluation.new_calls)

    def _makes(self, number: int) -> bool:
        """True if an expression makes an object of the class that it names."""
        return number in self._making or self._is_call(self._file.expressions[number])

    def add(self, source: int, found: Definition, kind: EdgeType, place: tuple[int, int]) -> None:
        """Add an edge from a declaration of the file, or from FILE."""
        self._engine.count(1)
        path, declaration, strategy = found
        if declaration == FILE:
            target = file_id(path)
        else:
            known = self._known_ids.get(path)
            if known is None:
                known = self._known_ids[path] = self._ids(path)
            target = known[declaration]
            self.targets[target] = found
        self.edges.add(GraphEdge(source, target, kind, strategy, *place))

    def _call(self, number: int) -> None:
        file = self._file
        item = file.expressions[number]
        source = file.owner(file.code.scope_of[number])
        place = file.place(item.of) if item.of != NONE else (0, 0)
        place = place if place[0] else (item.line, item.column)
        before = len(self.edges)
        is_known = self._add_callees(number, source, place)
        is_guess = len(self.edges) > before and self._evaluation.may_mean_more(
            file, number, is_outside=False
        )
        if not is_known or is_guess:
            name = file.last_name(item.of)
            if name and not self._is_of_call(item.of, name):
                receiver, count, named = written_call(file, number)
                use = UnresolvedUse(source, name, EdgeType.CALLS, *place)
                self.unresolved.add(
                    use._replace(receiver=receiver, arguments=count, named_arguments=named)
                )
        if len(self.edges) == before:  # nothing of the repository is called
            for found, at in self._handed.arguments(number):
                self.add(source, found, EdgeType.CALLS, at)
            for value, how in self._evaluation.called_inside(file, number).items():
                for found in self._definitions.of_value(value, how):
                    self.add(source, found, EdgeType.CALLS, place)
            self._replacements(self._handed.replaced_by_call(number))
        if not is_known:
            for value, how in self._evaluation.guessed(file, number).items():
                for found in self._definitions.of_value(value, how):
                    self.add(source, found, EdgeType.CALLS, place)

    def _is_of_call(self, number: int, name: str) -> bool:
        """True for a local variable that holds the result of a call of another name."""
        file = self._file
        if number == NONE or file.expressions[number].op != Op.NAME:
            return False
        for scope in file.around(file.code.scope_of[number]):
            if file.kind(scope) in {ScopeKind.MODULE, ScopeKind.CLASS}:
                break
            bound = file.bindings.get((scope, name))
            if bound:
                return all(
                    row.kind == BindingKind.ASSIGNED
                    and row.value != NONE
                    and self._is_call_without(row.value, name)
                    for row in bound
                )
        return False

    def _is_call_without(self, number: int, name: str) -> bool:
        """True for a call that neither calls something of a name nor is handed it."""
        item = self._file.expressions[number]
        parts = (item.of, *(part.value for part in item.items))
        return item.op == Op.CALL and all(
            self._file.last_name(part) != name for part in parts if part != NONE
        )

    def _replacements(self, found: Iterator[Replacement]) -> None:
        """A function in the place of another is called as its override is."""
        for item in found:
            self.add(item.declaration, item.replaced, EdgeType.OVERRIDES, item[2:])

    def _add_callees(self, number: int, source: int, place: tuple[int, int]) -> bool:
        """Add the edges of a call to functions and classes; false if its target is unknown."""
        file = self._file
        functions = self._evaluation.callees(file, number)
        is_outside = bool(functions) and all(isinstance(value, External) for value in functions)
        if is_outside and self._evaluation.may_mean_more(file, number, is_outside=True):
            return False
        found = self._add_calls(functions, source, place, number)
        if found or file.expressions[number].of == NONE or self._is_conversion(functions):
            return True
        if self._evaluation.reads_by_call and any(isinstance(v, _OBJECTS) for v in functions):
            return True
        followed: Result = {}
        if self._evaluation.follows:
            self._engine.is_following = True
            self._engine.begin_place()
            try:
                followed = self._evaluation.callees(file, number)
            finally:
                self._engine.is_following = False
        return self._add_calls(followed, source, place, number, at_least=Strategy.ARGUMENT)

    def _implied(self, number: int) -> None:
        """The functions that an expression calls without naming them."""
        if self._syntax is not None:
            self._add_implied(self._syntax.at(self._file, number), number)

    def _add_implied(self, functions: Result, number: int) -> None:
        """Add calls by syntax: none is surer than what its receiver is followed to."""
        if not functions:
            return
        file = self._file
        source = file.owner(file.code.scope_of[number])
        place = file.place(number)
        if not place[0] and source != FILE:  # nothing in it has a name
            place = file.declarations[source].name_line, file.declarations[source].name_column
        for value, strategy in functions.items():
            is_sure = CONFIDENCE_OF[strategy] <= Confidence.INFERRED
            how = Strategy.SYNTAX if is_sure else strategy
            for found in self._definitions.of_value(value, how):
                self.add(source, found, EdgeType.CALLS, place)

    def _is_conversion(self, functions: Result) -> bool:
        """True if a call only makes an object of a type and runs nothing."""
        is_type = any(isinstance(value, ClassValue) for value in functions)
        return is_type and not self._evaluation.constructs

    def _add_calls(
        self,
        functions: Result,
        source: int,
        place: tuple[int, int],
        number: int,
        at_least: Strategy = Strategy.SCOPE,
    ) -> bool:
        """Add the edges of a call; true if something is known to be called."""
        known = False
        unknown = words("callables", self._file.language)
        for value, strategy in self._evaluation.targets(functions):
            if is_none(value):
                continue
            how = max(strategy, at_least)
            if isinstance(value, ClassValue) and not self._makes(number):
                known = True
                continue
            if isinstance(value, External | ExternalInstance) and value.name not in unknown:
                if value.name:  # else a value of a built-in type: nothing is called
                    self.external.add(ExternalUse(source, value.name, EdgeType.CALLS, *place))
                known = True
            for found in self._definitions.of_value(value, how):
                self.add(source, found, EdgeType.CALLS, place)
                known = True
            if isinstance(value, ClassValue):
                self._constructor(value, how, source, place, number)
        return known

    def _constructor(
        self,
        value: ClassValue,
        strategy: Strategy,
        source: int,
        place: tuple[int, int],
        number: int,
    ) -> None:
        for member, how in self._evaluation.constructors(self._file, number, value).items():
            if isinstance(member, FunctionValue):
                for found in self._definitions.of_value(member, max(strategy, how)):
                    self.add(source, found, EdgeType.CALLS, place)

    def _reference(self, number: int) -> None:
        file = self._file
        item = file.expressions[number]
        source = file.owner(file.code.scope_of[number])
        is_called = number in self._called
        holder = file.receivers.get(number, NONE)
        meant = self._meant[number] = self._definitions.of(file, number)
        for found in meant:
            if is_called and self._is_callable(found):
                continue
            if holder != NONE and (found.path, found.declaration) == (file.path, holder):
                continue  # a name before which its owner stands
            if self._is_declared_at(found, item):
                continue  # a function that is assigned, and is declared by it
            is_own = holder != NONE and self._definitions.belongs_to_type(file, holder, found)
            kind = EdgeType.BELONGS_TO if is_own else EdgeType.REFERENCES
            if not is_called and self._definitions.is_called_by_name(found):
                kind = EdgeType.CALLS
            self.add(source, found, kind, (item.line, item.column))
        if self._syntax is None or item.op != Op.MEMBER:
            return
        if not meant:
            self._add_implied(self._syntax.at_unknown_member(file, number), number)
        elif not any(map(self._is_callable, meant)):
            self._add_implied(self._syntax.at_member(file, number), number)

    def _is_declared_at(self, found: Definition, item: Expression) -> bool:
        if found.path != self._file.path or found.declaration == FILE:
            return False
        declared = self._file.declarations[found.declaration]
        return (declared.name_line, declared.name_column) == (item.line, item.column)

    def _is_callable(self, found: Definition) -> bool:
        file = self._evaluation.file(found.path)
        if file is None or found.declaration == FILE:
            return False
        scope = file.scope_of_declaration.get(found.declaration)
        item = file.declarations[found.declaration]
        if item.kind in INTERFACES or _OBJECT in item.modifiers:
            return False
        if not self._evaluation.constructs and (
            scope is None or file.kind(scope) != ScopeKind.FUNCTION
        ):
            return False
        return scope is not None and file.declarations[found.declaration].kind not in _VALUES

    def _declaration(self, number: int) -> None:
        file = self._file
        item = file.declarations[number]
        place = item.name_line, item.name_column
        own = Definition(file.path, number, Strategy.SCOPE)
        self.add(item.parent if item.parent >= 0 else FILE, own, EdgeType.CONTAINS, place)
        if self._focus is not None and not self._focus.has_declaration(number):
            return
        self._decorators(number)
        for found in self._definitions.implemented(file, number):
            if isinstance(found, External):
                self._external(found, number, EdgeType.IMPLEMENTS, place)
            else:
                self.add(number, found, EdgeType.IMPLEMENTS, place)
        scope = file.scope_of_declaration.get(number)
        if scope is None:
            return
        if file.kind(scope) == ScopeKind.CLASS:
            self._bases(number, scope)
            self._made_by_statement(number, scope)
        else:
            self._overridden(number)
            self._accepted(number, scope)
        self._injected(number)

    def _bases(self, number: int, scope: int) -> None:
        file = self._file
        for clause in file.clauses.get(number, ()):
            if clause.role not in {Role.BASE, Role.IMPLEMENTS} or clause.value == NONE:
                continue
            place = file.place(clause.value)
            if not place[0]:  # the base is not written, as that of an enum's constant
                place = file.declarations[number].name_line, file.declarations[number].name_column
            for value, strategy in self._evaluation.evaluate(file, clause.value).items():
                if isinstance(value, ClassValue) and (value.path, value.scope) == (
                    file.path,
                    scope,
                ):
                    continue
                for found in self._definitions.of_value(value, strategy):
                    self.add(number, found, self._kind_of_base(number, found, clause), place)
                self._external(value, number, EdgeType.INHERITS, place)

    def _made_by_statement(self, number: int, scope: int) -> None:
        """The functions that the statement of a class calls."""
        file = self._file
        item = file.declarations[number]
        functions = {} if self._syntax is None else self._syntax.at_class(file, scope)
        for value, strategy in functions.items():
            for found in self._definitions.of_value(value, max(strategy, Strategy.SYNTAX)):
                source = file.owner(file.parent(scope))
                self.add(source, found, EdgeType.CALLS, (item.name_line, item.name_column))

    def _kind_of_base(self, number: int, found: Definition, clause: Clause) -> EdgeType:
        """The relation of a type to one of its bases: it extends or implements it."""
        other = self._evaluation.file(found.path)
        if other is None or found.declaration == FILE:
            return EdgeType.INHERITS
        is_interface = other.declarations[found.declaration].kind in INTERFACES
        if self._file.declarations[number].kind in INTERFACES:
            return EdgeType.EXTENDS if is_interface else EdgeType.INHERITS
        if is_interface or clause.role == Role.IMPLEMENTS:
            return EdgeType.IMPLEMENTS
        return EdgeType.INHERITS

    def _external(self, value: Value, source: int, kind: EdgeType, place: tuple[int, int]) -> None:
        if isinstance(value, External):
            self.external.add(ExternalUse(source, value.name, kind, *place))

    def _overridden(self, number: int) -> None:
        """The members that a member replaces."""
        item = self._file.declarations[number]
        place = item.name_line, item.name_column
        for found in self._definitions.replaced(self._file, number):
            self.add(number, found, EdgeType.OVERRIDES, place)

    def _injected(self, number: int) -> None:
        """The functions that a framework calls for a function, or for a file."""
        for place, functions in self._evaluation.called_for(self._file, number):
            for value, strategy in functions.items():
                for found in self._definitions.of_value(value, strategy):
                    self.add(number, found, EdgeType.CALLS, place)

    def _accepted(self, number: int, scope: int) -> None:
        """The types of a function's parameters; an alias has a name of its own."""
        file = self._file
        for row in file.parameters.get(scope, ()):
            for part in names_in(file, row.annotation):
                for value, strategy in self._evaluation.evaluate(file, part).items():
                    if isinstance(value, ClassValue):
                        for found in self._definitions.of_value(value, strategy):
                            if not self._is_behind(part, found):
                                self.add(number, found, EdgeType.ACCEPTS, file.place(part))

    def _is_behind(self, number: int, found: Definition) -> bool:
        """True for the type that an alias stands for."""
        meant = self._meant.get(number) or ()
        return bool(meant) and all(each[:2] != found[:2] for each in meant)

    def _decorators(self, number: int) -> None:
        """A decorator is called where it stands."""
        file = self._file
        for clause in file.clauses.get(number, ()):
            is_run = clause.value != NONE and clause.value not in self._silent
            if clause.role == Role.DECORATOR and is_run:
                source = file.owner(file.code.scope_of[clause.value])
                line, column = file.place(clause.value)
                if file.expressions[clause.value].op == Op.CALL:
                    column = max(column - 1, 0)  # the name is what is called with arguments
                functions = self._evaluation.evaluate(file, clause.value)
                self._add_calls(functions, source, (line, column), clause.value)
                # a description may say the same, at the head of the function
                if number not in self._described and self._handed.is_registered(clause):
                    own = Definition(file.path, number, Strategy.FRAMEWORK)
                    self.add(source, own, EdgeType.CALLS, (line, column))

    def _imports(self) -> None:
        file = self._file
        for binding in file.code.bindings:
            if binding.kind != BindingKind.IMPORTED or binding.value == NONE:
                continue
            if not self._engine.begin_place():
                return
            if self._focus is not None and binding.name not in self._focus.names:
                continue
            source = file.owner(binding.scope)
            place = binding.line, binding.column
            for found in self._definitions.of_import(file, binding):
                self.add(source, found, EdgeType.IMPORTS, place)
            for value in self._evaluation.imported(file, binding.value):
                self._external(value, source, EdgeType.IMPORTS, place)
        if self._focus is None:
            self._modules()

    def _modules(self) -> None:
        """Edges to the files that imports name as modules, at the beginning of their lines."""
        file = self._file
        imports = (edge for edge in self.edges if edge.type == EdgeType.IMPORTS)
        known = {(edge.line, edge.target) for edge in imports}
        for number, item in enumerate(file.facts.imports):
            if not self._engine.begin_place():
                return
            for found in self._definitions.of_module(file, number):
                if found.path != file.path and (item.line, file_id(found.path)) not in known:
                    self.add(item.owner, found, EdgeType.IMPORTS, (item.line, 0))


def named_by(file: SourceFile, number: int) -> int:
    """The name of the callee, without type arguments."""
    item = file.expressions[number]
    return item.of if item.op == Op.APPLY and item.of != NONE else number


class CallShape(NamedTuple):
    """The fields of an unresolved use that only the text of its call tells."""

    receiver: str = ""
    arguments: int = -1
    named_arguments: int = 0


def written_call(file: SourceFile, number: int) -> CallShape:
    """The receiver and the arguments of a call."""
    item = file.expressions[number]
    names = [argument.name for argument in item.items if argument.name != _BLOCK]
    receiver = _receiver(file, item.of)
    if not _SPREADS.isdisjoint(names):
        return CallShape(receiver)
    named = sum(map(bool, names))
    return CallShape(receiver, len(names) - named, named)


def _receiver(file: SourceFile, number: int) -> str:
    """The last name of the receiver of a member; empty for the own object."""
    item = file.expressions[number]
    while item.op == Op.APPLY and item.of != NONE:
        item = file.expressions[item.of]
    number = item.of if item.op == Op.MEMBER else NONE
    while number != NONE:
        item = file.expressions[number]
        if item.op in {Op.NAME, Op.MEMBER}:
            return "" if item.name in words("receivers", file.language) else item.name
        number = item.of if item.op in _AROUND else NONE
    return ""
