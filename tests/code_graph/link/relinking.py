"""Links again what a change of one file may concern, and in other orders than the usual one."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from code_graph import SourceTree
from code_graph.evaluate import engine
from code_graph.link.exports import list_project_exports
from code_graph.link.linker import GraphLinker
from code_graph.model import LinkedFile
from code_graph.projects.finders import finders_of
from tests.code_graph.sources import link


def relink(
    before: dict[str, LinkedFile], tree: SourceTree, path: str
) -> tuple[dict[str, LinkedFile], int]:
    """Link the edited file, and those that depend on an export which this changes."""
    linker = GraphLinker(tree)
    linked = {name: file for name, file in before.items() if name != path}
    if path in tree.paths():
        linked[path] = linker.link(path)
    old = set(before[path].exports) if path in before else set()
    new = set(linked[path].exports) if path in linked else set()
    exported = list_project_exports(finders_of(frozenset(before), tree.manifests()))
    changed = {key for key, _ in (old ^ new) | ({*exported} ^ {*linker.project_exports()})}
    again = [
        name
        for name, file in linked.items()
        if name != path and changed.intersection(file.dependencies)
    ]
    for name in again:
        linked[name] = linker.link(name)
    return linked, len(again)


def draw_limits(chance: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw limits of evaluation, of which most are met early."""
    monkeypatch.setattr(engine, "_DEEPEST", chance.choice([3, 5, 8, 80]))
    monkeypatch.setattr(engine, "_MOST_COST", chance.choice([3, 8, 20, 4_000]))
    monkeypatch.setattr(engine, "_MOST_STEPS", chance.choice([10, 20, 40, 32_000]))
    monkeypatch.setattr(engine, "_MOST_REPEATED", chance.choice([5, 20, 12_000]))
    monkeypatch.setattr(engine, "_LEAST_WORK", chance.choice([50, 200, 800, 150_000]))
    monkeypatch.setattr(engine, "_WORK_OF_EXPRESSION", chance.choice([0, 3, 30]))


def link_each_alone(tree: SourceTree) -> dict[str, LinkedFile]:
    """Link each file with a linker that has linked no other."""
    return {path: GraphLinker(tree).link(path) for path in tree.paths()}


def link_in_some_order(tree: SourceTree, chance: random.Random) -> dict[str, LinkedFile]:
    """Link all files with one linker, in an order that is drawn."""
    order = list(tree.paths())
    chance.shuffle(order)
    linker = GraphLinker(tree)
    return {path: linker.link(path) for path in order}


def relink_manifests(
    before: dict[str, LinkedFile], old: SourceTree, new: SourceTree
) -> tuple[dict[str, LinkedFile], list[str]]:
    """Link files that come, and those that depend on an export which has changed."""
    linker = GraphLinker(new)
    linked = {path: before[path] for path in new.paths() if path in before}
    changed = {
        key for key, _ in {*GraphLinker(old).project_exports()} ^ {*linker.project_exports()}
    }
    for path in {*before} - {*linked}:
        changed |= {key for key, _ in before[path].exports}
    again: list[str] = []
    wanted = [path for path in new.paths() if path not in linked]
    wanted += _dependents(linked, changed, wanted)
    while wanted:
        for path in wanted:
            exports = set(linked[path].exports) if path in linked else set()
            linked[path] = linker.link(path)
            changed |= {key for key, _ in exports ^ {*linked[path].exports}}
        again += wanted
        wanted = _dependents(linked, changed, again)
    return linked, sorted(again)


def _dependents(linked: dict[str, LinkedFile], keys: set[int], known: list[str]) -> list[str]:
    return sorted(
        path
        for path, file in linked.items()
        if path not in known and keys.intersection(file.dependencies)
    )


def check_random_edits(
    tree: SourceTree,
    paths: Sequence[str],
    make: Callable[[random.Random, str], str],
    chance: random.Random,
    edits: int = 6,
) -> None:
    """Edit or remove files by chance; each time what asked about a change is linked as all is."""
    linked = link(tree)
    for _ in range(edits):
        path = chance.choice(paths)
        text = None if chance.random() < 0.15 else make(chance, path)
        tree = tree.edited(path, text)
        linked, _ = relink(linked, tree, path)
        assert linked == link(tree)
