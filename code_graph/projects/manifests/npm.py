"""Reads package.json, pnpm-workspace.yaml and lerna.json."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

from code_graph.paths.installed import INSTALLED
from code_graph.projects.manifests.values import (
    MAX_ITEMS,
    folder_name,
    json_table,
    local_folders,
    table_of,
    text_of,
    texts_of,
)
from code_graph.projects.model import ManifestError, ProjectKind, ProjectManifest
from code_graph.projects.tree import below
from index_format.tuples import NamedTuple

_SECTIONS: Final = (
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
)
_MAIN_FIELDS: Final = ("source", "types", "typings", "module", "main", "browser", "bin")
_SOURCE_CONDITIONS: Final = frozenset({"source", "src"})
_USUAL_CONDITIONS: Final = frozenset(
    {"types", "import", "node", "module-sync", "module", "require", "default", "typings"}
)
# of a compiler of TypeScript
_COMPILED: Final = frozenset({"types", "node", "default"})
_IMPORTING: Final = _COMPILED | {"import"}
_REQUIRING: Final = _COMPILED | {"require"}
_YAML_ITEM: Final = re.compile(r"""^\s*-\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s#'"][^\n#]*))""")
_YAML_KEY: Final = re.compile(r"^packages\s*:\s*(\[.*)?")
_QUOTED: Final = re.compile(r"""["']([^"'\n]{1,300})["']""")
_MAX_DEPTH: Final = 12
_MAX_TARGETS: Final = 200


# of a package that was built elsewhere
_INSTALLED_FIELDS: Final = ("types", "typings", "main", "module", "browser")
# what conditions choose, in the order in which it is tried
Choose = Callable[[list[tuple[str, object]]], Iterable[object]]


class Entry(NamedTuple):
    """A name in `exports` or `imports`, and its targets, those of preferred conditions first."""

    name: str
    targets: tuple[str, ...]


class NpmDetails(NamedTuple):
    """Entry points for imports of a package."""

    has_exports: bool
    exports: tuple[Entry, ...]
    imports: tuple[Entry, ...]
    # values of `source`, `types`, `module`, `main` …, in this order
    main: tuple[str, ...]
    # of an installed package: `exports` for files that `require` it
    required: tuple[Entry, ...] = ()
    # files of JavaScript in it are modules
    is_module: bool = False


def read_package_json(path: str, folder: str, text: str) -> ProjectManifest:
    """Read a package.json."""
    whole = json_table(text)
    name = text_of(whole.get("name"))
    has_dependencies = any(table_of(whole, section) for section in _SECTIONS)
    workspaces = whole.get("workspaces")
    members = texts_of(table_of(workspaces).get("packages") or workspaces)
    installed = folder.startswith(INSTALLED)
    fields = _INSTALLED_FIELDS if installed else _MAIN_FIELDS
    main = [text for field in fields for text in _main_texts(whole.get(field))]
    exports = whole.get("exports")
    choose = partial(_chosen, _IMPORTING) if installed else _ranked
    return ProjectManifest(
        path,
        ProjectKind.NPM,
        folder,
        name or folder_name(folder),
        # a bare {"type": "module"} in a folder makes no package
        is_project=bool(name or has_dependencies or members or table_of(whole, "scripts")),
        members=tuple(_member_globs(folder, members)),
        details=NpmDetails(
            exports is not None,
            tuple(_exports(exports, choose)),
            tuple(_entries(table_of(whole, "imports"), choose)),
            tuple(dict.fromkeys(main)),
            tuple(_exports(exports, partial(_chosen, _REQUIRING))) if installed else (),
            whole.get("type") == "module",
        ),
        version=text_of(whole.get("version")),
        replaced=dict(
            row
            for section in _SECTIONS
            for row in local_folders(folder, table_of(whole, section).items())
        ),
        requires=texts_of([name for part in _SECTIONS for name in table_of(whole, part)]),
    )


def _main_texts(value: object) -> tuple[str, ...]:
    if isinstance(value, dict):  # `bin` and `browser` may map names to files
        return tuple(text for text in map(text_of, list(value.values())[:20]) if text)
    return texts_of(value)


def _member_globs(folder: str, patterns: tuple[str, ...]) -> Iterator[str]:
    for pattern in patterns:
        if not pattern.startswith("!"):
            plain = pattern.removeprefix("./").strip("/")
            yield below(folder, plain) if plain not in ("", ".") else folder


def _exports(value: object, choose: Choose) -> Iterator[Entry]:
    """The entries of `exports`; a single target belongs to the package itself."""
    if isinstance(value, dict) and any(str(key).startswith(".") for key in value):
        yield from _entries(value, choose)
    elif value is not None:
        targets = tuple(_targets(value, 0, choose))
        if targets:
            yield Entry(".", targets[:_MAX_TARGETS])


