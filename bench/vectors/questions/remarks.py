"""Pairs of what people write beside code and the code: comments, docstrings, titles, messages.

Nothing is parsed: a block ends where its indentation does. So there are many pairs, of every
language that marks comments with slashes or hashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from bench.vectors.pair import LONGEST_QUERY, Pair, is_noise
from index_format.analysis.words import split_identifier

REMARK, INSIDE, DOCSTRING, TITLE, MESSAGE, NAMED = KINDS = (
    *("remark", "inside", "docstring", "title", "message", "named"),
)
_HASHED: Final = frozenset([".py", ".rb", ".ex", ".exs", ".sh"])
_FEWEST_WORDS: Final = 5
_FEWEST_PARTS: Final = 3
_FEWEST_OF_TITLE: Final = 4
_MOST_ROWS: Final = 40
_MOST_CLIMBED: Final = 60
_SHORTEST: Final = 2
_LONGEST_ROW: Final = 300
_LONGEST_COMMENT: Final = 12
_LONGEST_HEAD: Final = 8
_LETTERS: Final = 0.8
_TAB: Final = 4
_SLASHED: Final = re.compile(r"\s*(?://[/!]*<?|/\*+!?<?|\*(?!\w)+/?)\s?(.*?)\s*(?:\*+/)?\s*$")
_SLASHES: Final = re.compile(r"\s*(?://|/\*|\*(?![\w*(]))")
_HASHES: Final = re.compile(r"\s*#+\s?(?![!])(.*)$")
_CODE: Final = re.compile(r"[;{}]\s*$|^\s*[)\]}@]|[=!<>]=|\w\(\)\s*$|=>|->|^\s*\w+\s*=\s|\w\(\w+,")
_TAGS: Final = re.compile(
    r"</?[a-zA-Z][^<>]*>|\{@\w+\s+([^{}]*)\}|[\\@](?:brief|short)\b|https?://\S+"
)
_PARTS: Final = re.compile(
    r"\s*(?:[@\\]\w+|:\w+.*:|-{3,}|={3,}|>>>|Args:|Parameters:?$|Returns:|Example)"
)
_WORDY: Final = re.compile(r"[A-Za-z]{2,}")
_CLOSES: Final = re.compile(r"\s*(?:[)\]}]|end\b|else\b|elif\b|except\b|finally\b|catch\b|\{)")
_HEAD: Final = re.compile(
    r"\s*(?:[\w.<>\[\]*&:,@]+\s+)*?(?:(?:def|fn|func|function|fun|void|bool|int|string|Task)\s+)"
    r"(?:\([^()]*\)\s*)?\*?([A-Za-z_]\w+)\s*(?:<[^<>]*>)?\("
)
_DECLARES: Final = re.compile(
    r"\s*(?:@|#\[|\[\w|export|pub|public|private|protected|internal|static|func|fn|def|class|struct|enum"
    r"|trait|impl|interface|type|virtual|override|abstract|async|template|open|extension|protocol)\b"
)
_DEF: Final = re.compile(r"\s*(?:async\s+)?(?:def|class)\s+(\w+)")
_QUOTES: Final = re.compile(r"\s*[rRuUbB]?(\"\"\"|''')(.*)$")
_TITLED: Final = re.compile(
    r"\s*(?:it|test|describe|context|specify|should|TEST_CASE|SECTION)[\w.]*\s*\(?\s*(['\"`])(.{12,160}?)\1"
)
_RAISES: Final = re.compile(
    r"raise|throw|Error|panic|[Ff]ail|[Ww]arn|assert|bail|expect|log|LOG|reject|Exception|abort|invalid"
)
_LITERAL: Final = re.compile(r"\"([^\"\\]{16,200})\"|'([^'\\]{16,200})'|`([^`\\]{16,200})`")


def pairs(path: str, text: str, *, is_test: bool) -> Iterator[Pair]:
    """The pairs of a file; of tests the titles and names alone."""
    rows = [row[:_LONGEST_ROW] for row in text.split("\n")]
    block = _Blocks(rows, hashed=_extension(path) in _HASHED)
    if not is_test:
        yield from _remarks(path, block)
        if path.endswith(".py"):
            yield from _docstrings(path, block)
        yield from _messages(path, block)
    yield from _titles(path, block)
    yield from _names(path, block, _FEWEST_OF_TITLE if is_test else _FEWEST_PARTS)


class _Blocks:
    """The lines of a file by their indentation, and which of them are comments."""

    def __init__(self, rows: Sequence[str], *, hashed: bool) -> None:
        self.rows = rows
        self._mark = _HASHES if hashed else _SLASHES
        self._text = _HASHES if hashed else _SLASHED
        self.indents = [_indent(row) for row in rows]
        self.is_comment = [self._mark.match(row) is not None for row in rows]

    def comments(self) -> Iterator[tuple[int, int]]:
        """The first line of each comment, and the line behind it."""
        at, count = 0, len(self.rows)
        while at < count:
            if not self.is_comment[at]:
                at += 1
                continue
            begin = at
            while at < count and self.is_comment[at]:
                at += 1
            yield begin, at

    def question(self, begin: int, end: int) -> str:
        """The first paragraph of a comment; empty for code that is commented out, and noise."""
        said: list[str] = []
        for row in self.rows[begin : min(end, begin + _LONGEST_COMMENT)]:
            found = self._text.match(row)
            line = _TAGS.sub(r" \1 ", found[1] if found else "").strip()
            if _PARTS.match(line) or (said and not line):
                break
            if _CODE.search(line):
                return ""
            if line:
                said.append(line)
        return wordy(" ".join(said), _FEWEST_WORDS)

    def below(self, at: int) -> int:
        """The line behind the block that begins at a line."""
        indent, deeper = self.indents[at], 0
        last = min(len(self.rows), at + _MOST_ROWS)
        for line in range(at + 1, last):
            if not self.rows[line].strip():
                continue
            if self.indents[line] > indent:
                deeper += 1
                continue
            closes = _CLOSES.match(self.rows[line]) is not None
            if self.indents[line] < indent or not closes:
                apart = not self.rows[line - 1].strip() or self.is_comment[line]
                if self.indents[line] < indent or apart or deeper > _SHORTEST:
                    return line
        return last

    def around(self, at: int) -> tuple[int, int] | None:
        """The lines of the block that a line stands in, its head included."""
        indent = self.indents[at]
        for line in range(at - 1, max(-1, at - _MOST_CLIMBED), -1):
            row = self.rows[line]
            if row.strip() and self.indents[line] < indent and not self.is_comment[line]:
                if _CLOSES.match(row):
                    continue
                end = self.below(line)
                return (line, end) if end > at else None
        return None

    def text(self, begin: int, end: int, *, without: range = range(0)) -> str:
        """Lines as text, and some of them left out."""
        return "\n".join(self.rows[at] for at in range(begin, end) if at not in without)


def _remarks(path: str, block: _Blocks) -> Iterator[Pair]:
    """Comments with the lines below them, and those inside of a block with all of the block."""
    for begin, end in block.comments():
        if end >= len(block.rows) or not block.rows[end].strip():
            continue
        query = block.question(begin, end)
        if not query:
            continue
        behind = block.below(end)
        if behind - end >= _SHORTEST:
            yield Pair(REMARK, query, path, block.text(end, behind))
        inside = block.indents[end] and not _DECLARES.match(block.rows[end])
        around = block.around(end) if inside else None
        if around is not None:
            yield Pair(INSIDE, query, path, block.text(*around, without=range(begin, end)))


def _docstrings(path: str, block: _Blocks) -> Iterator[Pair]:
    for at, row in enumerate(block.rows):
        begin = _first_of_body(block.rows, at) if _DEF.match(row) else 0
        found = _QUOTES.match(block.rows[begin]) if begin else None
        if found is None:
            continue
        said, end = [found[2]], begin
        while found[1] not in said[-1] and end + 1 < len(block.rows):
            end += 1
            said.append(block.rows[end])
        query = _paragraph([line.partition(found[1])[0] for line in said])
        behind = block.below(at)
        if query and behind - end > _SHORTEST:
            text = block.text(at, behind, without=range(begin, end + 1))
            yield Pair(DOCSTRING, query, path, text)


def _first_of_body(rows: Sequence[str], at: int) -> int:
    """The line behind the head of a declaration of Python; 0 where there is none."""
    for line in range(at, min(at + _LONGEST_HEAD, len(rows) - 1)):
        if rows[line].rstrip().endswith(":"):
            return line + 1
    return 0


def _paragraph(lines: Sequence[str]) -> str:
    said: list[str] = []
    for line in lines:
        if _PARTS.match(line) or (said and not line.strip()):
            break
        if line.strip():
            said.append(line.strip())
    return wordy(" ".join(said), _FEWEST_WORDS)


def _messages(path: str, block: _Blocks) -> Iterator[Pair]:
    for at, row in enumerate(block.rows):
        if block.is_comment[at] or not _RAISES.search(row):
            continue
        found = _LITERAL.search(row)
        query = wordy(found[1] or found[2] or found[3], _FEWEST_WORDS) if found else ""
        around = block.around(at) if query else None
        if found and around is not None:
            begin, end = around
            rest = (block.text(begin, at), row.replace(found[0], ""), block.text(at + 1, end))
            yield Pair(MESSAGE, query, path, "\n".join(rest))


def _titles(path: str, block: _Blocks) -> Iterator[Pair]:
    for at, row in enumerate(block.rows):
        found = _TITLED.match(row)
        query = wordy(found[2], _FEWEST_OF_TITLE) if found else ""
        end = block.below(at) if query else 0
        if found and end - at > _SHORTEST:
            rest = row.replace(found[2], "")
            yield Pair(TITLE, query, path, f"{rest}\n{block.text(at + 1, end)}")


def _names(path: str, block: _Blocks, fewest: int) -> Iterator[Pair]:
    """Names of several words with what they name, where the name does not stand."""
    for at, row in enumerate(block.rows):
        found = _HEAD.match(row) if "(" in row else None
        parts = [part for part in split_identifier(found[1]) if len(part) > 1] if found else []
        if found is None or len(parts) < fewest:
            continue
        end = block.below(at)
        if end - at > _SHORTEST:
            without = re.sub(rf"\b{re.escape(found[1])}\b", " ", block.text(at, end))
            yield Pair(NAMED, " ".join(parts), path, without)


def wordy(text: str, fewest: int) -> str:
    """The text, if it has words enough and is no note to a tool or a licence."""
    cut = text[:LONGEST_QUERY]
    if len(_WORDY.findall(cut)) < fewest or is_noise(cut):
        return ""
    letters = sum(char.isalpha() or char == " " for char in cut)
    return cut if letters > _LETTERS * len(cut) else ""


def _indent(row: str) -> int:
    stripped = row.lstrip()
    white = row[: len(row) - len(stripped)]
    return len(white) + (_TAB - 1) * white.count("\t")


def _extension(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :].lower() if "." in name else ""
