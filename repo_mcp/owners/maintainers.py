"""Reads MAINTAINERS: sections of people, of the files that they keep, and of names of such files.

As the kernel's own script does, all sections that have a file count, those with the deepest pattern
first. A section that has every file is for what no other has. A file of this name without patterns
is a list of people for the folder that it is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import re2  # type: ignore[import-untyped]  # it brings no types

from index_format.tuples import NamedTuple
from repo_mcp.owners.model import Claim, ClaimTable, Owner, OwnerRole, PathPattern

MAINTAINERS: Final = "MAINTAINERS"
_ROW: Final = re.compile(r"([A-Z]):\s*(\S.*)")
_ROLES: Final = {"M": OwnerRole.MAINTAINER, "R": OwnerRole.REVIEWER, "L": OwnerRole.LIST}
_PERSON: Final = re.compile(r"[^\s#].*<[^<>\s]+@[^<>\s]+>|.*(?<![\w.])@[\w-]+\b.*")
_MARK: Final = re.compile(r"^\s*[-*+]\s+")
# the depth of a pattern for every file, and that of a name
_EVERY: Final = -1
_NAME: Final = 0


class _Section(NamedTuple):
    """A section: its title, line and people, and its patterns with their lines."""

    title: str
    line: int
    owners: tuple[Owner, ...]
    patterns: tuple[tuple[str, str, int], ...]

    def rows(self, letter: str) -> Iterator[tuple[str, int]]:
        """The values of the rows of a letter, with their lines."""
        return ((value, line) for key, value, line in self.patterns if key == letter)


class _DeepClaim(NamedTuple):
    """A claim, the number of its section, and the depth of its pattern."""

    claim: Claim
    section: int
    depth: int


class Maintainers:
    """The claims of one MAINTAINERS file for the folder that it is in."""

    def __init__(self, path: str, text: str) -> None:
        self.folder = path.rpartition("/")[0]
        self._path = path
        self._sections = [*_sections(text)]
        if not any(section.patterns for section in self._sections):
            self._sections = [_Section("", 1, _people(text), (("F", "/", 1),))]
        deep = [*self._deep_claims()]
        self._deep = {id(item.claim): item for item in deep}
        self._table = ClaimTable(item.claim for item in deep)
        excluded = [self._pattern(number, "X") for number in range(len(self._sections))]
        self._never = [ClaimTable(claims) if claims else None for claims in excluded]
        self._names, self._named = self._compile_names()

    def every(self) -> Iterator[Claim]:
        """All that are made for any file."""
        yield from self._table
        yield from (item.claim for item in self._named)

    def claims(self, path: str) -> list[Claim]:
        """The claims of sections that have a file, the one with the deepest pattern first."""
        best: dict[int, _DeepClaim] = {}
        by_pattern = (self._deep[id(claim)] for claim in self._table.of(path))
        for item in (*by_pattern, *self._by_name(path)):
            known = best.get(item.section)
            if (known is None or known.depth < item.depth) and not self._is_left_out(item, path):
                best[item.section] = item
        ranked = sorted(best.values(), key=lambda item: (-item.depth, item.section))
        if any(item.depth > _EVERY for item in ranked):
            ranked = [item for item in ranked if item.depth > _EVERY]
        return [item.claim for item in ranked]

    def _is_left_out(self, item: _DeepClaim, path: str) -> bool:
        never = self._never[item.section]
        return never is not None and bool(never.of(path))

    def _by_name(self, path: str) -> Iterator[_DeepClaim]:
        if self._names is not None:
            below = path.removeprefix(f"{self.folder}/") if self.folder else path
            yield from (self._named[at] for at in self._names.Match(below) or ())

    def _deep_claims(self) -> Iterator[_DeepClaim]:
        for number in range(len(self._sections)):
            for claim, (value, _) in zip(
                self._pattern(number, "F"), self._sections[number].rows("F"), strict=True
            ):
                depth = value.strip("/").count("/") + 1
                yield _DeepClaim(claim, number, depth if value.strip("*/") else _EVERY)

    def _pattern(self, number: int, letter: str) -> list[Claim]:
        section = self._sections[number]
        claims = []
        for value, line in section.rows(letter):
            files = PathPattern.of(self.folder, f"/{value.lstrip('/')}", opens=False)
            if files is None:  # no file has a path like this
                files = PathPattern(self.folder, lambda _: False)
            claim = Claim(files, section.owners, self._path, line, section.title, value)
            claims.append(claim)
        return claims

    def _compile_names(self) -> tuple[re2.Set | None, list[_DeepClaim]]:
        """All patterns of names as one, which takes linear time, and what each stands for."""
        names = re2.Set.SearchSet()
        named: list[_DeepClaim] = []
        for number, section in enumerate(self._sections):
            for value, line in section.rows("N"):
                files = PathPattern.found_by(self.folder, value)
                if files is None:  # it would match nothing
                    continue
                names.Add(value)
                claim = Claim(files, section.owners, self._path, line, section.title, value)
                named.append(_DeepClaim(claim, number, _NAME))
        if not named:
            return None, []
        names.Compile()
        return names, named


def _sections(text: str) -> Iterator[_Section]:
    """The sections with people or lists; a title stands before the first row of one."""
    title, begin = "", 0
    owners: list[Owner] = []
    patterns: list[tuple[str, str, int]] = []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        row = _ROW.fullmatch(line.rstrip())
        if row is None:
            if patterns:
                yield _Section(title, begin, tuple(owners), tuple(patterns))
            title, begin, owners, patterns = line.strip(), number, [], []
        elif role := _ROLES.get(row[1]):
            owners.append(Owner(row[2], role))
        elif row[1] in "FXN":
            patterns.append((row[1], row[2], number))


def _people(text: str) -> tuple[Owner, ...]:
    """The lines with an address, or a name at a forge."""
    rows = (_MARK.sub("", line).strip(" |") for line in text.splitlines())
    return tuple(Owner(row, OwnerRole.MAINTAINER) for row in rows if _PERSON.fullmatch(row))
