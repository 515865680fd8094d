"""Reads TOML of files that are not trusted: checks limits before `tomllib` sees the text.

`tomllib` needs quadratic time and memory for a key of many parts, and recursion for each bracket:
40 kB of `a.a.a…` take gigabytes. Within the limits both grow with the length of the text only.
A scan finds strings, comments and marks as `tomllib` does. It need not know more: where the two
disagree, the text is no TOML, and `tomllib` stops there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from index_format.tuples import NamedTuple

# bytes of a file, parts of a dotted key or table name, brackets in each other, characters of a word
MAX_BYTES: Final = 64 << 10
MAX_PARTS: Final = 10
MAX_DEPTH: Final = 10
MAX_WORD: Final = 256

# Every repetition is possessive or in an atomic group: the scan never steps back. A quote that
# begins no complete string ends the scan.
_TOKEN: Final = re.compile(
    r'''
      (?P<string>
          """ (?>(?: [^"\\]++ | \\. | "(?!"") )*) """ "{0,2}
        | \'\'\' (?>(?: [^']++ | '(?!\'\') )*) \'\'\' '{0,2}
        | "(?!"") (?>(?: [^"\\\n]++ | \\[^\n] )*) "
        | '(?!\'\') [^'\n]*+ '
      )
    | (?P<unended> ["'] )
    | (?P<comment> \# [^\n]*+ )
    | (?P<word> [A-Za-z0-9_+-]++ )
    | (?P<mark> [.=,\n\[\]{}] )
    ''',
    re.VERBOSE | re.DOTALL,
)
_STEPS: Final = {"[": 1, "{": 1, "]": -1, "}": -1}


class TomlError(Exception):
    """A text is not TOML."""


class TomlLimitError(TomlError):
    """A text is over a limit; the message names the line, if one is to blame, and what to do."""


class _Token(NamedTuple):
    """A string, a comment, a word or a mark; `depth` counts the brackets open after it."""

    kind: str
    text: str
    start: int
    depth: int


def read_toml(data: bytes) -> dict[str, Any]:
    """The value of a file's bytes."""
    if len(data) > MAX_BYTES:
        raise TomlLimitError(f"the file has more than {MAX_BYTES} bytes: shorten it")
    try:
        text = data.decode("utf-8")
    except ValueError:
        raise TomlError("it is not UTF-8") from None
    return parse_toml(text)


def parse_toml(text: str) -> dict[str, Any]:
    """The value of a text, whose length the caller has limited."""
    import tomllib  # noqa: PLC0415 takes longer than reading most files

    plain = text.replace("\r\n", "\n")
    _check_limits(plain)
    try:
        return tomllib.loads(plain)
    except (ValueError, RecursionError) as error:
        raise TomlError(str(error)) from None


def _check_limits(text: str) -> None:
    dots = 0
    for token in _tokens(text):
        if token.kind == "word" and len(token.text) > MAX_WORD:
            what = f"a name or number without quotes has more than {MAX_WORD} characters"
            raise _over(text, token, f"{what}: shorten it")
        if token.text == ".":
            dots += 1
            if dots == MAX_PARTS:
                raise _over(text, token, f"a key has more than {MAX_PARTS} parts: use fewer dots")
        elif token.kind == "mark":
            dots = 0
            if token.depth > MAX_DEPTH:
                what = f"lists or tables are more than {MAX_DEPTH} deep in each other"
                raise _over(text, token, f"{what}: flatten them")


def _tokens(text: str) -> Iterator[_Token]:
    """The tokens up to the end, or up to a string that does not end."""
    depth = 0
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or ""
        if kind == "unended":
            return
        shown = found[0]
        if kind == "mark":
            depth = max(depth + _STEPS.get(shown, 0), 0)
        yield _Token(kind, shown, found.start(), depth)


def _over(text: str, token: _Token, problem: str) -> TomlLimitError:
    return TomlLimitError(f"line {text.count(chr(10), 0, token.start) + 1}: {problem}")
