"""Checks of symbolic code that must hold for any text in any language."""

from __future__ import annotations

from code_graph.adapter import CodeAdapter
from code_graph.expressions import NONE, BindingKind, Code, FileCode, Op, Role
from code_graph.expressions.records import HAS_OF, HAS_SCOPE, pack_code, unpack_code
from code_graph.expressions.wire import is_consistent
from code_graph.facts import Facts, Import, Use


class ParsedFile:
    """Facts and code of one text."""

    def __init__(self, facts: Facts, file: FileCode | None) -> None:
        self.code = None if file is None else file.code
        self.declarations = facts.declarations
        self.imports: tuple[Import, ...] = facts.imports
        self.uses: tuple[Use, ...] = facts.uses
        if file is not None:
            assert is_consistent(file)
            assert file[1:] == (len(facts.declarations), len(facts.imports))


def parsed(adapter: CodeAdapter, path: str, text: str) -> ParsedFile:
    """The facts and code that an adapter makes of a text."""
    return ParsedFile(adapter.facts(path, text), adapter.code(path, text))


def check_code(facts: ParsedFile, text: str) -> None:
    """Numbers are valid, operands precede, and names are at their positions."""
    code = facts.code
    assert code is not None
    assert unpack_code(pack_code(code)) == code
    _check_numbers(facts, code)
    rows = text.split("\n")
    for item in code.expressions:
        if item.op in {Op.NAME, Op.MEMBER} and item.line:
            assert rows[item.line - 1].startswith(item.name, item.column)
    for binding in code.bindings:
        if binding.line and binding.name.isidentifier():
            assert rows[binding.line - 1].startswith(binding.name, binding.column)


def _check_numbers(facts: ParsedFile, code: Code) -> None:
    scopes, count, declared = len(code.scopes), len(code.expressions), len(facts.declarations)
    for number, item in enumerate(code.expressions):
        if HAS_OF[item.op]:
            assert NONE <= item.of < number
        if HAS_SCOPE[item.op]:
            assert 0 < item.of < scopes
        assert all(NONE <= part.value < number for part in item.items)
    assert len(code.scope_of) == count
    assert all(0 <= scope < scopes for scope in code.scope_of)
    for at, scope in enumerate(code.scopes):
        assert NONE <= scope.parent < at
        assert NONE <= scope.declaration < declared
    for binding in code.bindings:
        assert 0 <= binding.scope < scopes
        assert NONE <= binding.declaration < declared
        assert NONE <= binding.annotation < binding.at <= count
        imports = binding.kind == BindingKind.IMPORTED
        assert NONE <= binding.value < (len(facts.imports) if imports else binding.at)
    assert all(0 <= store.target < count for store in code.stores)
    heads = [row for row in code.clauses if row.role not in {Role.BODY, Role.NAMED}]
    assert all(0 <= clause.declaration < declared for clause in heads)


def places(facts: ParsedFile) -> set[tuple[int, int]]:
    """The positions of all names in expressions, bindings and declarations."""
    code = facts.code
    assert code is not None
    found = {(item.line, item.column) for item in code.expressions if item.line}
    found |= {(item.line, item.column) for item in code.bindings if item.line}
    return found | {(item.name_line, item.name_column) for item in facts.declarations}
