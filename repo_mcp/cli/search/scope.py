"""The files that a command is about: by the current folder, paths, globs and types."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from code_graph import Languages
from code_graph.paths.globs import is_below, literal_glob, split_globs
from code_graph.paths.installed import is_package
from repo_mcp.errors import Problem
from repo_mcp.question.syntax.tree import Filter
from repo_mcp.search import language_endings, language_names
from repo_mcp.text.globs import compile_globs

# the folders of roots by what their paths begin with: nothing, if there is one; none of what is
# served without a checkout
Roots = Mapping[str, str]
# the name that grep and ripgrep have for standard input
STDIN: Final = "-"


def current_folder(roots: Roots) -> str:
    """The current folder as a path in the repository; the root is "", as is any folder outside.

    With several roots it is "": commands are about all of them.
    """
    if "" not in roots:
        return ""
    try:
        inside = os.path.relpath(os.path.realpath(os.curdir), os.path.realpath(roots[""]))
    except (OSError, ValueError):  # it was removed, or is on another drive
        return ""
    outside = inside == os.curdir or inside.split(os.sep)[0] == os.pardir
    return "" if outside else inside.replace(os.sep, "/")


def path_in(roots: Roots, name: str) -> str:
    """A path on the command line as one in the repository; raises `Problem` if it leads out.

    With several roots it may begin with the name of one, as paths in answers do. Without any, files
    are those of a published tree, and so are paths.
    """
    if name == STDIN:
        text = "-: files of the repository are searched, not standard input; use grep or rg for it"
        raise Problem("argument_invalid", text)
    if not roots:
        return published_path(name)
    if is_package(name) and f"{name.partition('/')[0]}/" in roots:
        return name.rstrip("/")
    is_here = os.path.lexists(name)
    found = os.path.realpath(name) if is_here else _below_a_root(roots, name)
    if not found:
        raise Problem("argument_invalid", f"{name}: no such file or folder here")
    inside: list[tuple[int, str]] = []
    for folder, root in roots.items():
        if is_package(folder):  # others have the same folder
            continue
        path = os.path.relpath(found, os.path.realpath(root)).replace(os.sep, "/")
        if path.split("/")[0] != "..":
            inside.append((len(path), folder.rstrip("/") if path == "." else folder + path))
    if not inside:
        named = ", ".join(map(os.path.realpath, roots.values()))
        where = f"in the repository {named}" if len(roots) == 1 else f"in one of the roots {named}"
        raise Problem("argument_invalid", f"{name}: not {where}")
    return min(inside)[1]


def published_path(name: str) -> str:
    """A path on the command line as one of a published tree, which has no current folder."""
    path = posixpath.normpath(name.lstrip("/"))
    return "" if path == posixpath.curdir else path


def _below_a_root(roots: Roots, name: str) -> str:
    """The file that a path beginning with the name of a root means; empty if there is none."""
    for folder, root in roots.items():
        if folder and f"{name}/".startswith(folder) and not is_package(folder):
            path = os.path.join(root, name[len(folder) :])
            return os.path.realpath(path) if os.path.lexists(path) else ""
    return ""


def shown_path(path: str, folder: str) -> str:
    """A path of the repository as seen from a folder of it."""
    return posixpath.relpath(path, folder) if folder and not is_package(path) else path


class SearchScope:
    """The files that a search is about."""

    def __init__(
        self,
        folder: str,
        paths: Sequence[str],
        globs: Sequence[str] = (),
        types: Sequence[str] = (),
        types_not: Sequence[str] = (),
    ) -> None:
        """`paths` are paths in the repository, "" for all of it; globs are seen from `folder`."""
        self.folder = folder
        self.paths = () if "" in paths else tuple(dict.fromkeys(paths))
        lists = [split_globs(text) for text in globs]
        self._plain = [_seen_from(folder, text) for plain, _ in lists for text in plain]
        self._never = [_seen_from(folder, text) for _, never in lists for text in never]
        given = (*self._plain, *(f"!{text}" for text in self._never))
        self._globs = compile_globs(*given) if given else None
        self._types, self._types_not = types, types_not
        self._endings = _endings(types)
        self._never_endings = _endings(types_not)

    @property
    def is_everything(self) -> bool:
        """True if no file is left out."""
        return not (self.paths or self._globs or self._types or self._types_not)

    def allows(self, path: str) -> bool:
        """True if a file is one of them."""
        name = f"/{path.lower()}"
        return (
            (not self.paths or any(is_below(path, above) for above in self.paths))
            and (self._globs is None or self._globs.matches(path))
            and (not self._types or name.endswith(self._endings))
            and not (self._types_not and name.endswith(self._never_endings))
        )

    def filters(self) -> Iterator[Filter]:
        """The same as conditions of a query."""
        if self.paths:
            names = [literal_glob(path) for path in self.paths]
            yield Filter("globs", "\0".join(f"/{name}\0/{name}/**" for name in names))
        if self._plain:
            yield Filter("globs", "\0".join(self._plain))
        yield from (Filter("globs", text, negated=True) for text in self._never)
        yield from (Filter("lang", name) for name in self._types)
        yield from (Filter("lang", name, negated=True) for name in self._types_not)

    def describe(self) -> str:
        """The searched place, for a message about no results; empty for everywhere."""
        return f" below {', '.join(self.paths)}" if self.paths else ""


def check_types(names: Sequence[str], languages: Languages) -> None:
    """Raise `Problem` for a type that is not known."""
    known = {*languages.all_names(), *language_names()}
    for name in names:
        if name.lower() not in known:
            from repo_mcp.cli.help.typos import suggest  # noqa: PLC0415 for errors only

            hint = suggest(name.lower(), sorted(known)) or ": --type-list lists them"
            raise Problem("argument_invalid", f"-t {name}: no such type{hint}")


def _endings(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(ending for name in names for ending in language_endings(name))


def _seen_from(folder: str, glob: str) -> str:
    """A glob as seen from the root: one with a slash begins at the folder."""
    plain = glob.removeprefix("./")
    if not folder or "/" not in plain.rstrip("/"):
        return plain
    return f"{literal_glob(folder)}/{plain.lstrip('/')}"
