"""Measures each stage of indexing a very large tree, and programs that index the same files.

    python -m bench.large.stages TREE --keep FOLDER [--stage STAGE …] [--record NAME]

Stages, each as a user runs it, in processes of their own: `words`, the words of all files, after
which all is found; `declarations`, further from there until declarations are read; `whole`, both
from nothing; `graph`, the symbol graph from there; `local:N`, the whole by N workers of a local
cluster, whose segments have to be those of the index beside it byte for byte. Peers: `tantivy` with
positions, and `ctags`, universal-ctags, which writes its tags to a file.
Measured are seconds, seconds of processors, memory of all processes together and the disk that
the index takes. `--record` keeps them beside the stages that were recorded before.
To conclude: ratios to the peers, and what a tree costs before its first answer and until all is
known.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from bench import machine
from bench.index.building import by_tantivy, current_files, detached, measured, ours
from bench.timing import fork

_LOCAL: Final = "local:"
_CTAGS: Final = ("ctags", "--recurse", "--fields=+ne", "--sort=no")


class Stage(NamedTuple):
    """A folder that it writes to, what starts it, and whether it begins with nothing."""

    folder: Path
    start: Callable[[], int]
    is_anew: bool


# options of `repo-mcp index`, and whether the stage begins with nothing
_OWN: Final = {
    "words": (("--words-only", "--no-graph"), True),
    "declarations": (("--no-graph",), False),
    "whole": (("--no-graph",), True),
    "graph": (("--graph",), False),
}


def stage_named(name: str, root: Path, keep: Path) -> Stage:
    """A stage by its name; raises `ValueError` for another one."""
    folder = keep / name.replace(":", "-")
    if name in _OWN:
        options, is_anew = _OWN[name]
        index = keep / "index"
        return Stage(index, detached(ours(root, index, "index", *options)), is_anew)
    start: Callable[[], int]
    if name == "tantivy":
        start = partial(fork, lambda: by_tantivy(root, folder))
    elif name == "ctags":
        start = detached([*_CTAGS, "-f", str(folder / "tags"), str(root)])
    elif name.startswith(_LOCAL):
        start = detached(ours(root, folder, "index", "--engine", name))
    else:
        raise ValueError(name)
    return Stage(folder, start, is_anew=True)


def segments(folder: Path) -> list[str]:
    """The names of the segments of an index, which tell their bytes."""
    return sorted(path.name for path in current_files(folder))


def main() -> None:
    """Measure stages, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--stage", action="append", required=True)
    parser.add_argument("--record", metavar="NAME")
    given = parser.parse_args()
    root, keep = given.tree.resolve(), given.keep.resolve()
    figures: dict[str, object] = {"tree": root.name}
    for name in given.stage:
        stage = stage_named(name, root, keep)
        row = asdict(measured(stage.folder, stage.start, anew=stage.is_anew))
        figures[name] = row
        print(name, json.dumps(row), flush=True)
        if name.startswith(_LOCAL):
            equal = segments(stage.folder) == segments(keep / "index")
            print(f"{name}: {'the same' if equal else 'OTHER'} segments", flush=True)
            figures[f"{name} equal"] = equal
    if given.record:
        print(machine.keep(given.record, {**machine.stored(given.record), **figures}))


if __name__ == "__main__":
    main()
