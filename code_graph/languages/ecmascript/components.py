"""Recognition of React components: functions that return elements, and classes of React."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, BindingKind, Expression, Op, Role, ScopeKind
from code_graph.facts import Declaration

_MODULES: Final = frozenset({"react", "preact", "preact/compat"})
_BASES: Final = frozenset({"Component", "PureComponent"})
_MAKERS: Final = frozenset({"memo", "forwardRef", "lazy"})
_ELEMENTS: Final = frozenset({"createElement", "cloneElement", "jsx", "jsxs", "h"})
_FUNCTIONS: Final = frozenset({"function", "method"})
_CONSTANTS: Final = frozenset({"constant", "variable"})
# expressions that one declaration's results are followed through
_MOST_STEPS: Final = 60


def list_components(file: SourceFile) -> frozenset[int]:
    """The numbers of the declarations that are components."""
    found = set()
    for number, item in enumerate(file.declarations):
        is_named = item.name[:1].isupper() or item.name == "default"
        if is_named and _is_component(file, number, item):
            found.add(number)
    return frozenset(found)


def _is_component(file: SourceFile, number: int, item: Declaration) -> bool:
    scope = file.scope_of_declaration.get(number, NONE)
    if item.kind == "class":
        return scope != NONE and _is_component_class(file, number, scope)
    is_function = scope != NONE and file.kind(scope) == ScopeKind.FUNCTION
    if is_function and item.kind in _FUNCTIONS | _CONSTANTS:
        around = file.function_around(file.parent(scope))
        return file.kind(around) != ScopeKind.CLASS and (
            _gives_element(file, scope) or _is_made(file, number)
        )
    return item.kind in _CONSTANTS and _is_made(file, number)


def _is_component_class(file: SourceFile, number: int, scope: int) -> bool:
    """True for a class component: it extends a class of React, or has `render`."""
    for clause in file.clauses.get(number, ()):
        if clause.role == Role.BASE and _react_name(file, clause.value) in _BASES:
            return True
    for row in file.bindings.get((scope, "render"), ()):
        inner = file.scope_of_declaration.get(row.declaration, NONE)
        if inner != NONE and _gives_element(file, inner):
            return True
    return False


def _is_made(file: SourceFile, number: int) -> bool:
    """True if a name is bound to what React makes a component of: `memo(f)`, `lazy(f)`."""
    for value in file.cached("declared values", list_declared_values).get(number, ()):
        item = file.expressions[value]
        if item.op == Op.CALL and _react_name(file, item.of) in _MAKERS:
            return True
    return False


def list_declared_values(file: SourceFile) -> dict[int, list[int]]:
    """The values that are bound to declared names."""
    found: dict[int, list[int]] = {}
    for row in file.code.bindings:
        if NONE not in {row.declaration, row.value} and row.kind != BindingKind.IMPORTED:
            found.setdefault(row.declaration, []).append(row.value)
    return found


def _gives_element(file: SourceFile, scope: int) -> bool:
    """True if a function gives an element in some case."""
    left = [row.value for row in file.results.get(scope, ())]
    seen: set[int] = set()
    while left and len(seen) < _MOST_STEPS:
        number = left.pop()
        if number == NONE or number in seen:
            continue
        seen.add(number)
        item = file.expressions[number]
        if item.op == Op.CALL:
            if _is_element(file, item):
                return True
            left += _results_called(file, item.of)
        elif item.op == Op.EITHER:
            left += [part.value for part in item.items]
        elif item.op in {Op.CAST, Op.AWAIT}:
            left.append(item.of)
        elif item.op == Op.NAME:
            left += [row for row in _values_of_name(file, number) if row != NONE]
    return False


def _is_element(file: SourceFile, item: Expression) -> bool:
    """True if a call is an element: of HTML, of a component with its properties, or by a call."""
    if item.of == NONE:
        return file.cached("has elements", _has_elements)
    if _react_name(file, item.of) in _ELEMENTS:
        return True
    is_component = file.last_name(item.of)[:1].isupper() and len(item.items) == 1
    if not is_component or item.items[0].value == NONE:
        return False
    properties = file.expressions[item.items[0].value]
    return properties.op == Op.OBJECT and file.cached("has elements", _has_elements)


def _has_elements(file: SourceFile) -> bool:
    """True if the file may have elements of JSX."""
    if file.language != "javascript":
        return file.language == "tsx"
    return any(item.module in _MODULES for item in file.facts.imports) or any(
        item.op == Op.CALL and item.of == NONE for item in file.expressions
    )


def _results_called(file: SourceFile, number: int) -> Iterator[int]:
    """The results of a function of the file that is called by its name."""
    if number == NONE or file.expressions[number].op != Op.NAME:
        return
    name = file.expressions[number].name
    for around in file.around(file.code.scope_of[number]):
        rows = file.bindings.get((around, name))
        if rows is None:
            continue
        for row in rows:
            scope = file.scope_of_declaration.get(row.declaration, NONE)
            yield from (result.value for result in file.results.get(scope, ()))
        return


def _values_of_name(file: SourceFile, number: int) -> list[int]:
    """The values of a name that is bound in the file."""
    name = file.expressions[number].name
    for around in file.around(file.code.scope_of[number]):
        rows = file.bindings.get((around, name))
        if rows is not None:
            return [row.value for row in rows if row.kind == BindingKind.ASSIGNED]
    return []


def _react_name(file: SourceFile, number: int) -> str:
    """The name in React that an expression means: `memo`, `React.memo`; or empty."""
    if number == NONE:
        return ""
    item = file.expressions[number]
    if item.op == Op.APPLY and item.of != NONE:
        item = file.expressions[item.of]
    if item.op == Op.NAME:
        module, name = _imported(file, number, item.name)
        return name if module in _MODULES else ""
    if item.op == Op.MEMBER and item.of != NONE:
        first = file.expressions[item.of]
        if first.op == Op.NAME:
            module, name = _imported(file, item.of, first.name)
            return item.name if module in _MODULES and name in {"", "default"} else ""
    return ""


def _imported(file: SourceFile, number: int, name: str) -> tuple[str, str]:
    """The module and the name in it that a name is imported from."""
    for around in file.around(file.code.scope_of[number]):
        for row in file.bindings.get((around, name), ()):
            if row.kind == BindingKind.IMPORTED and row.value != NONE:
                item = file.facts.imports[row.value]
                return item.module, item.name
            return "", ""
    return "", ""
