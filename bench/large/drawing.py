"""Draws questions of each kind about a tree, always the same ones, with what oracles say."""

from __future__ import annotations

import hashlib
import os
import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench.corpora.apt import Apt
from bench.corpora.source_packages import SourcePackage, read_list
from bench.graph.cscope import Cscope
from bench.large.patches import Patch, patches_of
from bench.large.question import (
    CallersOracle,
    FilesOracle,
    LinesOracle,
    PlacesOracle,
    Question,
)
from bench.search.definitions import Definition, draw
from bench.search.exact import Source, queries
from bench.search.line_equality import LEFT_OUT, ripgrep
from repo_mcp.indexing.walk.walk import Discovery, Selection
from repo_mcp.services import Services

# enough names of a tree of a hundred thousand files and more
_SHARE: Final = 1 / 2048
_FEWEST_CALLERS, _MOST_CALLERS = 2, 20
_KCONFIG: Final = re.compile(rb"(?m)^[ \t]*(?:menu)?config[ \t]+([A-Z0-9_]{4,})[ \t]*$")
_CMAKE: Final = re.compile(
    rb"(?im)^[ \t]*(?:option|cmake_dependent_option)[ \t]*\(\s*([A-Z0-9_]{6,})"
)
_PACKAGES: Final = Path(__file__).parents[1] / "corpora" / "source_packages.toml"


def _by_chance(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


class Names:
    """The names that universal-ctags finds in a tree, and where they are defined."""

    def __init__(self, root: Path, count: int) -> None:
        self._drawn = draw(root, count * 8, _SHARE)
        self._count = count

    def questions(self) -> Iterator[Question]:
        """A name, bare: a hit has to hold the first line of a definition."""
        for items in self._drawn[: self._count]:
            places = frozenset((item.path, item.first) for item in items)
            asked = {"query": items[0].name}
            yield Question("definitions", "repo.search", asked, PlacesOracle(places))

    def functions(self, folder: str) -> Iterator[Definition]:
        """Functions in C below a folder that are defined once."""
        for items in self._drawn:
            own = [item for item in items if item.path.startswith(folder)]
            if len(own) == 1 and own[0].kind == "function" and own[0].path.endswith(".c"):
                yield own[0]


def settings(root: Path, count: int) -> Iterator[Question]:
    """A setting's name: a hit has to hold the line of Kconfig or CMake that declares it."""
    places: dict[str, set[tuple[str, int]]] = {}
    for folder, _, names in os.walk(root):
        for name in names:
            is_kconfig = name.startswith("Kconfig")
            if not is_kconfig and name != "CMakeLists.txt" and not name.endswith(".cmake"):
                continue
            path = Path(folder, name)
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            for match in (_KCONFIG if is_kconfig else _CMAKE).finditer(data):
                prefix = "CONFIG_" if is_kconfig else ""
                setting = prefix + match[1].decode()
                line = data.count(b"\n", 0, match.start(1)) + 1
                places.setdefault(setting, set()).add((path.relative_to(root).as_posix(), line))
    for name in sorted(places, key=_by_chance)[:count]:
        yield Question(
            "settings", "repo.search", {"query": name}, PlacesOracle(frozenset(places[name]))
        )


def texts(root: Path, parts: Services, count: int) -> Iterator[Question]:
    """A text or pattern of the tree: all lines that ripgrep finds in what is not left out."""
    snapshot = parts.manager.snapshot()
    assert snapshot is not None
    walk = Discovery(parts.sandbox, Selection.of(parts.settings))
    most = parts.settings.limits.max_file_bytes
    source = Source(snapshot, parts.sandbox, random.Random(1))
    for query in [*queries(source, (count + 1) // 2)][:count]:
        lines = ripgrep(root, query, most)
        left_out = {path for path in {path for path, _ in lines} if walk.reason(path) in LEFT_OUT}
        shown = frozenset(place for place in lines if place[0] not in left_out)
        mode = "regex" if query.regex else "literal"
        asked = {"query": query.pattern, "mode": mode}
        yield Question("texts", "repo.search", asked, LinesOracle(shown))


def callers(root: Path, keep: Path, names: Names, folder: str, count: int) -> Iterator[Question]:
    """A function in C: all functions that cscope says call it."""
    keep.mkdir(parents=True, exist_ok=True)
    truth = Cscope(root, keep)
    left = count
    for function in names.functions(folder):
        found = truth.callers(function.name)
        if left and _FEWEST_CALLERS <= len(found) <= _MOST_CALLERS:
            left -= 1
            place = f"{function.path.removeprefix(folder)}:{function.first}"
            asked = {"name": place, "callers_only": True, "max_chars": 40000}
            oracle = CallersOracle(frozenset((row.path, row.function) for row in found))
            yield Question("callers", "repo.symbol", asked, oracle)


def commits(root: Path, keep: Path, count: int) -> Iterator[Question]:
    """The message of a patch that the distribution carries: a hit has to be in a file of it."""
    archive = keep / "patches"
    archive.mkdir(parents=True, exist_ok=True)
    apt = Apt(keep / "apt")
    found: list[tuple[SourcePackage, Patch]] = []
    for package in read_list(_PACKAGES.read_text("utf-8")):
        if not (root / package.name).is_dir():
            continue
        if not [*archive.glob(f"{package.name}_*.debian.tar.*")]:
            try:
                apt.run(_difference(package), archive)
            except subprocess.CalledProcessError:  # no longer there in this version
                continue
        patches = [*patches_of(package, archive)]
        found += [(package, patch) for patch in patches if _is_whole(root / package.name, patch)]
    for package, patch in sorted(found, key=lambda pair: _by_chance(pair[1].name))[:count]:
        paths = frozenset(f"{package.name}/{path}" for path in patch.paths)
        yield Question("commits", "repo.search", {"query": patch.message}, FilesOracle(paths))


def _difference(package: SourcePackage) -> Sequence[str]:
    chosen = f"{package.name}={package.version}"
    return ["source", "--download-only", "--diff-only", chosen]


def _is_whole(folder: Path, patch: Patch) -> bool:
    """True if the tree has all files that a patch changes."""
    return all((folder / path).is_file() for path in patch.paths)
