"""Measures whether the first hit of ranked search for a declared name is its definition.

    python -m bench.search.definitions TREE... [--names 60] [--keep FOLDER] [--missed]
        [--form NAME]

Names are drawn from what universal-ctags finds in each tree, always the same ones: functions,
methods, types, and what it sees outside of all (constants, variables). Those are left out that are
declared in tests, fixtures, examples and documentation only. A query is the bare name; `--form
keyword` asks for `class Name` or `def name`, `--form member` for `Holder.name`. Right is a first
hit that has the first line of a definition of that name in code proper, of any kind that ctags
knows; `whole` counts those that have all lines of the definition, if these are at most 40.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.ranking.definitions import end_by_indentation, tags
from bench.ranking.metrics import Ranked
from bench.ranking.ours import ours
from repo_mcp.text.files import decode

_ASIDE: Final = re.compile(
    r"(^|/)(__)?(t|tests?|testing|testdata|specs?|e2e|fixtures?|mocks?|examples?|samples?|demos?|docs?"
    r"|documentation|benchmarks?|bench|playgrounds?|node_modules|vendor|third_party|dist)(__)?/"
    r"|(^|/)(test_[^/]*|conftest\.py|[^/]*(_test|[.-](test|spec))\.\w+)$|\.min\.js$"
)
_FUNCTIONS: Final = frozenset({"func", "function", "generator", "member", "method"})
_TYPES: Final = frozenset(
    {"alias", "class", "enum", "interface", "struct", "trait", "type", "typedef", "union"}
)
_VALUES: Final = frozenset({"constant", "const", "variable", "var"})
_NAME: Final = re.compile(r"[^\W\d_]\w*|_\w*[^\W\d_]\w*")
_SHORTEST: Final = 3
_SHORT: Final = 40
# bytes of a hash that tell whether a name is of a share, and how many of them there are
_HASHED: Final = 4
_HASHES: Final = 1 << (8 * _HASHED)


class Definition(NamedTuple):
    """Where a name is declared, as ctags sees it."""

    name: str
    kind: str  # function, type or value; empty for what is not drawn: members, locals
    holder: str
    path: str
    first: int
    last: int


class Figures(NamedTuple):
    """Counts of names that were asked for, and of first hits that were right, and whole."""

    asked: int
    right: int
    whole: int


def definitions(root: Path, share: float = 1.0) -> Iterator[Definition]:
    """All definitions outside of what stands aside, of a share of the names, drawn by chance."""
    rows: dict[str, Sequence[str]] = {}
    most = share * _HASHES
    for tag in tags(root):
        path, line = tag["path"], tag.get("line", 0)
        kind = _kind(tag)
        if share < 1 and int.from_bytes(_hash(root, tag["name"])[:_HASHED]) > most:
            continue
        if _ASIDE.search(path) or not _NAME.fullmatch(tag["name"]):
            continue
        if path not in rows:
            rows[path] = _rows(root / path)
        if not 0 < line <= len(rows[path]):
            continue
        last = tag.get("end") or (
            line if kind in {"value", ""} else end_by_indentation(rows[path], line)
        )
        holder = tag.get("scope", "").rpartition(".")[2]
        yield Definition(tag["name"], kind, holder, path, line, max(line, last))


def _rows(path: Path) -> list[str]:
    text = decode(path.read_bytes())
    return [] if text is None else text.content.split("\n")


def _kind(tag: Mapping[str, Any]) -> str:
    kind = tag.get("kind")
    if kind in _FUNCTIONS:
        return "" if tag.get("scopeKind") in _FUNCTIONS else "function"
    if kind in _TYPES:
        return "type"
    return "value" if kind in _VALUES and not tag.get("scope") else ""


def draw(root: Path, count: int, share: float = 1.0) -> list[list[Definition]]:
    """The definitions of some names, drawn by chance, but always the same.

    Of a very large tree a share of the names is enough to draw from.
    """
    every = defaultdict[str, list[Definition]](list)
    for item in definitions(root, share):
        every[item.name].append(item)
    names = sorted(
        (
            name
            for name, items in every.items()
            if len(name) >= _SHORTEST and any(item.kind for item in items)
        ),
        key=lambda name: _hash(root, name),
    )
    return [sorted(every[name], key=lambda item: not item.kind) for name in names[:count]]


def _hash(root: Path, name: str) -> bytes:
    return hashlib.sha256(f"{root.name} {name}".encode()).digest()


def query_for(items: Sequence[Definition], form: str) -> str:
    """A query that names the definitions: bare, after a keyword, or as a member of its holder."""
    item = items[0]
    if form == "keyword":
        if item.kind == "value":
            return item.name
        is_python = item.path.endswith(".py")
        word = "class" if item.kind == "type" else "def" if is_python else "function"
        return f"{word} {item.name}"
    return f"{item.holder}.{item.name}" if form == "member" and item.holder else item.name


def judge(first: Ranked | None, items: Sequence[Definition], query: str) -> tuple[bool, bool]:
    """Two answers: a hit covers a definition, and it shows all of a short one."""
    if first is None:
        return False, False
    right = whole = False
    for item in items:
        named = "." not in query or query == f"{item.holder}.{item.name}"
        if named and item.path == first.path and first.first <= item.first <= first.last:
            right = True
            is_short = item.last - item.first < _SHORT
            whole |= not is_short or first.last >= item.last
    return right, whole


def measure(root: Path, data: Path, count: int, form: str, *, missed: bool) -> Figures:
    """Asks for names of one tree."""
    search = ours(root, data, {})
    right = whole = 0
    drawn = draw(root, count)
    for items in drawn:
        query = query_for(items, form)
        first = next(iter(search(query, 10)), None)
        is_right, is_whole = judge(first, items, query)
        right += is_right
        whole += is_whole
        if missed and not (is_right and is_whole):
            places = ", ".join(f"{item.path}:{item.first}-{item.last}" for item in items[:3])
            hit = f"{first.path}:{first.first}-{first.last}" if first else "nothing"
            mark = "part" if is_right else "WRONG"
            print(f"  {mark} {query} ({items[0].kind}): {hit}, not {places}")
    return Figures(len(drawn), right, whole)


def main() -> None:
    """Print the figures of each tree, and of all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--names", type=int, default=60)
    parser.add_argument("--form", choices=("bare", "keyword", "member"), default="bare")
    parser.add_argument("--keep", type=Path, help="indexes, for later runs")
    parser.add_argument("--missed", action="store_true", help="print the names that were missed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        keep = args.keep or Path(made)
        for tree in args.trees:
            root = tree.resolve()
            found = measure(root, keep / root.name, args.names, args.form, missed=args.missed)
            print(json.dumps({"tree": root.name, "form": args.form, **found._asdict()}))


if __name__ == "__main__":
    main()
