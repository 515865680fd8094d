"""The documentation file of an assembly, in XML: a declaration for each of its entries.

Each entry has the id of a member, as `M:Acme.Json.Convert.Write(System.Object)`. Entries become C#
in as many lines as the file has, each where its entry is, which the adapter of C# reads: so
declarations have the places of entries, and code that calls them is linked with them. An id says
no types of results, so these are `dynamic`, of which nothing is known.

The file is not trusted: it may have no document type, and its depth and size are limited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.facts.model import SKIPPED, Declaration, Facts
from code_graph.formats.xml_tree import XmlError, XmlReader
from code_graph.hints import identifiers_in
from code_graph.language import load
from code_graph.language_table import BY_NAME
from index_format.records import replace
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.expressions.model import FileCode
    from code_graph.treesitter.adapter import TreeSitterAdapter

VERSION: Final = 2
_MAX_CHARACTERS: Final = 32 << 20
_MAX_MEMBERS: Final = 100_000
_MAX_DEPTH: Final = 64
_MAX_TEXT: Final = 2_000
_MAX_ID: Final = 2_000
_MAX_NESTING: Final = 20
_NAME: Final = re.compile(r"[A-Za-z_]\w*\Z")
_NUMBER: Final = re.compile(r"(`{1,2})(\d{1,2})")
_UNKNOWN: Final = "dynamic"
_KINDS: Final = frozenset("TMPFE")
# what the C# has and ids do not
_ADDED: Final = re.compile(rf"^(?:(?:public|partial|{_UNKNOWN}) )*|@|\s*\{{.*$", re.DOTALL)


class _Entry(NamedTuple):
    """An entry: the id, its lines, the names of parameters, and the summary."""

    id: str
    first: int
    last: int
    parameters: tuple[str, ...]
    summary: str


def adapter(name: str) -> DocumentationAdapter:
    """The adapter of documentation files."""
    return DocumentationAdapter(name)


class DocumentationAdapter:
    """Reads documentation files as the C# that they describe."""

    version = VERSION

    def __init__(self, name: str) -> None:
        """The adapter of C# is loaded with the first file."""
        self.name = name
        self._loaded: TreeSitterAdapter | None = None

    def supports_path(self, path: str) -> bool:
        """True for any XML file, where the settings of a package say that they are such files."""
        return path.lower().endswith(".xml")

    def outline(self, path: str, text: str) -> Sequence[Declaration]:
        """Types and members by line."""
        return self.facts(path, text).declarations

    def facts(self, path: str, text: str) -> Facts:
        """All facts: declarations with their summaries."""
        entries = _read(text)
        if entries is None:
            return Facts(self._csharp.name, SKIPPED)
        facts = self._csharp.facts(path, _as_code(entries))
        told = {entry.first: entry for entry in entries}
        declarations = [_described(item, told) for item in facts.declarations]
        cuts = sorted({entry.first for entry in entries})
        return replace(facts, declarations=declarations, cuts=tuple(cuts))

    def code(self, path: str, text: str, facts: Facts | None = None) -> FileCode | None:
        """The symbolic code of the declarations."""
        del facts  # those of the C# are other values than those with summaries
        entries = _read(text)
        return None if entries is None else self._csharp.code(path, _as_code(entries))

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """The lines at which entries begin."""
        del path
        return sorted({entry.first for entry in _read(text) or ()})

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """Names of code in a prompt."""
        return identifiers_in(prompt)

    @property
    def _csharp(self) -> TreeSitterAdapter:
        if self._loaded is None:
            row = BY_NAME["csharp"]
            self._loaded = load(f"{row.adapter}:adapter")(row.name)
        return self._loaded


def _described(item: Declaration, told: Mapping[int, _Entry]) -> Declaration:
    entry = told.get(item.start_line)
    if entry is None or item.kind == "namespace":
        return item
    signature = _ADDED.sub("", item.signature).removesuffix(";").strip()
    return replace(item, signature=signature or item.signature, doc=entry.summary)


# reading


def _read(text: str) -> Sequence[_Entry] | None:
    """The entries; None for a text that is no documentation file, or that is over a limit."""
    if len(text) > _MAX_CHARACTERS:
        return None
    reader = _Reader()
    try:
        reader.read(text)
    except XmlError:
        return None
    return reader.entries if reader.is_documentation else None


class _Reader(XmlReader):
    """Collects entries from the events of a parser."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[_Entry] = []
        self.is_documentation = False
        self._path: list[str] = []
        self._id, self._first = "", 0
        self._parameters: list[str] = []
        self._summary: list[str] = []
        self._kept = 0

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._path) >= _MAX_DEPTH or len(self.entries) >= _MAX_MEMBERS:
            raise XmlError("it has too many members, or elements too deep in each other")
        self._path.append(name)
        if self._path == ["doc"]:
            self.is_documentation = True
        elif self._path == ["doc", "members", "member"]:
            self._id, self._first = attributes.get("name", ""), self._line
            self._parameters, self._summary, self._kept = [], [], 0
        elif self._path[3:] == ["param"]:
            self._parameters.append(attributes.get("name", ""))
        elif "summary" in self._path:  # <see cref="T:A.B"/>
            named = attributes.get("cref") or attributes.get("langword") or attributes.get("name")
            self._add_text((named or "").rpartition(":")[2])

    def _end(self, _: str) -> None:
        if self._path == ["doc", "members", "member"] and len(self._id) <= _MAX_ID:
            summary = " ".join("".join(self._summary).split())
            names = tuple(self._parameters)
            self.entries.append(_Entry(self._id, self._first, self._line, names, summary))
        self._path.pop()

    def _add_text(self, text: str) -> None:
        if self._kept < _MAX_TEXT and self._path[3:4] == ["summary"]:
            self._kept += len(text)
            self._summary.append(text)


# writing


def _as_code(entries: Sequence[_Entry]) -> str:
    """C# with a declaration in the lines of each entry."""
    lines = [""] * (max((entry.last for entry in entries), default=0) + 1)
    types = {entry.id[2:] for entry in entries if entry.id.startswith("T:")}
    around: tuple[str, Sequence[str]] | None = None
    last = 0
    for entry in entries:
        parts = _parts(entry, types)
        if parts is None or not 0 < entry.first <= entry.last < len(lines):
            continue
        holder, declared = parts
        if around != holder or entry.id.startswith("T:"):
            if around is not None:
                lines[last] += "}" * _depth(around)
            lines[entry.first] += _opened(holder)
            around = holder
        lines[entry.first] += declared
        lines[entry.last] += "}" if declared.endswith("{") else ""
        last = entry.last
    if around is not None:
        lines[last] += "}" * _depth(around)
    return "\n".join(lines[1:]) + "\n"


