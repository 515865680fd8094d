"""Adapters for tree-sitter grammars: one engine, with a sheet and rules for each language.

A language has two files for it in its folder of `languages` (docs/languages.md lists all places):

* `syntax.py` with its `sheet.Sheet`: what each type of node is, and the query of the facts. If two
  patterns match at the same position, the earlier one counts. Patterns must be short (no wildcards
  over many levels) and may not compare texts: the parser does not keep the text.
* `outline.py` with `RULES`, a `language_rules.Rules`: the grammar's package, the
  extensions, and hooks for what the sheet can't express. A hook completes a `Draft`: it may change
  its kind, name, access, modifiers, parameters and signature, or drop it.

Variables and the like directly in a function are dropped, as `Rules.not_local` defines; queries
need not exclude local variables.

The parser gets one byte for each character, so a hook may replace the parsed text by another of
the same length (`prepare` always, `alternatives` if there are errors); the original is shown.

With `Rules.outline`, facts are found in a text without bodies, and symbolic code in the whole text.

A file with errors outside of bodies is `partial`: the declarations around them are kept and shown.
A file that was stopped, skipped or has no grammar has no declarations.
"""

from __future__ import annotations

import gc
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from code_graph.expressions import FileCode
from code_graph.facts.model import (
    NO_GRAMMAR,
    SKIPPED,
    STOPPED,
    Declaration,
    Facts,
)
from code_graph.hints import identifiers_in
from code_graph.language import load
from code_graph.language_table import language_named
from code_graph.treesitter.extract import errors_outside, extract, extract_code, lower
from code_graph.treesitter.fact_numbers import numbers_of
from code_graph.treesitter.grammar import Grammar, grammar_of
from code_graph.treesitter.language_rules import Rules
from code_graph.treesitter.outline_text import OutlineText
from code_graph.treesitter.parse import ParsedText, parse
from code_graph.treesitter.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node


# characters before a declaration that may be why it has an error
_BEFORE_AN_ERROR: Final = 100
# errors and words in them that are counted: beyond this number, trees are equally bad
_MAX_ERRORS: Final = 100_000


def parse_best(rules: Rules, grammar: Grammar, text: str) -> ParsedText | None:
    """The tree with the fewest errors; None if parsing was stopped."""
    best = _parse_source(rules, grammar, _source(rules, text, text))
    if best is None or _is_sound(rules, best.tree.root_node):
        return best
    fewest = _MAX_ERRORS + 1  # until they are counted
    for tried_rules, tried_grammar, parsed in _alternatives(rules, grammar, text):
        source = _source(tried_rules, text, parsed)
        if tried_rules is best.rules and not _may_mend(best, source):
            continue
        if fewest > _MAX_ERRORS:
            fewest = _count_errors(best.tree.root_node)
        tried = _parse_source(tried_rules, tried_grammar, source)
        errors = _MAX_ERRORS if tried is None else _count_errors(tried.tree.root_node)
        if tried is not None and errors < fewest:
            fewest, best = errors, tried
        if not fewest:
            break
    return best


def _is_sound(rules: Rules, root: Node) -> bool:
    """True if errors cost neither declarations nor evaluated code."""
    if rules.lowering and rules.alternatives is not None and rules.alternatives_for_bodies:
        return not root.has_error
    return not any(errors_outside(rules.bodies, root))


def _alternatives(
    rules: Rules, grammar: Grammar, text: str
) -> Iterator[tuple[Rules, Grammar, str]]:
    """Alternative texts and grammars to parse with."""
    if rules.alternatives is not None:
        for parsed in rules.alternatives(text):
            if parsed != text:
                yield rules, grammar, parsed
    second = rules.second
    found = None if second is None else grammar_of(second)
    if second is not None and found is not None:
        yield second, found, text
        yield from _alternatives(second, found, text)


def _source(rules: Rules, text: str, parsed: str) -> Source:
    return Source(text, parsed if rules.prepare is None else rules.prepare(parsed))


def _parse_source(rules: Rules, grammar: Grammar, source: Source) -> ParsedText | None:
    data = source.data
    if rules.ends_last_line and not data.endswith(b"\n"):
        data += b"\n"
    tree = parse(grammar.language, source.parsed, data)
    return None if tree is None else ParsedText(rules, grammar, tree, source)


def _may_mend(best: ParsedText, source: Source) -> bool:
    """True if a source differs where a tree has errors; elsewhere a change mends none."""
    if not best.rules.containers:
        return True
    before, after = best.source.parsed, source.parsed
    spans = _spans_with_errors(best.rules, best.tree.root_node)
    return any(before[begin:end] != after[begin:end] for begin, end in spans)


def _spans_with_errors(rules: Rules, root: Node) -> Iterator[tuple[int, int]]:
    """The spans of declarations with errors, with a bit of the text before them."""
    left = [root]
    while left:
        node = left.pop()
        if not node.is_error and (node is root or node.type in rules.containers):
            left += [child for child in node.children if child.has_error]
        else:
            yield max(0, node.start_byte - _BEFORE_AN_ERROR), node.end_byte


