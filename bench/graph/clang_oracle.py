"""Truth about C and C++ projects: libclang reads their translation units.

`roots` of a project are patterns of the files that clang parses, `symbols` what it is told, `needs`
files that a build writes, which are empty here. A file that it can't parse, as headers are missing,
is left out. Judged are names that stand in the text of the project: what a macro expands to or gets
as an argument is not, nor are operators, names that depend on a template's arguments, and names
with several meanings. A call of a field or a variable is judged as a use alone. Constructors are
judged where their class is written: of temporaries, of `new`, of variables with arguments; and of
bases, in the list of a constructor. `clang.cindex` has to be found, with its version of libclang.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from ctypes import POINTER, byref, c_uint
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from bench.graph.edges import CALLS, IMPLEMENTS, OVERRIDES, REFERENCES, At, Edge, Truth, Where
from bench.graph.projects import Project

VERSION: Final = 2
_FATAL: Final = 4
_KINDS: Final = {
    "CLASS_DECL": "class",
    "STRUCT_DECL": "class",
    "UNION_DECL": "class",
    "CLASS_TEMPLATE": "class",
    "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION": "class",
    "ENUM_DECL": "enum",
    "TYPEDEF_DECL": "type",
    "TYPE_ALIAS_DECL": "type",
    "TYPE_ALIAS_TEMPLATE_DECL": "type",
    "FUNCTION_DECL": "function",
    "FUNCTION_TEMPLATE": "function",
    "CXX_METHOD": "method",
    "CONSTRUCTOR": "method",
    "DESTRUCTOR": "method",
    "CONVERSION_FUNCTION": "method",
    "VAR_DECL": "variable",
    "FIELD_DECL": "field",
    "ENUM_CONSTANT_DECL": "constant",
    "NAMESPACE": "module",
}
_CLASSES: Final = frozenset(kind for kind, name in _KINDS.items() if name == "class")
_FUNCTIONS: Final = frozenset(
    kind for kind, name in _KINDS.items() if name in {"function", "method"}
)
_TYPES: Final = _CLASSES | {"ENUM_DECL", "TYPEDEF_DECL", "TYPE_ALIAS_DECL"}
_REFERRING: Final = frozenset(
    {"DECL_REF_EXPR", "MEMBER_REF_EXPR", "MEMBER_REF", "TYPE_REF", "TEMPLATE_REF"}
)
_SOURCES: Final = _FUNCTIONS | _TYPES
# nodes between a call and the name that is called
_AROUND: Final = frozenset({"UNEXPOSED_EXPR", "PAREN_EXPR", "UNARY_OPERATOR"})
_NAMING: Final = frozenset({"TYPE_REF", "TEMPLATE_REF"})
_CONSTRUCTING: Final = frozenset(
    {"CALL_EXPR", "CXX_NEW_EXPR", "CXX_FUNCTIONAL_CAST_EXPR", "VAR_DECL", "CONSTRUCTOR"}
)
_LOCAL: Final = frozenset({"PARM_DECL"})
_NOTHING: Final = "NO_DECL_FOUND"
# parameters of templates, of which an instance is meant elsewhere
_UNKNOWN: Final = frozenset(
    {"TEMPLATE_TYPE_PARAMETER", "TEMPLATE_NON_TYPE_PARAMETER", "TEMPLATE_TEMPLATE_PARAMETER"}
)


def truth(project: Project, root: Path, keep: Path) -> Truth:
    """The truth of a project, kept from an earlier run or made."""
    stored = keep / "truth" / f"{project.name}.clang-{VERSION}.jsonl"
    if not stored.exists():
        _Units(project, root, keep / "generated" / project.name).made().write(stored)
    return Truth.read(stored)


class _Units:
    """The translation units of a project, and the truth that is gathered from them."""

    def __init__(self, project: Project, root: Path, generated: Path) -> None:
        self._project = project
        # what a build would write, without content
        self._generated = generated.resolve()
        for name in project.needs:
            path = self._generated / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        self._root = root.resolve()
        self._index: Any = import_module("clang.cindex")
        self._truth = Truth()
        self._lines: dict[str, list[str]] = {}
        # declarations that are one: by clang's name, and by place
        self._whole: dict[Where, Where] = {}
        self._by_usr: dict[str, Where] = {}
        self._definitions: set[Where] = set()
        # names that a declaration may be said to have
        self._names: dict[Where, set[str]] = defaultdict(set)
        # calls by the place of the name
        self._called: set[At] = set()

    def made(self) -> Truth:
        """Read all units."""
        index = self._index.Index.create()
        is_c = self._project.language == "c"
        own = "/usr/lib/gcc/x86_64-linux-gnu/" + _gcc() + "/include"
        options = ["-ferror-limit=0", f"-I{own}", f"-I{self._root}", f"-I{self._generated}"]
        for pattern in self._project.roots:
            for path in sorted(self._root.glob(pattern)):
                unit = index.parse(
                    str(path),
                    args=["-x", "c" if is_c else "c++", *options, *self._arguments()],
                )
                fatal = [item for item in unit.diagnostics if item.severity >= _FATAL]
                if fatal:  # of another system, or of tests whose library is not there
                    print(f"left out: {fatal[0]}", file=sys.stderr)
                    continue
                for cursor in unit.cursor.get_children():
                    self._walk(cursor, Where(self._path(cursor) or "", 0, ""))
        self._unite()
        return self._truth

    def _arguments(self) -> Iterator[str]:
        """The arguments for clang; folders are below the root."""
        for one in self._project.symbols:
            yield f"-I{self._root / one[2:]}" if one.startswith("-I") else one

    # walking

    def _walk(self, top: Any, source: Where) -> None:  # noqa: ANN401 of clang
        """The declarations and references at and below a cursor."""
        if not source.path:
            return
        waiting = [(top, source)]
        while waiting:
            cursor, around = waiting.pop()
            kind = _kind(cursor)
            if kind in _KINDS:
                where = self._declared(cursor)
                if where is not None and kind in _SOURCES and not self._is_inside(kind, around):
                    around = where
            children = list(cursor.get_children())
            if kind == "CALL_EXPR":
                self._call(cursor, children)
            elif kind == "CXX_BASE_SPECIFIER":
                self._base(cursor, children, around)
            if kind in _CONSTRUCTING:
                self._construct(cursor, children, around)
            if kind in _REFERRING:
                self._refer(cursor, around)
            waiting += [(child, around) for child in reversed(children)]

    def _is_inside(self, kind: str, around: Where) -> bool:
        """True of a type in a function: what it uses is used by the function."""
        return kind in _TYPES and self._truth.kinds.get(around) in {"function", "method"}

    def _declared(self, cursor: Any) -> Where | None:  # noqa: ANN401 of clang
        """The declaration at a cursor, which is united with others of it."""
        where = self._where(cursor)
        if where is None or not cursor.spelling:
            return None
        at = self._at(cursor)
        if at is None or not self._stands(at, where.name):
            return None  # a macro declares it
        kind = _KINDS[_kind(cursor)]
        if kind == "variable" and self._is_local(cursor):
            return None
        self._truth.kinds.setdefault(where, kind)
        self._names[where] |= set(_endings(cursor))
        usr = cursor.get_usr()
        first = self._by_usr.setdefault(usr, where) if usr else where
        self._join(first, where)
        if cursor.is_definition():
            self._definitions.add(where)
        if kind == "type":
            record = self._where(_aliased(cursor))
            if record is not None and record.name == where.name:
                self._join(where, record)  # `typedef struct A A;`, or one without a tag
        if _kind(cursor) == "CONSTRUCTOR" or self._is_constructor_template(cursor):
            holder = self._where(cursor.semantic_parent)
            if holder is not None and holder != where:
                self._truth.holders[where] = holder
        if kind == "method":
            self._overrides(cursor, where)
        return where

    def _is_constructor_template(self, cursor: Any) -> bool:  # noqa: ANN401 of clang
        parent = cursor.semantic_parent
        return (
            _kind(cursor) == "FUNCTION_TEMPLATE"
            and parent is not None
            and _kind(parent) in _CLASSES
            and cursor.spelling.partition("<")[0] == parent.spelling
        )

    def _is_local(self, cursor: Any) -> bool:  # noqa: ANN401 of clang
        parent = cursor.semantic_parent
        return parent is not None and _kind(parent) in _FUNCTIONS

    def _overrides(self, cursor: Any, where: Where) -> None:  # noqa: ANN401 of clang
        at = self._at(cursor)
        if at is None or not cursor.is_virtual_method() or _kind(cursor) != "CXX_METHOD":
            return
        if cursor.spelling.startswith("operator"):
            return
        if cursor.semantic_parent != cursor.lexical_parent:
            return  # what is defined outside of its class overrides where it is declared
        self._truth.judged.add((OVERRIDES, at))
        for other in _overridden(self._index, cursor):
            target = self._target(other)
            if target is not None:
                self._truth.add(Edge(OVERRIDES, where, target, at))

    def _base(self, cursor: Any, children: Sequence[Any], around: Where) -> None:  # noqa: ANN401 of clang
        """The class that a base is, where its last name stands."""
        first = _type_of(children, cursor.referenced)
        if first is None:
            return
        at = self._at(first)
        whole = cursor.type.get_canonical().get_declaration()  # also of an alias
        if _kind(whole) == _NOTHING:  # depends on arguments of templates
            whole = first.referenced
        if at is None or _kind(whole) not in _CLASSES or not self._is_there(at, first):
            return
        target = self._target(whole)
        self._truth.judged.add((IMPLEMENTS, at))
        if target is not None:
            self._truth.add(Edge(IMPLEMENTS, around, target, at))

    # calls and references

    def _construct(self, cursor: Any, children: Sequence[Any], around: Where) -> None:  # noqa: ANN401 of clang
        """The constructor that is called where its class is written."""
        kind = _kind(cursor)
        if kind == "CONSTRUCTOR":
            for type_, call in pairwise(children):
                if _kind(type_) in _NAMING and _is_constructing(call):
                    self._construction(type_, call, around)
            return
        if kind == "CALL_EXPR" and not _is_constructing(cursor):
            return
        call = cursor if kind == "CALL_EXPR" else _call_in(children)
        if call is None:
            return
        type_ = _type_of(children, call.referenced.semantic_parent)
        if type_ is None:
            return
        if kind == "VAR_DECL" and not self._has_arguments(cursor):
            return
        self._construction(type_, call, around)

    def _construction(self, type_: Any, call: Any, around: Where) -> None:  # noqa: ANN401 of clang
        made, at = call.referenced, self._at(type_)
        of = made.semantic_parent
        if at is None or type_.referenced is None or not self._is_there(at, type_):
            return
        if type_.referenced.spelling != of.spelling.partition("<")[0]:
            return  # an alias
        self._truth.judged.add((CALLS, at))
        target = self._target(made)
        if target is not None:
            # of an inherited one the `using` is what clang names
            is_own = made.spelling.partition("<")[0] == of.spelling.partition("<")[0]
            is_written = is_own and self._at(made) != self._at(of)
            whole = target if is_written else self._target(of)
            if whole is not None:
                self._truth.add(Edge(CALLS, around, whole, at))

    def _has_arguments(self, cursor: Any) -> bool:  # noqa: ANN401 of clang
        """True if the variable's name has arguments behind it."""
        at = self._at(cursor)
        if at is None:
            return False
        after = self._text(at.path)[at.line - 1][at.column + len(cursor.spelling) :].lstrip()
        return after.startswith(("(", "{"))

    def _call(self, cursor: Any, children: Sequence[Any]) -> None:  # noqa: ANN401 of clang
        """Note the name that is called."""
        target = cursor.referenced
        if target is not None and _kind(target) == "CONSTRUCTOR":
            return
        inner = children[0] if children else None
        while inner is not None and _kind(inner) in _AROUND:
            inner = next(iter(inner.get_children()), None)
        if inner is not None and _kind(inner) in {"DECL_REF_EXPR", "MEMBER_REF_EXPR"}:
            at = self._at(inner)
            if at is not None:
                self._called.add(at)

    def _refer(self, cursor: Any, around: Where) -> None:  # noqa: ANN401 of clang
        """Add the reference at a cursor, if it stands in the text."""
        target = cursor.referenced
        at = self._at(cursor)
        if target is None or at is None or _kind(target) in _UNKNOWN:
            return
        kind = _kind(target)
        if not target.spelling or target.spelling.startswith("operator"):
            return
        if not self._is_there(at, cursor):
            return
        where = None if kind in _LOCAL else self._target(target)
        if kind == "VAR_DECL" and self._is_local(target):
            where = None
        if kind not in {"NAMESPACE", "NAMESPACE_ALIAS"}:
            self._truth.judged.add((REFERENCES, at))
        is_function = kind in _FUNCTIONS
        if is_function or kind in _LOCAL or (kind == "VAR_DECL" and where is None):
            self._truth.judged.add((CALLS, at))
        if where is None or (where.line == at.line and where.path == at.path and not is_function):
            return
        if kind in _KINDS and kind != "NAMESPACE":
            self._truth.add(Edge(REFERENCES, around, where, at))
            record = self._target(_aliased(target)) if kind == "TYPEDEF_DECL" else None
            if record is not None and self._project.language == "c":
                self._truth.add(Edge(REFERENCES, around, record, at))
            if is_function and at in self._called:
                self._truth.add(Edge(CALLS, around, where, at))

    def _is_there(self, at: At, cursor: Any) -> bool:  # noqa: ANN401 of clang
        """True if the name of what is referred to stands at its place."""
        return self._stands(at, cursor.referenced.spelling.partition("<")[0].rpartition("::")[2])

    def _stands(self, at: At, name: str) -> bool:
        """True if a name stands at a place in the text, as a whole word."""
        lines = self._text(at.path)
        if at.line > len(lines):
            return False
        text = lines[at.line - 1][at.column :]
        after = text[len(name) : len(name) + 1]
        return bool(name) and text.startswith(name) and not (after.isalnum() or after == "_")

    # places

    def _text(self, path: str) -> list[str]:
        if path not in self._lines:
            data = (self._root / path).read_bytes()
            self._lines[path] = data.decode("utf-8", "replace").split("\n")
        return self._lines[path]

    def _path(self, cursor: Any) -> str | None:  # noqa: ANN401 of clang
        """The path of a cursor's file in the project."""
        file = cursor.location.file
        if file is None:
            return None
        path = Path(file.name)
        if not path.is_relative_to(self._root):
            return None
        path = path if ".." not in path.parts else path.resolve()
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else None

    def _at(self, cursor: Any) -> At | None:  # noqa: ANN401 of clang
        path = self._path(cursor)
        if path is None:
            return None
        place = cursor.location
        lines = self._text(path)
        if place.line > len(lines):
            return None
        before = lines[place.line - 1].encode()[: place.column - 1]
        return At(path, place.line, len(before.decode("utf-8", "replace")))

    def _where(self, cursor: Any) -> Where | None:  # noqa: ANN401 of clang
        path = None if cursor is None else self._path(cursor)
        if path is None:
            return None
        return Where(path, cursor.location.line, cursor.spelling.partition("<")[0])

    def _target(self, cursor: Any) -> Where | None:  # noqa: ANN401 of clang
        """The declaration that a reference means; a class for a constructor that is not written."""
        if cursor is None:
            return None
        found = self._where(cursor)
        if found is None:
            return None
        for other in (cursor.canonical, cursor.get_definition()):
            where = self._where(other)
            if where is not None:
                self._join(found, where)
        return found

    # what is one

    def _top(self, where: Where) -> Where:
        while where in self._whole:
            where = self._whole[where]
        return where

    def _join(self, one: Where, other: Where) -> None:
        first, second = self._top(one), self._top(other)
        if first != second:
            self._whole[second] = first

    def _unite(self) -> None:
        """Name each declaration by one place: that of a definition, if there is one."""
        made = self._truth
        groups: dict[Where, set[Where]] = defaultdict(set)
        for where in {*made.kinds, *self._whole, *self._whole.values()}:
            groups[self._top(where)].add(where)
        for edge in made.edges:
            groups[self._top(edge.target)].add(edge.target)
        known: dict[Where, Where] = {}
        for members in groups.values():
            defined = sorted(members & self._definitions)
            chosen = (defined or sorted(members))[0]
            known.update(dict.fromkeys(members, chosen))
            kinds = [made.kinds[one] for one in sorted(members) if one in made.kinds]
            if kinds:
                made.kinds[chosen] = kinds[0]
        made.edges = {
            edge._replace(source=known.get(edge.source, edge.source), target=known[edge.target])
            for edge in made.edges
        }
        made.holders = {known[one]: known.get(of, of) for one, of in made.holders.items()}
        for where, chosen in known.items():
            for name in {where.name, *self._names[where]}:
                other = where._replace(name=name)
                if other != chosen and known.get(other, chosen) == chosen:
                    made.same[other] = chosen


