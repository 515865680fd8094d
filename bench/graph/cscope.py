"""Compares callers of C functions with what cscope says calls them.

    python -m bench.graph cscope ROOT [--folder kernel …] [--count 30] [--write FILE]

The functions are those that cscope gives two to forty callers, in the order of the hashes of their
names. A caller is a file, the function in it, and a line. cscope reads text: it takes what looks
like a call in every branch and macro, and knows no scopes, so that each difference has to be read.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import xxhash

from bench.graph.folder import linked
from code_graph.facts import Facts
from code_graph.model import CONFIDENCE_OF, FILE, Confidence, EdgeType, LinkedFile, Strategy

FOLDERS: Final = ("kernel", "mm", "fs/ext4", "include/linux")
_FEWEST, _MOST = 2, 40
_COUNT: Final = 30


class Caller(NamedTuple):
    """A place that calls a function."""

    path: str
    function: str
    line: int


class Difference(NamedTuple):
    """A caller that only one of both knows."""

    target: str
    caller: Caller
    only: str


def main(arguments: Sequence[str]) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--folder", action="append", default=[])
    parser.add_argument("--count", type=int, default=_COUNT)
    parser.add_argument("--write", type=Path, help="file that gets the figures")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for folder in args.folder or FOLDERS:
            shutil.copytree(args.root / folder, root / folder)
        files, facts = linked(root)
        found = _calls(files, facts)
        truth = Cscope(root, root)
        compared, differences = compare(_functions(facts.values()), found, truth, args.count)
    rows = [[item.target, *item.caller, item.only] for item in differences]
    for row in rows:
        print(*row)
    print(compared)
    if args.write is not None:
        whole = {**compared, "differences": rows}
        args.write.write_text(json.dumps(whole, indent=1) + "\n", "utf-8")


def compare(
    names: Iterable[str], found: Mapping[str, set[Caller]], truth: Cscope, count: int
) -> tuple[dict[str, object], list[Difference]]:
    """The scores of functions, and each difference."""
    both = ours = theirs = 0
    chosen: list[str] = []
    differences: list[Difference] = []
    for name in sorted(names, key=lambda one: (xxhash.xxh3_64_intdigest(one.encode()), one)):
        expected = truth.callers(name)
        if not _FEWEST <= len(expected) <= _MOST:
            continue
        chosen.append(name)
        mine = found.get(name, set())
        both, ours, theirs = both + len(mine & expected), ours + len(mine), theirs + len(expected)
        differences += [Difference(name, one, "ours") for one in sorted(mine - expected)]
        differences += [Difference(name, one, "cscope") for one in sorted(expected - mine)]
        if len(chosen) == count:
            break
    scores: dict[str, object] = {
        "functions": chosen,
        "both": both,
        "ours": ours,
        "cscope": theirs,
        "f1": round(2 * both / (ours + theirs), 4) if ours + theirs else 1.0,
    }
    return scores, differences


def _functions(facts: Iterable[Facts]) -> set[str]:
    """Functions that are defined, and seen by other files."""
    return {
        item.name
        for one in facts
        for item in one.declarations
        if item.kind == "function" and "static" not in item.modifiers
    }


def _calls(files: Iterable[LinkedFile], facts: Mapping[str, Facts]) -> dict[str, set[Caller]]:
    """By the name of a function, what calls it."""
    rows = list(files)
    names = {
        symbol.id: symbol.qualified_name
        for file in rows
        for symbol in file.symbols
        if symbol.declaration != FILE
    }
    found: dict[str, set[Caller]] = defaultdict(set)
    for file in rows:
        for edge in file.edges:
            confidence = CONFIDENCE_OF[Strategy(edge.strategy)]
            if edge.type == EdgeType.CALLS and confidence <= Confidence.INFERRED:
                declarations = facts[file.path].declarations
                name = declarations[edge.source].name if edge.source != FILE else "<global>"
                target = names.get(edge.target)
                if target is not None:
                    found[target].add(Caller(file.path, name, edge.line))
    return found


class Cscope:
    """cscope's answers about one folder; what it writes lies in another one."""

    def __init__(self, root: Path, keep: Path) -> None:
        self._root = root
        self._keep = keep.resolve()
        if (self._keep / "cscope.out").exists():
            return
        paths = sorted(path for path in root.rglob("*") if path.suffix in {".c", ".h"})
        listed = self._keep / "cscope.files"
        listed.write_text("".join(f"{path.relative_to(root)}\n" for path in paths), "utf-8")
        self._run("-b", "-k", "-q", "-i", str(listed))

    def callers(self, name: str) -> set[Caller]:
        """The functions that call a function."""
        return set(self._parse(self._run("-d", "-L", "-3", name)))

    def _run(self, *arguments: str) -> str:
        program = shutil.which("cscope")
        if program is None:
            sys.exit("cscope is not installed")
        done = subprocess.run(
            [program, "-f", str(self._keep / "cscope.out"), *arguments],
            cwd=self._root,
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
        )
        return done.stdout

    def _parse(self, text: str) -> Iterator[Caller]:
        for line in text.splitlines():
            path, function, number, *_ = line.split(" ", 3)
            yield Caller(path, function, int(number))
