"""Uses of texts that a person read in a repository, and the places that they mean.

A use stands as `LINE KIND TARGET…`, or `FIRST-LAST KIND TARGET…` where it takes several lines. Each
target has to be found; `PATH:LINE|PATH:LINE` is one that either place stands for, as the line that
registers a route and the function that answers it, and line 0 is the file. `outside` means that
nothing in the repository is meant, `unjudged` that edges of the place are neither right nor wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from code_graph.formats.toml import read_toml

KINDS: Final = (*("route", "rpc", "graphql", "topic", "table", "setting", "native", "template"),)
_FOLDER: Final = Path(__file__).with_name("truth")
_OUTSIDE: Final = "outside"
_UNJUDGED: Final = "unjudged"


class Place(NamedTuple):
    """A line of a file; line 0 is the file."""

    path: str
    line: int

    def __str__(self) -> str:
        """The place for display."""
        return f"{self.path}:{self.line}" if self.line else self.path


# places of which one is enough
Target = tuple[Place, ...]


class Use(NamedTuple):
    """A use of a text, and all that it means."""

    path: str
    first: int
    last: int
    kind: str
    targets: tuple[Target, ...]
    is_judged: bool = True

    def __str__(self) -> str:
        """The use for display."""
        return f"{self.path}:{self.first} {self.kind}"


class Truth(NamedTuple):
    """The uses of a repository; globs say which files are judged."""

    repository: str
    commit: str
    split: str
    judged: tuple[str, ...]
    excluded: tuple[str, ...]
    # files that edges may lead to without being right or wrong, as copies of a description
    unjudged_targets: tuple[str, ...]
    uses: tuple[Use, ...]

    def judges(self, path: str) -> bool:
        """True if all uses of a file are listed."""
        return _matches(path, self.judged) and not _matches(path, self.excluded)

    def judges_target(self, path: str) -> bool:
        """False for a file that edges may lead to as they like."""
        return not _matches(path, self.unjudged_targets)


def read_truth(name: str) -> Truth:
    """The truth of that name."""
    table = read_toml((_FOLDER / f"{name}.toml").read_bytes())
    uses = tuple(_parsed(row["path"], use) for row in table.get("file", ()) for use in row["uses"])
    return Truth(
        table["repository"],
        table["commit"],
        table["split"],
        tuple(table.get("judged", ())),
        tuple(table.get("excluded", ())),
        tuple(table.get("unjudged_targets", ())),
        uses,
    )


def names() -> list[str]:
    """The names of all repositories."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def _parsed(path: str, text: str) -> Use:
    lines, kind, *targets = text.split()
    if kind not in KINDS or not targets:
        raise ValueError(f"{path}: {text}")
    first, _, last = lines.partition("-")
    told = tuple(_target(item) for item in targets if item not in {_OUTSIDE, _UNJUDGED})
    return Use(path, int(first), int(last or first), kind, told, _UNJUDGED not in targets)


def _target(text: str) -> Target:
    parts = (item.rpartition(":") for item in text.split("|"))
    return tuple(Place(path, int(line)) for path, _, line in parts)


def _matches(path: str, globs: Iterable[str]) -> bool:
    return any(_compiled(glob).fullmatch(path) for glob in globs)


@cache
def _compiled(glob: str) -> re.Pattern[str]:
    pattern = re.escape(glob).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*")
    return re.compile(pattern.replace(r"\*", "[^/]*"))


def unread(root: Path, truth: Truth) -> list[Place]:
    """Places of the truth that the checkout has no line for: it is another commit, then."""
    places = {Place(use.path, use.last) for use in truth.uses}
    places.update(place for use in truth.uses for target in use.targets for place in target)
    return sorted(place for place in places if not _has(root, place))


def _has(root: Path, place: Place) -> bool:
    file = root / place.path
    if not file.is_file():
        return False
    return len(file.read_bytes().decode("utf-8", "replace").split("\n")) >= place.line
