"""Puts the files of packages in place of their names in the globs of a request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.packages.catalog import TreePackages
from code_graph.paths.globs import literal_glob, split_globs
from repo_mcp.errors import Problem
from repo_mcp.text.globs import compile_globs

_PACKAGE: Final = "package:"


def with_packages(text: str, packages: TreePackages) -> str:
    """The globs with those of each package; raises `Problem` for one that is not there.

    Also for one with more files, or more packages inside, than globs may have.
    """
    plain, never = split_globs(text)
    taken: list[str] = []
    left = [pattern for pattern in never if not pattern.startswith(_PACKAGE)]
    for pattern in plain:
        if not pattern.startswith(_PACKAGE):
            taken.append(pattern)
            continue
        own, inner = _globs(pattern, packages)
        taken += own
        left += inner
    for pattern in never:
        if pattern.startswith(_PACKAGE):
            own, inner = _globs(pattern, packages)
            if inner:
                raise Problem("argument_invalid", f"!{pattern} has other packages inside")
            left += own
    globs = ", ".join([*taken, *(f"!{pattern}" for pattern in left)])
    try:
        compile_globs(globs)
    except Problem:
        reason = f"{text} has too many files: name its folder, or have it in the query"
        raise Problem("argument_invalid", reason) from None
    return globs


def _globs(pattern: str, packages: TreePackages) -> tuple[Sequence[str], Sequence[str]]:
    """The globs of the files of a package, and of packages inside it."""
    name = pattern.removeprefix(_PACKAGE)
    scope = packages.scope(name)
    if scope is None:
        near = ", ".join(packages.near(name))
        raise Problem(
            "argument_invalid", f"no package is {name}" + (f"; near: {near}" * bool(near))
        )
    files, folders, inner = packages.places(scope)
    below = [f"{literal_glob(folder)}/**" if folder else "**" for folder in folders]
    return [*map(literal_glob, files), *below], [f"{literal_glob(folder)}/**" for folder in inner]
