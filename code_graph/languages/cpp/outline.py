"""Rules of C++ beyond C: members, operators, definitions outside of classes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from code_graph.languages.c import macros, outline as c
from code_graph.languages.cpp.syntax import SHEET
from code_graph.treesitter.language_rules import (
    CLASSES,
    LEAVES,
    MODULES,
    SMALL,
    Captures,
    Draft,
    ImportParts,
    Rules,
)
from code_graph.treesitter.source import Source, blank, without_blanks

if TYPE_CHECKING:
    from tree_sitter import Node

_ARGUMENTS: Final = re.compile(r"<[^<>]*>")
_MARK: Final = "\0"
_NAME: Final = re.compile(r"~?\s*\w+$")
_PATH: Final = re.compile(r"(?:::)?\w+(?:::\w+)*$")
_NOT_A_NAME: Final = frozenset(
    {"template", "typename", "class", "struct", "enum", "union", "const"}
)
_OPERATOR: Final = re.compile(r"\boperator\b")
# A macro alone on its line, without a semicolon: it declares or annotates members.
_ALONE: Final = re.compile(r"(?m)^[ \t]*[A-Z][A-Z0-9_]{3,}(?:\([^()\n;{}]*\))?[ \t]*$")
_AFTER_A_MEMBER: Final = re.compile(
    r"(?:[;{}:]|\*/|\n[ \t]*(?://|#)[^\n]*|\n[ \t]*template[ \t]*<[^\n;{}]*>)\s*$"
)
_MAX_CONTEXT: Final = 300
# `LIB_NAMESPACE_BEGIN {`, and lines that end what such a macro begins
_OPENS: Final = re.compile(
    r"(?m)^([ \t]*)([A-Z][A-Z0-9_]*(?:NAMESPACE|_NS)(?:_[A-Z0-9_]*)?(?:\([^()\n]*\))?)(?=\s*\{)"
)
_CLOSES: Final = re.compile(
    r"(?m)^[ \t]*[A-Z][A-Z0-9_]*(?:NAMESPACE|_NS)_(?:END|CLOSE)[A-Z0-9_]*(?:\([^()\n]*\))?[ \t]*;"
)
# a default value that the grammar does not know before a constructor's initialisers
_EMPTY: Final = re.compile(r"(=[ \t]*)\{\}(?=\s*[,)])")
_NAMESPACE: Final = "namespace"
_UNNAMED: Final = re.compile(r"\bnamespace\s*\{")
_LINKED: Final = frozenset({"function", "prototype", "variable"})
_GOES_ON: Final = frozenset("{:)],;.+-*/&|=<>?")
_OTHER_ACCESS: Final = frozenset({"class"})
_DEEPEST: Final = 20
# a macro that defines a function, named after its arguments: `TEST(Suite, Case) { … }`
_MACRO: Final = re.compile(r"[A-Z][A-Z0-9_]+$")
_NAMES: Final = re.compile(r"\(\s*(\w+)\s*(?:,\s*(\w+)\s*)?\)$")
_CLASS_KINDS: Final = frozenset({"class", "struct", "union"})


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    if not c.refine(draft, captures, source):
        return False
    if "declarator" in captures:
        if _is_guide(draft, captures["declarator"][0]) or not _split(draft):
            return False
        if _is_friend(draft.node):
            draft.modifiers.add("friend")
        if _is_local(draft, source):
            draft.modifiers.add("static")  # no other file sees it
        if draft.kind == "function":
            _end_head(draft, captures, source)
    elif draft.kind in _CLASS_KINDS:
        if not _split(draft):
            return False
        # its parent was declared before, perhaps in another file
        draft.owner = ""
    _place(draft)
    return True


def _is_guide(draft: Draft, declarator: Node) -> bool:
    """True of `Box(T) -> Box<T>;`, which tells the arguments of a template: it is no function."""
    if draft.kind != "prototype" or draft.returns:
        return False
    return any(child.type == "trailing_return_type" for child in declarator.children)


def _is_friend(node: Node) -> bool:
    """True of a function that a class defines without having it."""
    around = node.parent
    if around is not None and around.type == "template_declaration":
        around = around.parent
    return around is not None and around.type == "friend_declaration"


@lru_cache(maxsize=4)
def _has_unnamed(text: str) -> bool:
    """True if a text has a namespace without a name; all declarations of a file ask."""
    return _UNNAMED.search(text) is not None


def _is_local(draft: Draft, source: Source) -> bool:
    """True if the namespace around a function or variable, or one around that, has no name."""
    is_member = draft.owner or (draft.parent is not None and draft.parent.kind in _CLASS_KINDS)
    if draft.kind not in _LINKED or is_member or not _has_unnamed(source.text):
        return False
    node = draft.node.parent
    while node is not None:
        if node.type == "namespace_definition" and node.child_by_field_name("name") is None:
            # else a macro opens it, perhaps with a name
            return source.text.startswith(_NAMESPACE, node.start_byte)
        node = node.parent
    return False


def _place(draft: Draft) -> None:
    """Set the kind and access that depend on the parent."""
    parent = draft.parent
    if parent is None or parent.kind not in _CLASS_KINDS:
        if draft.kind == "function" and draft.owner:
            draft.kind = _member_kind(draft, draft.owner.rpartition("::")[2])
        return
    draft.access = parent.mark or ("private" if parent.kind in _OTHER_ACCESS else "public")
    if draft.kind in {"function", "prototype"} or (draft.kind == "field" and draft.parameters):
        draft.kind = _member_kind(draft, parent.name)
    elif draft.kind == "variable":
        draft.kind = "field"


def _member_kind(draft: Draft, of: str) -> str:
    if draft.name == of:
        return "constructor"
    if draft.name.startswith("~"):
        return "destructor"
    return "operator" if draft.name.startswith("operator") else "method"


def _split(draft: Draft) -> bool:
    """Split `A<T>::b<U>` into b and its owner A; returns False for an impossible name."""
    whole = draft.name
    at = _OPERATOR.search(whole)
    marked = _marked_arguments(whole[: at.start()] if at else whole)
    path = marked.replace(_MARK, "").strip()
    head, joint, last = path.rpartition("::")
    if at is None:
        # an unknown macro may precede the name
        last = last.split()[-1] if last.strip() else ""
        start = marked.rfind(last)
        if not _NAME.match(last) or last in _NOT_A_NAME or start < 0:
            return False
    else:
        start = at.start()
        last = whole[start:]
    if joint:
        draft.owner = head.split()[-1] if head.strip() else ""
        draft.owner_separator = "::"
        if draft.owner and not _PATH.match(draft.owner):
            return False
    draft.name = last
    draft.name_start += start
    return True


def _marked_arguments(name: str) -> str:
    """The name with marks in place of template arguments, as many as they have characters."""
    for _ in range(_DEEPEST):
        shorter = _ARGUMENTS.sub(lambda found: _MARK * len(found[0]), name)
        if shorter == name:
            break
        name = shorter
    return name


def _end_head(draft: Draft, captures: Captures, source: Source) -> None:
    """End the head before initialisers; take the name of a macro's function from its arguments."""
    declarator = captures["declarator"][0]
    body = captures["body"][0].start_byte if "body" in captures else draft.end
    if source.text[declarator.end_byte : body].lstrip().startswith(":"):
        draft.head_end = declarator.end_byte
    parent = draft.parent
    if draft.returns or (parent is not None and parent.kind not in MODULES):
        return
    if _MACRO.match(draft.name):
        found = _NAMES.match(draft.parameters)
        if found is not None:
            draft.name = ".".join(filter(None, found.groups()))


