r"""Compares large expressions over line ends with ripgrep's `-U`, in all indexed files of a tree.

    python -m bench.search.crossing_lines TREE DATA [TREE DATA ...] [--expressions 30] [--seed 1]

Each expression has a few alternatives, drawn with a fixed seed: words at the end of a line and at
the beginning of the next, with `\w*` around. A class of words is large where texts have letters
beyond ASCII, so that one call of the engine can't search a long file. `missing` counts lines that
ripgrep gives alone, `more` those that it does not give, and `warned` the expressions of whose
answer a warning says that it may lack some.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.search import ExactEngine, ExactQuery
from repo_mcp.services import services
from repo_mcp.settings import Options

_PAIR: Final = re.compile(rb"([A-Za-z]{4,})[^\w\n]*\n[ \t]*([A-Za-z]{3,})")
_ALTERNATIVES: Final = 6
_ROUND: Final = 1000.0


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="TREE DATA")
    parser.add_argument("--expressions", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for root, data in zip(args.folders[::2], args.folders[1::2], strict=True):
        print(f"{root.name}: {compare(root, data, args.expressions, args.seed)}")


def compare(root: Path, data: Path, count: int, seed: int) -> str:
    """The figures of a tree in a line."""
    parts = services(Options(str(root), str(data), watch=False, embeddings=False))
    manager = parts.manager.single
    manager.refresh(Budget())
    snapshot = manager.text.snapshot()
    assert snapshot is not None
    engine = ExactEngine(manager.sandbox)
    paths = [path.decode("utf-8", "surrogateescape") for path, *_ in snapshot.files()]
    equal = missing = more = warned = 0
    times = [0.0, 0.0]
    for pattern in expressions(root, paths, count, seed):
        begin = time.perf_counter()
        query = ExactQuery((pattern,), regex=True, limit=None, columns=False)
        answer = engine.find(snapshot, query, Budget())
        times[0] += time.perf_counter() - begin
        found = {(match.path, match.line) for match in answer.matches}
        begin = time.perf_counter()
        wanted = ripgrep(root, pattern, paths)
        times[1] += time.perf_counter() - begin
        equal += found == wanted
        missing += len(wanted - found)
        more += len(found - wanted)
        warned += bool(answer.warnings)
    mean = [round(_ROUND * item / count) for item in times]
    manager.close()
    return (
        f"{count} expressions, equal {equal}, missing {missing}, more {more}, warned {warned},"
        f" ms {mean[0]}, ripgrep {mean[1]}"
    )


def expressions(root: Path, paths: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Expressions whose alternatives each match in some file."""
    chance = random.Random(seed)
    for _ in range(count):
        parts: list[str] = []
        while len(parts) < _ALTERNATIVES:
            pairs = _PAIR.findall((root / chance.choice(paths)).read_bytes())
            if pairs:
                first, second = (word.decode() for word in chance.choice(pairs))
                parts.append(rf"\w*{first}[^\w\n]*\n[ \t]*{second}\w*")
        yield "|".join(parts)


def ripgrep(root: Path, pattern: str, paths: Sequence[str]) -> set[tuple[str, int]]:
    """The lines that matches of ripgrep touch, in the same files."""
    command = ["rg", "-nU", "-H", "--no-heading", "--crlf", "-e", pattern, "--", *paths]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    rows = (row.split(b":", 2) for row in done.stdout.splitlines())
    return {(row[0].decode(), int(row[1])) for row in rows if len(row) > 1}


if __name__ == "__main__":
    main()