def _count_errors(root: Node) -> int:
    """The errors and missing nodes of a tree, and the words that belong to nothing but errors."""
    count, left = 0, [root]
    while left and count < _MAX_ERRORS:
        node = left.pop()
        if node.is_error or node.is_missing:
            count += 1 + sum(child.child_count == 0 for child in node.children)
        if node.has_error:
            left.extend(node.children)
    return count


VERSION: Final = 33

_MAX_CHARACTERS: Final = 4 << 20
# Files with very long or nearly identical lines are generated and not parsed. Repeated lines are
# also slow: recovery from an error deep in a nest takes quadratic time and can't be stopped.
_SMALL: Final = 4_000
_LONG_LINE: Final = 500
_FEW_LINES: Final = 200
_LARGE_FOR_FEW_LINES: Final = 1 << 20
_MAX_REPEATS: Final = 20
_FIRST_PART: Final = 8


def adapter(language: str) -> TreeSitterAdapter:
    """The adapter of a language; raises `ValueError` for one without rules."""
    return TreeSitterAdapter(_rules_of(language))


def _rules_of(language: str) -> Rules:
    rules: Rules = load(language_named(language).outline)
    return rules


class TreeSitterAdapter:
    """Adapter of one language, from its grammar, query and rules."""

    version = VERSION

    def __init__(self, rules: Rules) -> None:
        """Keep the rules; the grammar is loaded with the first file."""
        self.name = rules.name
        self._rules = rules

    def supports_path(self, path: str) -> bool:
        """True if the file has one of the language's extensions."""
        return path.lower().endswith(self._rules.extensions)

    def outline(self, path: str, text: str) -> Sequence[Declaration]:
        """The declarations that the grammar recognised, also those around errors."""
        return self.facts(path, text).declarations

    def facts(self, path: str, text: str) -> Facts:
        """All facts of the file."""
        rules = self._actual_rules(path, text)
        if len(text) > _MAX_CHARACTERS or _is_generated(text):
            return Facts(rules.name, SKIPPED)
        grammar = grammar_of(rules)
        if grammar is None:
            return Facts(rules.name, NO_GRAMMAR)
        with _no_collection():
            outline, parsed = parse_outline(rules, grammar, text)
            return Facts(rules.name, STOPPED) if parsed is None else extract(parsed, outline)

    def code(self, path: str, text: str, facts: Facts | None = None) -> FileCode | None:
        """The symbolic code; None where the text isn't parsed, or the language has none.

        Where the facts of the text are known, no declaration need be found again.
        """
        rules = self._actual_rules(path, text)
        grammar = grammar_of(rules) if rules.lowering else None
        if grammar is None or len(text) > _MAX_CHARACTERS or _is_generated(text):
            return None
        with _no_collection():
            numbers = None if facts is None else numbers_of(rules, facts, text)
            if numbers is not None:
                parsed = parse_best(rules, grammar, text)
                return None if parsed is None else lower(parsed, numbers)
            outline, outlined = parse_outline(rules, grammar, text)
            if outlined is None:
                return None
            whole = parse_best(rules, grammar, text) if outline.spans else outlined
            return None if whole is None else extract_code(outlined, outline, whole)

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """Lines at which units begin."""
        return self.facts(path, text).cuts

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """Names of code in a prompt."""
        return identifiers_in(prompt)

    def _actual_rules(self, path: str, text: str) -> Rules:
        """The rules of the language that the text is in."""
        detect = self._rules.detect_language
        actual = "" if detect is None else detect(path, text)
        return _rules_of(actual) if actual else self._rules


def parse_outline(
    rules: Rules, grammar: Grammar, text: str
) -> tuple[OutlineText, ParsedText | None]:
    """The text that facts are found in, but for the uses in bodies, and its tree.

    An error that holds an initial value may be mended worse without it, so it gets the value.
    """
    if rules.outline is None:
        return OutlineText(text), parse_best(rules, grammar, text)
    outline = rules.outline(text)
    parsed = parse_best(rules, grammar, outline.text)
    if parsed is not None and _has_value_in_error(outline, parsed.tree.root_node):
        outline = rules.outline(text, values=False)
        parsed = parse_best(rules, grammar, outline.text)
    return outline, parsed


def _has_value_in_error(outline: OutlineText, root: Node) -> bool:
    """True if an initial value was left out in what the parser could not read."""
    if not root.has_error:
        return False
    places = [*outline.value_places()]
    return any(
        bisect_left(places, error.start_byte) < bisect_left(places, error.end_byte)
        for error in errors_outside(frozenset(), root)
    )


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep garbage collection off, to save its time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _is_generated(text: str) -> bool:
    if len(text) <= _SMALL:
        return False
    count = text.count("\n") + 1
    if len(text) > _LARGE_FOR_FEW_LINES and count < _FEW_LINES:
        return True
    return len(text) // count > _LONG_LINE or _is_repetition(text, count)


def _is_repetition(text: str, count: int) -> bool:
    """True if there are few different lines; the first part of a text mostly has enough."""
    first = text[: len(text) // _FIRST_PART].split("\n")[:-1]
    if count <= _MAX_REPEATS * len(set(first)):
        return False
    return count > _MAX_REPEATS * len(set(text.split("\n")))
