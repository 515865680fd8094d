"""Symbolic code of a file: names, calls, assignments and results as the linker evaluates them.

`model` has the types, `builder` makes them while a file is parsed, `records` gives their bytes.
Nothing in here looks at another file or decides what a name means.
"""

from __future__ import annotations

from code_graph.expressions.builder import CodeBuilder
from code_graph.expressions.model import (
    NONE,
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

__all__ = [
    "NONE",
    "Argument",
    "Binding",
    "BindingKind",
    "Clause",
    "Code",
    "CodeBuilder",
    "Contract",
    "ContractRole",
    "Export",
    "Expression",
    "FileCode",
    "MemberStore",
    "Op",
    "Result",
    "ResultKind",
    "Role",
    "Scope",
    "ScopeKind",
]
