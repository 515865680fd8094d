"""Names that files of C++ share: contents of namespaces, by qualified name, as a type or a value.

`NAME type` and `NAME value` find the files with declarations that others see: `NAME` is the whole
name, `lib.Box` for `lib::Box`; of a macro, which is in no namespace, its own. `OWNER.NAME outside`
finds a class that is defined outside of its class. `NAME named` is
shared for each last name, seen by others or not: whether there is anything of it, and what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, Op, Role
from code_graph.facts import MODULE, Declaration
from code_graph.identity import chain_of
from code_graph.languages.c.rules.includes import HEADERS
from code_graph.languages.c.rules.linkage import shared_by_linkage, word_of

TYPE: Final = "type"
VALUE: Final = "value"

_MACRO: Final = "macro"
_NAMESPACE: Final = "namespace"
_ENUMERATOR: Final = "enumerator"
_OPERATOR: Final = "operator"
# enclosing scopes of a qualified name
_OPEN: Final = frozenset({"namespace", "enum"})
_TYPES: Final = frozenset({"class", "struct", "union", "enum", "type", "typedef"})
_CLASSES: Final = frozenset({"class", "struct", "union"})
# functions of namespaces, and methods that are defined outside of their class
FUNCTIONS: Final = frozenset({"function", "prototype", "method"})


def named(name: str) -> str:
    """The name under which all declarations of a last name are shared."""
    return f"{name} named"


def shared_whole(name: str, kind: str) -> str:
    """The name under which declarations of a whole name are shared."""
    return f"{name} {kind}"


def shared_by_name(file: SourceFile) -> dict[str, object]:
    """A description of each shared declaration, by the name that finds it."""
    found: dict[str, list[object]] = {}
    rows = file.declarations
    for (whole, kind), numbers in whole_names(file).items():
        answer = [
            (whole, item.kind, item.access, sorted(item.modifiers), item.parameters, word_of(item))
            for item in map(rows.__getitem__, numbers)
        ]
        found.setdefault(named(whole.rpartition(".")[2]), []).extend(answer)
        if any(is_seen(file, rows[number]) for number in numbers):
            found[shared_whole(whole, kind)] = []
    for item in rows:
        if item.kind == _OPERATOR:  # whether any class has it, which is asked first
            found.setdefault(named(item.name), [])
    for whole, numbers in classes_outside(file).items():
        found[whole] = [(rows[number].kind, rows[number].bases) for number in numbers]
    answers: dict[str, object] = {name: sorted(map(repr, rows)) for name, rows in found.items()}
    return {**answers, **shared_by_linkage(file)}


def is_inline(item: Declaration) -> bool:
    """True for an inline namespace: its names belong to the one around."""
    return item.kind == _NAMESPACE and item.signature.startswith("inline ")


def is_seen(file: SourceFile, item: Declaration) -> bool:
    """True if other files may use a declaration: by linkage, or in a header."""
    if file.path.endswith(HEADERS):
        return True
    return item.kind in FUNCTIONS and "static" not in item.modifiers


def whole_names(file: SourceFile) -> Mapping[tuple[str, str], list[int]]:
    """By whole name and kind, what is declared in namespaces, in the order of the text.

    What holds a name ends it: constants of an enum, and what is defined outside of its class.
    """
    return file.cached("whole names", _whole_names)


def _whole_names(file: SourceFile) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    rows = file.declarations
    chains = file.cached("chains", _chains)
    special = specializations(file)
    for number, item in enumerate(rows):
        if item.kind == _MACRO:
            found.setdefault((item.name, VALUE), []).append(number)
        elif item.parent == MODULE or rows[item.parent].kind in _OPEN:
            kind = TYPE if item.kind in _TYPES else VALUE
            if kind == TYPE and number in special:
                continue  # the name is that of the template
            found.setdefault((chains.of(number), kind), []).append(number)
    for (holder, name), numbers in plain_enumerators(file).items():
        whole = f"{chains.of(holder)}.{name}" if holder != MODULE else name
        found.setdefault((whole, VALUE), []).extend(numbers)
    return found


def specializations(file: SourceFile) -> frozenset[int]:
    """The classes that are written with arguments, or with none: `struct Box<int> { … }`."""
    return file.cached("specializations", _specializations)


def _specializations(file: SourceFile) -> frozenset[int]:
    return frozenset(
        clause.declaration
        for clause in file.code.clauses
        if clause.role == Role.RECEIVER
        and clause.value != NONE
        and file.expressions[clause.value].op in {Op.APPLY, Op.NAME}
        and file.declarations[clause.declaration].kind in _TYPES
    )


def whole_name(file: SourceFile, number: int) -> str:
    """The name of a declaration with those around it, as others find it."""
    return file.cached("chains", _chains).of(number)


def _chains(file: SourceFile) -> _Chains:
    return _Chains(file.declarations)


def outside(owner: str, name: str) -> str:
    """The name under which a class is shared that is defined outside of its class."""
    return f"{owner}.{name} outside"


def classes_outside(file: SourceFile) -> Mapping[str, list[int]]:
    """The classes that are defined outside of their class, by the names that share them."""
    return file.cached("classes outside", _classes_outside)


def _classes_outside(file: SourceFile) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for clause in file.code.clauses:
        if clause.role != Role.RECEIVER or clause.value == NONE:
            continue
        item = file.expressions[clause.value]
        if item.op == Op.MEMBER and item.of != NONE:
            whole = outside(file.expressions[item.of].name, item.name)
            if file.declarations[clause.declaration].kind in _CLASSES:
                found.setdefault(whole, []).append(clause.declaration)
    return found


def plain_enumerators(file: SourceFile) -> Mapping[tuple[int, str], list[int]]:
    """The constants of enums that are seen around these, by what is around and by name."""
    return file.cached("plain enumerators", _plain_enumerators)


def _plain_enumerators(file: SourceFile) -> dict[tuple[int, str], list[int]]:
    found: dict[tuple[int, str], list[int]] = {}
    rows = file.declarations
    for binding in file.code.bindings:
        number = binding.declaration
        if number == NONE or rows[number].kind != _ENUMERATOR or rows[number].parent == MODULE:
            continue
        if file.code.scopes[binding.scope].declaration != rows[number].parent:
            around = rows[rows[number].parent].parent
            found.setdefault((around, binding.name), []).append(number)
    return found


class _Chains:
    """The whole names of declarations, each made once."""

    def __init__(self, rows: Sequence[Declaration]) -> None:
        self._rows = rows
        self._known: dict[int, str] = {}
        self._has_inline = any(map(is_inline, rows))

    def of(self, number: int) -> str:
        """The names around a declaration and its own, with dots, without inline namespaces."""
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = ".".join(self._chain(number)).replace("::", ".")
        return found

    def _chain(self, number: int) -> Sequence[str]:
        if not self._has_inline:
            return chain_of(self._rows, number)
        names = [self._rows[number].name]
        while (number := self._rows[number].parent) != MODULE:
            if not is_inline(self._rows[number]):
                names.append(self._rows[number].name)
        return names[::-1]
