"""Declarations that differ between two versions of files: new, gone, renamed, moved, or changed.

A declaration is the same in both versions if it has the same kind and name inside of the same
others. One that is gone and one that is new are one, if they are alike: under another name in the
same place, or in another file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, Literal, get_args

from code_graph import language_named
from code_graph.facts import Declaration, Facts
from code_graph.word_places import code_alone
from index_format.tuples import NamedTuple
from repo_mcp.git import LineSpans

# in the order of an answer: what may break others first
ChangeKind = Literal["removed", "renamed", "moved", "signature", "changed", "added", "cosmetic"]

_BLANKS: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"\w+")
_VALUES: Final = frozenset({"variable", "constant", "field", "property"})
# parts of the larger one that two declarations have in common, if they are one
_ALIKE: Final = 0.6
# bytes of a body that says enough to tell it from others
_TELLING: Final = 40
# pairs of gone and new declarations that are compared in full
_MOST_PAIRS: Final = 40_000


class FileVersions(NamedTuple):
    """A file before and after; None where it is not there, or its language is not known."""

    old_path: str
    path: str
    old: tuple[str, Facts] | None
    new: tuple[str, Facts] | None
    # name of its language, which tells comments from code
    language: str = ""


class DeclaredChange(NamedTuple):
    """A declaration that differs; paths and lines are 0 and empty where it is not there."""

    kind: ChangeKind
    what: str  # class, function, …
    name: str  # with the names of those around it
    path: str
    line: int
    end_line: int = 0
    signature: str = ""
    old_name: str = ""
    old_path: str = ""
    old_line: int = 0
    old_signature: str = ""
    # as they are declared before and after
    before: Declaration | None = None
    behind: Declaration | None = None


class _DeclaringFile(NamedTuple):
    """A version of a file, by lines."""

    path: str
    rows: Sequence[str]
    language: str


class _DeclarationNode:
    """A declaration of one version of a file, with those inside of it."""

    def __init__(self, file: _DeclaringFile, item: Declaration, outer: str) -> None:
        self.path, self.item, self.outer = file.path, item, outer
        self.name = outer + item.name
        self.inside: list[_DeclarationNode] = []
        self._rows, self._language = file.rows, file.language

    @cached_property
    def own_lines(self) -> bytes:
        """Its text without that of those inside of it, and without changes of blanks."""
        inner = [range(item.item.start_line, item.item.end_line + 1) for item in self.inside]
        lines = range(self.item.start_line, self.item.end_line + 1)
        own = (line for line in lines if not any(line in part for part in inner))
        rows = (_BLANKS.sub(" ", self._rows[line - 1]).strip() for line in own)
        return "\n".join(row for row in rows if row).encode("utf-8", "surrogatepass")

    @cached_property
    def code(self) -> str:
        """The same without comments, where its language is known."""
        text = self.own_lines.decode("utf-8", "surrogatepass")
        return code_alone(text, language_named(self._language)) if self._language else text

    @cached_property
    def nameless(self) -> LineSpans:
        """Its whole text, with one word for its own name."""
        rows = self._rows[self.item.start_line - 1 : self.item.end_line]
        text = "\n".join(row.strip() for row in rows)
        name = self.item.name
        marked = _WORD.sub(lambda word: "\0" if word[0] == name else word[0], text)
        return LineSpans(f"{marked}\n".encode("utf-8", "surrogatepass"))

    @cached_property
    def interface(self) -> str:
        """Everything that those who use it see of it."""
        item = self.item
        # the signature of a variable has its value
        signature = "" if item.kind in _VALUES else item.signature
        parts = (signature, item.parameters, item.returns, item.access)
        rest = (*item.bases, *sorted(item.modifiers))
        return _BLANKS.sub("", "\0".join((*parts, *rest)))


def compare_declarations(
    files: Iterable[FileVersions], check: Callable[[], None] = lambda: None
) -> list[DeclaredChange]:
    """The declarations that differ in these files, by kind, then by path and line.

    Of one that is new or gone, those inside of it are not told.
    """
    comparison = _Comparison(check)
    for file in files:
        check()
        before = _declared_in(file.old_path, file.old, file.language)
        behind = _declared_in(file.path, file.new, file.language)
        comparison.compare(before, behind)
    comparison.join()
    order = {kind: number for number, kind in enumerate(get_args(ChangeKind))}
    return sorted(
        comparison.found,
        key=lambda item: (order[item.kind], item.path or item.old_path, item.line, item.old_line),
    )


def _declared_in(
    path: str, version: tuple[str, Facts] | None, language: str
) -> list[_DeclarationNode]:
    """The outermost declarations of a file."""
    if version is None:
        return []
    text, facts = version
    file = _DeclaringFile(path, text.split("\n"), language)
    top: list[_DeclarationNode] = []
    made: list[_DeclarationNode | None] = []
    for item in facts.declarations:
        holder = made[item.parent] if 0 <= item.parent < len(made) else None
        if item.end_line > len(file.rows):  # facts of another text
            made.append(None)
            continue
        declared = _DeclarationNode(file, item, "" if holder is None else f"{holder.name}.")
        (top if holder is None else holder.inside).append(declared)
        made.append(declared)
    return top


class _Comparison:
    """Compares declarations file by file, and in the end those that are left."""

    def __init__(self, check: Callable[[], None]) -> None:
        self.found: list[DeclaredChange] = []
        self._gone: list[_DeclarationNode] = []
        self._new: list[_DeclarationNode] = []
        self._check = check

    def compare(
        self, before: Sequence[_DeclarationNode], behind: Sequence[_DeclarationNode]
    ) -> None:
        """Compare declarations that are side by side with those of the other version."""
        there: defaultdict[tuple[str, str], list[_DeclarationNode]] = defaultdict(list)
        for item in behind:
            there[item.item.kind, item.item.name].append(item)
        left: list[_DeclarationNode] = []
        for one in before:  # of overloads, those with the same parameters first
            others = there[one.item.kind, one.item.name]
            same = next((item for item in others if item.interface == one.interface), None)
            if same is None:
                left.append(one)
            else:
                others.remove(same)
                self._compare_pair(one, same)
        for one in left:
            others = there[one.item.kind, one.item.name]
            if others:
                self._compare_pair(one, others.pop(0))
            else:
                self._gone.append(one)
        self._new += [item for items in there.values() for item in items]

    def _compare_pair(self, one: _DeclarationNode, other: _DeclarationNode) -> None:
        if one.interface != other.interface:
            self.found.append(_change("signature", one, other))
        elif one.own_lines != other.own_lines:
            kind: ChangeKind = "cosmetic" if one.code == other.code else "changed"
            self.found.append(_change(kind, one, other))
        self.compare(one.inside, other.inside)

    def join(self) -> None:
        """Take a declaration that is gone and a new one as one where they are alike.

        Those inside of others may have been moved out of them, or into them.
        """
        while self._gone or self._new:
            gone, new = self._gone, self._new
            self._gone, self._new = [], []
            old, made = list(_with_inner(gone)), list(_with_inner(new))
            pairs = self._alike(old, made)
            for number, place in pairs.items():
                one, other = old[number][0], made[place][0]
                is_renamed = one.item.name != other.item.name
                self.found.append(_change("renamed" if is_renamed else "moved", one, other))
                # those inside of them are compared, and may leave more to be joined
                self.compare(one.inside, other.inside)
            joined = {id(old[number][0]) for number in pairs}
            joined |= {id(made[place][0]) for place in pairs.values()}
            self.found += [
                _change("removed", item, None) for item in gone if id(item) not in joined
            ]
            self.found += [_change("added", None, item) for item in new if id(item) not in joined]

    def _alike(self, gone: Sequence[_Placed], new: Sequence[_Placed]) -> dict[int, int]:
        """The numbers of those that are one: outer ones first, and the most alike."""
        by_kind: defaultdict[str, list[int]] = defaultdict(list)
        for place, (item, _) in enumerate(new):
            by_kind[item.item.kind].append(place)
        scores: list[tuple[bool, float, int, int]] = []
        budget = _MOST_PAIRS
        for number, (one, is_inner) in enumerate(gone):
            self._check()
            for place in by_kind[one.item.kind]:
                other, is_other_inner = new[place]
                budget -= 1
                score = _likeness(one, other) if budget > 0 else 0.0
                if score >= _ALIKE:
                    scores.append((is_inner or is_other_inner, -score, number, place))
        found: dict[int, int] = {}
        used: set[int] = set()
        for _, _, number, place in sorted(scores):
            one, other = gone[number][0], new[place][0]
            if used.isdisjoint({id(one), id(other)}):
                found[number] = place
                used |= {id(item) for item, _ in _with_inner([one, other])}
        return found


# a declaration, and whether it is inside of one that is gone or new as a whole
_Placed = tuple[_DeclarationNode, bool]


def _with_inner(items: Iterable[_DeclarationNode], *, is_inner: bool = False) -> Iterator[_Placed]:
    for item in items:
        yield item, is_inner
        yield from _with_inner(item.inside, is_inner=True)


def _likeness(one: _DeclarationNode, other: _DeclarationNode) -> float:
    """The part of the larger one that both have; 0 for what can't be one declaration."""
    is_renamed = one.item.name != other.item.name
    if is_renamed and (one.path, one.outer) != (other.path, other.outer):
        return 0.0
    larger = max(one.nameless.size, other.nameless.size)
    if is_renamed and larger < _TELLING:
        return 0.0
    return one.nameless.common(other.nameless) / max(larger, 1)


def _change(
    kind: ChangeKind, one: _DeclarationNode | None, other: _DeclarationNode | None
) -> DeclaredChange:
    shown = other or one
    assert shown is not None  # noqa: S101 one of both is there
    item = shown.item
    return DeclaredChange(
        kind,
        item.kind,
        shown.name,
        "" if other is None else other.path,
        0 if other is None else other.item.name_line,
        0 if other is None else other.item.end_line,
        "" if other is None else other.item.signature,
        "" if one is None or one.name == shown.name else one.name,
        "" if one is None else one.path,
        0 if one is None else one.item.name_line,
        "" if one is None else one.item.signature,
        None if one is None else one.item,
        None if other is None else other.item,
    )
