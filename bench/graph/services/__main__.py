"""The command line; see the package."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final
from unittest.mock import patch

import code_graph
from bench import machine
from bench.graph.services import __doc__ as description
from bench.graph.services.compare import Comparison, Heads, TextEdge, compare
from bench.graph.services.truth import names, read_truth, unread
from code_graph import GraphLinker, Languages, SourceTree
from code_graph.contracts.descriptions import (
    GENERAL,
    Descriptions,
    FrameworkRule,
    KeyPrefix,
    read_description,
)
from code_graph.facts import Declaration, Facts
from code_graph.model import FILE, LinkedFile, Strategy
from code_graph.projects.source import is_manifest
from repo_mcp.safety.denylist import Denylist

_RESULT: Final = "services"
_LANGUAGES: Final = Path(code_graph.__file__).parent / "languages"
# the kinds of truth by the strategies of the product
_KINDS: Final = {
    "ROUTE": "route",
    "RPC": "rpc",
    "GRAPHQL": "graphql",
    "MESSAGE": "topic",
    "TABLE": "table",
    "SETTING": "setting",
    "NATIVE": "native",
    "TEMPLATE": "template",
}


def main() -> None:
    """Print the scores of a repository, and its differences."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("root", type=Path)
    parser.add_argument("name", choices=names())
    parser.add_argument("--differences", action="store_true", help="list what is missed and wrong")
    parser.add_argument(
        "--without",
        metavar="NAMES",
        help="descriptions to leave out, as `express gin`, or `all` but the general ones",
    )
    parser.add_argument("--record", action="store_true", help="keep the scores")
    given = parser.parse_args()
    truth = read_truth(given.name)
    for place in unread(given.root, truth):
        raise SystemExit(f"{given.root} is not {truth.repository}@{truth.commit}: no {place}")
    with without(given.without or ""):
        files, facts = linked(given.root)
    heads = Heads({path: found.declarations for path, found in facts.items()})
    comparison = compare(truth, text_edges(files, facts), heads)
    print(f"{given.name} ({truth.split})")
    for row in comparison.rows():
        print(f"  {row}")
    if comparison.unjudged:
        counts = ", ".join(f"{n} {kind}" for kind, n in sorted(comparison.unjudged.items()))
        print(f"  not judged: {counts}")
    if given.record:
        stored = dict(machine.stored(_RESULT))
        figures = {"split": truth.split, **comparison.figures()}
        machine.keep(_RESULT, dict(sorted({**stored, given.name: figures}.items())))
    if given.differences:
        for row in _differences(given.root, comparison):
            print(f"  {row}")


@contextmanager
def without(names: str) -> Iterator[None]:
    """Read code as if some frameworks were not described, which tells of unknown ones."""
    left_out = names.split()

    @cache
    def descriptions(folders: str) -> Descriptions:
        rules: list[FrameworkRule] = []
        prefixes: list[KeyPrefix] = []
        for folder in folders.split():
            for path in sorted((_LANGUAGES / folder / "frameworks").glob("*.toml")):
                is_left_out = left_out == ["all"] or path.stem in left_out
                if folder == GENERAL or not is_left_out:
                    more, begins = read_description(path.name, path.read_text("utf-8"))
                    rules += more
                    prefixes += begins
        return Descriptions(rules, prefixes)

    if not left_out:
        yield
        return
    with patch("code_graph.contracts.reading.descriptions_of", descriptions):
        yield


def linked(root: Path) -> tuple[list[LinkedFile], dict[str, Facts]]:
    """All files that a server would link, as it does, and their facts."""
    known, denied = Languages(), Denylist()
    texts = {}
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        is_read = known.language_of(path) or is_manifest(path)
        if is_read and not denied.rule(path) and file.is_file() and not file.is_symlink():
            texts[path] = file.read_bytes().decode("utf-8", "replace")
    tree = SourceTree(texts, known)
    linker = GraphLinker(tree)
    files = [linker.link(path) for path in tree.paths()]
    facts = {path: found for path in tree.paths() if (found := tree.facts(path)) is not None}
    return files, facts


def text_edges(files: list[LinkedFile], facts: Mapping[str, Facts]) -> Iterator[TextEdge]:
    """The edges of linked files that lead from a text to a text."""
    targets: defaultdict[int, list[tuple[str, Declaration | None]]] = defaultdict(list)
    for is_primary in (True, False):
        for file in files:
            rows = facts[file.path].declarations
            for symbol in file.symbols:
                if symbol.is_primary == is_primary:
                    number = symbol.declaration
                    row = None if number == FILE else rows[number]
                    targets[symbol.id].append((file.path, row))
    for file in files:
        for edge in file.edges:
            kind = _KINDS.get(Strategy(edge.strategy).name)
            if kind is not None and edge.target in targets:
                first, *also = targets[edge.target]
                yield TextEdge(kind, file.path, edge.line, *first, tuple(also))


def _differences(root: Path, comparison: Comparison) -> Iterator[str]:
    for use, target in comparison.missed:
        yield f"missed {use} → {'|'.join(str(place) for place in target)}"
        yield f"       {_line(root, use.path, use.first)}"
    for edge in comparison.wrong:
        yield f"wrong {edge}"
        yield f"       {_line(root, edge.path, edge.line)}"


def _line(root: Path, path: str, line: int) -> str:
    lines = (root / path).read_bytes().decode("utf-8", "replace").split("\n")
    return lines[line - 1].strip()[:140] if line <= len(lines) else ""


if __name__ == "__main__":
    main()
