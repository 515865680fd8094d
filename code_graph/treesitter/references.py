"""References to names: all of them, or the uses of a file's own names that are stored."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from code_graph.facts.model import (
    MODULE,
    NEEDING_ROLES,
    Import,
    Reference,
    Use,
    number_names,
    sort_uses,
)
from code_graph.treesitter.docs import Above
from code_graph.treesitter.language_rules import Draft, Rules
from code_graph.treesitter.matches import PATTERNS, QueryMatches
from code_graph.treesitter.nesting import NumberedDeclarations
from code_graph.treesitter.outline_text import OutlineText
from code_graph.treesitter.source import LONGEST_CHAIN, Source, without_blanks

if TYPE_CHECKING:
    from tree_sitter import Node


class Owners:
    """The innermost declaration around any offset."""

    __slots__ = ("_draft_starts", "by_number", "drafts", "numbers", "starts")

    def __init__(self, drafts: list[Draft]) -> None:
        """Divide the text into ranges with one owner; drafts come outer before inner."""
        self.drafts = drafts
        self.by_number = {draft.number: draft for draft in drafts}
        self.starts = [0]
        self.numbers = [MODULE]
        self._draft_starts = [draft.start for draft in drafts]
        around: list[Draft] = []
        for draft in drafts:
            self._close(around, draft.start)
            around.append(draft)
            self._begin(draft.start, draft.number)
        self._close(around, 1 << 62)

    def at(self, offset: int) -> int:
        """The owner's number, or MODULE."""
        return self.numbers[bisect_right(self.starts, offset) - 1]

    def of_attribute(self, offset: int, row: int, above: Above) -> int:
        """The declaration that an attribute belongs to, usually the one below it."""
        around = self.at(offset)
        if around != MODULE and self.by_number[around].head_start > offset:
            return around
        after = bisect_right(self._draft_starts, offset)
        if after < len(self.drafts) and above.first_row(self.drafts[after].row) <= row:
            return self.drafts[after].number
        return self.at(offset)

    def of_base(self, rules: Rules, owner: int) -> int:
        """The declaration that a base belongs to: for an embedded field, its parent."""
        if owner == MODULE or self.by_number[owner].kind not in rules.leaves:
            return owner
        parent = self.by_number[owner].parent
        return MODULE if parent is None else parent.number

    def _close(self, around: list[Draft], offset: int) -> None:
        while around and around[-1].end <= offset:
            end = around.pop().end
            self._begin(end, around[-1].number if around else MODULE)

    def _begin(self, offset: int, number: int) -> None:
        self.starts.append(offset)
        self.numbers.append(number)


def list_references(
    rules: Rules,
    matches: QueryMatches,
    owners: Owners,
    above: Above,
    line_starts: list[int],
    source: Source,
    known: NameTable,
    declared: NumberedDeclarations,
) -> tuple[Reference, ...]:
    """References, one for each position; bases are also added to their declarations."""
    has_attributes = bool(matches.others["attribute"])
    text, builtins, filtered = source.text, rules.builtins, known.roles
    name_starts = declared.name_starts(rules)
    ends = [*owners.starts[1:], 1 << 62]
    lines = [*line_starts[1:], 1 << 62]
    found: list[Reference] = []
    written = _written_bases(rules, matches, owners, source)
    new, owned_by, spelled = tuple.__new__, owners.numbers, _QualifierSpelling()
    last, span, row = -1, 0, 0
    for place, node, qualifier_node, role in matches.references:
        start = place // PATTERNS
        if start == last or (start in name_starts and role != "base"):
            continue
        last = start
        name = text[start : node.end_byte]
        if role == "type" and name in builtins:
            continue
        if role in filtered:
            role = known.role(role, start, name, qualifier_node, text)  # noqa: PLW2901 refined
            if not role:
                continue
        while ends[span] <= start:
            span += 1
        while lines[row] <= start:
            row += 1
        qualifier = "" if qualifier_node is None else spelled[_end_of(qualifier_node, text)]
        owner = owned_by[span]
        if role == "decorator" and has_attributes:
            owner = owners.of_attribute(start, row, above)
        elif role == "base":
            owner = owners.of_base(rules, owner)
            _add_base(rules, owners, owner, name, qualifier, written)
        column = start - line_starts[row]
        # twice as fast as Reference(...), and references are the most frequent facts
        found.append(new(Reference, (name, qualifier, role, row + 1, column, owner)))
    return tuple(found)


class _QualifierSpelling(dict[str, str]):
    """Cache of qualifiers without blanks."""

    def __missing__(self, text: str) -> str:
        spelled = self[text] = without_blanks(text)
        return spelled


