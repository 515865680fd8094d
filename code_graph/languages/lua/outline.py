"""Rules of Lua: functions of tables, tables that are classes or modules, and required files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final

from code_graph.languages.lua.syntax import SHEET
from code_graph.treesitter.language_rules import CLASSES, Captures, Draft, ImportParts, Rules
from code_graph.treesitter.source import Source
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_TESTS: Final = frozenset("context describe insulate it spec test".split())  # noqa: SIM905 words
_LOADING: Final = frozenset({"dofile", "loadfile", "pcall", "require"})
_ALIASES: Final = frozenset({"identifier", "dot_index_expression", "bracket_index_expression"})
_METHOD: Final = re.compile(r"\bfunction\s+(\w+):|\b(\w+)\.__index\s*=")
_MEMBER: Final = re.compile(r"\bfunction\s+(\w+)\.|(?<![\w.])(\w+)(?:\.\w+)+\s*=\s*function\b")
_TABLE: Final = re.compile(r"^(?:local\s+)?(\w+)(?:\s*<\w+>)?\s*=(?!=)", re.MULTILINE)
_COMMENT: Final = re.compile(r"^(?:--\[=*\[|-+)[ \t]?|\]=*\][ \t]*$", re.MULTILINE)


class _Tables(NamedTuple):
    """The names of variables with methods, with functions, and of all."""

    classes: frozenset[str]
    modules: frozenset[str]
    every: frozenset[str]


@lru_cache(1)
def _tables(text: str) -> _Tables:
    classes, modules = (
        frozenset(chain.from_iterable(pattern.findall(text))) for pattern in (_METHOD, _MEMBER)
    )
    return _Tables(classes, modules, frozenset(_TABLE.findall(text)))


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    name = captures["name"][0]
    draft.head_end = name.end_byte
    if draft.kind == "test":
        draft.head_end += 1
        return source.of(captures["keyword"][0]) in _TESTS
    outer = draft.node.parent
    is_local = outer is not None and outer.type == "variable_declaration"
    if outer is not None and is_local:
        draft.start = draft.head_start = outer.start_byte
    if "parameters" in captures:
        draft.head_end = captures["parameters"][0].end_byte
        draft.access = "private" if draft.node.children[0].type == "local" else ""
    elif draft.kind == "variable":
        tables = _tables(source.text)
        if draft.name in tables.classes | tables.modules:
            draft.kind = "class" if draft.name in tables.classes else "module"
        elif "value" in captures and not (is_local and _is_made(captures["value"][0], source)):
            return False
    return _refine_name(draft, name, source)


def _is_made(value: Node, source: Source) -> bool:
    """True for a value that is more than another name of something: not `require "a"`, `a.b`."""
    called = value.child_by_field_name("name")
    is_call = value.type == "function_call" and called is not None
    return source.of(called) not in _LOADING if called and is_call else value.type not in _ALIASES


def _refine_name(draft: Draft, name: Node, source: Source) -> bool:
    """The last name of `a.b.c`, whose owner is `a` where the file declares that."""
    last = name.child_by_field_name("method") or name.child_by_field_name("field") or name
    if last.type == "string":
        last = last.child_by_field_name("content") or last
    if name != last and name.type.endswith("index_expression"):
        owner = source.of(name).partition(":")[0].partition(".")[0].partition("[")[0].strip()
        if owner in _tables(source.text).every:
            draft.owner = owner
        if name.type == "method_index_expression" or owner in _tables(source.text).classes:
            draft.kind = "method" if draft.kind == "function" else draft.kind
    draft.name_start, draft.name = last.start_byte, source.of(last)
    return last.type in {"identifier", "string_content"}


def _imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    """The module that is required, perhaps by `pcall`."""
    if source.of(captures["keyword"][0]) in {"require", "pcall"}:
        yield source.of(captures["given"][0]), "", ""


def _plain_doc(text: str) -> str:
    return _COMMENT.sub("", text).strip("\n")


RULES: Final = Rules(
    name="lua",
    package="tree_sitter_lua",
    sheet=SHEET,
    extensions=(".lua", ".luau"),
    refine=_refine,
    imports=_imports,
    doc_marks=("--",),
    classes=CLASSES | {"module"},
    modules=frozenset(),
    owner_kinds=CLASSES | {"module", "variable"},
    plain_doc=_plain_doc,
    deprecated_mark="@deprecated",
    lowering="code_graph.languages.lua.lower:Lua",
)
