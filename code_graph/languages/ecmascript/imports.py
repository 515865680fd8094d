"""Resolution of module specifiers of JavaScript and TypeScript, seen from the importing file.

Relative specifiers take extensions and index files as the TypeScript compiler tries them. Others
are tried by `paths` and `baseUrl` of the nearest configuration, then as `#imports` of the package,
then as a package of the repository, whose built files lead back to their sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final

from code_graph.languages.ecmascript.npm_packages import NpmPackage, packages_of, sources_of
from code_graph.languages.ecmascript.tsconfig import ModuleOptions, options_of
from code_graph.paths.installed import INSTALLED
from code_graph.projects.catalog import Projects
from code_graph.projects.manifests.npm import Entry
from code_graph.projects.model import MISSING, ImportOutcome, ProjectKind, Resolution
from code_graph.projects.tree import (
    Probe,
    Table,
    ancestors,
    below,
    is_within,
    join,
    parent,
    shared_depth,
)

# suffixes tried behind a specifier without an extension, in order
_ADDED: Final = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json")
_ADDED_LAST: Final = (".vue", ".svelte", ".astro")
# extensions that one of JavaScript may stand for, in order
_REPLACED: Final = {
    ".js": (".ts", ".tsx", ".d.ts", ".js", ".jsx"),
    ".jsx": (".tsx", ".ts", ".d.ts", ".jsx", ".js"),
    ".mjs": (".mts", ".d.mts", ".mjs"),
    ".cjs": (".cts", ".d.cts", ".cjs"),
}
# what types of a package are declared in, and what the names of packages with others' begin with
_TYPED: Final = (".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts")
_TYPES: Final = "@types/"
# ways to find modules that know nothing of `exports`, and those that read them as a bundler does
_WITHOUT_EXPORTS: Final = frozenset(
    {"node", "node10", "classic", "commonjs", "amd", "umd", "system"}
)
_BUNDLING: Final = frozenset({"bundler", "preserve"})
_IMPORTING: Final = (".mts", ".mjs")
_REQUIRING: Final = (".cts", ".cjs")
_MAX_SPECIFIER: Final = 1000
_MAX_TARGETS: Final = 40
_MAX_DEPTH: Final = 4
_ENTRY_GUESSES: Final = ("src/index", "index", "src/main", "lib/index", "src/lib/index", "src/mod")


class _Way(Enum):
    """Ways in which a file gets the exports of an installed package."""

    IMPORTED = "import"
    REQUIRED = "require"
    BY_PATH = "path"


class EcmaScriptModules:
    """Finds modules of one tree; answers depend on paths and on `tables`."""

    def __init__(self, projects: Projects) -> None:
        by_folder, by_name = packages_of(projects)
        self._versions = projects.versions
        self._packages: Table[NpmPackage] = Table("npm-folder", by_folder)
        self._names: Table[tuple[str, ...]] = Table("npm-name", by_name)
        self._options: Table[ModuleOptions] = Table(
            "tsconfig", options_of(projects.configs, by_name)
        )
        self.tables: tuple[Table[Any], ...] = (self._packages, self._names, self._options)

    def find(self, specifier: str, from_path: str, probe: Probe) -> Resolution:
        """The file of a specifier; a query behind it is ignored."""
        plain = specifier.partition("?")[0]
        if not plain or len(plain) > _MAX_SPECIFIER or "\0" in plain:
            return MISSING
        folder = parent(from_path)
        if plain in (".", "..") or plain.startswith(("./", "../")):
            return self._relative(plain, folder, probe)
        options = self._nearest(self._options, folder, probe)
        found = self._mapped(plain, options, probe) if options is not None else ""
        if found:
            return Resolution(ImportOutcome.FILE, found)
        if plain.startswith("#"):
            found = self._own_import(plain, folder, probe)
            return Resolution(ImportOutcome.FILE, found) if found else MISSING
        return self._package(plain, from_path, probe)

    def _relative(self, specifier: str, folder: str, probe: Probe) -> Resolution:
        base = join(folder, specifier)
        if base is None:
            return MISSING
        is_folder = specifier.endswith(("/", "/.", "/..")) or specifier in (".", "..")
        found = "" if is_folder else self._file(base, probe)
        found = found or self._index(base, probe) or self._in_root_dirs(base, folder, probe)
        return Resolution(ImportOutcome.FILE, found) if found else MISSING

    def _in_root_dirs(self, base: str, folder: str, probe: Probe) -> str:
        """A relative path under another of the `rootDirs` that lie over each other."""
        options = self._nearest(self._options, folder, probe)
        roots = options.root_dirs if options is not None else ()
        for root in roots:
            if is_within(base, root):
                inner = base[len(root) :].strip("/")
                others = (below(other, inner) for other in roots if other != root)
                return next((hit for one in others if (hit := self._module(one, probe))), "")
        return ""

    def _module(self, base: str, probe: Probe) -> str:
        """The file of a path with or without an extension, or the index of the folder."""
        return self._file(base, probe) or self._index(base, probe)

    def _file(self, base: str, probe: Probe) -> str:
        dot = base.rfind(".", base.rfind("/") + 1)
        for suffix in _REPLACED.get(base[dot:], ()) if dot > 0 else ():
            if probe.file(base[:dot] + suffix):
                return base[:dot] + suffix
        for suffix in _ADDED:
            if probe.file(base + suffix):
                return base + suffix
        if dot > 0 and probe.file(base):
            return base
        return next((base + suffix for suffix in _ADDED_LAST if probe.file(base + suffix)), "")

    def _index(self, base: str, probe: Probe, depth: int = 0) -> str:
        """The module of a folder: by its own manifest, or its index file.

        A path to a package is none to its `exports`, which are for those who know it by its name.
        """
        if not probe.folder(base):
            return ""
        package = probe.value(self._packages, base)
        if package is not None and depth < _MAX_DEPTH:
            found = self._main(package, probe) or self._file(below(base, "index"), probe)
            return found or self._entry(package, ".", probe)
        return self._file(below(base, "index"), probe)

    def _nearest(self, table: Table[Any], folder: str, probe: Probe) -> Any:  # noqa: ANN401 any table's
        """The entry of a table for the innermost enclosing folder that has one."""
        for one in ancestors(folder):
            found = probe.value(table, one)
            if found is not None:
                return found
        return None

    def _mapped(self, specifier: str, options: ModuleOptions, probe: Probe) -> str:
        """A specifier by the patterns of `paths`, the most exact one, then by `baseUrl`."""
        for pattern, targets in options.paths:
            star = _star(pattern, specifier)
            if star is None:
                continue
            for target in targets[:_MAX_TARGETS]:
                where = join("", target.replace("*", star, 1))
                found = self._built(where, probe) if where is not None else ""
                if found:
                    return found
            break
        if options.base_url is None:
            return ""
        where = join(options.base_url, specifier)
        return self._module(where, probe) if where is not None else ""

    def _built(self, where: str, probe: Probe) -> str:
        """The module at a path, or the source that a build compiles to it."""
        found = self._module(where, probe)
        package: NpmPackage | None = None if found else self._nearest(self._packages, where, probe)
        if package is None:
            return found
        return self._source(package.folder, where[len(package.folder) :].strip("/"), probe)

    def _own_import(self, specifier: str, folder: str, probe: Probe) -> str:
        package: NpmPackage | None = self._nearest(self._packages, folder, probe)
        return self._by_entries(package, package.imports, specifier, probe) if package else ""

    def _package(self, specifier: str, from_path: str, probe: Probe) -> Resolution:
        folder = parent(from_path)
        name, inner = _split(specifier)
        places = probe.value(self._names, name) or ()
        # those that declare its types, if it is installed
        types = probe.value(self._names, _TYPES + name.removeprefix("@").replace("/", "__")) or ()
        types = tuple(filter(is_installed, types))
        if not places and not types:
            return Resolution(ImportOutcome.EXTERNAL, package=name)
        entry = f"./{inner}" if inner else "."
        chosen = self._versions.choose(ProjectKind.NPM, places, folder, probe)
        found = self._entry_in(chosen or places, entry, from_path, probe)
        if not found.endswith(_TYPED):
            beside = self._types_beside(chosen or places, folder, probe) if entry == "." else ""
            found = beside or self._entry_in(types, entry, from_path, probe) or found
        others = (self._entry_of(place, entry, from_path, probe) for place in chosen)
        more = tuple(path for path in others if path and path != found)
        return Resolution(ImportOutcome.FILE, found, others=more) if found else MISSING

    def _entry_in(self, places: Sequence[str], name: str, from_path: str, probe: Probe) -> str:
        """The file behind an entry of the package that is nearest to a file."""
        if not places:
            return ""
        place = max(places, key=lambda one: shared_depth(one, parent(from_path)))
        return self._entry_of(place, name, from_path, probe)

    def _types_beside(self, places: Sequence[str], folder: str, probe: Probe) -> str:
        """The declarations of an installed package whose manifest does not name them."""
        installed = [place for place in places if is_installed(place)]
        if not installed:
            return ""
        place = max(installed, key=lambda one: shared_depth(one, folder))
        package = probe.value(self._packages, place)
        beside = below(place, "index.d.ts")
        is_plain = package is not None and not package.exports
        return beside if is_plain and probe.file(beside) else ""

    def _entry_of(self, place: str, name: str, from_path: str, probe: Probe) -> str:
        """The file behind an entry of the package in a folder, for a file."""
        package = probe.value(self._packages, place)
        if package is None:
            return ""
        found = self._typed(package, name, from_path, probe) if is_installed(place) else ""
        return found or self._entry(package, name, probe)

    def _typed(self, package: NpmPackage, name: str, from_path: str, probe: Probe) -> str:
        """The types of an entry of an installed package, as a compiler finds them for a file."""
        way = self._way(from_path, probe)
        if way is _Way.BY_PATH:
            where = below(package.folder, "" if name == "." else name[2:])
            found = self._main(package, probe) if name == "." else self._module(where, probe)
            return found if found.endswith(_TYPED) else ""
        entries = package.required if way is _Way.REQUIRED else package.exports
        for entry in entries:
            star = _star(entry.name, name)
            if star is None:
                continue
            for target in entry.targets[:_MAX_TARGETS]:
                found = self._exact(package, target.replace("*", star), probe)
                if found.endswith(_TYPED):
                    return found
        return ""

    def _way(self, path: str, probe: Probe) -> _Way:
        """The way in which a file finds packages: by its configuration, else by its own kind."""
        folder = parent(path)
        # what a package is configured by was for its making
        around = "" if is_installed(folder) else folder
        options: ModuleOptions | None = self._nearest(self._options, around, probe)
        said = "" if options is None else options.resolution
        if said in _WITHOUT_EXPORTS:
            return _Way.BY_PATH
        if said in _BUNDLING or said.startswith("es") or path.endswith(_IMPORTING):
            return _Way.IMPORTED
        package: NpmPackage | None = self._nearest(self._packages, folder, probe)
        is_module = package is not None and package.is_module
        return _Way.IMPORTED if is_module and not path.endswith(_REQUIRING) else _Way.REQUIRED

    def _entry(self, package: NpmPackage, name: str, probe: Probe) -> str:
        """The file behind an entry of a package, by its `exports`, its main fields, or its path."""
        found = self._by_entries(package, package.exports, name, probe)
        if found:
            return found
        if name != ".":
            inner = name[2:]
            where = join(package.folder, inner)
            if where is None or not is_within(where, package.folder):
                return ""
            return (
                self._file(where, probe)
                or self._file(below(where, "index"), probe)
                or self._source(package.folder, inner, probe)
                or self._file(below(package.folder, f"src/{inner}"), probe)
                or self._file(below(package.folder, f"src/{inner}/index"), probe)
            )
        found = self._main(package, probe)
        if found:
            return found
        guesses = (below(package.folder, guess) for guess in _ENTRY_GUESSES)
        return next((hit for guess in guesses if (hit := self._file(guess, probe))), "")

    def _main(self, package: NpmPackage, probe: Probe) -> str:
        targets = (self._target(package, target, probe) for target in package.main)
        return next(filter(None, targets), "")

    def _by_entries(
        self, package: NpmPackage, entries: Sequence[Entry], name: str, probe: Probe
    ) -> str:
        """The file of the entry that matches best: the name itself, then the longest pattern."""
        for entry in entries:
            star = _star(entry.name, name)
            if star is None:
                continue
            targets = [target.replace("*", star) for target in entry.targets[:_MAX_TARGETS]]
            for target in targets:
                found = self._exact(package, target, probe)
                if found:
                    return found
            for target in targets:
                found = self._target(package, target, probe)
                if found:
                    return found
        return ""

    def _exact(self, package: NpmPackage, target: str, probe: Probe) -> str:
        """A target that is in the tree as it is written, or as the source of its extension."""
        where = join(package.folder, target) if target.startswith(".") else None
        if where is None or not is_within(where, package.folder):
            return ""
        if not probe.folder(parent(where)):  # the usual case: nothing is built in the tree
            return ""
        dot = where.rfind(".", where.rfind("/") + 1)
        for suffix in _REPLACED.get(where[dot:], ()) if dot > 0 else ():
            if probe.file(where[:dot] + suffix):
                return where[:dot] + suffix
        return where if probe.file(where) else ""

    def _target(self, package: NpmPackage, target: str, probe: Probe) -> str:
        """A file that a manifest names, or the source that it is built of."""
        where = join(package.folder, target)
        if where is None or not is_within(where, package.folder):
            return ""
        inner = where[len(package.folder) :].strip("/")
        found = ""
        if inner and probe.folder(parent(where)):
            found = self._file(where, probe)
        if inner and not found and probe.folder(where):
            found = self._file(below(where, "index"), probe)
        return found or self._source(package.folder, inner, probe)

    def _source(self, package: str, inner: str, probe: Probe) -> str:
        """The source that a built file of a package is made of; installed ones have none."""
        if is_installed(package):
            return ""
        options = self._nearest(self._options, package, probe)
        for base in sources_of(package, inner, options):
            found = self._file(base, probe)
            if found:
                return found
        return ""


def is_installed(folder: str) -> bool:
    """True if a package was built elsewhere, and installed."""
    return folder.startswith(INSTALLED)


def _star(pattern: str, text: str) -> str | None:
    """The text that the star of a pattern matches; None if the pattern does not match."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if pattern == text else None
    if len(text) < len(head) + len(tail) or not text.startswith(head) or not text.endswith(tail):
        return None
    return text[len(head) : len(text) - len(tail)]


def _split(specifier: str) -> tuple[str, str]:
    """The name of a package, and the path in it."""
    steps = specifier.split("/", 2 if specifier.startswith("@") else 1)
    count = 2 if specifier.startswith("@") else 1
    return "/".join(steps[:count]), "/".join(steps[count:])
