"""Compares which types of a Go module implement which interfaces with what the compiler says.

    python -m bench.graph.go_interfaces FOLDER MODULE [--differences COUNT]

FOLDER is a checked-out module, MODULE its path. It needs Go; packages of other modules count as
unknown, and so do pairs with methods of their types. Tests are left out, and files that are not of
this system.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

from bench.graph.compare import Score
from bench.graph.folder import FolderTree
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.engine import Engine
from code_graph.link.families import make_family

_FOLDER: Final = Path(__file__).parent.resolve()
SCRIPTS: Final = tuple(str(_FOLDER / f"{name}.go") for name in ("go_interfaces", "go_oracle"))


Where = tuple[str, int, str]
Pair = tuple[Where, Where]


class Pairs(NamedTuple):
    """Types with interfaces that they implement, and pairs that can't be judged."""

    files: set[str]
    known: set[Pair]
    unknown: set[Pair]
    interfaces: int


def oracle_pairs(root: Path, module: str) -> Pairs:
    """The pairs that the compiler's own packages find."""
    command = ["go", "run", *SCRIPTS, str(root.resolve()), module]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [json.loads(line) for line in text.splitlines()]
    files = {row["file"] for row in rows if "file" in row}
    found = Pairs(files, set(), set(), sum("declared" in row for row in rows))
    for row in rows:
        if "type" in row:
            pair = _where(row["type"]), _where(row["interface"])
            (found.unknown if row["unknown"] else found.known).add(pair)
    return found


def _where(row: list[object]) -> Where:
    path, line, name = row
    return str(path), int(str(line)), str(name)


def product_pairs(root: Path) -> set[Pair]:
    """The pairs that the linker finds."""
    engine = Engine(FolderTree(root))
    family = make_family(engine, "go")
    found: set[Pair] = set()
    for path in sorted(engine.files.paths):
        engine.begin_file(path)
        file = engine.files.get(path)
        if file is None or family is None or file.language != "go":
            continue
        for number, item in enumerate(file.declarations):
            for each in family.definitions.implemented(file, number):
                other = engine.files.get(each.path) if isinstance(each, Definition) else None
                if isinstance(each, Definition) and other is not None:
                    inner = other.declarations[each.declaration]
                    one = path, item.name_line, item.name
                    found.add((one, (each.path, inner.name_line, inner.name)))
    return found


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("module")
    parser.add_argument("--differences", type=int, default=0, metavar="COUNT")
    args = parser.parse_args()
    truth = oracle_pairs(args.folder, args.module)
    ours = product_pairs(args.folder) - truth.unknown
    ours = {pair for pair in ours if all(path in truth.files for path, _, _ in pair)}
    score = Score(len(truth.known), len(ours), len(ours & truth.known))
    print(
        f"{truth.interfaces} interfaces, {score.expected} pairs, ours {score.made}, precision"
        f" {score.precision:.4f}, recall {score.recall:.4f}, F1 {score.f1:.4f};"
        f" not judged {len(truth.unknown)}"
    )
    for title, rows in (("missing", truth.known - ours), ("wrong", ours - truth.known)):
        for one, other in sorted(rows)[: args.differences]:
            print(f"  {title} {one} → {other}")


if __name__ == "__main__":
    main()
