"""Lines that match in the bytes of files as they are, for a command that prints these bytes.

Nothing is decoded: a carriage return belongs to its line, and bytes that are no UTF-8 match no
character. A pattern whose lines may differ from those of ripgrep is refused (`NotExactError`).
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from index_format import LiveSegment, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import LineScan, Sandbox
from repo_mcp.search.dictionary.words import Dictionaries
from repo_mcp.search.exact.candidates import Candidates
from repo_mcp.search.exact.pattern import (
    CaselessPattern,
    ExpressionPattern,
    LiteralPattern,
    Pattern,
    SearchedText,
)
from repo_mcp.search.exact.scan import batches
from repo_mcp.search.line_matches import MAX_SPANS, Span
from repo_mcp.search.regex.needles import required_clauses
from repo_mcp.search.regex.parser import parse
from repo_mcp.search.regex.program import CompiledExpression
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
_AFTER_SLASH: Final = chr(ord("/") + 1).encode()


class NotExactError(Exception):
    """The lines can't be said to be ripgrep's, and why."""


class RawLine(NamedTuple):
    """A matching line: its number, where it begins and ends, and matches if they were asked for."""

    number: int
    begin: int
    end: int
    spans: tuple[Span, ...] = ()


class RawText(NamedTuple):
    """A file and its text in UTF-8, each line with its end; None for one that has a NUL byte.

    `is_ended`: the last line has an end in the file.
    """

    path: str
    rows: bytes | None
    is_ended: bool


class RawPattern:
    """Patterns of which a line must match one."""

    def __init__(
        self,
        patterns: Sequence[str],
        *,
        fixed: bool = False,
        folded: bool = False,
        word: bool = False,
        line: bool = False,
    ) -> None:
        """Raises `NotExactError` for what can't be matched in the same way."""
        nodes = [_parse(text, fixed=fixed, folded=folded) for text in patterns]
        body = nodes[0] if len(nodes) == 1 else Alternation(tuple(nodes))
        if not nodes or may_be_empty(body):
            raise NotExactError("every line matches")
        if word and not (begins_with_word(body) and ends_with_word(body)):
            raise NotExactError("-w is for words")
        if line:
            body = Concatenation((Assertion.LINE_START, body, Assertion.LINE_END))
        self._pattern = _pattern_of(body, word=word)
        self._clauses = required_clauses(_without_encoding(body), left=word, right=word)

    @property
    def is_narrow(self) -> bool:
        """True if a line has words that the index finds."""
        return bool(self._clauses)

    def candidates(
        self,
        snapshot: Snapshot,
        folders: Sequence[str],
        most: int,
        budget: Budget,
        *,
        narrowed: bool = True,
    ) -> list[str] | None:
        """The files of some folders that may match, or all; None if there are more than `most`."""
        clauses = self._clauses if narrowed else ()
        found = Candidates(snapshot, [clauses], Dictionaries(once=True), budget, every=True)
        paths: list[bytes] = []
        for segment, numbers in zip(snapshot.segments, found.by_segment(), strict=True):
            meant = [at for part in _below(segment, numbers, folders) for at in part]
            if len(meant) > most - len(paths):
                return None
            dead, path_of = segment.dead_files, segment.reader.files.path
            paths += [path_of(at) for at in meant if at not in dead]
        return [path.decode("utf-8", "surrogatepass") for path in paths]

    def lines(self, rows: bytes, *, spans: bool, most: int | None = None) -> list[RawLine]:
        """The matching lines of a text, or the first ones; `spans`: with all of their matches."""
        pattern = self._pattern
        if isinstance(pattern, ExpressionPattern):
            _check_encoding(pattern.expression, rows)
        matches = pattern.matches(SearchedText(rows))
        found: list[RawLine] = []
        inside: list[Span] = []
        number, begin, end, counted = 1, 0, -1, 0
        for span in matches.iter_spans(len(rows) - 1, one_a_line=not spans):
            start = span[0]
            if start > end:
                if inside:
                    found.append(RawLine(number, begin, end, tuple(inside)))
                if most is not None and len(found) >= most:
                    return found
                begin = rows.rfind(b"\n", max(end, 0), start) + 1
                end = rows.find(b"\n", start)
                number += rows.count(b"\n", counted, begin)
                counted = begin
                inside = [span]
            elif spans:
                inside.append(span)
                if len(inside) >= MAX_SPANS and matches.searches:
                    raise NotExactError("a line has too many matches")
        if matches.skipped_lines:
            raise NotExactError("a line is too long for the expression")
        if inside:
            found.append(RawLine(number, begin, end, tuple(inside)))
        return found


