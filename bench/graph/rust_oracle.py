"""Truth about Rust projects: rustc writes what it makes of every crate, which is read here.

The tree of names (HIR) has the declarations, implementations and paths; the tree of types (THIR)
has the functions and constants that expressions mean, also in the arguments of macros. A method of
a trait that is called on a type of the project is the one that the type implements. What a macro
expands to is not judged, nor `Self`, a path that begins with a type parameter, and a method of
which several implementations for one type exist. A crate is compiled with its tests if it compiles
then.
"""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from bench.graph.edges import CALLS, IMPLEMENTS, OVERRIDES, REFERENCES, At, Edge, Truth, Where
from bench.graph.projects import Project

VERSION: Final = 2
_CRATES: Final = "/usr/share/cargo/registry"
_OWNER: Final = re.compile(r"^DefId\(\d+:\d+ ~ (.+)\) => OwnerNodes \{$")
_BODY: Final = re.compile(r"^DefId\(\d+:\d+ ~ (.+)\):$")
_ID: Final = re.compile(r"DefId\((\d+):\d+ ~ ((?:[^()]|\([^()]*\))+)\)")
_SPAN: Final = re.compile(r"^(.+?):(\d+):(\d+): (\d+):(\d+) \(#0\)$")
_HASH: Final = re.compile(r"\[[0-9a-f]+\]")
_NAME: Final = re.compile(r"(?:r#)?[^\W\d]\w*")
_FUNCTION: Final = re.compile(r"^ty: FnDef\(DefId\(\d+:\d+ ~ (.+?)\), \[(.*)\]\)$")
_NOWHERE: Final = Where("", 0, "")
_WAITED: Final = "?"
# crates of the standard library, as the compiler names them
_STANDARD: Final = frozenset({"std", "core", "alloc"})
_CONSTRUCTOR: Final = "::{constructor#0}"
# the lines that stand between a call and the function that it calls
_WRAPPERS: Final = frozenset(
    {"Expr", "ty:", "temp_scope_id:", "span:", "kind:", "Scope", "region_scope:", "hir_id:",
     "value:", "fun:", "ZstLiteral(user_ty:"}
)  # fmt: skip
_KINDS: Final = {
    "Fn": "function",
    "Struct": "class",
    "Enum": "class",
    "Union": "class",
    "Trait": "interface",
    "TraitAlias": "interface",
    "TyAlias": "type",
    "Type": "type",
    "Const": "variable",
    "Static": "variable",
    "Mod": "module",
    "Macro": "macro",
}
_KEYWORDS: Final = r"(?:fn|struct|enum|union|trait|type|const|static|mod|macro_rules!|macro)"


class _Node:
    """A value of the compiler's tree: its constructor and its parts, which may have names."""

    __slots__ = ("name", "parts")

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: list[tuple[str, _Node | str]] = []

    def get(self, key: str) -> _Node | str | None:
        """The part of a name."""
        return next((part for name, part in self.parts if name == key), None)

    def node(self, key: str) -> _Node | None:
        """The part of a name, if it has parts of its own."""
        part = self.get(key)
        return part if isinstance(part, _Node) else None

    def text(self, key: str) -> str:
        """The part of a name, if it has no parts."""
        part = self.get(key)
        return part if isinstance(part, str) else ""

    @property
    def nodes(self) -> Iterator[_Node]:
        """The parts with parts of their own."""
        return (part for _, part in self.parts if isinstance(part, _Node))

    def walk(self) -> Iterator[_Node]:
        """The node and all below it."""
        left = [self]
        while left:
            node = left.pop()
            yield node
            left += node.nodes


class Crate(NamedTuple):
    """A crate, and its first file."""

    name: str
    main: str
    edition: str


@dataclass(slots=True)
class Items:
    """The declarations of crates, by their paths."""

    wheres: dict[str, Where] = field(default_factory=dict)
    # trait → the types that implement it, with the paths of the blocks and what these declare
    blocks: dict[str, list[tuple[str, str, frozenset[str]]]] = field(
        default_factory=lambda: defaultdict(list)
    )


