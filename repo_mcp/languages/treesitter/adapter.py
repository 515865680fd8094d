"""Adapters on tree-sitter grammars: one engine, a query file and a few rules for each language.

A further language takes two files and nothing else:

* `queries/<language>.scm` says what is captured. The names of captures and what they mean are
  listed in `treesitter_matches`; where two patterns name the same place, the earlier one counts;
  of the nodes under one capture of a reference the first counts. Patterns must be short (no
  wildcards over many levels) and may not compare texts: the parser does not keep the text.
* `rules/<language>.py` holds `RULES`, a `language_rules.Rules`: the grammar's package, the
  extensions, and hooks where the query alone can't tell. A hook completes a `Draft`: it may change
  its kind, name, access, modifiers, parameters, signature, or drop it.

Declarations directly in a function are dropped when they are variables and the like, as
`Rules.not_local` says; a query need not tell local variables from others.

The parser sees one byte for each character, so a hook may also hand it another text of the same
length (`prepare` always, `alternatives` when there are errors): what is blanked or replaced there
is still shown as it was written.

A file with errors in it is `partial`: what stands around them is kept and shown, since the grammar
recognised it. Nothing is shown of one that was stopped, skipped or has no grammar; for search there
is a rough outline.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from repo_mcp.languages.adapter import Adapter
from repo_mcp.languages.facts.model import (
    FULL,
    NO_GRAMMAR,
    PARTIAL,
    SKIPPED,
    STOPPED,
    Declaration,
    Facts,
)
from repo_mcp.languages.hints import identifiers_in
from repo_mcp.languages.treesitter.extract import extract
from repo_mcp.languages.treesitter.grammar import Grammar, grammar_of
from repo_mcp.languages.treesitter.language_rules import Rules
from repo_mcp.languages.treesitter.parse import parse
from repo_mcp.languages.treesitter.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


_MOST_ERRORS: Final = 1000


class ParsedText(NamedTuple):
    """A text as it was understood best, and by what."""

    rules: Rules
    grammar: Grammar
    source: Source
    tree: Tree


def read(rules: Rules, grammar: Grammar, text: str) -> ParsedText | None:
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


def _reading(rules: Rules, grammar: Grammar, text: str, parsed: str) -> ParsedText | None:
    source = Source(text, parsed if rules.prepare is None else rules.prepare(parsed))
    tree = parse(grammar.language, source.parsed, source.data)
    return None if tree is None else ParsedText(rules, grammar, source, tree)


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


VERSION: Final = 1

_LARGEST: Final = 4 << 20
# Lines as no one writes them: a program did, and what it was made from is the better source. The
# same goes for lines that are nearly all alike, and parsers are easily upset by those: the recovery
# from an error deep in a nest takes the square of its depth, and does not report.
_SMALL: Final = 4_000
_LONG_LINE: Final = 500
_FEW_LINES: Final = 200
_LARGE_FOR_FEW_LINES: Final = 1 << 20
_MOST_ALIKE: Final = 20


def adapter(language: str) -> Adapter:
    """The adapter of a language; raises `ModuleNotFoundError` for one without rules."""
    module = importlib.import_module(f"repo_mcp.languages.treesitter.rules.{language}")
    return TreeSitterAdapter(module.RULES)


class TreeSitterAdapter:
    """One language by its grammar, query and rules."""

    version = VERSION

    def __init__(self, rules: Rules) -> None:
        """Nothing is loaded until a file is read."""
        self.name = rules.name
        self._rules = rules

    def supports_path(self, path: str) -> bool:
        """By the end of the name."""
        return path.lower().endswith(self._rules.extensions)

    def outline(self, path: str, text: str) -> Sequence[Declaration]:
        """What the grammar recognised, around errors too: none of it is guessed.

        A rough outline is not shown here: it is guessed line by line.
        """
        facts = self.facts(path, text)
        return facts.declarations if facts.status in {FULL, PARTIAL} else ()

    def facts(self, path: str, text: str) -> Facts:
        """All that is known of the file; with garbage collection off, which would take longer."""
        really = self._rules.really and self._rules.really(path, text)
        if really:
            return adapter(really).facts(path, text)
        if len(text) > _LARGEST:
            return Facts(self.name, SKIPPED)
        if _is_generated(text):
            return self._rough(SKIPPED, text)
        was_on = gc.isenabled()
        gc.disable()
        try:
            return self._parsed(text)
        finally:
            if was_on:
                gc.enable()

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """Where units begin."""
        return self.facts(path, text).cuts

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """Names that a prompt means."""
        return identifiers_in(prompt)

    def _parsed(self, text: str) -> Facts:
        grammar = grammar_of(self._rules)
        if grammar is None:
            return self._rough(NO_GRAMMAR, text)
        found = read(self._rules, grammar, text)
        if found is None:
            return self._rough(STOPPED, text)
        return extract(found.rules, found.grammar, found.tree, found.source)

    def _rough(self, status: str, text: str) -> Facts:
        from repo_mcp.languages.rough import rough_declarations  # noqa: PLC0415 rarely needed

        return replace(Facts(self.name, status), declarations=rough_declarations(self.name, text))


def _is_generated(text: str) -> bool:
    if len(text) <= _SMALL:
        return False
    lines = text.split("\n")
    if len(text) > _LARGE_FOR_FEW_LINES and len(lines) < _FEW_LINES:
        return True
    return len(text) // len(lines) > _LONG_LINE or len(lines) > _MOST_ALIKE * len(set(lines))