def _entries(table: Any, choose: Choose) -> Iterator[Entry]:  # noqa: ANN401 JSON
    for name, value in list(table.items())[:MAX_ITEMS]:
        targets = tuple(dict.fromkeys(_targets(value, 0, choose)))
        if targets and text_of(name):
            yield Entry(name, targets[:_MAX_TARGETS])


def _targets(value: object, depth: int, choose: Choose) -> Iterator[str]:
    """All files that conditions choose from, those of the first conditions first."""
    if isinstance(value, str):
        if text_of(value):
            yield value
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value[:_MAX_TARGETS]:
            yield from _targets(item, depth + 1, choose)
    elif isinstance(value, dict) and depth < _MAX_DEPTH:
        for item in choose(list(value.items())[:_MAX_TARGETS]):
            yield from _targets(item, depth + 1, choose)


def _ranked(conditions: list[tuple[str, object]]) -> Iterable[object]:
    return [item for _, item in sorted(conditions, key=_condition_rank)]


def _condition_rank(item: tuple[str, object]) -> int:
    """Conditions of sources and a repository's own first, those of rare platforms last."""
    condition = str(item[0])
    if condition in _SOURCE_CONDITIONS or "/" in condition or condition.endswith("-source"):
        return 0
    return 1 if condition.partition("@")[0] in _USUAL_CONDITIONS or condition.startswith(".") else 2


def _chosen(condition: frozenset[str], conditions: list[tuple[str, object]]) -> Iterable[object]:
    """The targets that a compiler chooses, in the order of the manifest; then all others."""
    own = [item for name, item in conditions if name in condition or name.startswith(".")]
    others = [row for row in conditions if row[0] not in condition and not row[0].startswith(".")]
    return [*own, *(item for _, item in sorted(others, key=_installed_rank))]


def _installed_rank(item: tuple[str, object]) -> bool:
    """Types of older compilers, which have the versions behind the name, come last."""
    return item[0] not in _USUAL_CONDITIONS


def read_pnpm_workspace(path: str, folder: str, text: str) -> ProjectManifest:
    """The members that a pnpm-workspace.yaml lists; nothing else of YAML is understood."""
    patterns: list[str] = []
    inside = False
    for line in text.splitlines():
        key = _YAML_KEY.match(line)
        if key:
            inside = True
            patterns.extend(_QUOTED.findall(key[1] or ""))
        elif inside and (item := _YAML_ITEM.match(line)):
            patterns.append((item[1] or item[2] or item[3]).strip())
        elif line.strip() and line[0] not in " \t#":
            inside = False
    return _workspace(path, folder, patterns)


def read_lerna(path: str, folder: str, text: str) -> ProjectManifest:
    """The members that a lerna.json lists."""
    return _workspace(path, folder, list(texts_of(json_table(text).get("packages"))))


def _workspace(path: str, folder: str, patterns: list[str]) -> ProjectManifest:
    members = tuple(_member_globs(folder, tuple(patterns[:MAX_ITEMS])))
    return ProjectManifest(path, ProjectKind.NPM, folder, is_project=False, members=members)


class TsConfig(NamedTuple):
    """Module options of one tsconfig.json or jsconfig.json; "" and None stand for absent ones."""

    path: str
    folder: str
    extends: tuple[str, ...]
    references: tuple[str, ...]
    base_url: str | None
    paths: tuple[tuple[str, tuple[str, ...]], ...] | None
    root_dirs: tuple[str, ...]
    out_dir: str
    root_dir: str
    # `moduleResolution`, or the `module` that it follows from
    resolution: str = ""


def read_tsconfig(path: str, folder: str, text: str) -> TsConfig:
    """Read a tsconfig.json; raises `ManifestError`."""
    whole = json_table(text, comments=True)
    options = table_of(whole, "compilerOptions")
    paths = options.get("paths")
    if paths is not None and not isinstance(paths, dict):
        raise ManifestError("`paths` is not an object")
    references = whole.get("references")
    listed = references[:MAX_ITEMS] if isinstance(references, list) else []
    base = options.get("baseUrl")
    return TsConfig(
        path,
        folder,
        texts_of(whole.get("extends")),
        tuple(text for item in listed if (text := text_of(table_of(item).get("path")))),
        text_of(base) if isinstance(base, str) else None,
        None
        if paths is None
        else tuple((key, texts_of(value)) for key, value in list(paths.items())[:MAX_ITEMS]),
        texts_of(options.get("rootDirs")),
        text_of(options.get("outDir")),
        text_of(options.get("rootDir")),
        (text_of(options.get("moduleResolution")) or text_of(options.get("module"))).lower(),
    )
