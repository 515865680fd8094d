"""Guesses the source of a built file, which a manifest names and a repository does not hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from code_graph.languages.ecmascript.tsconfig import ModuleOptions
from code_graph.projects.tree import below, is_within

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
