"""What git would ignore: rules of every folder on the way, the deepest first.

Read are `.gitignore` in each folder and `.git/info/exclude`; not read are rules from outside the
repository. A file that git tracks although a rule names it counts as ignored here.

A rule speaks of an entry itself; what lies below an ignored folder is not asked about. Rules with a
slash are followed down name by name, so that in each folder only names are left to compare: most
folders have no such rule left, and the tables for the others are shared by all folders of a level.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from repo_mcp.indexing.ignore_lines import Rule, read
from repo_mcp.indexing.ignore_names import Named, Names
from repo_mcp.indexing.ignore_parts import Parts

RULES_NAME: Final = ".gitignore"
EXCLUDE_NAME: Final = ".git/info/exclude"


class _Path(NamedTuple):
    """What is left of a rule with a slash, in some folder."""

    parts: Parts
    rule: int


class _Level(NamedTuple):
    """One file's rules in one folder: tables for files, tables for folders, and paths to follow."""

    rules: _Rules
    paths: tuple[_Path, ...]
    for_files: Sequence[Names]
    for_folders: Sequence[Names]


class _Rules:
    """The rules of one file, and the levels they give: one for each set of paths to follow."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.says = [rule.ignores for rule in rules]
        self._folders_only = [rule.folders_only for rule in rules]
        self._levels: dict[tuple[_Path, ...], _Level] = {}
        self._named = self._tables(
            [Named(rule.name, number) for number, rule in enumerate(rules) if rule.name]
        )
        self.paths = tuple(
            _Path(parts, number) for number, rule in enumerate(rules) for parts in rule.paths
        )

    def level(self, paths: tuple[_Path, ...]) -> _Level:
        """The level where these paths are left to follow."""
        level = self._levels.get(paths)
        if level is None:
            here = self._tables(sorted(_ending_here(paths), key=lambda named: named.rule))
            both = zip(self._named, here, strict=True)
            level = self._levels[paths] = _Level(self, paths, *((*a, *b) for a, b in both))
        return level

    def _tables(self, named: Sequence[Named]) -> tuple[list[Names], list[Names]]:
        """For files and for folders; none where there is nothing to ask."""
        of_files = [item for item in named if not self._folders_only[item.rule]]
        return [Names(of_files)] if of_files else [], [Names(named)] if named else []


def _ending_here(paths: Iterable[_Path]) -> Iterator[Named]:
    for parts, rule in paths:
        last = parts[-1]
        if last is not None and all(part is None for part in parts[:-1]):
            yield Named(last, rule)


def _followed(paths: Iterable[_Path], name: str) -> tuple[_Path, ...]:
    """What is left of the rules in the folder of this name."""
    found: dict[_Path, None] = {}
    for path, rule in paths:
        parts = path
        while len(parts) > 1:
            first = parts[0]
            if first is not None:
                if first.matches(name):
                    found[_Path(parts[1:], rule)] = None
                break
            found[_Path(parts, rule)] = None
            parts = parts[1:]
    return tuple(found)


class Ignore:
    """The rules in force in one folder."""

    __slots__ = ("_for_files", "_for_folders", "_levels")

    def __init__(self, levels: tuple[_Level, ...] = ()) -> None:
        """Begin without rules."""
        self._levels = levels
        self._for_files = [(item.for_files, item.rules.says) for item in levels if item.for_files]
        self._for_folders = [
            (item.for_folders, item.rules.says) for item in levels if item.for_folders
        ]

    def with_rules(self, text: bytes) -> Ignore:
        """The rules in this folder when it has these of its own."""
        rules = _Rules(read(text))
        return Ignore((rules.level(rules.paths), *self._levels)) if rules.says else self

    def below(self, name: str) -> Ignore:
        """The rules in the folder of this name."""
        if not any(level.paths for level in self._levels):
            return self
        return Ignore(
            tuple(level.rules.level(_followed(level.paths, name)) for level in self._levels)
        )

    def ignores(self, name: str, *, folder: bool) -> bool:
        """Whether an entry of this folder is ignored; the last rule that speaks decides."""
        for tables, says in self._for_folders if folder else self._for_files:
            rule = tables[0].last(name)
            for table in tables[1:]:
                rule = max(rule, table.last(name))
            if rule >= 0:
                return says[rule]
        return False