def _depth(holder: tuple[str, Sequence[str]]) -> int:
    return bool(holder[0]) + len(holder[1])


def _opened(holder: tuple[str, Sequence[str]]) -> str:
    namespace, names = holder
    opened = f"namespace {namespace} {{ " if namespace else ""
    return opened + "".join(f"public partial {_kind(name)} {name} {{ " for name in names)


def _kind(name: str) -> str:
    """An interface by its name; ids don't tell."""
    is_interface = name[:1] == "I" and name[1:2].isupper() and name[2:3].islower()
    return "interface" if is_interface else "class"


def _parts(entry: _Entry, types: set[str]) -> tuple[tuple[str, Sequence[str]], str] | None:
    """The namespace and types around what an entry declares, and its text; None for others."""
    kind, colon, whole = entry.id.partition(":")
    if not colon or kind not in _KINDS:
        return None
    path, bracket, given = whole.partition("(")
    names = path.partition("~")[0].split(".")
    if len(names) > _MAX_NESTING + 1:
        return None
    owner = names if kind == "T" else names[:-1]
    count = next((n for n in range(1, len(owner) + 1) if ".".join(owner[:n]) in types), len(owner))
    namespace = ".".join(owner[: count - 1])
    holders = [_type_name(one) for one in owner[count - 1 :]]
    if not holders or not all(holders) or not all(map(_NAME.match, owner[: count - 1])):
        return None
    if kind == "T":
        return (namespace, holders), ""
    types_given, _, rest = given.partition(")")
    if bracket and rest[:1] not in {"", "~"}:  # what an operator converts to
        return None
    declared = _member(kind, names[-1], holders[-1], types_given, entry)
    return ((namespace, holders), declared) if declared else None


def _member(kind: str, name: str, holder: str, given: str, entry: _Entry) -> str:
    """The declaration of a member; empty for operators and members of interfaces."""
    plain, _, arity = name.partition("``")
    types = [_type(one) for one in _split(given)] if given else []
    if not all(types):
        return ""
    rows = [f"{one} {_parameter(entry.parameters, at)}" for at, one in enumerate(types)]
    if kind == "M" and plain == "#ctor":
        return f"public {holder.partition('<')[0]}({', '.join(rows)}) {{"
    if plain.startswith("op_") or _NAME.match(plain) is None:
        return ""
    if kind == "M":
        count = min(int(arity), _MAX_NESTING) if arity.isdecimal() else 0
        generic = f"<{', '.join(f'M{at}' for at in range(count))}>" if count else ""
        return f"public {_UNKNOWN} {plain}{generic}({', '.join(rows)}) {{"
    if kind == "P":
        own = f"this[{', '.join(rows)}]" if rows else plain
        return f"public {_UNKNOWN} {own} {{ get; set; }} "
    return f"public {'event ' if kind == 'E' else ''}{_UNKNOWN} {plain}; "


def _parameter(names: Sequence[str], at: int) -> str:
    name = names[at] if at < len(names) else ""
    return f"@{name}" if _NAME.match(name) else f"p{at}"


def _type_name(name: str) -> str:
    """The name of a type with its type parameters; empty if it is none."""
    plain, _, arity = name.partition("`")
    if _NAME.match(plain) is None:
        return ""
    count = min(int(arity), _MAX_NESTING) if arity.isdecimal() else 0
    return f"{plain}<{', '.join(f'T{at}' for at in range(count))}>" if count else plain


def _type(written: str) -> str:
    """A type of an id in C#; empty for one that can't be written there."""
    text = _NUMBER.sub(lambda found: ("M" if len(found[1]) > 1 else "T") + found[2], written)
    text = text.replace("{", "<").replace("}", ">").rstrip()
    reference = "ref " if text.endswith("@") else ""
    text = text.rstrip("@*")
    text = re.sub(r"\[[0-9:,]*\]", lambda found: f"[{',' * found[0].count(',')}]", text)
    return reference + text if re.fullmatch(r"[\w.<>,\[\]]+", text) else ""


def _split(given: str) -> Iterator[str]:
    """The types of parameters, which commas stand between, and in braces."""
    depth, begun = 0, 0
    for at, mark in enumerate(given):
        depth += (mark in "{[") - (mark in "}]")
        if mark == "," and not depth:
            yield given[begun:at]
            begun = at + 1
    yield given[begun:]