def truth(project: Project, root: Path, keep: Path) -> Truth:
    """The compiler's edges of a project, from the file of an earlier run if there is one."""
    stored = keep / "truth" / f"rust-{project.name}-{VERSION}.jsonl"
    if not stored.exists():
        found = Truth()
        compiler = _Compiler(project, root, keep)
        known = Items()
        for crate in compiler.crates():
            CrateReader(compiler, crate, known, found).read()
        drop_ambiguous(found)
        found.write(stored)
    return Truth.read(stored)


def drop_ambiguous(found: Truth) -> None:
    """A name in a macro's arguments may be used many times, each with another meaning."""
    targets: dict[tuple[str, At], set[Where]] = defaultdict(set)
    for edge in found.edges:
        targets[edge.type, edge.at].add(edge.target)
    several = {place for place, all_of in targets.items() if len(all_of) > 1}
    found.judged -= several
    found.edges = {edge for edge in found.edges if (edge.type, edge.at) not in several}


class _Compiler:
    """Runs rustc for the crates of a project, each with those before it."""

    def __init__(self, project: Project, root: Path, keep: Path) -> None:
        self.root = root
        self._project = project
        self._built = keep / "crates" / project.name
        self._built.mkdir(parents=True, exist_ok=True)
        self._externs: list[str] = []
        for name in project.needs:
            self._build_library(name)

    def crates(self) -> Iterator[Crate]:
        """The crates, each built when it has been read."""
        for row in self._project.roots:
            name, _, main = row.partition("=")
            crate = Crate(name, main, self._edition(self.root / main))
            yield crate
            self._build(crate, self.root, self._project.symbols)

    def is_library(self, path: str) -> bool:
        """False: libraries are compiled, and not read."""
        del path
        return False

    def _edition(self, main: Path) -> str:
        for folder in main.parents:
            manifest = folder / "Cargo.toml"
            if manifest.exists():
                read = tomllib.loads(manifest.read_text("utf-8"))
                for package in (read.get("package"), read.get("workspace", {}).get("package")):
                    if package and isinstance(package.get("edition"), str):
                        return str(package["edition"])
                if "package" in read and "edition" not in read["package"]:
                    return "2015"
        return "2021"

    def _build_library(self, name: str) -> None:
        (folder,) = Path(_CRATES).glob(f"{name}-[0-9]*")
        crate = Crate(name.replace("-", "_"), "src/lib.rs", self._edition(folder / "src/lib.rs"))
        self._build(crate, folder, ("std", "use_std", "alloc"))

    def _build(self, crate: Crate, root: Path, features: Iterable[str]) -> None:
        out = self._built / f"lib{crate.name}.rmeta"
        options = ["--crate-type=lib", "--emit=metadata", "-o", str(out)]
        subprocess.run(self._command(crate, features, options), cwd=root, check=True)
        self._externs.append(f"--extern={crate.name}={out}")

    def _command(self, crate: Crate, features: Iterable[str], options: Sequence[str]) -> list[str]:
        named = [f'--cfg=feature="{name}"' for name in features]
        options = [*options, *named, *self._externs, f"-Ldependency={self._built}", "-Awarnings"]
        edition, name = f"--edition={crate.edition}", f"--crate-name={crate.name}"
        return ["rustc", "--cap-lints=allow", edition, name, *options, crate.main]

    def lines(self, crate: Crate, form: str, *, with_tests: bool) -> Iterator[str]:
        """The lines that the compiler writes; none at all if it refuses the crate."""
        options = [f"-Zunpretty={form}", "--test" if with_tests else "--crate-type=lib"]
        command = self._command(crate, self._project.symbols, options)
        environment = {**os.environ, "RUSTC_BOOTSTRAP": "1", "CARGO_PKG_VERSION": "0.0.0"}
        with subprocess.Popen(
            command, cwd=self.root, env=environment, text=True, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            yield from process.stdout


class Compiler(Protocol):
    """The program that writes the trees of crates whose files are below a folder."""

    root: Path

    def lines(self, crate: Crate, form: str, *, with_tests: bool) -> Iterator[str]:
        """The lines that the compiler writes; none at all if it refuses the crate."""

    def is_library(self, path: str) -> bool:
        """True for the absolute path of a file of a library that is read, too."""


class CrateReader:
    """Adds what the compiler says of a crate to the truth."""

    def __init__(self, compiler: Compiler, crate: Crate, known: Items, found: Truth) -> None:
        self._compiler = compiler
        self._crate = crate
        self._known = known
        self._truth = found
        self._lines: dict[str, list[str]] = {}
        self._columns: dict[Where, int] = {}
        self._items = known
        self._others: set[str] = {path.partition("::")[0] for path in known.wheres}

    def read(self) -> None:
        """Read the crate with its tests, or without them; others know it without."""
        plain = Items(dict(self._known.wheres))
        plain.blocks.update({name: [*rows] for name, rows in self._known.blocks.items()})
        with_tests = self._read_trees(with_tests=True)
        if not with_tests:
            self._read_trees(with_tests=False)
            return
        self._known.wheres, self._known.blocks = plain.wheres, plain.blocks
        self.read_declarations()

    def read_plain(self) -> None:
        """Read the crate without its tests."""
        self._read_trees(with_tests=False)

    def read_declarations(self) -> None:
        """Read what the crate declares for others."""
        for owner, node in self._owners(with_tests=False):
            self._declare(owner, node)

    def _read_trees(self, *, with_tests: bool) -> bool:
        owners = list(self._owners(with_tests=with_tests))
        for owner, node in owners:
            self._declare(owner, node)
        for owner, node in owners:
            self._refer(owner, node)
        typed = 0
        for use in _typed_uses(
            self._compiler.lines(self._crate, "thir-tree", with_tests=with_tests)
        ):
            typed += 1
            self._add_typed(use)
        return bool(owners and typed)

    def _owners(self, *, with_tests: bool) -> Iterator[tuple[str, _Node]]:
        lines = self._compiler.lines(self._crate, "hir-tree", with_tests=with_tests)
        return _owners(lines)

    # declarations

    def _declare(self, owner: str, node: _Node) -> None:
        for item in node.walk():
            if item.name in {"Item", "TraitItem", "ImplItem", "ForeignItem"}:
                kind = _kind(item)
                if kind == "Impl":
                    self._declare_block(owner, item)
                elif kind in _KINDS:
                    is_method = kind == "Fn" and item.name in {"TraitItem", "ImplItem"}
                    self._add_declared(owner, item, "method" if is_method else _KINDS[kind])
            elif item.name == "Variant" and item.text("def_id"):
                self._add_declared(_path(item.text("def_id")), item, "enumerator")

    def _add_declared(self, path: str, item: _Node, kind: str) -> None:
        name = path.rpartition("::")[2].partition("#")[0]
        span = self._span(item.text("span"))
        if span is None:
            return
        around = self._truth.kinds.get(self._known.wheres.get(path.rpartition("::")[0], _NOWHERE))
        if kind == "variable" and around in {"function", "method"}:
            kind = "local"
        file, line, column = span[:3]
        lines = self._text(file)
        prefix = "" if kind == "enumerator" else rf"\b{_KEYWORDS}\s+(?:mut\s+)?"
        found = re.compile(rf"{prefix}(?:r#)?({re.escape(name)})\b")
        for number in range(line, min(line + 60, len(lines) + 1)):
            match = found.search(lines[number - 1], column if number == line else 0)
            if match is not None:
                where = Where(file, number, name)
                self._known.wheres[path] = where
                self._truth.kinds[where] = kind
                self._columns[where] = match.start(1)
                return

    def _declare_block(self, path: str, item: _Node) -> None:
        """An implementation: the trait, the type, and the names of its items."""
        block = _block_of(item)
        trait = _trait_of(block)
        self_type = block.node("self_ty")
        if trait is None or self_type is None:
            return
        target = _defined(trait.get("res"))
        listed = block.node("items")
        items = [_path(each.text("owner_id")) for each in listed.nodes] if listed else []
        if target:
            names = frozenset(each.rpartition("::")[2] for each in items)
            self._known.blocks[target].append((_type_key(self_type), path, names))

    # uses

    def _refer(self, owner: str, node: _Node) -> None:
        items = [item for item in node.walk() if item.name in {"Item", "TraitItem", "ImplItem"}]
        if any(_kind(item) in {"Use", "ExternCrate"} for item in items):
            return
        source = self._source(owner)
        called: set[int] = set()
        for each in node.walk():
            if each.name == "Call" and each.parts and isinstance(each.parts[0][1], _Node):
                path = _plain_path(each.parts[0][1])
                if path is not None:
                    called.add(id(path))
        for each in node.walk():
            if each.name == "Path" and each.get("segments") is not None:
                self._add_path(source, each, is_called=id(each) in called)
        for item in items:
            kind = _kind(item)
            if kind == "Impl":
                self._implement(_block_of(item))
            elif kind == "Trait":
                self._extend(owner, item)

    def _implement(self, block: _Node) -> None:
        trait, self_type = _trait_of(block), block.node("self_ty")
        if trait is None or self_type is None:
            return
        named = _defined(_path_of_type(self_type))
        source = self._known.wheres.get(named)
        at = self._last_place(trait)
        target = self._known.wheres.get(_defined(trait.get("res")))
        if source is not None and at is not None and self._is_known(trait.get("res")):
            self._truth.judged.add((IMPLEMENTS, at))
            if target is not None:
                self._truth.add(Edge(IMPLEMENTS, source, target, at))
        listed = block.node("items")
        for each in listed.nodes if listed is not None else ():
            self._override(_path(each.text("owner_id")), _defined(trait.get("res")))

    def _override(self, path: str, trait: str) -> None:
        one = self._known.wheres.get(path)
        other = self._known.wheres.get(f"{trait}::{path.rpartition('::')[2]}")
        if one is None or self._truth.kinds[one] != "method":
            return
        at = At(one.path, one.line, self._columns[one])
        self._truth.judged.add((OVERRIDES, at))
        if other is not None:
            self._truth.add(Edge(OVERRIDES, one, other, at))

    def _extend(self, owner: str, item: _Node) -> None:
        """The traits that a trait names as its bounds."""
        source = self._known.wheres.get(owner)
        kind = item.node("kind")
        if source is None or kind is None:
            return
        for _, part in kind.parts:
            if not isinstance(part, _Node) or part.name != "[":
                continue
            for bound in part.nodes:
                reference = next((n for n in bound.walk() if n.name == "TraitRef"), None)
                path = reference.node("path") if reference is not None else None
                at = self._last_place(path) if path is not None else None
                if path is None or at is None or bound.name != "Trait":
                    continue
                target = self._known.wheres.get(_defined(path.get("res")))
                if target is not None or self._is_known(path.get("res")):
                    self._truth.judged.add((IMPLEMENTS, at))
                if target is not None:
                    self._truth.add(Edge(IMPLEMENTS, source, target, at))

    def _add_path(self, source: Where, path: _Node, *, is_called: bool) -> None:
        segments = path.node("segments")
        places = self._segments(path.text("span"))
        nodes = list(segments.nodes) if segments is not None else []
        if len(places) < len(nodes):
            return
        for node, (at, name) in zip(nodes[::-1], places[::-1], strict=False):
            meaning = node.get("res")
            if meaning == "Err":
                meaning = path.get("res") if node is nodes[-1] else None
            if name != node.text("ident").rpartition("#")[0] or name in {
                "Self",
                "self",
                "crate",
                "super",
            }:
                continue
            if meaning is None or not self._is_known(meaning):
                continue
            target = self._known.wheres.get(_defined(meaning))
            self._truth.judged.add((REFERENCES, at))
            if target is not None:
                self._truth.add(Edge(REFERENCES, source, target, at))
            is_made = isinstance(meaning, _Node) and any(n.name == "Ctor" for n in meaning.walk())
            if is_called and node is nodes[-1] and is_made:
                self._truth.judged.add((CALLS, at))
                if target is not None:
                    self._truth.add(Edge(CALLS, source, target, at))

    def _add_typed(self, use: _TypedUse) -> None:
        places = self._segments(use.span)
        name = use.target.rpartition("::")[2]
        if not places or places[-1][1].removeprefix("r#") != name.partition("#")[0]:
            return
        at = places[-1][0]
        path = self._implementing(use.target, use.arguments)
        if path is None or (self._is_of_project(path) and path not in self._known.wheres):
            return
        target = self._known.wheres.get(path)
        source = self._source(use.owner)
        for type_ in (REFERENCES, CALLS) if use.is_called else (REFERENCES,):
            self._truth.judged.add((type_, at))
            if target is not None:
                self._truth.add(Edge(type_, source, target, at))

    def _implementing(self, path: str, arguments: str) -> str | None:
        """The method that is called: of a trait, the one of the block for the type, if one is."""
        trait, _, name = path.rpartition("::")
        blocks = self._known.blocks.get(trait, [])
        is_trait = self._truth.kinds.get(self._known.wheres.get(trait, _NOWHERE)) == "interface"
        key = _argument_key(arguments)
        if not key or not (blocks or is_trait):
            return path
        for wanted in (key, "*"):
            found = [row for row in blocks if row[0] == wanted]
            if len(found) > 1:
                return None
            if found:
                return f"{found[0][1]}::{name}" if name in found[0][2] else path
        return None if is_trait else path

    # places

    def _source(self, owner: str) -> Where:
        path = owner
        while path:
            where = self._known.wheres.get(path)
            if where is not None:
                return where
            path = path.rpartition("::")[0]
        return Where(self._crate.main, 0, "")

    def _is_of_project(self, path: str) -> bool:
        crate = path.partition("::")[0]
        return crate == self._crate.name or crate in self._others

    def _is_known(self, meaning: _Node | str | None) -> bool:
        """True unless a declaration of the project is meant whose place is not known."""
        path = _defined(meaning)
        return not path or not self._is_of_project(path) or path in self._known.wheres

    def _span(self, text: str) -> tuple[str, int, int, int, int] | None:
        match = _SPAN.match(text)
        if match is None:
            return None
        line, column, end_line, end = (int(each) for each in match.groups()[1:])
        name = os.path.normpath(match[1])
        if name.startswith(("<", "..")):
            return None
        if name.startswith("/") and not self._compiler.is_library(name):
            return None
        return name, line, column - 1, end_line, end - 1

    def _text(self, path: str) -> list[str]:
        if path not in self._lines:
            file = self._compiler.root / path
            text = file.read_text("utf-8") if file.exists() else ""
            self._lines[path] = text.split("\n")
        return self._lines[path]

    def _last_place(self, path: _Node) -> At | None:
        places = self._segments(path.text("span"))
        return places[-1][0] if places else None

    def _segments(self, text: str) -> list[tuple[At, str]]:
        """The names of the path in a span, without those in its arguments."""
        span = self._span(text)
        if span is None:
            return []
        file, line, column, end_line, end = span
        lines = self._text(file)
        found: list[tuple[At, str]] = []
        depth = 0
        starts_with_type = False
        for number in range(line, min(end_line, line + 20) + 1):
            row = lines[number - 1] if number <= len(lines) else ""
            at = column if number == line else 0
            stop = end if number == end_line else len(row)
            while at < stop:
                char = row[at]
                if char == "<" or char in "([{":
                    starts_with_type |= not found and char == "<" and depth == 0
                    depth += 1
                elif (char == ">" and row[at - 1 : at] not in {"-", "="}) or char in ")]}":
                    depth -= 1
                elif row.startswith("//", at):
                    break
                else:
                    match = _NAME.match(row, at, stop)
                    if match is not None:
                        if match[0] == "as" and starts_with_type and depth == 1:
                            starts_with_type = False
                            depth = 0
                            found.clear()
                        elif depth == 0:
                            found.append((At(file, number, at), match[0]))
                        at = match.end()
                        continue
                at += 1
        return found


class _TypedUse(NamedTuple):
    owner: str
    target: str
    arguments: str
    span: str
    is_called: bool


def _typed_uses(lines: Iterable[str]) -> Iterator[_TypedUse]:
    """The functions and constants that the expressions of bodies mean."""
    owner, meant, span, constant = "", "", "", ""
    is_called = False
    for line in lines:
        text = line.strip()
        first = text.partition(" ")[0]
        is_called = first == "fun:" or (is_called and (first in _WRAPPERS or not first))
        if first == "ty:":
            meant = text
        elif first == "span:":
            span = text[6:]
        elif first == "ZstLiteral(user_ty:":
            match = _FUNCTION.match(meant)
            path = _HASH.sub("", match[1], count=1) if match is not None else _CONSTRUCTOR
            if match is not None and not path.endswith(_CONSTRUCTOR):
                yield _TypedUse(owner, path, match[2], span, is_called)
            is_called = False
        elif first == "NamedConst":
            constant = _WAITED
        elif constant == _WAITED and first == "def_id:":
            constant = _path(text)
        elif constant and first == "args:":
            yield _TypedUse(owner, constant, _between(text), span, is_called=False)
            constant = ""
        elif line.startswith("DefId("):
            owner = _body(line.rstrip()) or owner


def _between(text: str) -> str:
    return text.removeprefix("args: [").removesuffix("]")


def _body(line: str) -> str:
    match = _BODY.match(line)
    return _HASH.sub("", match[1], count=1) if match is not None else ""


def _owners(lines: Iterable[str]) -> Iterator[tuple[str, _Node]]:
    """The declarations of a crate with the trees of what they say."""
    owner = ""
    stack: list[_Node] = []
    for line in lines:
        text = line.strip()
        if not stack:
            match = _OWNER.match(line.rstrip())
            if match is not None:
                owner = _HASH.sub("", match[1], count=1)
                stack = [_Node("")]
            continue
        if text[:1] in "})]" and len(text) <= 2:
            done = stack.pop()
            if not stack:
                yield owner, done
            continue
        key, colon, value = text.partition(": ")
        if not colon or not key.isidentifier():
            key, value = "", text
        if value[-1:] in "{([" and value:
            node = _Node(value.rstrip("{( ") or value)
            stack[-1].parts.append((key, node))
            stack.append(node)
        else:
            stack[-1].parts.append((key, value.removesuffix(",")))


def _kind(item: _Node) -> str:
    kind = item.get("kind")
    if isinstance(kind, _Node):
        return kind.name
    return kind or ""


def _path(text: str) -> str:
    match = _ID.search(text)
    return _HASH.sub("", match[2], count=1).removesuffix(_CONSTRUCTOR) if match is not None else ""


def _defined(meaning: _Node | str | None) -> str:
    """The path of the declaration that a name means; empty for others, as local variables."""
    if not isinstance(meaning, _Node) or meaning.name != "Def":
        return ""
    return next((_path(p) for _, p in meaning.parts if isinstance(p, str) and "DefId" in p), "")


def _block_of(item: _Node) -> _Node:
    return next(node for node in item.walk() if node.name == "Impl" and node.get("of_trait"))


def _trait_of(block: _Node) -> _Node | None:
    holder = block.node("of_trait")
    if holder is None:
        return None
    reference = next((node for node in holder.walk() if node.name == "TraitRef"), None)
    return reference.node("path") if reference is not None else None


def _plain_path(expression: _Node) -> _Node | None:
    """The path that an expression is; None for one that begins with a type."""
    kind = expression.node("kind")
    if kind is None or kind.name != "Path":
        return None
    inner = next(kind.nodes, None)
    if inner is None or inner.name != "Resolved":
        return None
    return next((node for node in inner.nodes if node.name == "Path"), None)


def _path_of_type(node: _Node) -> _Node | str | None:
    path = _plain_path(node)
    return path.get("res") if path is not None else None


def _type_key(node: _Node) -> str:
    """A type as the compiler prints it, without arguments; `*` for a parameter."""
    kind = node.node("kind")
    if kind is not None and kind.name == "Ref":
        inner = next((n for n in kind.walk() if n.name == "Ty" and n is not node), None)
        return f"&{_type_key(inner)}" if inner is not None else "?"
    meaning = _path_of_type(node)
    if isinstance(meaning, _Node) and any(p == "TyParam" for _, p in meaning.parts):
        return "*"
    path = _defined(meaning)
    if path:
        return _key(path)
    if isinstance(meaning, _Node) and meaning.name == "PrimTy":
        return next((p for n in meaning.walk() for _, p in n.parts if isinstance(p, str)), "?")
    return "?"


def _argument_key(arguments: str) -> str:
    """The type of the first argument alike; empty for a parameter or the object of a trait."""
    text = arguments
    prefix = ""
    while text.startswith("&"):
        prefix += "&"
        text = re.sub(r"^&('\S+ )?(mut )?", "", text)
    head = re.match(r"[\w:]+", text)
    if head is None or text.startswith("dyn ") or re.match(r"[\w ]+/#\d", text):
        return ""
    if head[0].startswith(("Alias", "impl")):
        return ""
    return prefix + _key(head[0])


def _key(path: str) -> str:
    """The name of a type; one of the standard library is no type of the same name in a crate."""
    crate, _, rest = path.partition("::")
    name = path.rpartition("::")[2]
    return f"std::{name}" if rest and crate in _STANDARD else name
