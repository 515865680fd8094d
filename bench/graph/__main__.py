"""Compares the symbol graph with compilers and type checkers on real projects.

    python -m bench.graph python --tune --keep FOLDER --git FOLDER [--differences COUNT]
    python -m bench.graph typescript --held-out --keep FOLDER --git FOLDER [--project NAME]
    python -m bench.graph java --tune --keep FOLDER --git FOLDER
    python -m bench.graph csharp --tune --keep FOLDER --git FOLDER
    python -m bench.graph go --tune --keep FOLDER --git FOLDER
    python -m bench.graph rust --tune --keep FOLDER --git FOLDER
    python -m bench.graph scala --tune --keep FOLDER --git FOLDER
    python -m bench.graph swift --tune --keep FOLDER --git FOLDER
    python -m bench.graph cpp --tune --keep FOLDER --git FOLDER
    python -m bench.graph c --tune --keep FOLDER --git FOLDER
    python -m bench.graph cscope LINUX [--folder FOLDER …] [--count 30] [--write FILE]
    python -m bench.graph clang ROOT FILE… [--argument=-std=c++20 …] [--libclang FILE]
    python -m bench.graph speed --root FOLDER…
    python -m bench.graph tree --root TREE --language c [--workers 1] [--write]

`--keep` gets trees, oracles and what they said; `--git` has a bare repository OWNER+NAME/repo for
each project that is a commit of one. `--link` names another linker: FUNCTION takes a folder, and
gives linked files and their facts. `--ours FOLDER` reads edges that `--write` stored, `--truth`
counts the truth alone. `--differences` lists what is missing and wrong, the same sample each time.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from bench.graph import clang, cscope, speed, tree_speed
from bench.graph.compare import Comparison, compare, frequent, pooled, sample, table
from bench.graph.edges import Edge, Truth, read_edges, write_edges
from bench.graph.oracles import ORACLES
from bench.graph.product import loaded
from bench.graph.projects import SPLITS, Project, needed, projects, tree

_MOST_FREQUENT: Final = 8
_LINKER: Final = "bench.graph.folder:linked"


def main() -> None:
    """Run the command line."""
    if sys.argv[1:2] == ["cscope"]:
        cscope.main(sys.argv[2:])
        return
    if sys.argv[1:2] == ["clang"]:
        clang.main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("language", choices=sorted(ORACLES))
    parser.add_argument("--tune", action="store_true", help="projects to tune on")
    parser.add_argument("--held-out", action="store_true", help="projects to measure on")
    parser.add_argument("--project", action="append", default=[], help="these projects alone")
    parser.add_argument("--keep", type=Path, required=True, help="trees, oracles, truth")
    parser.add_argument("--git", type=Path, help="bare repositories")
    ours = parser.add_mutually_exclusive_group()
    ours.add_argument("--link", default=_LINKER, help="MODULE:FUNCTION that links a folder")
    ours.add_argument("--ours", type=Path, help="folder with edges of an earlier run")
    ours.add_argument("--truth", action="store_true", help="count the truth, link nothing")
    parser.add_argument("--write", type=Path, help="folder that gets our edges")
    parser.add_argument("--differences", type=int, default=0, metavar="COUNT")
    args = parser.parse_args()
    chosen = [split for split in SPLITS if getattr(args, split.replace("-", "_"))]
    comparisons = []
    for project in projects(args.language, tuple(chosen or SPLITS)):
        if args.project and project.name not in args.project:
            continue
        root = tree(project, args.keep, args.git)
        for other in needed(project):
            tree(other, args.keep, args.git)
        truth = ORACLES[args.language](project, root, args.keep)
        if args.truth:
            print(f"{project.name:24} {_counted(truth)}", flush=True)
            continue
        edges = _edges(args.link, args.ours, project, root)
        if args.write is not None:
            write_edges(edges, args.write / f"{project.name}.jsonl")
        comparison = compare(truth, edges)
        comparisons.append(comparison)
        _show([*table(project.name, comparison.scores), *_unjudged(comparison)])
        _show(_differences(root, comparison, args.differences))
    if len(comparisons) > 1:
        _show(table("all", pooled(comparisons)))


def _edges(link: str, folder: Path | None, project: Project, root: Path) -> list[Edge]:
    if folder is not None:
        return read_edges(folder / f"{project.name}.jsonl")
    return loaded(link)(root)


def _show(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, flush=True)


def _counted(truth: Truth) -> str:
    edges = Counter(edge.type for edge in truth.edges)
    places = Counter(type_ for type_, _ in truth.judged)
    return ", ".join(f"{edges[type_]} {type_} at {n} places" for type_, n in sorted(places.items()))


def _unjudged(comparison: Comparison) -> Iterator[str]:
    counts = ", ".join(f"{n} {type_}" for type_, n in sorted(comparison.unjudged.items()))
    if counts:
        yield f"  not judged: {counts}"


def _differences(root: Path, comparison: Comparison, count: int) -> Iterator[str]:
    """A sample of each kind of difference, with its line of text."""
    for title, differences in (("missing", comparison.missing), ("wrong", comparison.wrong)):
        for type_, edges in differences.items():
            if not count or not edges:
                continue
            most = ", ".join(f"{where.name} {n}" for where, n in frequent(edges, _MOST_FREQUENT))
            yield f"  {title} {type_}: {len(edges)}; most to {most}"
            for edge in sample(edges, count):
                yield f"    {edge.at}  → {edge.target}  {edge.confidence} {edge.strategy}".rstrip()
                yield f"        {_line(root, edge)}"


def _line(root: Path, edge: Edge) -> str:
    lines = (root / edge.at.path).read_bytes().decode("utf-8", "replace").split("\n")
    return lines[edge.at.line - 1].strip()[:140] if edge.at.line <= len(lines) else ""


if __name__ == "__main__":
    if sys.argv[1:2] == ["speed"]:
        speed.main(sys.argv[2:])
    elif sys.argv[1:2] == ["tree"]:
        tree_speed.main(sys.argv[2:])
    else:
        main()
