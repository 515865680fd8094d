"""Symbolic code as text: a line for each scope, expression, binding and the rest, in order."""

from __future__ import annotations

from collections.abc import Iterator

from code_graph.expressions import (
    NONE,
    Binding,
    BindingKind,
    Code,
    Expression,
    Op,
    ResultKind,
    Role,
    ScopeKind,
)
from code_graph.expressions.records import HAS_OF, HAS_SCOPE
from tests.code_graph.expressions.code_checks import ParsedFile


def dump(facts: ParsedFile) -> str:
    """The symbolic code of a file with the names of its declarations and imports."""
    code = facts.code
    assert code is not None
    lines = [*_scopes(facts, code), "", *_run(facts, code), ""]
    lines += (
        f"store {_number(s.target)} = {_number(s.value)}{_of(facts, s.declaration)}"
        for s in code.stores
    )
    lines += (
        f"{ResultKind(r.kind).name.lower()} {_number(r.value)} of s{r.scope}" for r in code.results
    )
    lines += (
        f"{Role(c.role).name.lower()} {c.name}{' ' if c.name else ''}{_number(c.value)}"
        f"{_of(facts, c.declaration)}"
        for c in code.clauses
    )
    lines += (
        f"export {e.name!r} local {e.local!r} module {e.module!r} {_number(e.value)}".rstrip()
        for e in code.exports
    )
    return "\n".join(line.rstrip() for line in lines).strip() + "\n"


def _number(number: int) -> str:
    return "-" if number == NONE else f"{number}"


def _of(facts: ParsedFile, declaration: int) -> str:
    if declaration == NONE:
        return ""
    item = facts.declarations[declaration]
    return f"  [{item.kind} {item.name}:{item.name_line}]"


def _scopes(facts: ParsedFile, code: Code) -> Iterator[str]:
    for number, scope in enumerate(code.scopes):
        parent = "" if scope.parent == NONE else f" in s{scope.parent}"
        kind = ScopeKind(scope.kind).name.lower()
        yield f"s{number} {kind}{parent}{_of(facts, scope.declaration)}"


def _run(facts: ParsedFile, code: Code) -> Iterator[str]:
    """Expressions, with the bindings between them."""
    waiting = sorted(code.bindings, key=lambda item: item.at)
    waiting.reverse()
    for number, item in enumerate(code.expressions):
        while waiting and waiting[-1].at <= number:
            yield _binding(facts, waiting.pop())
        yield f"{number} {_expression(item)} s{code.scope_of[number]}"
    while waiting:
        yield _binding(facts, waiting.pop())


def _expression(item: Expression) -> str:
    words = [Op(item.op).name.lower()]
    if HAS_OF[item.op]:
        words.append(_number(item.of))
    if HAS_SCOPE[item.op]:
        words.append(f"s{item.of}")
    if item.name:
        words.append(repr(item.name))
    if item.items:
        parts = (
            f"{part.name}: {_number(part.value)}" if part.name else _number(part.value)
            for part in item.items
        )
        words.append(f"({', '.join(parts)})")
    if item.line:
        words.append(f"@{item.line}:{item.column}")
    return " ".join(words)


def _binding(facts: ParsedFile, item: Binding) -> str:
    words = [f"    {BindingKind(item.kind).name.lower()} {item.name!r} in s{item.scope}"]
    if item.region != item.scope:
        words.append(f"from s{item.region}")
    if item.kind == BindingKind.IMPORTED:
        found = facts.imports[item.value] if item.value != NONE else None
        words.append(f"= import {found and (found.module, found.name)}")
    elif item.value != NONE:
        words.append(f"= {item.value}")
    if item.annotation != NONE:
        words.append(f": {item.annotation}")
    if item.line:
        words.append(f"@{item.line}:{item.column}")
    return " ".join(words) + _of(facts, item.declaration)