def _endings(cursor: Any) -> Iterator[str]:  # noqa: ANN401 of clang
    """The qualified name of a declaration, from each of its parts on."""
    name = cursor.spelling.partition("<")[0]
    yield name
    parent = cursor.semantic_parent
    while parent is not None and _kind(parent) in {*_CLASSES, "NAMESPACE"}:
        if parent.spelling:
            name = f"{parent.spelling.partition('<')[0]}::{name}"
            yield name
        parent = parent.semantic_parent


def _type_of(children: Sequence[Any], meant: Any) -> Any:  # noqa: ANN401 of clang
    """The reference to a type, among those of what is before it and of arguments behind it."""
    inner = [child for child in children if _kind(child) in _NAMING]
    name = "" if meant is None else meant.spelling.partition("<")[0]
    return next((one for one in inner if one.referenced.spelling == name), None)


def _aliased(cursor: Any) -> Any:  # noqa: ANN401 of clang
    """The struct, union or enum that an alias stands for, or points to.

    None without one, and where another file says what it is.
    """
    if _kind(cursor) != "TYPEDEF_DECL":
        return None
    type_ = cursor.underlying_typedef_type
    while type_.kind.name == "POINTER":
        type_ = type_.get_pointee()
    found = type_.get_declaration()
    if _kind(found) not in {*_CLASSES, "ENUM_DECL"}:
        return None
    whole = found.get_definition()
    file = None if whole is None else whole.location.file
    is_near = file is not None and file.name == cursor.location.file.name
    return found if is_near or found.spelling == cursor.spelling else None


