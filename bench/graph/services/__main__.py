"""The command line; see the package."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench import machine
from bench.graph.services import __doc__ as description
from bench.graph.services.compare import Comparison, Heads, Score, compare
from bench.graph.services.reading import source_texts, text_edges, without
from bench.graph.services.truth import Truth, names, read_truth, unread
from bench.graph.services.unseen import totals, unseen_comparisons
from code_graph import GraphLinker, SourceTree
from code_graph.facts import Facts
from code_graph.model import LinkedFile

_RESULT: Final = "services"
_UNSEEN: Final = "services-unseen"


def main() -> None:
    """Print the scores of a repository, or of all with descriptions left out."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("root", type=Path)
    parser.add_argument("name", nargs="?", choices=names())
    parser.add_argument("--differences", action="store_true", help="list what is missed and wrong")
    parser.add_argument(
        "--without",
        metavar="NAMES",
        help="descriptions to leave out, as `express gin`, or `all` but the general ones",
    )
    parser.add_argument(
        "--without-each",
        action="store_true",
        help="leave out servers, clients, models … in turn, of all repositories below ROOT",
    )
    parser.add_argument("--record", action="store_true", help="keep the scores")
    given = parser.parse_args()
    if given.without_each:
        chosen = [given.name] if given.name else names()
        _print_unseen(given.root, chosen, is_kept=given.record, lists=given.differences)
        return
    if given.name is None:
        parser.error("which repository?")
    truth = _truth_of(given.root, given.name)
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


def _truth_of(root: Path, name: str) -> Truth:
    truth = read_truth(name)
    for place in unread(root, truth):
        raise SystemExit(f"{root} is not {truth.repository}@{truth.commit}: no {place}")
    return truth


def _print_unseen(roots: Path, chosen: list[str], *, is_kept: bool, lists: bool) -> None:
    """Print the scores of repositories of which parts are not described."""
    rows: list[tuple[str, str, Score]] = []
    for name in chosen:
        root = roots / name
        for part, comparison in unseen_comparisons(root, _truth_of(root, name)):
            found = [(part.name, kind, comparison.scores[kind]) for kind in part.kinds]
            rows += found
            for _, kind, score in found:
                if score.wanted or score.wrong:
                    print(f"{name} {part.name} {score.row(kind)}", flush=True)
            for row in _differences(root, comparison) if lists else ():
                print(f"  {row}")
    figures = {}
    for (part_name, kind), score in totals(rows).items():
        print(f"all {part_name:10} {score.row(kind)}")
        figures[f"{part_name} {kind}"] = score.counts()
    if is_kept:
        machine.keep(_UNSEEN, figures)


def linked(root: Path) -> tuple[list[LinkedFile], dict[str, Facts]]:
    """All files that a server would link, as it does, and their facts."""
    tree = SourceTree(source_texts(root))
    linker = GraphLinker(tree)
    files = [linker.link(path) for path in tree.paths()]
    facts = {path: found for path in tree.paths() if (found := tree.facts(path)) is not None}
    return files, facts


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
