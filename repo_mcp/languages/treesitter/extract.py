"""Extracts facts from a syntax tree: one query, then one pass over its matches."""

from __future__ import annotations

import importlib
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np

from repo_mcp.languages.code import FileCode
from repo_mcp.languages.facts.model import (
    FULL,
    MODULE,
    PARTIAL,
    Declaration,
    Facts,
    Import,
    Reference,
    Use,
)
from repo_mcp.languages.treesitter.docs import Above
from repo_mcp.languages.treesitter.grammar import Grammar, full_query
from repo_mcp.languages.treesitter.language_rules import Draft, Rules
from repo_mcp.languages.treesitter.matches import PATTERNS, Matches, run_query
from repo_mcp.languages.treesitter.nesting import nest
from repo_mcp.languages.treesitter.references import (
    NameTable,
    Owners,
    list_references,
    list_stored_uses,
)
from repo_mcp.languages.treesitter.source import MAX_SOURCE, Source, one_line

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from repo_mcp.languages.treesitter.code.lowering import Lowering


_LINE_FEED: Final = 10
_PLUS_ONE: Final = (1).__add__
_AFTER_A_HEAD: Final = " \t\r\n{;,=:"


def extract(rules: Rules, grammar: Grammar, tree: Tree, source: Source) -> Facts:
    """All facts of a syntax tree."""
    parts = _Parts(rules, grammar, tree, source)
    # a nest too deep for one query may not be for the other: declarations are those of the same
    every = run_query(grammar, full_query(grammar), tree)
    parts.matches.references = every.references
    parts.matches.is_cut_short |= every.is_cut_short
    references = list_references(
        rules, parts.matches, parts.owners, parts.above, parts.line_starts, source, parts.known
    )
    return parts.facts(references=references)


def extract_stored(rules: Rules, grammar: Grammar, tree: Tree, source: Source) -> Facts:
    """The facts that are stored: uses in place of references."""
    parts = _Parts(rules, grammar, tree, source)
    uses = list_stored_uses(
        rules, parts.matches, parts.owners, parts.line_starts, source, parts.known
    )
    return parts.facts(uses=uses)


class _Parts:
    """What the facts of a tree are made of."""

    def __init__(self, rules: Rules, grammar: Grammar, tree: Tree, source: Source) -> None:
        self.matches, drafts, self._ordered = _declared(rules, grammar, tree, source)
        self.owners = Owners(drafts)
        self.line_starts = _line_starts(source.text)
        others = self.matches.others
        self.above = Above(source, rules.doc_marks, others["comment"], others["attribute"])
        self._imports, _ = _imports(rules, self.matches, self.owners, source)
        self.known = NameTable(rules, self.matches, drafts, self._imports)
        self._rules = rules
        self._tree = tree
        self._source = source

    def facts(self, references: tuple[Reference, ...] = (), uses: tuple[Use, ...] = ()) -> Facts:
        """The facts, once references have been found: these add bases to declarations."""
        rules, above, line_starts = self._rules, self.above, self.line_starts
        is_whole = not self.matches.is_cut_short and all(
            map(_is_stray_word, errors_outside(rules.bodies, self._tree.root_node))
        )
        # text left out by an alternative is of another branch; text blanked by `prepare` is shown
        shown = self._source.text if rules.regions is None else self._source.parsed
        return Facts(
            language=rules.name,
            status=FULL if is_whole else PARTIAL,
            declarations=tuple(
                _declaration(rules, draft, above, line_starts, shown) for draft in self._ordered
            ),
            references=references,
            imports=self._imports,
            cuts=_cuts(rules, self.matches, self._ordered, above, line_starts),
            uses=uses,
        )


def extract_code(rules: Rules, grammar: Grammar, tree: Tree, source: Source) -> FileCode | None:
    """The symbolic code of a file; None for a language without it."""
    lowering = lowering_of(rules.lowering)
    if lowering is None:
        return None
    matches, drafts, ordered = _declared(rules, grammar, tree, source)
    imports, bound = _imports(rules, matches, Owners(drafts), source)
    declared: dict[int, int] = {}
    for draft in ordered:
        declared.setdefault(draft.name_start, draft.number)
    code = lowering(source, declared, bound).run(tree.root_node)
    return FileCode(code, len(ordered), len(imports))


def _declared(
    rules: Rules, grammar: Grammar, tree: Tree, source: Source
) -> tuple[Matches, list[Draft], list[Draft]]:
    """The matches of the query, and the declarations in nested and in numbered order."""
    matches = run_query(grammar, grammar.query, tree)
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
    if not text.isascii():
        return list(accumulate(map(_PLUS_ONE, map(len, text.split("\n"))), initial=0))
    data = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    return [0, *(np.flatnonzero(data == _LINE_FEED) + 1).tolist(), len(text) + 1]


def _imports(
    rules: Rules, matches: Matches, owners: Owners, source: Source
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
    rules: Rules, draft: Draft, above: Above, line_starts: list[int], shown: str
) -> Declaration:
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
        draft.kind,
        draft.name,
        draft.row + 1,
        draft.last_row + 1,
        name_row + 1,
        draft.name_start - line_starts[name_row],
        MODULE if parent is None else parent.number,
        one_line(draft.prefix + head.rstrip(_AFTER_A_HEAD)),
        doc,
        "module" if parent is None else _scope(rules, parent),
        draft.is_conditional,
        draft.context,
        draft.access,
        frozenset(draft.modifiers),
        draft.bases,
        draft.parameters,
        draft.parameter_count,
        draft.returns,
    )


def _scope(rules: Rules, parent: Draft) -> str:
    if parent.kind in rules.modules:
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