def other_lines(rows: bytes, matching: Sequence[RawLine]) -> list[RawLine]:
    """The lines of a text that are none of these."""
    taken = {line.number for line in matching}
    found: list[RawLine] = []
    begin, number = 0, 1
    while begin < len(rows):
        end = rows.find(b"\n", begin)
        if number not in taken:
            found.append(RawLine(number, begin, end))
        begin, number = end + 1, number + 1
    return found


def read_texts(sandbox: Sandbox, paths: Sequence[str]) -> Iterator[RawText]:
    """The texts of files in their order, without those that are gone.

    Raises `NotExactError` for a file that is there and can't be read.
    """
    for batch in batches(iter(paths)):
        for path, scanned in zip(batch, sandbox.scan(batch, LineScan()), strict=True):
            data = scanned if isinstance(scanned, bytes) else _read(sandbox, path)
            if data is not None:
                yield RawText(path, text_of(data), data.endswith((b"\n", b"\n\0")))


def text_of(data: bytes) -> bytes | None:
    """The text of a file in UTF-8, with its last line ended; None if it has a NUL byte."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        data = data.decode("utf-16", "replace").encode("utf-8", "replace")
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        return None
    return data if data.endswith(b"\n") or not data else data + b"\n"


def _read(sandbox: Sandbox, path: str) -> bytes | None:
    try:
        return sandbox.read(path, follow=False).data
    except Problem as problem:
        if problem.code == "not_found":
            return None
        raise NotExactError(f"{path} can't be read") from None


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
    if across_lines or _may_be_nul(body):
        raise NotExactError("the expression asks for more than text in a line")
    return body


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _pattern_of(body: Node, *, word: bool) -> Pattern:
    """The quickest way to match."""
    items = body.items if isinstance(body, Concatenation) else (body,)
    plain = [item for item in items if isinstance(item, Char)]
    if not word and len(plain) == len(items):
        text = "".join(item.value for item in plain)
        folded = {item.folded and item.value.lower() != item.value.upper() for item in plain}
        if folded == {False}:
            return LiteralPattern(text)
        if all(item.folded for item in plain):
            return CaselessPattern(text)
    try:
        return ExpressionPattern(CompiledExpression(body, whole_word=word))
    except Problem as problem:
        raise NotExactError(problem.reason) from problem


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


def _may_be_nul(node: Node) -> bool:
    """True if the node names the NUL byte alone, which ripgrep refuses."""
    match node:
        case Char(value):
            return value == "\0"
        case CharClass(ranges):
            return ranges == ((0, 0),) and not node.negated
        case Concatenation(items) | Alternation(items):
            return any(map(_may_be_nul, items))
        case Repeat(item):
            return _may_be_nul(item)
    return False


def _check_encoding(expression: CompiledExpression, rows: bytes) -> None:
    """Refuse edges of words that RE2 can't see."""
    if rows.isascii() or not (expression.is_framed or expression.is_bounded_inside):
        return
    if expression.is_bounded_inside:
        raise NotExactError("edges of words beyond ASCII")
    try:
        rows.decode()
    except UnicodeDecodeError:
        raise NotExactError("edges of words beside bytes that are no UTF-8") from None


def _below(
    segment: LiveSegment, numbers: Sequence[int], folders: Sequence[str]
) -> Iterator[Sequence[int]]:
    """The ascending files of a segment that are in the folders, which do not overlap."""
    files = segment.reader.files
    for folder in folders:
        if not folder:
            yield numbers
            continue
        name = folder.encode("utf-8", "surrogatepass")
        places = range(files.count)
        first = bisect_left(places, name + b"/", key=files.path)
        end = bisect_left(places, name + _AFTER_SLASH, key=files.path)
        yield numbers[bisect_left(numbers, first) : bisect_left(numbers, end)]
