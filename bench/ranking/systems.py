"""The compared systems; each searches one tree at a time."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.ranking import ripgrep_files
from bench.ranking.metrics import Ranked
from bench.ranking.ours import ours
from bench.ranking.tantivy_files import tantivy_files
from bench.ranking.whoosh_chunks import whoosh_chunks

Search = Callable[[str, int], list[Ranked]]


@dataclass(frozen=True, slots=True)
class System:
    """A way to search a tree."""

    name: str
    prepare: Callable[[Path], Search]
    # answers with lines, or with files alone
    of_lines: bool = False
    # too slow for other than the small repositories
    small_only: bool = False
    # an external program that it needs
    program: str | None = None

    @property
    def present(self) -> bool:
        """True if this machine has the program that it needs."""
        return self.program is None or shutil.which(self.program) is not None


OURS: Final = "ours"
BASELINES: Final = (
    System("tantivy", tantivy_files),
    System("whoosh", whoosh_chunks, of_lines=True, small_only=True),
    System("ripgrep", ripgrep_files.ripgrep_files, small_only=True, program=ripgrep_files.PROGRAM),
)


def our_system(keep: Path, overrides: Mapping[str, float]) -> System:
    """Our own system; its indexes are kept beside the trees."""

    def prepare(root: Path) -> Search:
        return ours(root, keep / "indexes" / root.name, overrides)

    return System(OURS, prepare, of_lines=True)