def _is_constructing(cursor: Any) -> bool:  # noqa: ANN401 of clang
    made = cursor.referenced if _kind(cursor) == "CALL_EXPR" else None
    return made is not None and _kind(made) == "CONSTRUCTOR"


def _call_in(children: Sequence[Any]) -> Any:  # noqa: ANN401 of clang
    """The call of a constructor that a value is."""
    inner = children[-1] if children else None
    while inner is not None and not _is_constructing(inner):
        inner = next(iter(inner.get_children()), None) if _kind(inner) in _AROUND else None
    return inner


def _overridden(index: Any, cursor: Any) -> Sequence[Any]:  # noqa: ANN401 of clang
    library = index.conf.lib
    found, count = POINTER(index.Cursor)(), c_uint()
    library.clang_getOverriddenCursors.argtypes = [
        index.Cursor, POINTER(POINTER(index.Cursor)), POINTER(c_uint),
    ]  # fmt: skip
    library.clang_getOverriddenCursors(cursor, byref(found), byref(count))
    made = []
    for at in range(count.value):
        one = found[at]
        one._tu = cursor._tu  # noqa: SLF001 a cursor of clang needs its unit
        made.append(one)
    return made


def _kind(cursor: Any) -> str:  # noqa: ANN401 of clang
    """The name of a cursor's kind; empty for one that the binding does not know."""
    try:
        return str(cursor.kind.name)
    except ValueError:
        return ""


def _gcc() -> str:
    """The version of gcc, whose headers clang's library reads."""
    done = subprocess.run(
        [shutil.which("gcc") or "gcc", "-dumpversion"], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()
