"""A text to its tree, with what a language knows to try when its grammar stumbles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from repo_mcp.languages.treesitter_grammar import Grammar, grammar_of
from repo_mcp.languages.treesitter_parse import parse
from repo_mcp.languages.treesitter_rules import Rules
from repo_mcp.languages.treesitter_source import Source

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_MOST_ERRORS: Final = 1000


class Reading(NamedTuple):
    """A text as it was understood best, and by what."""

    rules: Rules
    grammar: Grammar
    source: Source
    tree: Tree


def read(rules: Rules, grammar: Grammar, text: str) -> Reading | None:
    """The tree with the fewest errors; None if parsing was stopped."""
    best = _reading(rules, grammar, text, text)
    if best is None or not best.tree.root_node.has_error:
        return best
    fewest = _errors(best.tree.root_node)
    for tried_rules, tried_grammar, parsed in _others(rules, grammar, text):
        tried = _reading(tried_rules, tried_grammar, text, parsed)
        errors = _MOST_ERRORS if tried is None else _errors(tried.tree.root_node)
        if tried is not None and errors < fewest:
            fewest, best = errors, tried
        if not fewest:
            break
    return best


def _others(rules: Rules, grammar: Grammar, text: str) -> Iterator[tuple[Rules, Grammar, str]]:
    """What else to parse, and how."""
    if rules.alternatives is not None:
        for parsed in rules.alternatives(text):
            if parsed != text:
                yield rules, grammar, parsed
    second = rules.second
    found = None if second is None else grammar_of(second)
    if second is not None and found is not None:
        yield second, found, text
        yield from _others(second, found, text)


def _reading(rules: Rules, grammar: Grammar, text: str, parsed: str) -> Reading | None:
    source = Source(text, parsed if rules.prepare is None else rules.prepare(parsed))
    tree = parse(grammar.language, source.parsed, source.data)
    return None if tree is None else Reading(rules, grammar, source, tree)


def _errors(root: Node) -> int:
    """How many places of a tree are not understood."""
    count, left = 0, [root]
    while left and count < _MOST_ERRORS:
        node = left.pop()
        if node.is_error or node.is_missing:
            count += 1
        elif node.has_error:
            left.extend(node.children)
    return count