def _prepare(text: str) -> str:
    """Replace text that the grammar can't parse by blanks."""
    changed = macros.plain_types(_plain_namespaces(c.prepare(text)))
    parts: list[str] = []
    done = 0
    for found in _ALONE.finditer(changed):
        start, end = found.span()
        after = changed[end : end + _MAX_CONTEXT].lstrip()[:1]
        before = changed[max(0, start - _MAX_CONTEXT) : start]
        if after not in _GOES_ON and _AFTER_A_MEMBER.search(before):
            parts += changed[done:start], " " * (end - start)
            done = end
    changed = "".join(parts) + changed[done:] if parts else changed
    return _EMPTY.sub(_as_zero, changed) if "{}" in changed else changed


def _as_zero(found: re.Match[str]) -> str:
    return f"{found[1]}0 "


def _plain_namespaces(text: str) -> str:
    """Anonymous namespaces that macros begin; their names belong to the scope around.

    The body of the macro, which may stand in another file, is not known here.
    """
    if "NAMESPACE" not in text and "_NS" not in text:
        return text
    return _CLOSES.sub(blank, _OPENS.sub(_as_namespace, text))


def _as_namespace(found: re.Match[str]) -> str:
    if len(found[2]) < len(_NAMESPACE) or "\n" in found[2]:
        return found[0]
    return f"{found[1]}{_NAMESPACE:<{len(found[2])}}"


def _imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    if "module" in captures:
        yield source.of(captures["module"][0]).strip('"<>'), "", ""
        return
    words = source.of(captures["import"][0]).rstrip(" ;\n").split(None, 2)
    if len(words) > 2 and words[1] == "namespace":
        yield without_blanks(words[2]), "*", ""
    else:
        module, _, name = without_blanks("".join(words[1:])).rpartition("::")
        yield module, name, name


_EXTENSIONS: Final = tuple(
    ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .tpp .cu .cuh".split()  # noqa: SIM905 as read
)
RULES: Final = Rules(
    name="cpp",
    package="tree_sitter_cpp",
    sheet=SHEET,
    extensions=_EXTENSIONS,
    bodies=frozenset({"compound_statement"}),
    separator="::",
    refine=_refine,
    prepare=_prepare,
    alternatives=c.alternatives,
    containers=c.CONTAINERS | {"namespace_definition"},
    alternatives_for_bodies=False,
    flow=c.flow,
    imports=_imports,
    doc_marks=("///", "/**", "/*!", "//!"),
    owner_kinds=CLASSES | {"namespace"},
    leaves=LEAVES | {"concept"},
    small=SMALL | {"concept"},
    lowering="code_graph.languages.cpp.lower.cpp:Cpp",
)
