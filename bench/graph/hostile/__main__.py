"""Memory of indexing and linking a tree of sources that are made to cost much.

    python -m bench.graph.hostile write FOLDER [--size 300] [--large 300000]
    python -m bench.graph.hostile measure --keep FOLDER [--size …] [--large …] [--record]

The tree has every shape of shapes.py at one size, and of each language one file of about
`--large` bytes. `measure` writes it below the folder that is kept, indexes and links it
with new data, and samples what the process and its children hold every fiftieth of a second; what
they share counts once. `--record` stores the figures with the machine. To conclude: the sum of all
processes stays below 600 MiB, and every file is in the graph.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench import machine
from bench.graph.hostile.shapes import SHAPES, language_of
from bench.graph.hostile.writing import Sources
from bench.suite.processes import run

_SAMPLE_SECONDS: Final = 0.02
_FIRST: Final = 64


def sources(size: int, large: int) -> Iterator[tuple[str, Sources]]:
    """The sources of each shape with the name of a folder for them, and a large one a language."""
    seen: set[str] = set()
    for number, (name, shape) in enumerate(SHAPES.items()):
        yield f"shape{number}", shape(size)
        first = shape(_FIRST)
        if len(first) == 1 and language_of(name) not in seen:
            seen.add(language_of(name))
            yield f"large{number}", shape(large * _FIRST // len("".join(first.values())))


def write(folder: Path, size: int, large: int) -> int:
    """Write the tree; gives the number of its bytes."""
    total = 0
    for name, made in sources(size, large):
        for path, text in made.items():
            file = folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            total += file.write_text(text)
    return total


def measure(keep: Path, size: int, large: int) -> dict[str, object]:
    """Index and link the tree; what that took."""
    root, data = keep / "hostile", keep / "data"
    for old in (root, data):
        shutil.rmtree(old, ignore_errors=True)
    total = write(root, size, large)
    command = [sys.executable, "-P", "-m", "repo_mcp"]
    where = ["--repo-root", str(root), "--data-dir", str(data)]
    cost = run([*command, "index", "--graph", *where], os.environ, sample_seconds=_SAMPLE_SECONDS)
    return {
        "bytes": total,
        "files": sum(path.is_file() for path in root.rglob("*")),
        "peak_mib": cost.peak_mib,
        "processor_seconds": round(cost.cpu, 1),
    }


def main(words: Sequence[str]) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="hostile", description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=["write", "measure"])
    parser.add_argument("folder", type=Path, nargs="?", help="where `write` writes")
    parser.add_argument("--keep", type=Path, help="where `measure` keeps tree and data")
    parser.add_argument("--size", type=int, default=300, help="size of each shape")
    parser.add_argument("--large", type=int, default=300_000, help="bytes of the large files")
    parser.add_argument("--record", action="store_true", help="store the figures")
    args = parser.parse_args(words)
    if args.command == "write":
        print(write(args.folder, args.size, args.large), "bytes")
        return
    figures = measure(args.keep, args.size, args.large)
    print(json.dumps(figures, indent=2))
    if args.record:
        machine.keep("graph-hostile", {"size": args.size, "large": args.large, **figures})


if __name__ == "__main__":
    main(sys.argv[1:])
