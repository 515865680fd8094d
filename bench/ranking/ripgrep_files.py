"""Counting with ripgrep: a file's score is the sum of log(1 + lines) over the words asked."""

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
# all files of the tree, whatever the tree and the person ignore
_OPTIONS: Final = ["--no-config", "--no-ignore", "--hidden", "-j1", "-0", "-c", "-i", "-F", "-w"]
_WORD: Final = re.compile(r"\w+")


def ripgrep_files(root: Path) -> Callable[[str, int], list[Ranked]]:
    """Search a tree by one run for each word; what a word gave is kept for the next query."""
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
    """How many lines of each file have the word, from what `rg -0 -c` prints."""
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
