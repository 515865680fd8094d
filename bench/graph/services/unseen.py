"""Scores of repositories read as if what they are made with were not described.

Each pass leaves out one part of what a repository is made with, in all languages: its servers, its
clients, its models, its queues, its procedures or its settings. What is left is of no framework, of
another one, or of the language itself, as queries in SQL and the environment are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from bench.graph.services.compare import Comparison, Heads, Score, compare
from bench.graph.services.reading import (
    DESCRIPTIONS,
    described,
    is_framework,
    source_texts,
    text_edges,
    without,
)
from bench.graph.services.truth import KINDS, Truth
from code_graph import GraphLinker, SourceTree
from code_graph.expressions import ContractRole, FileCode
from code_graph.facts import Facts
from code_graph.model import LinkedFile


class Pass(NamedTuple):
    """A part that is left out: the sides of contracts that it has, the kinds that tell of it."""

    name: str
    sides: frozenset[tuple[int, str]]
    kinds: tuple[str, ...]


# the pass that leaves nothing out
ALL: Final = "described"
_GIVES: Final = ContractRole.GIVES
_USES: Final = ContractRole.USES
PASSES: Final = (
    Pass("servers", frozenset({(_GIVES, "route"), (_USES, "template")}), ("route", "template")),
    Pass("clients", frozenset({(_USES, "route")}), ("route",)),
    Pass(
        "models",
        frozenset({(role, kind) for role in (_GIVES, _USES) for kind in ("table", "entity")}),
        ("table",),
    ),
    Pass("queues", frozenset({(_GIVES, "message"), (_USES, "message")}), ("topic",)),
    Pass("procedures", frozenset({(_GIVES, "rpc"), (_USES, "rpc")}), ("rpc", "graphql")),
    Pass("settings", frozenset({(_USES, "setting"), (_USES, "option")}), ("setting",)),
)


class ParsedTree(SourceTree):
    """A tree whose texts are parsed once for all passes."""

    def __init__(self, texts: dict[str, str], first: ParsedTree | None = None) -> None:
        """Take the texts, and what another tree of them has parsed."""
        super().__init__(texts)
        self._first: Final = first
        self._seen: dict[str, FileCode | None] = {}

    def facts(self, path: str) -> Facts | None:
        """The facts of a text."""
        return super().facts(path) if self._first is None else self._first.facts(path)

    def parsed(self, path: str) -> FileCode | None:
        """The symbolic code of a text without its contracts."""
        if self._first is not None:
            return self._first.parsed(path)
        if path not in self._seen:
            self._seen[path] = super().parsed(path)
        return self._seen[path]


def left_out(each: Pass) -> str:
    """The names of the descriptions that a pass leaves out."""
    found = [
        f"{path.parts[-3]}/{path.stem}"
        for path in DESCRIPTIONS
        if is_framework(path)
        and each.sides & {(rule.role, rule.kind) for rule in described(path)[0]}
    ]
    return " ".join(sorted(found))


def unseen_comparisons(root: Path, truth: Truth) -> Iterator[tuple[Pass, Comparison]]:
    """The comparisons of a repository by pass; one without anything to find is left out.

    The first one leaves no description out.
    """
    wanted = {use.kind for use in truth.uses if use.targets}
    kinds = tuple(kind for kind in KINDS if kind in wanted)
    texts = source_texts(root)
    first = ParsedTree(texts)
    files = _linked(first, first.paths())
    facts = {path: found for path in first.paths() if (found := first.facts(path)) is not None}
    heads = Heads({path: found.declarations for path, found in facts.items()})
    judged = [path for path in first.paths() if truth.judges(path)]
    edges = text_edges([*files.values()], facts)
    yield Pass(ALL, frozenset(), kinds), compare(truth, edges, heads)
    for each in PASSES:
        if wanted & {*each.kinds}:
            with without(left_out(each)):
                again = _linked(ParsedTree(texts, first), judged)
            edges = text_edges([*{**files, **again}.values()], facts)
            uses = tuple(use for use in truth.uses if use.kind in each.kinds)
            told = truth._replace(uses=uses)
            yield each, compare(told, (one for one in edges if one.kind in each.kinds), heads)


def totals(rows: Iterable[tuple[str, str, Score]]) -> dict[tuple[str, str], Score]:
    """The scores of all repositories together, by pass and kind."""
    found: defaultdict[tuple[str, str], Score] = defaultdict(Score)
    for name, kind, score in rows:
        found[name, kind].add(score)
    order = [(ALL, kind) for kind in KINDS]
    order += [(each.name, kind) for each in PASSES for kind in each.kinds]
    return {key: found[key] for key in order if key in found}


def _linked(tree: SourceTree, paths: list[str]) -> dict[str, LinkedFile]:
    linker = GraphLinker(tree)
    return {path: linker.link(path) for path in paths}
