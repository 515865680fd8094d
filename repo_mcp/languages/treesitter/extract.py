"""Extracts facts from a syntax tree: one query, then one pass over its matches."""

from __future__ import annotations

import importlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from repo_mcp.languages.code import FileCode
from repo_mcp.languages.facts.model import (
    FULL,
    MODULE,
    PARTIAL,
    Declaration,
    Facts,
    Import,
    Reference,
)
from repo_mcp.languages.treesitter.docs import Above
from repo_mcp.languages.treesitter.grammar import Grammar
from repo_mcp.languages.treesitter.language_rules import Draft, Rules
from repo_mcp.languages.treesitter.matches import PATTERNS, Matches, run_query
from repo_mcp.languages.treesitter.nesting import nest
from repo_mcp.languages.treesitter.source import (
    LONGEST_CHAIN,
    MAX_SOURCE,
    Source,
    one_line,
    without_blanks,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from repo_mcp.languages.treesitter.code.lowering import Lowering


_PLUS_ONE: Final = (1).__add__
_AFTER_A_HEAD: Final = " \t\r\n{;,=:"


def extract(rules: Rules, grammar: Grammar, tree: Tree, source: Source) -> Facts:
    """All facts of a syntax tree."""
    matches, drafts, ordered = _declared(rules, grammar, tree, source)
    owners = _Owners(drafts)
    line_starts = _line_starts(source.text)
    others = matches.others
    above = Above(source, rules.doc_marks, others["comment"], others["attribute"])
    imports, _ = _imports(rules, matches, owners, source)
    known = NameTable(rules, matches, drafts, imports)
    references = _references(rules, matches, owners, above, line_starts, source, known)
    is_whole = not matches.is_cut_short and all(
        map(_is_stray_word, errors_outside(rules.bodies, tree.root_node))
    )
    return Facts(
        language=rules.name,
        status=FULL if is_whole else PARTIAL,
        declarations=tuple(
            _declaration(rules, draft, above, line_starts, source) for draft in ordered
        ),
        references=references,
        imports=imports,
        cuts=_cuts(rules, matches, ordered, above, line_starts),
    )


def extract_code(rules: Rules, grammar: Grammar, tree: Tree, source: Source) -> FileCode | None:
    """The symbolic code of a file; None for a language without it."""
    lowering = lowering_of(rules.lowering)
    if lowering is None:
        return None
    matches, drafts, ordered = _declared(rules, grammar, tree, source)
    imports, bound = _imports(rules, matches, _Owners(drafts), source)
    declared: dict[int, int] = {}
    for draft in ordered:
        declared.setdefault(draft.name_start, draft.number)
    code = lowering(source, declared, bound).run(tree.root_node)
    return FileCode(code, len(ordered), len(imports))


def _declared(
    rules: Rules, grammar: Grammar, tree: Tree, source: Source
) -> tuple[Matches, list[Draft], list[Draft]]:
    """The matches of the query, and the declarations in nested and in numbered order."""
    matches = run_query(grammar, tree)
    if rules.regions is not None:
        matches.add_regions(rules.regions(source.text))
    drafts = nest(rules, matches, source)
    ordered = sorted(drafts, key=_order)
    for number, draft in enumerate(ordered):
        draft.number = number
    return matches, drafts, ordered


@cache
def lowering_of(name: str) -> type[Lowering] | None:
    """The class with this name below `treesitter`, imported with the first file."""
    if not name:
        return None
    module, _, member = name.partition(":")
    place = importlib.import_module(f"repo_mcp.languages.treesitter.{module}")
    found: type[Lowering] = getattr(place, member)
    return found


def errors_outside(bodies: frozenset[str], root: Node) -> Iterator[Node]:
    """The outermost errors that are not in bodies, where they cost no declarations."""
    left = [root] if root.has_error else []
    while left:
        node = left.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.type not in bodies:
            left += [child for child in node.children if child.has_error]


def _is_stray_word(error: Node) -> bool:
    """Whether an error is a word beside a declaration, as an unknown macro, or a missing one."""
    return error.is_missing or (error.child_count == 1 and error.children[0].is_named)


def _order(draft: Draft) -> tuple[int, int, str, int]:
    return draft.row, -draft.last_row, draft.name, draft.start


def _line_starts(text: str) -> list[int]:
    return list(accumulate(map(_PLUS_ONE, map(len, text.split("\n"))), initial=0))


class _Owners:
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


def _references(
    rules: Rules,
    matches: Matches,
    owners: _Owners,
    above: Above,
    line_starts: list[int],
    source: Source,
    known: NameTable,
) -> tuple[Reference, ...]:
    """References, one for each position; bases are also added to their declarations."""
    drafts = owners.drafts
    has_attributes = bool(matches.others["attribute"])
    text, builtins, filtered = source.text, rules.builtins, known.roles
    declared = {draft.name_start for draft in drafts if draft.kind not in rules.reopening}
    ends = [*owners.starts[1:], 1 << 62]
    lines = [*line_starts[1:], 1 << 62]
    found: list[Reference] = []
    written = _written_bases(rules, matches, owners, source)
    new, owned_by, spelled = tuple.__new__, owners.numbers, _QualifierSpelling()
    last, span, row = -1, 0, 0
    for place, node, qualifier_node, role in matches.references:
        start = place // PATTERNS
        if start == last or (start in declared and role != "base"):
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
        qualifier = ""
        if qualifier_node is not None:
            end = qualifier_node.end_byte
            # else a chain of calls is copied once for each of its links
            qualifier = spelled[text[max(qualifier_node.start_byte, end - LONGEST_CHAIN - 1) : end]]
        owner = owned_by[span]
        if role == "decorator" and has_attributes:
            owner = owners.of_attribute(start, row, above)
        elif role == "base":
            owner = owners.of_base(rules, owner)
            if owner != MODULE and owner not in written:
                owners.by_number[owner].bases += (
                    qualifier + (rules.separator if qualifier else "") + name,
                )
        column = start - line_starts[row]
        # twice as fast as Reference(...), and references are the most frequent facts
        found.append(new(Reference, (name, qualifier, role, row + 1, column, owner)))
    return tuple(found)


class _QualifierSpelling(dict[str, str]):
    """Cache of qualifiers without blanks."""

    def __missing__(self, text: str) -> str:
        spelled = self[text] = without_blanks(text)
        return spelled


def _written_bases(rules: Rules, matches: Matches, owners: _Owners, source: Source) -> set[int]:
    """Add bases that are captured as written to declarations; returns the numbers of these."""
    with_bases: set[int] = set()
    for place in matches.others["extends"]:
        owner = owners.of_base(rules, owners.at(place.position // PATTERNS))
        if owner != MODULE:
            owners.by_number[owner].bases += (source.line_of(place.node),)
            with_bases.add(owner)
    return with_bases


def _imports(
    rules: Rules, matches: Matches, owners: _Owners, source: Source
) -> tuple[tuple[Import, ...], dict[tuple[int, str], int]]:
    """Imports, and their numbers by the offset of the statement and the name that is bound."""
    found: list[Import] = []
    bound: dict[tuple[int, str], int] = {}
    for place in matches.others["import"]:
        line = place.node.start_point[0] + 1
        start = place.position // PATTERNS
        owner = owners.at(start)
        for module, name, alias in rules.imports(place.captures, source):
            if module:
                bound.setdefault((start, alias), len(found))
            found.append(Import(module, name, alias, line, owner))
    return tuple(found), bound


def _declaration(
    rules: Rules, draft: Draft, above: Above, line_starts: list[int], source: Source
) -> Declaration:
    # text left out by an alternative is of another branch; text blanked by `prepare` is shown
    shown = source.text if rules.regions is None else source.parsed
    head = shown[draft.head_start : min(draft.head_end, draft.head_start + MAX_SOURCE)]
    name_row = bisect_right(line_starts, draft.name_start) - 1
    parent = draft.parent
    is_inner = parent is not None and parent.row == draft.row  # comments above are the parent's
    doc = "" if is_inner else above.doc(draft.row)
    if doc:
        if rules.deprecated_mark and rules.deprecated_mark in doc:
            draft.modifiers.add("deprecated")
        doc = doc if rules.plain_doc is None else rules.plain_doc(doc)
    return Declaration(
        kind=draft.kind,
        name=draft.name,
        start_line=draft.row + 1,
        end_line=draft.last_row + 1,
        name_line=name_row + 1,
        name_column=draft.name_start - line_starts[name_row],
        parent=MODULE if parent is None else parent.number,
        signature=one_line(draft.prefix + head.rstrip(_AFTER_A_HEAD)),
        doc=doc,
        scope_kind=_scope(rules, parent),
        is_conditional=draft.is_conditional,
        decl_context=draft.context,
        access=draft.access,
        modifiers=frozenset(draft.modifiers),
        bases=draft.bases,
        parameters=draft.parameters,
        parameter_count=draft.parameter_count,
        returns=draft.returns,
    )


def _scope(rules: Rules, parent: Draft | None) -> str:
    if parent is None or parent.kind in rules.modules:
        return "module"
    return "function" if parent.kind in rules.functions else "class"


def _cuts(
    rules: Rules,
    matches: Matches,
    ordered: list[Draft],
    above: Above,
    line_starts: list[int],
) -> tuple[int, ...]:
    """Lines at which units begin, outside functions; small ones only if not indented."""
    rows = {above.first_row(place.node.start_point[0]) for place in matches.others["unit"]}
    for draft in ordered:
        if _is_inside_function(rules, draft):
            continue
        if draft.kind in rules.small and draft.start != line_starts[draft.row]:
            continue
        rows.add(above.first_row(draft.row))
    return tuple(sorted(row + 1 for row in rows))


def _is_inside_function(rules: Rules, draft: Draft) -> bool:
    """Whether a declaration is one in the text of a function, or of an object in one."""
    around = draft.parent
    while around is not None and around.kind == "object":
        around = around.parent
    return around is not None and around.kind in rules.functions and draft.start < around.end


_FILTERED: Final = frozenset(("read", "write", "element", "none"))

_MAX_QUALIFIER: Final = 100


class NameTable:
    """The names of a file, which decide which of its references are kept."""

    __slots__ = ("_imports", "_members", "_names", "_next", "roles")

    def __init__(
        self, rules: Rules, matches: Matches, drafts: Iterable[Draft], imports: Iterable[Import]
    ) -> None:
        """Collect declared and imported names; without `known_only` all references are kept."""
        # the roles of references that are filtered
        self.roles = _FILTERED if rules.known_only else frozenset[str]()
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
        """Whether a name or its qualifier is known; names inside imports are not references."""
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
