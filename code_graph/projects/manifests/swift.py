"""Reads Package.swift: the package's name and its targets; nothing of it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from code_graph.projects.manifests.values import MAX_ITEMS, folder_name, without_comments
from code_graph.projects.model import ProjectKind, ProjectManifest, Target
from code_graph.projects.tree import join

_PACKAGE: Final = re.compile(r'\bPackage\s*\(\s*name\s*:\s*"([^"\n]{1,200})"')
_TARGET: Final = re.compile(
    r"\.(target|testTarget|executableTarget|macro|plugin|systemLibrary|binaryTarget)\s*\("
    r'\s*name\s*:\s*"([^"\n]{1,200})"'
)
_PATH: Final = re.compile(r'\bpath\s*:\s*"([^"\n]{0,300})"')
_MARKS: Final = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?+|[()\[\]]')
_KINDS: Final = {
    "target": "library",
    "testTarget": "test",
    "executableTarget": "executable",
    "macro": "macro",
    "plugin": "plugin",
    "systemLibrary": "system",
}
_USUAL: Final = {"test": ("Tests", "Sources"), "plugin": ("Plugins", "Sources")}
_SOURCES: Final = ("Sources", "Source", "src", "srcs")


def read_package_swift(path: str, folder: str, text: str) -> ProjectManifest:
    """The package and its targets; a target without a path gets the usual one as a first guess."""
    plain = without_comments(text)
    name = _PACKAGE.search(plain)
    targets = list[Target]()
    for kind, target, arguments in _targets(plain):
        if kind not in _KINDS:
            continue
        root = _target_root(folder, arguments)
        # an empty folder says that the usual ones are to be tried, see `usual_roots`
        targets.append(Target(target, _KINDS[kind], root or ""))
    return ProjectManifest(
        path,
        ProjectKind.SWIFT,
        folder,
        name[1] if name else folder_name(folder),
        targets=tuple(targets[:MAX_ITEMS]),
    )


def usual_roots(folder: str, target: Target) -> Iterator[str]:
    """The folders that a target without a path may have, in the order in which they count."""
    for outer in (*_USUAL.get(target.kind, ()), *_SOURCES):
        inner = join(folder, f"{outer}/{target.name}")
        if inner is not None:
            yield inner


def _targets(text: str) -> Iterator[tuple[str, str, str]]:
    """Kind, name and the text of the arguments of each target that is declared."""
    found = list(islice(_TARGET.finditer(text), MAX_ITEMS))
    ends = _ends_of_declared(text, [one.end() for one in found])
    declared = [one for one in found if one.end() in ends]
    # calls are not in each other: in broken text one ends where the next begins
    limits = [*(one.start() for one in declared[1:]), len(text)]
    for one, limit in zip(declared, limits, strict=False):
        yield one[1], one[2], text[one.end() : min(ends[one.end()], limit)]


def _ends_of_declared(text: str, starts: Sequence[int]) -> dict[int, int]:
    """The ends of the calls around these places, without calls of dependencies.

    A target that another depends on may be written as a call too; only its list tells.
    """
    ends: dict[int, int] = {}
    calls: list[int] = []  # what the open brackets began: the place of a call, or -1
    is_dependency: list[bool] = []
    dependencies = 0
    waiting = iter([*starts, len(text) + 1])
    start = next(waiting)
    for mark in _MARKS.finditer(text):
        while start < mark.start():
            if calls and not dependencies:
                calls[-1] = start
            start = next(waiting)
        if mark[0] in ("(", "["):
            before = text[max(mark.start() - 40, 0) : mark.start()].rstrip()
            calls.append(-1)
            is_dependency.append(mark[0] == "[" and before.endswith("dependencies:"))
            dependencies += is_dependency[-1]
        elif mark[0] in (")", "]") and calls:
            dependencies -= is_dependency.pop()
            call = calls.pop()
            if call >= 0:
                ends[call] = mark.start()
    ends.update((call, len(text)) for call in calls if call >= 0)
    return ends


def _target_root(folder: str, arguments: str) -> str | None:
    """The folder that a target's own `path` argument names."""
    depth, last = 0, 0
    outer: list[str] = []
    for found in _MARKS.finditer(arguments):
        if found[0] in "([":
            outer.append(arguments[last : found.start()] if depth == 0 else "")
            depth += 1
        elif found[0] in ")]":
            depth -= 1
            last = found.end()
    outer.append(arguments[last:])
    path = _PATH.search(" ".join(outer))
    return join(folder, path[1]) if path else None
