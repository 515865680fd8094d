"""Git's ignore rules: those of every folder on the path, the deepest first.

Reads `.gitignore` in each folder and `.git/info/exclude`, no rules from outside the repository. A
tracked file that matches a rule counts as ignored here.

A rule matches the entry itself; entries below an ignored folder are never matched. Rules with a
slash lose one name per folder on the way down, so that in each folder only names are compared: most
folders have no such rule left, and the tables for the others are shared by all folders of a level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import xxhash

from index_format.tuples import NamedTuple
from repo_mcp.indexing.walk.gitignore_parts import Kind, Part, Parts, name_part, part_sequences

RULES_NAME: Final = ".gitignore"
EXCLUDE_NAME: Final = ".git/info/exclude"


class _Path(NamedTuple):
    """The parts of a rule with a slash that are still to be matched below a folder."""

    parts: Parts
    rule: int


class _Level(NamedTuple):
    """One rule file's rules in one folder: tables for files and folders, and remaining paths."""

    rules: _Rules
    paths: tuple[_Path, ...]
    for_files: Sequence[Names]
    for_folders: Sequence[Names]


class _Rules:
    """The rules of one file, with a cached level for each set of remaining paths."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.ignores = [rule.ignores for rule in rules]
        self._folders_only = [rule.folders_only for rule in rules]
        self._levels: dict[tuple[_Path, ...], _Level] = {}
        self._named = self._tables(
            [NameRule(rule.name, number) for number, rule in enumerate(rules) if rule.name]
        )
        self.paths = tuple(
            _Path(parts, number) for number, rule in enumerate(rules) for parts in rule.paths
        )

    def level(self, paths: tuple[_Path, ...]) -> _Level:
        """The level with these remaining paths."""
        level = self._levels.get(paths)
        if level is None:
            here = self._tables(sorted(_ending_here(paths), key=lambda named: named.rule))
            both = zip(self._named, here, strict=True)
            level = self._levels[paths] = _Level(self, paths, *((*a, *b) for a, b in both))
        return level

    def _tables(self, named: Sequence[NameRule]) -> tuple[list[Names], list[Names]]:
        """Tables for files and for folders; empty tables are left out."""
        of_files = [item for item in named if not self._folders_only[item.rule]]
        return [Names(of_files)] if of_files else [], [Names(named)] if named else []


def _ending_here(paths: Iterable[_Path]) -> Iterator[NameRule]:
    for parts, rule in paths:
        last = parts[-1]
        if last is not None and all(part is None for part in parts[:-1]):
            yield NameRule(last, rule)


def _paths_below(paths: Iterable[_Path], name: str) -> tuple[_Path, ...]:
    """The paths that remain below the folder with this name."""
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


class IgnoreRules:
    """The rules in force in one folder."""

    __slots__ = ("_for_files", "_for_folders", "_levels", "signature")

    def __init__(self, levels: tuple[_Level, ...] = (), signature: bytes = b"") -> None:
        """Begin without rules; `signature` is of the rule files from which the levels are."""
        self._levels = levels
        # equal ones of the same folder at two times decide alike
        self.signature = signature
        self._for_files = [
            (item.for_files, item.rules.ignores) for item in levels if item.for_files
        ]
        self._for_folders = [
            (item.for_folders, item.rules.ignores) for item in levels if item.for_folders
        ]

    def with_rules(self, text: bytes) -> IgnoreRules:
        """These rules plus those of the folder's own rule file."""
        rules = _Rules(parse_rules(text))
        if not rules.ignores:
            return self
        signature = xxhash.xxh3_128_digest(self.signature + text)
        return IgnoreRules((rules.level(rules.paths), *self._levels), signature)

    def below(self, name: str) -> IgnoreRules:
        """The rules in force in the subfolder with this name."""
        if not any(level.paths for level in self._levels):
            return self
        return IgnoreRules(
            tuple(level.rules.level(_paths_below(level.paths, name)) for level in self._levels),
            self.signature,
        )

    def ignores(self, name: str, *, folder: bool) -> bool:
        """True if an entry of this folder is ignored."""
        return self.verdict(name, folder=folder) is True

    def verdict(self, name: str, *, folder: bool) -> bool | None:
        """True if the last rule that matches ignores an entry; None where none matches."""
        for tables, ignores in self._for_folders if folder else self._for_files:
            rule = tables[0].last(name)
            for table in tables[1:]:
                rule = max(rule, table.last(name))
            if rule >= 0:
                return ignores[rule]
        return None


_MAX_BYTES: Final = 1 << 20  # the sandbox cuts rule files here
_MAX_RULES: Final = 20_000  # more rules would be an attack on the walk's time
_EVERYTHING: Final = {b"*", b"**"}
_BOM: Final = b"\xef\xbb\xbf"
_MAX_LENGTH: Final = 4096  # no path is longer; without a limit one line could take minutes


class Rule(NamedTuple):
    """One line of a rule file; it has a name, or paths if it contains a slash."""

    ignores: bool
    folders_only: bool
    name: Part | None
    paths: Sequence[Parts]


def parse_rules(text: bytes) -> list[Rule]:
    """The rules of a file, in order, without lines that can't match anything in git."""
    if len(text) >= _MAX_BYTES:  # a rule cut in half may match more than the whole one
        text = text[: text.rfind(b"\n") + 1]
    lines = text.removeprefix(_BOM).split(b"\n")
    found = (_rule(_trim(line)) for line in lines if not line.startswith(b"#"))
    return [rule for rule in islice(found, _MAX_RULES) if rule is not None]


def drop_match_all_rules(text: bytes) -> bytes:
    """The file without the rules that match every name."""
    lines = text.removeprefix(_BOM).split(b"\n")
    return b"\n".join(line for line in lines if _trim(line).strip(b"/") not in _EVERYTHING)


def _trim(line: bytes) -> bytes:
    """The line without its end and trailing blanks; a backslash keeps one blank."""
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
        paths = part_sequences(pattern.removeprefix(b"/"))
        return Rule(ignores, folders_only, None, paths) if paths else None
    name = name_part(pattern)
    return Rule(ignores, folders_only, name, ()) if name else None


class NameRule(NamedTuple):
    """A part to match names in this folder with, and the number of its rule."""

    part: Part
    rule: int


class Names:
    """Tables of literals and expressions, each with the number of its last rule."""

    __slots__ = ("_beginnings", "_dotted", "_endings", "_exact", "_expressions", "_first", "_last")

    def __init__(self, named: Iterable[NameRule]) -> None:
        """Fill the tables; rule numbers ascend."""
        self._exact: dict[str, int] = {}
        self._dotted: dict[str, int] = {}  # `*.o`: the most common form
        self._beginnings: dict[str, int] = {}
        self._endings: dict[str, int] = {}
        self._expressions: dict[Part, int] = {}
        for part, rule in named:
            if part.kind is Kind.EXPRESSION:
                self._expressions[part] = rule
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
        """The number of the last rule that matches the name, or -1."""
        found = self._exact.get(name, -1)
        dotted = self._dotted.get(name[name.rfind(".") :], -1)
        found = max(found, dotted)
        if self._first and name.startswith(self._first):
            found = max(found, *_matching_rules(self._beginnings, name.startswith))
        if self._last and name.endswith(self._last):
            found = max(found, *_matching_rules(self._endings, name.endswith))
        for part, rule in self._expressions.items():
            if rule > found and part.matches(name):
                found = rule
        return found


def _matching_rules(table: dict[str, int], matches: Callable[[str], bool]) -> list[int]:
    return [rule for text, rule in table.items() if matches(text)]
