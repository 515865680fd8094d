"""Names that files of C share by linkage, kept apart so that most files need not be searched.

A name is shared as `NAME definition`, `NAME local` (macros, and what headers define for whoever
includes them), `NAME prototype`, `NAME typedef`, `NAME tag`, and `NAME nested` for enumerators and
macros that stand inside of others. A function that is stored in a member is shared as
`TAG.MEMBER stored`, or `MEMBER stored` where the file does not tell the tag of the type.
"""

from __future__ import annotations

from typing import Final

from code_graph.declared.tables import table_of
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import External, Result
from code_graph.expressions import NONE, MemberStore, Op, Role
from code_graph.facts import MODULE, Declaration
from code_graph.identity import chain_of
from code_graph.languages.c.numbers import NUMBERS, in_one_form
from code_graph.model import Strategy

DEFINITION: Final = "definition"
LOCAL: Final = "local"
PROTOTYPE: Final = "prototype"
TYPEDEF: Final = "typedef"
TAG: Final = "tag"
NESTED: Final = "nested"
TYPES: Final = (TYPEDEF, TAG)
VALUES: Final = (DEFINITION, LOCAL, PROTOTYPE, NESTED)

_QUALIFIERS: Final = frozenset({"const", "volatile", "restrict"})
# prefixes of the names of structs, unions and enums in the code of an expression
STRUCT: Final = "struct"
TAGGED: Final = frozenset({"struct", "union", "enum"})
# indexes, casts and members of members that are followed to a type
_DEEPEST: Final = 8
# files whose types and static functions others see
HEADERS: Final = (".h", ".inc")


def linkage_of(item: Declaration, *, is_seen: bool) -> str:
    """The linkage of a declaration, as others find it; empty if they do not.

    `is_seen` says whether the text of its file is part of others.
    """
    if item.parent != MODULE:
        return NESTED if is_seen and item.kind in {"enumerator", "macro"} else ""
    if item.kind in TAGGED:
        return TAG if is_seen else ""
    if item.kind == TYPEDEF:
        return TYPEDEF if is_seen else ""
    is_local = "static" in item.modifiers or item.kind == "macro"
    if is_local and not is_seen:
        return ""
    if item.kind == PROTOTYPE:
        return PROTOTYPE
    return LOCAL if is_local else DEFINITION


def shared(name: str, linkage: str) -> str:
    """The name under which a declaration is shared."""
    return f"{name} {linkage}"


def stored(member: str, tag: str) -> str:
    """The name under which it is shared that a function is stored in a member of a type."""
    return f"{tag}.{member} stored" if tag else f"{member} stored"


def shared_by_linkage(file: SourceFile) -> dict[str, object]:
    """A description of each declaration and stored value, by the name that finds it."""
    is_seen = file.path.endswith(HEADERS)
    found: dict[str, list[object]] = {}
    for number, item in enumerate(file.declarations):
        linkage = linkage_of(item, is_seen=is_seen)
        if linkage:
            chain = chain_of(file.declarations, number)
            rest = item.access, sorted(item.modifiers), item.parameters, word_of(item)
            answer = chain, item.kind, *rest
            found.setdefault(shared(item.name, linkage), []).append(answer)
    if file.language == "c":
        for store in file.code.stores:
            name = stored_as(file, store)
            if name:
                found.setdefault(name, []).append(file.expressions[store.value].name)
    return {name: sorted(map(repr, rows)) for name, rows in found.items()}


def word_of(item: Declaration) -> str:
    """The word that a macro stands for, which may be a type; empty for others."""
    if item.kind != "macro" or item.parameters:
        return ""
    text = item.signature.partition(item.name)[2].strip()
    return text if text.isidentifier() else ""


def written_number(item: Declaration) -> Result:
    """The type of a declaration that is a number, or points to some: no expression says it."""
    words = item.returns.replace("*", " ").split()
    name = in_one_form([word for word in words if word not in _QUALIFIERS])
    return {External(name): Strategy.DECLARED} if name in NUMBERS else {}


def stored_as(file: SourceFile, store: MemberStore) -> str:
    """The name under which it is shared that a function is stored in a member; empty if none is."""
    target = file.expressions[store.target]
    if target.op != Op.MEMBER or target.of == NONE or not _may_be_function(file, store.value):
        return ""
    return stored(target.name, _tag_of(file, target.of))


def _may_be_function(file: SourceFile, value: int) -> bool:
    """True if a stored value may be a function: a NAME that is not of a struct of the file."""
    item = file.expressions[value] if value != NONE else None
    if item is None or item.op != Op.NAME:
        return False
    declared = table_of(file).members.get((MODULE, item.name), ())
    if not declared or any(file.declarations[number].kind != "variable" for number in declared):
        return True
    for scope in file.around(file.code.scope_of[value]):
        if any(row.declaration == NONE for row in file.bindings.get((scope, item.name), ())):
            return True
    types = _types_of_declared(file, MODULE, item.name)
    return len(types) < len(declared) or not all(_tag_of(file, type_) for type_ in types)


def _tag_of(file: SourceFile, number: int, depth: int = 0) -> str:
    """The tag of the struct or union of an expression or type; empty if unknown.

    Other files tell types of members and what typedefs stand for: what needs them is not told.
    """
    if number == NONE or depth > _DEEPEST:
        return ""
    item = file.expressions[number]
    if item.op == Op.NAME and not item.line:  # of a type whose members stand beside it
        return item.name.removeprefix(f"{STRUCT} ")
    before = file.expressions[item.of] if item.op == Op.MEMBER and item.of != NONE else None
    if before is not None and (before.op, before.name, before.line) == (Op.NAME, STRUCT, 0):
        return item.name
    found = {_tag_of(file, type_, depth + 1) for type_ in _types_of(file, number, depth)}
    return found.pop() if len(found) == 1 else ""


def _types_of(file: SourceFile, number: int, depth: int) -> list[int]:
    """The types, or expressions of the same type, that the file tells of an expression."""
    item = file.expressions[number]
    if item.op == Op.INDEX:
        return [item.of]
    if item.op in {Op.LIST, Op.CAST}:
        return [part.value for part in item.items]
    if item.op == Op.NAME:
        return _types_of_variable(file, file.code.scope_of[number], item.name)
    if item.op == Op.MEMBER:
        return _types_of_member(file, _tag_of(file, item.of, depth + 1), item.name)
    return []


def _types_of_variable(file: SourceFile, scope: int, name: str) -> list[int]:
    """The types of all variables of a name in the innermost scope that has some."""
    for around in file.around(scope):
        bound = file.bindings.get((around, name))
        if bound:
            return [item.annotation for item in bound]
    return _types_of_declared(file, MODULE, name)


def _types_of_member(file: SourceFile, tag: str, name: str) -> list[int]:
    """The types of the members of a name of all types of a tag that the file declares."""
    owners = table_of(file).members.get((MODULE, tag), ()) if tag else ()
    tagged = [owner for owner in owners if file.declarations[owner].kind in TAGGED]
    return [found for owner in tagged for found in _types_of_declared(file, owner, name)]


def _types_of_declared(file: SourceFile, parent: int, name: str) -> list[int]:
    return [
        clause.value
        for number in table_of(file).members.get((parent, name), ())
        if file.declarations[number].kind not in {*TAGGED, TYPEDEF}
        for clause in file.clauses.get(number, ())
        if clause.role == Role.TYPE
    ]