def _written_bases(rules: Rules, matches: QueryMatches, owners: Owners, source: Source) -> set[int]:
    """Add bases that are captured as written to declarations; returns the numbers of these."""
    with_bases: set[int] = set()
    for place in matches.others["extends"]:
        owner = owners.of_base(rules, owners.at(place.position // PATTERNS))
        if owner != MODULE:
            owners.by_number[owner].bases += (source.line_of(place.node),)
            with_bases.add(owner)
    return with_bases


def list_stored_uses(
    rules: Rules,
    matches: QueryMatches,
    owners: Owners,
    line_starts: list[int],
    source: Source,
    known: NameTable,
    outline: OutlineText,
    declared: NumberedDeclarations,
) -> tuple[Use, ...]:
    """The result of `list_uses` from all references; bases are also added to their declarations.

    Uses in bodies that were left out are among them.

    Few references are to names of the file, so most cost no more than finding that out.
    """
    text, filtered = source.text, known.roles
    numbers = number_names(declared.names())
    name_starts = declared.name_starts(rules)
    written = _written_bases(rules, matches, owners, source)
    found = set(outline.uses(numbers))
    last = -1
    for place, node, qualifier_node, role in matches.references:
        start = place // PATTERNS
        if start == last or (start in name_starts and role != "base"):
            continue
        last = start
        name = text[start : node.end_byte]
        if role == "base":
            before = "" if qualifier_node is None else without_blanks(_end_of(qualifier_node, text))
            owner = owners.of_base(rules, owners.at(start))
            _add_base(rules, owners, owner, name, before, written)
        elif name not in numbers:
            continue
        if role in filtered:
            role = known.role(role, start, name, qualifier_node, text)  # noqa: PLW2901 refined
        if role in NEEDING_ROLES and name in numbers:
            found.add((numbers[name], bisect_right(line_starts, start), name))
    return sort_uses(found)


def _add_base(
    rules: Rules, owners: Owners, owner: int, name: str, qualifier: str, written: set[int]
) -> None:
    """Add a base to its declaration, unless that has its bases as written."""
    if owner != MODULE and owner not in written:
        before = qualifier + rules.separator if qualifier else ""
        owners.by_number[owner].bases += (before + name,)


def _end_of(node: Node, text: str) -> str:
    """The end of a qualifier: else a chain of calls is copied once for each of its links."""
    end = node.end_byte
    return text[max(node.start_byte, end - LONGEST_CHAIN - 1) : end]


_FILTERED: Final = frozenset(("read", "write", "element", "none"))

_MAX_QUALIFIER: Final = 100


class NameTable:
    """The names of a file, which decide which of its references are kept."""

    __slots__ = ("_imports", "_members", "_names", "_next", "roles")

    def __init__(
        self,
        rules: Rules,
        matches: QueryMatches,
        drafts: Iterable[Draft],
        imports: Iterable[Import],
    ) -> None:
        """Collect declared and imported names; without `known_only` all references are kept."""
        # the roles of references that are filtered
        self.roles = _FILTERED if rules.known_only else frozenset[str]()
        drafts = drafts if rules.known_only else ()
        self._names = {one.alias for one in imports if one.module}
        for draft in drafts:
            holder = draft.parent
            if draft.is_member:
                continue
            if rules.implicit_self or holder is None or holder.kind not in rules.classes:
                self._names.add(draft.name)
        self._names -= rules.builtins
        # names including members, which count only with a qualifier
        self._members = {draft.name for draft in drafts}
        self._imports = [
            (place.position // PATTERNS, place.node.end_byte)
            for place in matches.others["import"]
            if "given" not in place.captures
        ]
        self._next = 0

    def role(self, role: str, start: int, name: str, qualifier: Node | None, text: str) -> str:
        """The role of a reference to keep, or empty to drop it."""
        if role == "none":
            return ""
        if role == "element":  # in lower case it is an HTML element, declared nowhere
            return "" if qualifier is None and name[:1].islower() else "call"
        return role if self._has(start, name, qualifier, text) else ""

    def _has(self, start: int, name: str, qualifier: Node | None, text: str) -> bool:
        """True if a name or its qualifier is known; names inside imports are not references."""
        imports = self._imports
        while self._next < len(imports) and imports[self._next][1] <= start:
            self._next += 1
        if self._next < len(imports) and imports[self._next][0] <= start:
            return False
        if qualifier is None:
            return name in self._names
        if name in self._members:
            return True
        start = qualifier.start_byte
        return text[start : min(qualifier.end_byte, start + _MAX_QUALIFIER)] in self._names
