"""Symbolic code of a file: names, calls, assignments and results as the linker evaluates them.

`model` has the types, `builder` makes them while a file is parsed, `records` gives their bytes.
Nothing in here looks at another file or decides what a name means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # an answer opens indexes of code, and reads none of it
    from code_graph.expressions.builder import CodeBuilder
    from code_graph.expressions.model import (
        NAMING,
        NONE,
        NOWHERE,
        Argument,
        Binding,
        BindingKind,
        Clause,
        Code,
        Contract,
        ContractRole,
        Export,
        Expression,
        FileCode,
        MemberStore,
        Op,
        Result,
        ResultKind,
        Role,
        Scope,
        ScopeKind,
    )

# raise it when equal text gives other bytes
VERSION: Final = 6

_LATE: Final = {
    "builder": "CodeBuilder",
    "model": (
        "NAMING NONE NOWHERE Argument Binding BindingKind Clause Code Contract "
        "ContractRole Export Expression FileCode MemberStore Op Result ResultKind Role Scope "
        "ScopeKind"
    ),
}
__getattr__ = import_on_first_use(__name__, _LATE)
