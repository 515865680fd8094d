"""The roots of a workspace: flags, a workspace file, or the folders of VS Code's workspace file.

A workspace file that was found, and not named, may be part of a repository: it may only name
folders below its own, and none that is denied there.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.settings.project_root import DATA_FOLDER, is_too_broad
from repo_mcp.settings.values import ConfigError, find_path_problem, is_address

_TABLE: Final = "roots"
_MOST_BYTES: Final = 1 << 20
_MOST_ROOTS: Final = 1000
# a name is the first folder of a path: no separator, no control character, no colon of Windows
_NAME: Final = re.compile(r"[^\x00-\x1f\x7f/\\:*?\"<>|\ud800-\udfff]{1,64}")
_NAMED: Final = re.compile(rf"(?P<name>{_NAME.pattern}?)=(?P<path>.+)", re.DOTALL)
_NO_NAMES: Final = frozenset({"", ".", ".."})


class WorkspaceRoot(NamedTuple):
    """A root of a workspace: its name, which paths begin with, and its folder."""

    name: str
    path: str
    # where the path led at the start
    real: str
    # its path below the folder of the file that lists it; empty if it is not below it
    listed_as: str = ""
    # the folders around it whose `repo_mcp.toml` denies here, too, each with its path in them
    around: tuple[tuple[str, str], ...] = ()


def roots_of_flags(texts: Sequence[str], source: str) -> tuple[WorkspaceRoot, ...]:
    """The roots of `FOLDER` and `NAME=FOLDER`; raises `ConfigError` for what can't be served."""
    _refuse_addresses((text.partition("=")[2] or text for text in texts), source)
    return _checked([_root_of_flag(text, source) for text in texts], source)


def roots_of_names(folders: Mapping[str, str]) -> tuple[WorkspaceRoot, ...]:
    """The roots of a program, by their names."""
    found = [_root(name, os.path.abspath(folder)) for name, folder in folders.items()]
    return _checked(found, "roots")


def roots_of_file(path: str, *, is_named: bool = True) -> tuple[WorkspaceRoot, ...]:
    """The roots that a workspace file lists; one that is not named lists folders below its own."""
    reads = _of_code_workspace if path.endswith(".code-workspace") else _of_toml
    listed = [*reads(path)]
    above = os.path.dirname(os.path.abspath(path))
    _refuse_addresses((folder for _, folder in listed), path)
    found = [
        _root(name, os.path.normpath(os.path.join(above, os.path.expanduser(folder))))
        for name, folder in listed
    ]
    if not found:
        raise ConfigError(f"{path}: lists no folder")
    if not is_named:
        for root in found:
            _check_below(root, above, path)
        found = [root._replace(around=_folders_around(root, above, found)) for root in found]
    return _checked(
        [root._replace(listed_as=_path_below(root.path, above)) for root in found], path
    )


def _refuse_addresses(texts: Iterable[str], source: str) -> None:
    """Raise `ConfigError` for what was published: it has no folder that others may be beside."""
    for text in filter(is_address, texts):
        raise ConfigError(f"{source}: {text} is served alone, by --repo-root {text}")


def are_names(texts: Sequence[str]) -> bool:
    """True if flags may name roots that a file lists: none of them is a folder or a path."""
    return all(
        _NAME.fullmatch(text) and "=" not in text and not os.path.isdir(text) for text in texts
    )


def choose_roots(
    listed: Sequence[WorkspaceRoot], names: Sequence[str], source: str
) -> tuple[WorkspaceRoot, ...]:
    """The roots of a file that have these names, in its order."""
    known = {root.name.casefold() for root in listed}
    for name in names:
        if name.casefold() not in known:
            every = ", ".join(root.name for root in listed)
            raise ConfigError(f"{source}: lists no root {name!r}, but {every}")
    wanted = {name.casefold() for name in names}
    return tuple(root for root in listed if root.name.casefold() in wanted)


def roots_of_client(listed: Iterable[Mapping[str, Any]]) -> tuple[WorkspaceRoot, ...]:
    """The folders that a client names by URIs; those that can't be served are left out."""
    folders: dict[str, tuple[str, str]] = {}
    for item in listed:
        uri, name = item.get("uri"), item.get("name")
        folder = _folder_of_uri(uri) if isinstance(uri, str) else ""
        if folder and os.path.isdir(folder) and not is_too_broad(folder):
            named = name if isinstance(name, str) else ""
            folders.setdefault(os.path.realpath(folder), (named, folder))
    found = _with_names(list(folders.values())[:_MOST_ROOTS])
    return tuple(_root(name, folder) for name, folder in found)


