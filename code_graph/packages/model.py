"""TreePackages, and which of them may be used where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from code_graph.projects.tree import is_within
from index_format.records import Record
from index_format.tuples import NamedTuple

_PUBLIC: Final = frozenset(
    {"//visibility:public", "PUBLIC", "public", "//...", "//:__subpackages__"}
)
_OWN_FOLDER: Final = ":__pkg__"
_BELOW: Final = ":__subpackages__"
_ANY_BELOW: Final = "/..."


class TreePackage(Record):
    """A named part of a tree: a project by its manifest, or a target of a build file.

    A target has the name `//folder:target`, from the root of the repository. `requires` are the ids
    of packages here, `outside` names that no package here has.
    """

    id: str
    kind: str
    folder: str
    manifest: str
    line: int = 0
    # other names that it has in full, and short ones that others may have, too
    names: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    # parts that are built by names of their own
    targets: tuple[str, ...] = ()
    # None: all in its folder that no other project has
    files: frozenset[str] | None = None
    # labels of who may use it; None where all may
    visibility: tuple[str, ...] | None = None
    # arguments of its rule that could not be read
    unread: tuple[str, ...] = ()


class PackageGroup(NamedTuple):
    """Folders that visibilities name together, those it leaves out, and groups that it includes."""

    folders: tuple[str, ...]
    includes: tuple[str, ...]


def may_use(used: TreePackage, folder: str, groups: Mapping[str, PackageGroup]) -> bool:
    """True if the rules of a target let a folder use it; what can't be read forbids nothing."""
    if used.visibility is None or folder == used.folder or "visibility" in used.unread:
        return True
    waiting, seen = [*used.visibility], set[str]()
    while waiting:
        rule = waiting.pop()
        group = groups.get(rule)
        if group is None:
            if is_named(rule, folder):
                return True
        elif rule not in seen:
            seen.add(rule)
            names = [name for name in group.folders if not name.startswith("-")]
            if any(is_named(name, folder) for name in names) and not any(
                is_named(name[1:], folder) for name in group.folders if name.startswith("-")
            ):
                return True
            waiting += group.includes
    return False


def is_named(rule: str, folder: str) -> bool:
    """True if a rule of visibility, as `//a/b:__pkg__` or `//a/...`, names a folder."""
    if rule in _PUBLIC:
        return True
    where = rule.removeprefix("//")
    for ending in (_BELOW, _ANY_BELOW):
        if where.endswith(ending):
            return is_within(folder, where.removesuffix(ending))
    return where.removesuffix(_OWN_FOLDER) == folder
