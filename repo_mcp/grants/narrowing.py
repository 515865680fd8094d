"""Makes the options of what the bearer of a token may see."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from repo_mcp.errors import Problem
from repo_mcp.git import GitHistory
from repo_mcp.grants.grant import Grant
from repo_mcp.settings import ConfigError, Options, root_options


def narrowed(options: Options, grant: Grant) -> Options:
    """The options of what a grant lets be seen; raises `ConfigError` for what is not served.

    A part of a root has no past: what a commit says is about all of its files. Folders and packages
    beside the roots are served to those alone who may see all.
    """
    if grant == Grant():
        return options
    if grant.paths and options.only:
        raise ConfigError("--only: tokens may not name paths of a part of a repository")
    served = {mount.name: mount for mount in options.mounts}
    unknown = [name for name in grant.roots or () if name not in served]
    if unknown:
        raise ConfigError(f"no root {unknown[0]} is served")
    names = [name for name in served if grant.roots is None or name in grant.roots]
    parts = grant.paths
    if parts and served:
        names, parts = _by_root(names, parts)
    narrow = options._replace(
        branches=() if grant.paths else grant.branches,
        only=parts or options.only,
        mounts=tuple(served[name] for name in names),
        dependencies=options.dependencies and not grant.paths,
        docs_root="",
        code_root="",
    )
    if not narrow.mounts:
        return narrow
    first = narrow.mounts[0]
    if len(narrow.mounts) == 1:
        return root_options(narrow, first)
    return narrow._replace(repo_root=first.path, real_root="")


def _by_root(names: list[str], paths: tuple[str, ...]) -> tuple[list[str], tuple[str, ...]]:
    """The roots of which paths show something, and the paths below them.

    A root that is named whole has no path below it, but those that are left out.
    """
    for path in paths:
        root = path.removeprefix("!").partition("/")[0]
        if root not in names:
            raise ConfigError(f"{path}: no root {root} is served to this token")
    shown = {path.partition("/")[0] for path in paths if not path.startswith("!")}
    hidden = {path[1:] for path in paths if path.startswith("!") and "/" not in path}
    kept = [name for name in names if (not shown or name in shown) and name not in hidden]
    if not kept:
        raise ConfigError(f"{', '.join(paths)}: nothing is left to be served")
    whole = {path for path in paths if path in kept}
    below = tuple(
        path
        for path in paths
        if path.removeprefix("!").partition("/")[0] in kept
        and "/" in path
        and (path.startswith("!") or path.partition("/")[0] not in whole)
    )
    return kept, below


def check_present(options: Options) -> None:
    """Raise a `Problem` where the files as they are are of a branch that is not shown."""
    if not options.branches:
        return
    if options.address:
        if not any(fnmatchcase(options.label, glob) for glob in options.branches):
            reason = f"{options.label} is no label that you may see: name one as rev"
            raise Problem("argument_invalid", reason)
        return
    for name, root in [(mount.name, mount.real) for mount in options.mounts] or [
        ("", options.real_root or options.repo_root)
    ]:
        if Path(root).is_dir() and not GitHistory(root, options.branches).head():
            of_root = f" of {name}" if name else ""
            reason = (
                f"the files{of_root} as they are now are of no branch that you may see: name one,"
                f" as rev {options.branches[0]}"
            )
            raise Problem("argument_invalid", reason)