def _folder_of_uri(uri: str) -> str:
    """The path of a file: URI of this machine; empty for any other."""
    from urllib.parse import unquote, urlsplit  # noqa: PLC0415 few clients name their folders

    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    path = unquote(parts.path, errors="surrogateescape")
    if sys.platform == "win32":
        path = path.lstrip("/")
    is_here = parts.scheme == "file" and parts.netloc in {"", "localhost"} and "\0" not in path
    return os.path.normpath(path) if is_here and os.path.isabs(path) else ""


def _root_of_flag(text: str, source: str) -> WorkspaceRoot:
    named = None if os.path.isdir(text) else _NAMED.fullmatch(text)
    name, path = (named["name"], named["path"]) if named else ("", text)
    path = os.path.abspath(os.path.expanduser(path))
    if os.path.dirname(path) == path:
        raise ConfigError(f"{source} {text}: the root of the file system can't be one of several")
    return _root(name, path)


def _root(name: str, path: str) -> WorkspaceRoot:
    problem = find_path_problem(path)
    if problem:
        raise ConfigError(f"{path!r}: {problem}")
    return WorkspaceRoot(name or os.path.basename(path), path, os.path.realpath(path))


def _of_toml(path: str) -> Iterator[tuple[str, str]]:
    from code_graph.formats import toml  # noqa: PLC0415 most servers have no such file

    try:
        table = toml.read_toml(_read(path))
    except toml.TomlLimitError as error:
        raise ConfigError(f"{path}: {error}") from None
    except toml.TomlError:
        raise ConfigError(f"{path}: not valid TOML") from None
    unknown = sorted(set(table) - {_TABLE})
    roots = table.get(_TABLE)
    if unknown or not isinstance(roots, Mapping):
        raise ConfigError(
            f'{path}: needs a table [roots] with a line NAME = "FOLDER" for each root'
            + (f", and nothing else: {', '.join(unknown)[:80]}" if unknown else "")
        )
    for name, folder in roots.items():
        if not isinstance(folder, str) or not folder:
            raise ConfigError(f"{path}: roots.{name} must be the path of a folder")
        yield name, folder


def _of_code_workspace(path: str) -> Iterator[tuple[str, str]]:
    """The folders of a workspace of VS Code; of equal names all but the first get a number."""
    above = os.path.dirname(os.path.abspath(path))
    given = []
    for folder in _folders_of_vs_code(path):
        place, name = folder.get("path"), folder.get("name")
        if isinstance(place, str) and place:  # others are of remote file systems
            full = os.path.normpath(os.path.join(above, place))
            given.append((name if isinstance(name, str) else "", full))
    return _with_names(given)


