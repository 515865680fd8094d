"""Names that files of C share by linkage, kept apart so that most files need not be searched.

A name is shared as `NAME definition`, `NAME local` (macros, and what headers define for whoever
includes them), `NAME prototype`, `NAME typedef`, `NAME tag`, and `NAME nested` for enumerators and
macros that stand inside of others. What a file stores in the member of a type is shared as
`TYPE.MEMBER stored`, or `MEMBER stored` where the text does not tell the type.
"""

from __future__ import annotations

from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, Expression, Op
from code_graph.facts import MODULE, Declaration
from code_graph.identity import chain_of

DEFINITION: Final = "definition"
LOCAL: Final = "local"
PROTOTYPE: Final = "prototype"
TYPEDEF: Final = "typedef"
TAG: Final = "tag"
NESTED: Final = "nested"
TYPES: Final = (TYPEDEF, TAG)
VALUES: Final = (DEFINITION, LOCAL, PROTOTYPE, NESTED)

# prefixes of the names of structs, unions and enums in the code of an expression
STRUCT: Final = "struct"
TAGGED: Final = frozenset({"struct", "union", "enum"})
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


def stored(member: str, type_name: str = "") -> str:
    """The name under which it is shared that something is stored in a member."""
    return f"{type_name}.{member} stored" if type_name else f"{member} stored"


def shared_by_linkage(file: SourceFile) -> dict[str, object]:
    """A description of each declaration and stored value, by the name that finds it."""
    is_seen = file.path.endswith(HEADERS)
    found: dict[str, list[object]] = {}
    for number, item in enumerate(file.declarations):
        linkage = linkage_of(item, is_seen=is_seen)
        if linkage:
            chain = chain_of(file.declarations, number)
            answer = chain, item.kind, item.access, sorted(item.modifiers), item.parameters
            found.setdefault(shared(item.name, linkage), []).append(answer)
    if file.language == "c":
        for store in file.code.stores:
            target = file.expressions[store.target]
            if target.op == Op.MEMBER:
                value = file.last_name(store.value) if store.value != NONE else ""
                name = stored(target.name, _type_of(file, target))
                found.setdefault(name, []).append(value)
    return {name: sorted(map(repr, rows)) for name, rows in found.items()}


def _type_of(file: SourceFile, target: Expression) -> str:
    """The tag of the type whose member a MEMBER is, where it is written: in a table."""
    if target.of == NONE:
        return ""
    owner = file.expressions[target.of]
    if owner.op != Op.MEMBER or owner.of == NONE:
        return ""
    before = file.expressions[owner.of]
    return owner.name if (before.op, before.name) == (Op.NAME, STRUCT) else ""
