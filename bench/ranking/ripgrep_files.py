"""Ranks files with ripgrep: the score is the sum of log(1 + matching lines) over query words."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from bench.ranking.metrics import Ranked

PROGRAM: Final = "rg"
# all files of the tree, regardless of ignore rules
_OPTIONS: Final = ["--no-config", "--no-ignore", "--hidden", "-j1", "-0", "-c", "-i", "-F", "-w"]
_WORD: Final = re.compile(r"\w+")


def ripgrep_files(root: Path) -> Callable[[str, int], list[Ranked]]:
    """Search a tree by one run per word; results of a word are cached."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise FileNotFoundError(PROGRAM)

    @cache
    def lines(word: str) -> Mapping[str, int]:
        command = [program, *_OPTIONS, "-e", word, "."]
        done = subprocess.run(command, cwd=root, capture_output=True, check=False)
        # 1 says that nothing was found
        if done.returncode not in {0, 1}:
            raise RuntimeError(os.fsdecode(done.stderr))
        return parsed(done.stdout)

    def search(query: str, limit: int) -> list[Ranked]:
        return ranked(map(lines, words(query)), limit)

    return search


def words(query: str) -> list[str]:
    """The words of a query, each once."""
    return list(dict.fromkeys(_WORD.findall(query.lower())))


def parsed(output: bytes) -> dict[str, int]:
    """Count of matching lines by file, from the output of `rg -0 -c`."""
    rows = (row.rsplit(b"\0", 1) for row in output.splitlines())
    return {os.fsdecode(path).removeprefix("./"): int(count) for path, count in rows}


def ranked(counts: Iterable[Mapping[str, int]], limit: int) -> list[Ranked]:
    """The best files by the lines each word is on; equal ones by path."""
    scores: defaultdict[str, float] = defaultdict(float)
    for found in counts:
        for path, count in found.items():
            scores[path] += math.log1p(count)
    order = sorted(scores, key=lambda path: (-scores[path], path))
    return [Ranked(path) for path in order[:limit]]