def _with_names(given: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Names and folders, where a name may be missing, taken or unspeakable."""
    seen: set[str] = set()
    for name, folder in given:
        wanted = _speakable(name or os.path.basename(folder))
        unique, number = wanted, 1
        while unique.casefold() in seen:
            number += 1
            unique = f"{wanted}-{number}"
        seen.add(unique.casefold())
        yield unique, folder


def _folders_of_vs_code(path: str) -> list[Mapping[str, Any]]:
    from code_graph.formats import jsonc  # noqa: PLC0415 few workspaces are of VS Code

    try:
        text = _read(path).decode("utf-8-sig")
        found = jsonc.parse(text).value
    except (UnicodeDecodeError, jsonc.JsonError) as error:
        raise ConfigError(f"{path}: not valid JSON: {error}") from None
    folders = found.get("folders") if isinstance(found, Mapping) else None
    if not isinstance(folders, list):
        raise ConfigError(f"{path}: has no list of folders")
    return [folder for folder in folders if isinstance(folder, Mapping)]


def _speakable(name: str) -> str:
    """A name that a path may begin with: a name of VS Code may have any characters."""
    cleaned = "".join(letter if _NAME.fullmatch(letter) else "-" for letter in name.strip())[:64]
    return "root" if cleaned in _NO_NAMES else cleaned


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'can not be read'}") from None
    if len(data) > _MOST_BYTES:
        raise ConfigError(f"{path}: larger than {_MOST_BYTES} bytes")
    return data


def _check_below(root: WorkspaceRoot, above: str, path: str) -> None:
    """Refuse a root that the folder of a file that was found would not show."""
    from repo_mcp.safety.denylist import Denylist, folded  # noqa: PLC0415 most servers have no such file

    real, denylist, fault = os.path.realpath(above), Denylist(), ""
    if not _is_below(root.real, real):
        fault = "outside of the folder of this file"
    for below in (_path_below(root.path, above), _path_below(root.real, real)):
        is_data = DATA_FOLDER in map(folded, below.split("/"))
        if below and (is_data or denylist.rule(below, folder=True)):
            fault = "denied in the folder of this file"
    if fault:
        raise ConfigError(
            f"{path}: {root.path} is {fault}, which was found and not named: start with --workspace"
            f" {path} if you trust it"
        )


def _folders_around(
    root: WorkspaceRoot, above: str, roots: Sequence[WorkspaceRoot]
) -> tuple[tuple[str, str], ...]:
    """The folder of a file that was found, and its roots, that a root is in, by each of its paths.

    Nobody named the file: what it lists shows nothing that the folders around it deny.
    """
    folders = [(root.path, above), (root.real, os.path.realpath(above))]
    folders += [(root.real, outer.real) for outer in roots]
    ways = dict.fromkeys((folder, _path_below(path, folder)) for path, folder in folders)
    return tuple((folder, way) for folder, way in ways if way)


def _path_below(path: str, above: str) -> str:
    """A path below a folder, with slashes; empty if it is the folder or is not below it."""
    is_inside = _is_below(path, above) and path != above
    return os.path.relpath(path, above).replace(os.sep, "/") if is_inside else ""


def _is_below(path: str, above: str) -> bool:
    return (path + os.sep).startswith(above.rstrip(os.sep) + os.sep)


def globs_in_root(
    root: WorkspaceRoot, roots: Sequence[WorkspaceRoot], globs: Sequence[str]
) -> tuple[str, ...]:
    """The user's globs as they are in a root.

    They are those of paths in the root, and of its files by the other paths that they have: with
    its name before them, from the folder of the workspace file, from a root that it is inside of.
    """
    if not globs:
        return ()
    from repo_mcp.safety.denylist import globs_below  # noqa: PLC0415 few have several roots

    ways = [root.listed_as, *(_path_below(root.real, outer.real) for outer in roots)]
    ways += [root.name] if roots else []  # a root that is alone has none
    more = [glob for way in dict.fromkeys(ways) if way for glob in globs_below(globs, way)]
    return tuple(dict.fromkeys((*globs, *more)))


def roots_inside(root: WorkspaceRoot, roots: Iterable[WorkspaceRoot]) -> tuple[str, ...]:
    """The paths in a root of the roots that are inside of it."""
    found = (_path_below(inner.real, root.real) for inner in roots)
    return tuple(sorted(path for path in found if path))


def _checked(found: Sequence[WorkspaceRoot], source: str) -> tuple[WorkspaceRoot, ...]:
    """The roots with their names; refuses equal names, equal folders and unspeakable names."""
    if len(found) > _MOST_ROOTS:
        raise ConfigError(f"{source}: {len(found)} roots, at most {_MOST_ROOTS} can be served")
    names: dict[str, WorkspaceRoot] = {}
    folders: dict[str, WorkspaceRoot] = {}
    for root in found:
        if (
            root.name in _NO_NAMES
            or not _NAME.fullmatch(root.name)
            or root.name.strip() != root.name
        ):
            raise ConfigError(
                f"{source}: {root.name!r} can't be the name of a root: it has a separator, a colon,"
                " a control character or blanks around it. Name the root: NAME=FOLDER"
            )
        same = names.setdefault(root.name.casefold(), root)
        if same is not root:
            raise ConfigError(
                f"{source}: two roots have the name {root.name}, {same.path} and {root.path}: give"
                " one of them another name, as in other=FOLDER"
            )
        twice = folders.setdefault(root.real, root)
        if twice is not root:
            raise ConfigError(f"{source}: {twice.name} and {root.name} are the same folder")
    if not any(os.path.isdir(root.path) for root in found):
        raise ConfigError(f"{source}: none of the roots is a folder: {found[0].path}")
    return tuple(found)
