"""Reads OWNERS files, of which each folder may have one: those of Chromium and of Kubernetes.

A folder adds to the owners of the folders around it, unless it says that it stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from code_graph.projects.tree import ancestors, below
from index_format.tuples import NamedTuple
from repo_mcp.owners.model import (
    Claim,
    ClaimTable,
    Owner,
    OwnerRole,
    PathPattern,
    ReadText,
)

OWNERS: Final = "OWNERS"
ALIASES: Final = "OWNERS_ALIASES"
_ROLES: Final = {"approvers": OwnerRole.OWNER, "reviewers": OwnerRole.REVIEWER}
_YAML: Final = re.compile(r"^(?:approvers|reviewers|filters|options|labels)\s*:", re.MULTILINE)
_PER_FILE: Final = re.compile(r"per-file\s+([^=]+?)\s*=\s*(.+)")
_INCLUDED: Final = re.compile(r"(?:file:(?://)?|include\s+(?:[^:\s]+:)?)(\S+)")
# an address, everybody, a name at a forge
_OWNER: Final = re.compile(r"[\w.+%-]+@[\w.-]+|\*|@?\w[\w./-]*|set noparent")
_ALONE: Final = "set noparent"
_NO_PARENTS: Final = "no_parent_owners"
_OPTIONS: Final = "options"
_FILTERS: Final = "filters"
_ALIAS_LIST: Final = "aliases"
_KEY: Final = re.compile(r"""(\s*)(?:"((?:\\.|[^"])*)"|'([^']*)'|([^\s:#'"-][^:#]*))\s*:\s*(.*)""")
_ITEM: Final = re.compile(r"\s*-\s+(.*)")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
# files that include one another
_DEEPEST: Final = 8
_MOST_KEPT: Final = 20_000


class _FolderOwners(NamedTuple):
    """The claims of a folder's file; for files that have one of `alone` no others count."""

    claims: ClaimTable
    alone: ClaimTable


class _Row(NamedTuple):
    """An owner, or what else a line of a file has, and the pattern of files that it is for."""

    text: str
    line: int
    path: str
    pattern: str = ""


class OwnersFiles:
    """The claims of the OWNERS files of one tree; each is read when it is first asked for."""

    def __init__(self, paths: Iterable[str], read_text: ReadText) -> None:
        named = [path for path in paths if path.rpartition("/")[2] in {OWNERS, ALIASES}]
        self._paths = [path for path in named if path.endswith(OWNERS)]
        self._known = frozenset(self._paths)
        self._aliases = [path for path in named if path.endswith(ALIASES)]
        self._read_text = read_text
        self._of = lru_cache(_MOST_KEPT)(self._read)
        self._named = lru_cache(1)(self._read_aliases)

    def every(self) -> Iterator[Claim]:
        """All that are made for any file."""
        return chain.from_iterable(self._of(path).claims for path in self._paths)

    def claims(self, path: str) -> list[Claim]:
        """The claims that hold for a file, of the nearest folders first."""
        found: list[Claim] = []
        for folder in ancestors(path.rpartition("/")[0]):
            owners_path = below(folder, OWNERS)
            if owners_path in self._known:
                said = self._of(owners_path)
                alone = said.alone.of(path)
                # what is said of the file itself comes first, and may stand for the folder's
                claims = said.claims.of(path)
                if alone and alone[0].pattern:
                    return [*found, *(claim for claim in claims if claim.pattern)]
                found += claims
                if alone:
                    break
        return found

    def _read(self, path: str) -> _FolderOwners:
        text = self._read_text(path) or ""
        return self._of_yaml(path, text) if _YAML.search(text) else self._of_rows(path, text)

    def _of_rows(self, path: str, text: str) -> _FolderOwners:
        folder = path.rpartition("/")[0]
        rows = [*dict.fromkeys(self._rows(path, text, frozenset({path})))]
        claims, alone = list[Claim](), list[Claim]()
        for pattern in sorted({row.pattern for row in rows}, reverse=True):
            own = [row for row in rows if row.pattern == pattern]
            # such a pattern names files of this folder alone
            files = PathPattern.of(folder, f"/{pattern}", opens=False)
            owners = tuple(Owner(row.text) for row in own if row.text != _ALONE)
            if files is not None:
                claim = Claim(files, owners, own[0].path, own[0].line, pattern=pattern)
                claims += [claim] if owners else []
                alone += [claim] if len(owners) < len(own) else []
        return _FolderOwners(ClaimTable(claims), ClaimTable(alone))

    def _rows(self, path: str, text: str, above: frozenset[str]) -> Iterator[_Row]:
        """The rows of a file, with those of the files that it includes in their place.

        `above` are the files that include it, and itself.
        """
        for number, line in enumerate(text.splitlines(), 1):
            row = _COMMENT.sub("", line).strip()
            per_file = _PER_FILE.fullmatch(row)
            patterns = re.split(r"\s*,\s*", per_file[1]) if per_file else [""]
            for value in re.split(r"\s*,\s*", per_file[2]) if per_file else filter(None, [row]):
                included = _INCLUDED.fullmatch(value)
                rows = [_Row(value, number, path)] if _OWNER.fullmatch(value) else []
                if included is not None:
                    rows = [*self._included(path, included[1], above)]
                for pattern in patterns:
                    yield from (item._replace(pattern=pattern or item.pattern) for item in rows)

    def _included(self, path: str, name: str, above: frozenset[str]) -> Iterator[_Row]:
        folder = path.rpartition("/")[0]
        for target in (name.lstrip("/"), below(folder, name)):
            text = None if target in above else self._read_text(target)
            if text is not None and len(above) < _DEEPEST:
                rows = self._rows(target, text, above | {target})
                return (row for row in rows if row.text != _ALONE and not row.pattern)
        return iter(())

    def _of_yaml(self, path: str, text: str) -> _FolderOwners:
        folder = path.rpartition("/")[0]
        known = self._named()
        owners: dict[str, list[Owner]] = {}
        lines: dict[str, int] = {}
        is_alone = False
        for keys, value, number in _yaml_rows(text):
            *outer, key = keys
            if keys == (_OPTIONS, _NO_PARENTS):
                is_alone = value == "true"
            elif key in _ROLES and (not outer or (outer[0] == _FILTERS and len(outer) == 2)):
                pattern = outer[1] if outer else ""
                lines.setdefault(pattern, number)
                own = owners.setdefault(pattern, [])
                own += (Owner(name, _ROLES[key]) for name in known.get(value.lower(), [value]))
        claims = [
            Claim(files, tuple(own), path, lines[pattern], pattern=pattern)
            for pattern, own in owners.items()
            if (files := PathPattern.found_by(folder, pattern)) is not None
        ]
        alone = [Claim(PathPattern(folder), (), path, 1)] if is_alone else []
        return _FolderOwners(ClaimTable(claims), ClaimTable(alone))

    def _read_aliases(self) -> Mapping[str, Sequence[str]]:
        known: dict[str, list[str]] = {}
        for path in self._aliases:
            for keys, value, _ in _yaml_rows(self._read_text(path) or ""):
                if keys[0] == _ALIAS_LIST and len(keys) == 2:
                    known.setdefault(keys[1].lower(), []).append(value)
        return known


def _yaml_rows(text: str) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """The scalars of mappings and lists of such, with the keys around each, and its line."""
    above: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        row = _COMMENT.sub("", line).rstrip()
        if (item := _ITEM.fullmatch(row)) and above:
            yield tuple(key for _, key in above), _plain(item[1]), number
        elif (match := _KEY.fullmatch(row)) is not None:
            indent = len(match[1])
            above = [outer for outer in above if outer[0] < indent]
            quoted = match[2].replace("\\\\", "\\") if match[2] is not None else match[3]
            above.append((indent, quoted if quoted is not None else match[4].strip()))
            keys = tuple(key for _, key in above)
            value = match[5].strip()
            values = value[1:-1].split(",") if value.startswith("[") else [value]
            yield from ((keys, _plain(part), number) for part in values if part.strip())


def _plain(value: str) -> str:
    return value.strip().strip("\"'")
