"""Rebuilds the judgement sets from the packages."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Final

from bench.ranking import (
    changes,
    definitions,
    documented,
    identifiers,
    judgements,
    packages,
    patches,
    trees,
)
from bench.ranking.judgements import Judgement
from bench.ranking.patches import Patch
from bench.ranking.repositories import SPLITS, Repository, repositories

# with fewer judgements a repository's figures would be noise
_FEWEST: Final = 5


def fetch(keep: Path, *, pin: bool) -> None:
    """Download all packages and check them, or record their checksums."""
    listed = [package for repository in repositories() for package in repository.packages]
    found = [path for package in listed for path in packages.fetch(package, keep)]
    if pin:
        packages.pin(found)
    packages.verify(found, packages.checksums())


def build(keep: Path, names: Collection[str]) -> None:
    """Replace the files of these sets."""
    for split in SPLITS:
        made: dict[str, list[Judgement]] = {name: [] for name in names}
        for repository in repositories((split,)):
            for name, items in _of_one(repository, keep, names).items():
                if len(items) >= _FEWEST:
                    made[name] += items
            print(f"{repository.name}: built", flush=True)
        for name, items in made.items():
            judgements.write(name, split, items)


def _of_one(
    repository: Repository, keep: Path, names: Collection[str]
) -> dict[str, list[Judgement]]:
    root = keep / "whole" / repository.name
    trees.unpack(repository, keep, root)
    texts = dict(trees.texts(root))
    found = [] if set(names) <= {"changes"} else definitions.unique(root, texts)
    shutil.rmtree(root)
    makers = {
        "identifiers": lambda: identifiers.judged(repository, found),
        "documented": lambda: documented.judged(repository, found, texts),
        "changes": lambda: changes.judged(repository, _patches(repository, keep), texts),
    }
    return {name: makers[name]() for name in names}


def _patches(repository: Repository, keep: Path) -> list[Patch]:
    listed = [path for package in repository.packages for path in packages.fetch(package, keep)]
    return [patch for path in listed if patches.packs(path) for patch in patches.applied(path)]
