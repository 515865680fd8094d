"""Judgements as lines of text: repository, form, query, relevant places, and what was taken out.

Columns are separated by tabs. A place is `path` or `path:first-last`, several are separated by
blanks. The last column is the documentation that the query was taken from, empty for none: the
searched copy of the repository has blank lines there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bench.ranking.repositories import DATA, SPLITS

SETS: Final = ("identifiers", "documented", "changes")
_LINES: Final = re.compile(r"(.+):(\d+)-(\d+)")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Lines of a file, both included; 0 to 0 is the file as such."""

    path: str
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        """As it stands in a set."""
        return f"{self.path}:{self.first}-{self.last}" if self.first else self.path

    @staticmethod
    def parse(text: str) -> Place:
        """The inverse of `str`."""
        found = _LINES.fullmatch(text)
        return Place(found[1], int(found[2]), int(found[3])) if found else Place(text)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A query and the places that answer it."""

    repository: str
    form: str
    query: str
    places: tuple[Place, ...]
    removed: Place | None = None

    def line(self) -> str:
        """As it stands in a set."""
        places = " ".join(map(str, self.places))
        removed = str(self.removed) if self.removed else ""
        return f"{self.repository}\t{self.form}\t{self.query}\t{places}\t{removed}"

    @staticmethod
    def parse(line: str) -> Judgement:
        """The inverse of `line`."""
        repository, form, query, places, removed = line.split("\t")
        found = tuple(Place.parse(place) for place in places.split(" "))
        return Judgement(repository, form, query, found, Place.parse(removed) if removed else None)


def read(name: str, splits: Iterable[str] = SPLITS) -> list[Judgement]:
    """A set's judgements for these splits, in the order of the files."""
    paths = [DATA / f"{name}.{split}.txt" for split in splits]
    rows = [path.read_text("utf-8").splitlines() for path in paths if path.exists()]
    return [Judgement.parse(row) for part in rows for row in part]


def write(name: str, split: str, judgements: Iterable[Judgement]) -> None:
    """Replace a set's judgements for a split."""
    text = "".join(f"{judgement.line()}\n" for judgement in judgements)
    (DATA / f"{name}.{split}.txt").write_text(text, "utf-8")
