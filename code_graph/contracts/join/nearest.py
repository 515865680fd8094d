"""Chooses the nearest of several places that give one text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from code_graph.contracts.conventions import SettingLayout, conventions
from code_graph.contracts.keys import SETTING
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import Contract

# a text that more places give identifies none of them
_MOST_GIVING: Final = 8
# of a procedure there are a description for each service, what implements it, and generated code
_MOST_DESCRIBED: Final = 24
# kinds of which all places count, wherever they are
_EVERYWHERE: Final = frozenset({"rpc", "message", "event"})

# declarations and the files that give them, by what they are
Targets: TypeAlias = dict[tuple[str, int], tuple[Definition, str]]
# contracts that give a text, with their files
Giving: TypeAlias = Sequence[tuple[SourceFile, Contract]]


class NearestGivers:
    """Chooses the declarations that are nearest to a use."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def choose(self, file: SourceFile, use: Contract, targets: Targets) -> list[Definition]:
        """The declarations in the nearest folders; none if there are too many of them."""
        if use.kind == SETTING:
            targets = {
                key: row for key, row in targets.items() if self._holds_for(row[1], file.path)
            }
        if len(targets) > 1 and use.kind not in _EVERYWHERE:
            near = {key: closeness(file.path, path) for key, (_, path) in targets.items()}
            nearest = max(near.values())
            targets = {key: row for key, row in targets.items() if near[key] == nearest}
        most = _MOST_DESCRIBED if use.kind in _EVERYWHERE else _MOST_GIVING
        return [target for target, _ in targets.values()] if len(targets) <= most else []

    def _holds_for(self, giving: str, path: str) -> bool:
        """False for the settings of another part of the tree."""
        return all(
            _is_set(layout, folders, giving, path)
            for layout, folders in self._folders.items()
            if layout.word in giving.rpartition("/")[2].lower()
        )

    @cached_property
    def _folders(self) -> Mapping[SettingLayout, Sequence[str]]:
        """The folders of files that set what holds for the code below, by their layout."""
        by_stem = self._engine.files.by_stem
        return {
            layout: [
                path.removesuffix(layout.name)
                for path in by_stem.get(layout.name, ())
                if path.endswith(f"/{layout.name}")
            ]
            for layout in conventions().settings
        }


def _is_set(layout: SettingLayout, folders: Iterable[str], giving: str, path: str) -> bool:
    """False for settings of another part of the tree.

    Parts of one project may be built by the file of one of them, if they have none.
    """
    folder, _, name = giving.rpartition("/")
    project, _, part = folder.rpartition("/")
    if not folder or path.startswith(f"{folder}/"):
        return True
    if name == layout.name and any(path.startswith(other) for other in folders):
        return False
    if not project:
        return True
    is_beside = path.startswith(f"{project}/") and project not in conventions().parts
    return is_beside or part.lower() in layout.apart


def closeness(path: str, giving: str) -> tuple[int, int]:
    """The nearness of two files: their common folders, then the innermost folder that one names.

    So `manifests/payment.yaml` gives the settings of `src/payment`.
    """
    parts = conventions().parts
    own = path.split("/")[:-1]
    others = giving.split("/")
    shared = 0
    for mine, other in zip(own, others[:-1], strict=False):
        if mine != other:
            break
        shared += mine not in parts
    words = {*others[:-1], others[-1].partition(".")[0]} - parts
    named = max((at + 1 for at, folder in enumerate(own) if folder in words), default=0)
    return shared, named


def in_module(targets: Targets, name: str) -> Targets:
    """The targets in files named as the module of a name."""
    module = name.rpartition(".")[0].rpartition(".")[2].lower()
    named = {
        key: row
        for key, row in targets.items()
        if module in {part.partition(".")[0].lower() for part in row[1].split("/")}
    }
    return named or (targets if len(targets) == 1 else {})


def shortest_prefix(giving: Giving, wanted: str) -> Giving:
    """The routes with the shortest prefix before the request, which is a suffix of them.

    What a client adds is seldom a segment that varies.
    """
    length = wanted.count("/")
    before = [item.key.split("/")[1:][: max(item.key.count("/") - length, 0)] for _, item in giving]
    costs = [(any("{" in part for part in parts), len(parts)) for parts in before]
    least = min(costs)
    return [row for row, cost in zip(giving, costs, strict=True) if cost == least]


def in_service(giving: Giving, wanted: str) -> Giving:
    """The routes in the folder of a service that the request names before the rest of its path.

    So gateways tell services apart: `/users/get/7` is answered in `cmd/users`.
    """
    segments = wanted.split("/")[1:]
    inside = [
        (file, route)
        for file, route in giving
        if {*segments[: max(len(segments) - route.key.count("/"), 0)]}
        & {part.lower() for part in file.path.split("/")[:-1]}
    ]
    return inside or giving
