"""Times the graph of whole trees as users get it: an index, and then `repo-mcp index --graph`.

    python -m bench.graph tree --root TREE --language c [--workers 1] [--note TEXT] [--write]

The first command indexes words and declarations and leaves the graph out, the second links; each is
a process with its workers, in a data folder that is removed. Files of one language are copied
before, so that the figures are its own. To conclude: processor time and peak memory of the second
command, which is linking alone, and lines a second.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench import machine
from bench.suite.processes import run
from code_graph import Languages
from code_graph.projects.source import is_manifest

_NAME: Final = "graph-trees"
_SAMPLE_SECONDS: Final = 1.0


def main(words: Sequence[str]) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="tree", description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=Path, required=True, help="the tree")
    parser.add_argument("--language", nargs="+", required=True, help="files of these alone")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--note", default="", help="said beside the figures")
    parser.add_argument("--write", action="store_true", help="store the figures")
    args = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        files, lines, size = _copied(args.root, frozenset(args.language), copy)
        print(f"{args.root.name}: {files} files, {lines} lines, {size >> 20} MiB", flush=True)
        costs = dict(_costs(copy, Path(folder) / "data", args.workers))
    record = {"files": files, "lines": lines, "mib": size >> 20, "workers": args.workers, **costs}
    record["note"] = args.note
    print(record)
    if args.write:
        known = machine.stored(_NAME).get("trees", {})
        assert isinstance(known, dict)
        machine.keep(_NAME, {"trees": {**known, args.root.name: record}})


def _copied(root: Path, languages: frozenset[str], into: Path) -> tuple[int, int, int]:
    """Number, lines and bytes of the files of some languages; manifests are copied, too."""
    known = Languages()
    files = lines = size = 0
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            is_code = known.language_of(name) in languages
            if not (is_code or is_manifest(path.relative_to(root).as_posix())):
                continue
            if path.is_symlink() or not path.is_file():
                continue
            target = into / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            if is_code:
                data = target.read_bytes()
                files, lines, size = files + 1, lines + data.count(b"\n"), size + len(data)
    return files, lines, size


def _costs(root: Path, data: Path, workers: int) -> Iterator[tuple[str, dict[str, float]]]:
    """The cost of an index without the graph, and of the graph."""
    options = ["--root", str(root), "--data-dir", str(data), "--workers", str(workers)]
    for name, last in (("index", "--no-graph"), ("graph", "--graph")):
        command = [sys.executable, "-m", "repo_mcp", "index", *options, last]
        cost = run(command, os.environ, data, _SAMPLE_SECONDS)
        found = {"wall_s": cost.wall, "cpu_s": cost.cpu, "peak_mib": cost.peak_mib}
        yield name, {key: round(value, 1) for key, value in found.items()}
        print(name, found, flush=True)
