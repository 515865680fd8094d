"""Extracts facts from a syntax tree: one query, then one pass over its matches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from code_graph.expressions import FileCode
from code_graph.facts.columns import NO_MODIFIERS, DeclarationColumns, Declarations
from code_graph.facts.model import (
    FULL,
    MODULE,
    PARTIAL,
    Facts,
    Import,
    Use,
    number_names,
    sort_uses,
)
from code_graph.language import load
from code_graph.treesitter.docs import Above
from code_graph.treesitter.fact_numbers import FactNumbers, ImportNumbers, line_starts_of
from code_graph.treesitter.language_rules import (
    Draft,
    Rules,
    is_inside_function,
    scope_inside,
)
from code_graph.treesitter.matches import PATTERNS, QueryMatches
from code_graph.treesitter.nesting import NumberedDeclarations, declare
from code_graph.treesitter.outline_text import NO_OUTLINE, OutlineText
from code_graph.treesitter.owners import Owners, add_bases
from code_graph.treesitter.parse import ParsedText
from code_graph.treesitter.source import MAX_SOURCE, Source, head_line

if TYPE_CHECKING:
    from tree_sitter import Node

    from code_graph.treesitter.code.lowering import Lowering


# the kind of what has an initial value
_VALUED: Final = "variable"
_FIELDS: Final = len(DeclarationColumns._fields)


def extract(outlined: ParsedText, outline: OutlineText = NO_OUTLINE) -> Facts:
    """The facts of a text, from the tree of its outline."""
    rules, _, tree, source = outlined
    line_starts = line_starts_of(source.text)
    declared = declare(outlined, line_starts, as_columns=True)
    matches, owners = declared.matches, Owners(declared.drafts)
    imports, _ = _imports(rules, matches, owners, source)
    add_bases(rules, matches, owners, source)
    above = Above(source, rules.doc_marks, matches.others["comment"], matches.others["attribute"])
    is_whole = not matches.is_cut_short and all(
        map(_is_stray_word, errors_outside(rules.bodies, tree.root_node))
    )
    # text left out by an alternative is of another branch; text blanked by `prepare` is shown
    text = source.text if rules.regions is None else source.parsed
    shown = _ShownText(text, outline, source)
    return Facts(
        language=rules.name,
        status=FULL if is_whole else PARTIAL,
        declarations=Declarations(_columns(rules, declared, above, line_starts, shown)),
        imports=imports,
        cuts=_cuts(rules, declared, above, line_starts),
        uses=_uses(rules, declared, outline, source.text, line_starts),
    )


def _uses(
    rules: Rules,
    declared: NumberedDeclarations,
    outline: OutlineText,
    text: str,
    line_starts: list[int],
) -> tuple[Use, ...]:
    """The places where the file names its own declarations, also in text that was left out.

    Few names are those of the file, so most cost no more than finding that out.
    """
    numbers = number_names(declared.names())
    uses = set(outline.uses(numbers))
    name_starts = declared.name_starts(rules)
    for position, node in declared.matches.names:
        start = position // PATTERNS
        name = text[start : node.end_byte]
        if name in numbers and start not in name_starts:
            uses.add((numbers[name], bisect_right(line_starts, start), name))
    return sort_uses(uses)


def extract_code(
    outlined: ParsedText, outline: OutlineText = NO_OUTLINE, whole: ParsedText | None = None
) -> FileCode | None:
    """The symbolic code of a whole text, with the numbers of facts, which its outline has.

    None for a language without it.
    """
    whole = whole or outlined
    if not whole.rules.lowering:
        return None
    found = declare(outlined, (), as_columns=False)
    matches, drafts, ordered = found.matches, found.drafts, found.ordered
    imports, bound = _imports(outlined.rules, matches, Owners(drafts), outlined.source)
    shift = outline.shifts()
    declared: dict[int, int] = {}
    for draft in ordered:
        declared.setdefault(shift(draft.name_start), draft.number)
    bound = {(shift(start), name): number for (start, name), number in bound.items()}
    numbers = ImportNumbers(bound, attrgetter("start_byte"))
    return lower(whole, FactNumbers(declared, numbers, len(ordered), len(imports)))


def lower(whole: ParsedText, numbers: FactNumbers) -> FileCode:
    """The symbolic code of a whole text."""
    lowering: type[Lowering] = load(whole.rules.lowering)
    code = lowering(whole.source, numbers.declared, numbers.imported).run(whole.tree.root_node)
    return FileCode(code, numbers.declarations, numbers.imports)


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
    """True if an error is a word next to a declaration, as an unknown macro, or a missing word."""
    return error.is_missing or (error.child_count == 1 and error.children[0].is_named)


def _imports(
    rules: Rules, matches: QueryMatches, owners: Owners, source: Source
) -> tuple[tuple[Import, ...], dict[tuple[int, str], int]]:
    """Imports, and their numbers by the offset of the statement and the bound name."""
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


class _ShownText:
    """The text that signatures are parts of."""

    __slots__ = ("_left_out", "_source", "text")

    def __init__(self, text: str, outline: OutlineText, source: Source) -> None:
        self.text = text
        self._source = source
        self._left_out = (outline.whole, outline.shifts()) if outline.spans else None

    def plain_head(self, start: int, end: int, prefix: str = "") -> str:
        """The signature of a declaration that is a range of the text."""
        end = min(end, start + MAX_SOURCE)
        written = self._source.without_comments(self.text, start, end)
        return head_line(written, 0, len(written), prefix)

    def head(self, draft: Draft) -> str:
        """The signature of a declaration, with an initial value that was left out."""
        start, end = draft.head_start, draft.head_end
        if self._left_out is None or draft.kind != _VALUED or "{" not in self.text[start:end]:
            return self.plain_head(start, end, draft.prefix)
        whole, shift = self._left_out
        return head_line(whole, shift(start), shift(end), draft.prefix)


def _columns(
    rules: Rules,
    declared: NumberedDeclarations,
    above: Above,
    line_starts: list[int],
    shown: _ShownText,
) -> DeclarationColumns:
    """The columns of all declarations, in the order of their numbers."""
    rows = [_row(rules, draft, above, line_starts, shown) for draft in declared.ordered]
    columns = DeclarationColumns(*(zip(*rows, strict=True) if rows else [()] * _FIELDS))
    if not declared.plain:
        return columns
    plain = declared.plain.columns(rules, above, line_starts, shown.plain_head)
    return DeclarationColumns._make(map(declared.merge, columns, plain))


def _row(
    rules: Rules, draft: Draft, above: Above, line_starts: list[int], shown: _ShownText
) -> tuple[object, ...]:
    """The values of a declaration, in the order of the columns."""
    name_row, name_start = draft.row, draft.name_start
    if draft.last_row != name_row or not draft.start <= name_start < draft.end:
        name_row = bisect_right(line_starts, name_start) - 1
    parent = draft.parent
    is_inner = parent is not None and parent.row == draft.row  # comments above are the parent's
    doc = "" if is_inner else above.doc(draft.row)
    if doc:
        if rules.deprecated_mark and rules.deprecated_mark in doc:
            draft.modifiers.add("deprecated")
        doc = doc if rules.plain_doc is None else rules.plain_doc(doc)
    modifiers = frozenset(draft.modifiers) if draft.modifiers else NO_MODIFIERS
    scope = scope_inside(rules, parent)
    return (
        (draft.kind, scope, draft.is_conditional, draft.access, modifiers),
        draft.name,
        draft.row + 1,
        draft.last_row + 1,
        name_row + 1,
        name_start - line_starts[name_row],
        MODULE if parent is None else parent.number,
        shown.head(draft),
        doc,
        draft.context,
        draft.bases,
        draft.parameters,
        draft.parameter_count,
        draft.returns,
    )


def _cuts(
    rules: Rules, declared: NumberedDeclarations, above: Above, line_starts: list[int]
) -> tuple[int, ...]:
    """Lines at which units begin, outside functions; small ones only if not indented."""
    rows = [place.node.start_point[0] for place in declared.matches.others["unit"]]
    rows += declared.plain.unit_rows(rules, line_starts)
    for draft in declared.ordered:
        is_indented = draft.kind in rules.small and draft.start != line_starts[draft.row]
        if not is_indented and not is_inside_function(rules, draft.parent, draft.start):
            rows.append(draft.row)
    return tuple(row + 1 for row in sorted(above.first_rows(rows)))
