"""Writes a made monorepo: files of several languages in projects, as many as are asked for.

    python -m bench.corpora.monorepo FOLDER --files 1000000 [--seed 1]

Equal arguments write equal trees, however many processes write them. A project has three to some
thousand files of one language, with tests, documents and configuration; a folder has eleven files
on average and the deepest file lies ten folders down. Sizes follow a lognormal law around half a
kilobyte, so that a million files fit on a disk and what is measured is the count of files.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from bench.corpora.monorepo_text import (
    VOCABULARY,
    draw_ranks,
    identifiers,
    noun,
    pieces_of,
    word_parts,
)

_AREAS: Final = ("apps", "libs", "services", "platform", "tools", "infra")
# the extensions of a project's code, and how many projects of a hundred have them
_KINDS: Final = (
    (("py",), 26),
    (("ts",), 26),
    (("go",), 16),
    (("java",), 14),
    (("rs",), 8),
    (("c", "h"), 10),
)
_OTHER: Final = ("md", "json", "yaml", "sh")
_OTHER_SHARE: Final = 0.14
_MEAN_FILES: Final = 300
_FILES_OF_FOLDER: Final = 11
_MAX_SIZE: Final = 200_000
# projects that a process writes in one go
_BATCH: Final = 32


@dataclass(frozen=True, slots=True)
class Project:
    """A project by its number, and how many files it has."""

    number: int
    files: int


def projects(files: int, seed: int) -> list[Project]:
    """Projects that have so many files together."""
    random = np.random.default_rng([seed, files])
    found: list[Project] = []
    left = files
    while left > 0:
        size = int(random.lognormal(np.log(_MEAN_FILES) - 0.6, 1.1)) + 3
        found.append(Project(len(found), min(size, left)))
        left -= found[-1].files
    return found


def project_folder(project: Project) -> str:
    """The project's folder: area, team and name."""
    number = project.number
    team = noun(number // 24)
    return f"{_AREAS[number % len(_AREAS)]}/{team}-{number // 240}/{noun(number * 7)}-{number}"


def project_files(project: Project, seed: int) -> Iterator[tuple[str, str]]:
    """Path and text of each file of a project."""
    random = np.random.default_rng([seed, 1, project.number])
    code = _choose_kind(random)
    folders = _folders(random, project)
    count = project.files
    places = random.integers(0, len(folders), count).tolist()
    other = (random.random(count) < _OTHER_SHARE).tolist()
    picks = random.integers(0, 1 << 30, count).tolist()
    sizes = np.minimum(random.lognormal(6.05, 0.9, count), _MAX_SIZE).astype(np.int64).tolist()
    texts = _Texts(random, int(random.integers(0, VOCABULARY)))
    for number in range(count):
        extension = (_OTHER if other[number] else code)[
            picks[number] % (4 if other[number] else len(code))
        ]
        name = "_".join(word_parts(picks[number] % VOCABULARY))
        path = f"{folders[places[number]]}/{name}_{number}.{extension}"
        yield path, texts.make(extension, sizes[number])


class _Texts:
    """Makes texts of one project, with identifiers drawn in bulk."""

    def __init__(self, random: np.random.Generator, local: int) -> None:
        self._random = random
        self._local = local
        self._ranks: list[int] = []
        self._at = 0

    def make(self, extension: str, size: int) -> str:
        """A text of about this size."""
        names, pieces = identifiers(extension), pieces_of(extension)
        parts: list[str] = []
        held = 0
        while held < size:
            rank = self._next(1)[0]
            piece = pieces[rank % len(pieces)]
            parts.append(piece.text % tuple([names[rank] for rank in self._next(piece.slots)]))
            held += piece.size
        return "".join(parts)

    def _next(self, count: int) -> list[int]:
        if self._at + count > len(self._ranks):
            self._ranks = draw_ranks(self._random, 4096, self._local)
            self._at = 0
        self._at += count
        return self._ranks[self._at - count : self._at]


def _choose_kind(random: np.random.Generator) -> Sequence[str]:
    draw = random.integers(0, sum(share for _, share in _KINDS))
    for extensions, share in _KINDS:
        if draw < share:
            return extensions
        draw -= share
    raise AssertionError


def _folders(random: np.random.Generator, project: Project) -> list[str]:
    """The project's folders, each below one that came before."""
    root = project_folder(project)
    found = [f"{root}/src", f"{root}/tests", f"{root}/docs"]
    depths = [0, 0, 0]
    for number in range(project.files // _FILES_OF_FOLDER):
        above = int(random.integers(0, len(found)))
        if depths[above] < 6:
            found.append(f"{found[above]}/{noun(int(random.integers(0, 1 << 20)))}{number}")
            depths.append(depths[above] + 1)
    return found


def _write_projects(root: str, seed: int, batch: Sequence[Project]) -> int:
    """Write some projects; returns the bytes of text."""
    written = 0
    for project in batch:
        made: set[str] = set()
        for path, text in project_files(project, seed):
            folder = path.rpartition("/")[0]
            if folder not in made:
                Path(root, folder).mkdir(parents=True, exist_ok=True)
                made.add(folder)
            data = text.encode()
            written += len(data)
            handle = os.open(f"{root}/{path}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.write(handle, data)
            os.close(handle)
    return written


def write(root: Path, files: int, seed: int = 1, workers: int | None = None) -> int:
    """Write a tree with so many files; returns the bytes of text."""
    root.mkdir(parents=True, exist_ok=True)
    if any(root.iterdir()):
        raise FileExistsError(root)
    found = projects(files, seed)
    batches = [found[at : at + _BATCH] for at in range(0, len(found), _BATCH)]
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        return sum(pool.map(partial(_write_projects, str(root), seed), batches))


def main() -> None:
    """Write a tree and print what it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    begin = time.perf_counter()
    size = write(args.folder, args.files, args.seed)
    print(f"{args.files} files, {size / 2**20:.1f} MiB, {time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main()
