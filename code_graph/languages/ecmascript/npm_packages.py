"""The npm packages of a repository, by folder and by the name that others import them by.

A manifest may name a built file, which a repository does not hold: its source is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from code_graph.languages.ecmascript.tsconfig import ModuleOptions
from code_graph.paths.installed import INSTALLED
from code_graph.projects.catalog import Projects
from code_graph.projects.manifests.npm import Entry, NpmDetails
from code_graph.projects.model import Project, ProjectKind
from code_graph.projects.tree import below, is_within
from index_format.tuples import NamedTuple

# packages in folders of these names stand for others of their name only if a workspace has them
_SAMPLES: Final = frozenset(
    {"__fixtures__", "__mocks__", "__tests__", "e2e", "example", "examples", "fixture", "fixtures"}
    | {"playground", "sample", "samples", "template", "templates", "test", "testdata", "tests"}
)
# folders that builds write to, and folders in them for a format
_OUTPUT: Final = frozenset(
    {"_cjs", "_esm", "build", "bundle", "cjs", "commonjs", "compiled", "dist", "dist-types"}
    | {"es", "es2015", "esm", "generated", "lib", "lib-esm", "legacy", "module", "modern"}
    | {"out", "output", "types", "typings", "umd", "node", "browser", "production", "release"}
)
_OUTPUT_STARTS: Final = ("dist", "build", "lib", "es", "esm", "cjs")
_SOURCE_FOLDERS: Final = ("src", "", "source", "lib", "src/lib")
_ENDINGS: Final = (
    *(".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"),
)
_VARIANTS: Final = (
    *(".min", ".esm", ".cjs", ".umd", ".modern", ".module", ".development", ".production"),
    *(".prod", ".dev", ".es", ".global", ".node", ".browser", ".bundle"),
)
_MAX_OUTPUTS: Final = 4


class NpmPackage(NamedTuple):
    """Entry points for imports of a package; the most exact come first."""

    folder: str
    name: str
    exports: tuple[Entry, ...]
    imports: tuple[Entry, ...]
    main: tuple[str, ...]
    # of an installed one: `exports` for files that `require` it
    required: tuple[Entry, ...] = ()
    # files of JavaScript in it are modules
    is_module: bool = False


def packages_of(
    projects: Projects,
) -> tuple[dict[str, NpmPackage], Mapping[str, tuple[str, ...]]]:
    """Packages by folder, and the folders of those that can be imported, by name."""
    members = {one.root: one for one in projects.all if one.kind is ProjectKind.NPM}
    by_folder: dict[str, NpmPackage] = {}
    by_name: dict[str, list[Project]] = {}
    for manifest in projects.manifests:
        if isinstance(manifest.details, NpmDetails):
            details = manifest.details
            by_folder[manifest.folder] = NpmPackage(
                manifest.folder,
                manifest.name,
                _by_exactness(details.exports),
                _by_exactness(details.imports),
                details.main,
                _by_exactness(details.required),
                details.is_module,
            )
            project = members.get(manifest.folder)
            # an application is called as it likes: without an entry nothing imports it
            has_entry = details.has_exports or details.main or manifest.folder.startswith(INSTALLED)
            if project is not None and (project.workspace or has_entry):
                by_name.setdefault(manifest.name, []).append(project)
    return by_folder, {name: _best(found) for name, found in by_name.items()}


def _by_exactness(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Names without a star first, then patterns, those with the longest text before it first."""
    return tuple(
        sorted(entries, key=lambda one: ("*" in one.name, -len(one.name.partition("*")[0])))
    )


def _best(found: list[Project]) -> tuple[str, ...]:
    """The folders that a name may mean: members of workspaces and the root, else no samples."""
    listed = [one for one in found if one.workspace or not one.root]
    plain = [one for one in found if _SAMPLES.isdisjoint(one.root.split("/"))]
    return tuple(sorted(one.root for one in listed or plain or found))


def sources_of(package: str, inner: str, options: ModuleOptions | None) -> Iterator[str]:
    """Paths, without an extension, of what a built file may be made of, the likeliest first."""
    where = below(package, inner)
    if options is not None and options.out_dir and is_within(where, options.out_dir):
        rest = where[len(options.out_dir) :].strip("/")
        yield _plain(below(options.root_dir, rest))
    steps = inner.split("/")
    for count in range(1, min(len(steps), _MAX_OUTPUTS + 1)):
        if not _is_output(steps[count - 1]):
            return
        rest = "/".join(steps[count:])
        for outer in _SOURCE_FOLDERS:
            base = below(package, below(outer, _plain(rest)))
            yield base
            yield f"{base}/index"


def _is_output(name: str) -> bool:
    return name in _OUTPUT or name.partition("-")[0] in _OUTPUT_STARTS


def _plain(path: str) -> str:
    """A path without the extension of a built file, nor the mark of its format."""
    ending = next((ending for ending in _ENDINGS if path.endswith(ending)), "")
    plain = path[: len(path) - len(ending)]
    variant = next((variant for variant in _VARIANTS if plain.endswith(variant)), "")
    return plain[: len(plain) - len(variant)]
