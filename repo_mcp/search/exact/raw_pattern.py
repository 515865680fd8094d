"""Patterns of lines in the bytes of files as they are: parsed, and the words that lines must have.

A pattern whose lines may differ from those of ripgrep is refused (`NotExactError`). Neither an
engine of expressions nor an array is loaded for that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from index_format import Edge
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.search.dictionary.needles import Clause, Needle
from repo_mcp.search.regex.needles import required_clauses
from repo_mcp.search.regex.parser import parse
from repo_mcp.search.regex.tree import (
    ANY,
    Alternation,
    Assertion,
    Char,
    CharClass,
    Concatenation,
    Node,
    Repeat,
    begins_with_word,
    ends_with_word,
    literal,
    may_be_empty,
    nodes_of,
)

_LAST_ASCII: Final = 0x7F
# Python's and Rust's engines differ in a property's members, in braces that are no counts, and in
# escaped letters beyond ASCII; a group named twice is an error there
_DIFFERENT: Final = re.compile(
    r"""\\[pP] | (?:[^\\]|^)(?:\\\\)*\{(?![0-9]+(?:,[0-9]*)?\}) | \\[^\x00-\x7f]
    | \(\?P?<(\w+)>.*\(\?P?<\1>""",
    re.VERBOSE | re.DOTALL,
)
_CODE_IN_BRACES: Final = re.compile(r"\\[xuU]\{[0-9A-Fa-f]+\}")
# letters of a part of a word, of which fewer narrow nothing
_SHORTEST: Final = 3


class NotExactError(Exception):
    """The lines can't be said to be ripgrep's, and why."""


class PatternSyntax(NamedTuple):
    """Patterns of which a line must match one, as one expression; and what each line has.

    `word`: no word character may adjoin a match.
    """

    body: Node
    word: bool
    clauses: tuple[Clause, ...]

    @property
    def is_narrow(self) -> bool:
        """True if a line has words that few files may hold."""
        return any(all(any(map(_is_rare, branch)) for branch in clause) for clause in self.clauses)


def parse_patterns(
    patterns: Sequence[str],
    *,
    fixed: bool = False,
    folded: bool = False,
    word: bool = False,
    line: bool = False,
) -> PatternSyntax:
    """Raises `NotExactError` for what can't be matched in the same way."""
    nodes = [_parse(text, fixed=fixed, folded=folded) for text in patterns]
    body = nodes[0] if len(nodes) == 1 else Alternation(tuple(nodes))
    if not nodes or may_be_empty(body):
        raise NotExactError("every line matches")
    if word and not (begins_with_word(body) and ends_with_word(body)):
        raise NotExactError("-w is for words")
    if line:
        body = Concatenation((Assertion.LINE_START, body, Assertion.LINE_END))
    clauses = required_clauses(_without_encoding(body), left=word, right=word)
    return PatternSyntax(body, word, clauses)


def _is_rare(needle: Needle) -> bool:
    """False for letters that are parts of words of nearly every file."""
    is_word = Edge.OPEN not in {needle.left, needle.right}
    return is_word or len(needle.text) >= _SHORTEST


def _parse(text: str, *, fixed: bool, folded: bool) -> Node:
    if "\n" in text or "\0" in text or not _is_unicode(text):
        raise NotExactError("the pattern is more than one line of Unicode")
    if fixed:
        return literal(text, folded=folded)
    if _DIFFERENT.search(_CODE_IN_BRACES.sub("x", text)):
        raise NotExactError("the expression has a meaning of its own in ripgrep")
    try:
        body, across_lines = parse(text, folded=folded)
    except Problem as problem:
        raise NotExactError(problem.reason) from problem
    if across_lines or any(map(_is_nul, nodes_of(body))):
        raise NotExactError("the expression asks for more than text in a line")
    return body


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _without_encoding(node: Node) -> Node:
    """The node with any character in the place of those beyond ASCII.

    A file of other bytes than UTF-8 is indexed as Latin-1, in which they are other characters.
    """
    match node:
        case Char(value):
            return node if value.isascii() else ANY
        case CharClass(ranges):
            return ANY if any(high > _LAST_ASCII for _, high in ranges) else node
        case Concatenation(items):
            return Concatenation(tuple(map(_without_encoding, items)))
        case Alternation(items):
            return Alternation(tuple(map(_without_encoding, items)))
        case Repeat(item, low, high, lazy):
            return Repeat(_without_encoding(item), low, high, lazy)
    return node


def _is_nul(node: Node) -> bool:
    """True for the NUL byte alone, which ripgrep refuses."""
    if isinstance(node, CharClass):
        return node.ranges == ((0, 0),) and not node.negated
    return isinstance(node, Char) and node.value == "\0"
