"""What git would ignore: rules of every folder on the way, the deepest first.

Read are `.gitignore` in each folder and `.git/info/exclude`; not read are rules from outside the
repository. A file that git tracks although a rule names it counts as ignored here.

A rule speaks of an entry itself; what lies below an ignored folder is not asked about. Rules with a
slash are followed down name by name, so that in each folder only names are left to compare: most
folders have no such rule left, and the tables for the others are shared by all folders of a level.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from repo_mcp.indexing.walk.gitignore_parts import Kind, Part, Parts, name_part, sequences

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
            [NameRule(rule.name, number) for number, rule in enumerate(rules) if rule.name]
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

    def _tables(self, named: Sequence[NameRule]) -> tuple[list[Names], list[Names]]:
        """For files and for folders; none where there is nothing to ask."""
        of_files = [item for item in named if not self._folders_only[item.rule]]
        return [Names(of_files)] if of_files else [], [Names(named)] if named else []


def _ending_here(paths: Iterable[_Path]) -> Iterator[NameRule]:
    for parts, rule in paths:
        last = parts[-1]
        if last is not None and all(part is None for part in parts[:-1]):
            yield NameRule(last, rule)


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


_MAX_BYTES: Final = 1 << 20  # what the sandbox reads of such a file
_MAX_RULES: Final = 20_000  # more are no rules but an attack on the reader's time
_EVERYTHING: Final = {b"*", b"**"}
_BOM: Final = b"\xef\xbb\xbf"
_MAX_LENGTH: Final = 4096  # no path is longer; without a limit one line could take minutes


class Rule(NamedTuple):
    """One line: what it says, of what, and the names or paths it speaks of."""

    ignores: bool
    folders_only: bool
    name: Part | None
    paths: Sequence[Parts]


def read(text: bytes) -> list[Rule]:
    """The rules of a file, in its order; a line that git can match with nothing gives none."""
    if len(text) >= _MAX_BYTES:  # half a rule may say more than the whole one
        text = text[: text.rfind(b"\n") + 1]
    lines = text.removeprefix(_BOM).split(b"\n")
    found = (_rule(_trimmed(line)) for line in lines if not line.startswith(b"#"))
    return [rule for rule in islice(found, _MAX_RULES) if rule is not None]


def without_everything(text: bytes) -> bytes:
    """The file without the rules that every name fits."""
    lines = text.removeprefix(_BOM).split(b"\n")
    return b"\n".join(line for line in lines if _trimmed(line).strip(b"/") not in _EVERYTHING)


def _trimmed(line: bytes) -> bytes:
    """Without what ends the line and the blanks before that; a backslash keeps one of them."""
    text = line.removesuffix(b"\r").partition(b"\0")[0]
    kept = text.rstrip(b" ")
    backslashes = len(kept) - len(kept.rstrip(b"\\"))
    return text[: len(kept) + backslashes % 2]


def _rule(line: bytes) -> Rule | None:
    ignores = not line.startswith(b"!")
    pattern = line if ignores else line[1:]
    folders_only = pattern.endswith(b"/")
    pattern = pattern.removesuffix(b"/")
    if not pattern or len(pattern) > _MAX_LENGTH:
        return None
    if b"/" in pattern:
        paths = sequences(pattern.removeprefix(b"/"))
        return Rule(ignores, folders_only, None, paths) if paths else None
    name = name_part(pattern)
    return Rule(ignores, folders_only, name, ()) if name else None


class NameRule(NamedTuple):
    """A part that decides about names in this folder, by the rule of this number."""

    part: Part
    rule: int


class Names:
    """Tables of texts, and expressions, each with the last rule that has it."""

    __slots__ = ("_beginnings", "_dotted", "_endings", "_exact", "_expressions", "_first", "_last")

    def __init__(self, named: Iterable[NameRule]) -> None:
        """Sort into tables; the numbers rise."""
        self._exact: dict[str, int] = {}
        self._dotted: dict[str, int] = {}  # `*.o`: by far the most common
        self._beginnings: dict[str, int] = {}
        self._endings: dict[str, int] = {}
        self._expressions: dict[re.Pattern[bytes], tuple[str, int]] = {}
        for part, rule in named:
            if part.expression is not None:
                self._expressions[part.expression] = part.text, rule
            else:
                self._table(part)[part.text] = rule
        self._first = tuple(self._beginnings)
        self._last = tuple(self._endings)

    def _table(self, part: Part) -> dict[str, int]:
        if part.kind is Kind.EXACT:
            return self._exact
        if part.kind is Kind.BEGINNING:
            return self._beginnings
        return self._dotted if part.text.rfind(".") == 0 else self._endings

    def last(self, name: str) -> int:
        """The number of the last rule that speaks of it; -1 when none does."""
        found = self._exact.get(name, -1)
        dotted = self._dotted.get(name[name.rfind(".") :], -1)
        found = max(found, dotted)
        if self._first and name.startswith(self._first):
            found = max(found, *_spoken(self._beginnings, name.startswith))
        if self._last and name.endswith(self._last):
            found = max(found, *_spoken(self._endings, name.endswith))
        for expression, (text, rule) in self._expressions.items():
            if text in name and rule > found and expression.fullmatch(name.encode()):
                found = rule
        return found


def _spoken(table: dict[str, int], says: Callable[[str], bool]) -> list[int]:
    return [rule for text, rule in table.items() if says(text)]
