"""Reads a command line of ripgrep, or says why ripgrep itself has to."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any, Final

from index_format.records import Record, replace
from repo_mcp.cli.ripgrep.options import BY_NAME, BY_SHORT, Option, OptionKind
from repo_mcp.search import is_small
from repo_mcp.text.cutting import replacement_pieces

_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_SIZE: Final = re.compile(r"([0-9]{1,12})([KMG]?)")
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SORTS: Final = frozenset({"path", "none"})
_COLORS: Final = frozenset({"never", "auto", "always", "ansi"})
# escapes in separators
_ESCAPE: Final = "\\"
_MAX_PATTERN_BYTES: Final = 1 << 20


# values of fields; which type each has, the table of options says
_Values = dict[str, Any]


class LeftToRipgrepError(Exception):
    """The answer is not to be had from the index, and why."""


class BetterLeftError(LeftToRipgrepError):
    """Ripgrep does the same, as quickly or where there is no index; nothing is said of that."""


class RipgrepRequest(Record):
    """The request of a command line, with the values that ripgrep assumes."""

    patterns: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    fixed: bool = False
    ignore_case: bool = False
    edges: str = ""
    inverted: bool = False
    max_count: int | None = None
    # rules of globs as lines of ignore rules, types with whether files of them are left out
    globs: tuple[str, ...] = ()
    types: tuple[tuple[str, bool], ...] = ()
    hidden: bool = False
    max_depth: int | None = None
    max_filesize: int | None = None
    sort_reverse: bool = False
    # lines, count, matches or files
    mode: str = "lines"
    quiet: bool = False
    before: int = 0
    after: int = 0
    passthru: bool = False
    byte_offset: bool = False
    color: str = "auto"
    column: bool = False
    heading: bool | None = None
    line_number: bool | None = None
    with_filename: bool | None = None
    max_columns: int = 0
    null: bool = False
    only_matching: bool = False
    # the parts between whole matches
    replacement: tuple[bytes, ...] | None = None
    trim: bool = False
    vimgrep: bool = False
    context_separator: bytes | None = b"--"
    match_separator: bytes = b":"
    aside_separator: bytes = b"-"


def read_arguments(given: Sequence[str]) -> RipgrepRequest:
    """The request of a command line; raises `LeftToRipgrepError`."""
    values, words = _read_options(given)
    patterns = _take(values, "regexps") + _patterns_of_files(_take(values, "pattern_files"))
    if not patterns and not {"regexps", "pattern_files"} & values.keys():
        if not words:
            raise LeftToRipgrepError("there is no pattern")
        patterns, words = words[:1], words[1:]
    case = values.pop("case", "sensitive")
    fixed = values.get("fixed") is True
    small = case == "smart" and all(is_small(text, regex=not fixed) for text in patterns)
    values |= _sorting(values) | _surroundings(values) | _presentation(values)
    made = RipgrepRequest(
        patterns=tuple(patterns),
        paths=tuple(words),
        ignore_case=case == "ignore" or small,
        # those in any case count as if they were given last
        globs=(*values.pop("globs", ()), *values.pop("iglobs", ())),
        types=tuple(values.pop("types", ())),
    )
    return _settled(replace(made, **values))


def _read_options(given: Sequence[str]) -> tuple[_Values, list[str]]:
    """Values by field, and the words that are no options."""
    values: _Values = {}
    words: list[str] = []
    rest = list(reversed(given))
    while rest:
        word = rest.pop()
        if word == "--":
            words += reversed(rest)
            break
        if word.startswith("--"):
            name, equals, text = word[2:].partition("=")
            option = BY_NAME.get(name)
            if option is None or (equals and not option.has_value):
                raise LeftToRipgrepError(f"--{name} is not known here")
            _set(values, option, text if equals else _value(option, rest))
        elif word.startswith("-") and word != "-":
            _read_cluster(values, word[1:], rest)
        else:
            words.append(word)
    return values, words


def _read_cluster(values: _Values, letters: str, rest: list[str]) -> None:
    """Short options in one word, of which the last may have its value in it."""
    for at, letter in enumerate(letters):
        option = BY_SHORT.get(letter)
        if option is None:
            raise LeftToRipgrepError(f"-{letter} is not known here")
        if option.has_value and at + 1 < len(letters):
            text = letters[at + 1 :]
            if text.startswith("="):
                raise LeftToRipgrepError(f"-{letter}= is not known here")
            _set(values, option, text)
            return
        _set(values, option, _value(option, rest))


def _value(option: Option, rest: list[str]) -> str:
    if not option.has_value:
        return ""
    if not rest:
        raise LeftToRipgrepError(f"--{option.name} has no value")
    return rest.pop()


def _set(values: _Values, option: Option, text: str) -> None:
    kind, name = option.kind, option.field
    if option.why:
        raise LeftToRipgrepError(f"--{option.name}: {option.why}")
    if name == "pretty":
        values |= {"color": "always", "heading": True, "line_number": True}
    elif kind is OptionKind.SWITCH:
        values[name] = option.given
    elif kind is OptionKind.TEXT:
        values[name] = text
    elif kind is OptionKind.NUMBER:
        if not _NUMBER.fullmatch(text):
            raise LeftToRipgrepError(f"--{option.name} {text} is no number")
        values[name] = int(text)
    elif kind is OptionKind.LIST:
        item: object = text
        if name == "types":
            item = text, option.given == "not"
        elif name == "iglobs":
            item = _in_any_case(text)
        values[name] = [*_take(values, name, keep=True), item]
    if (name == "context_separator" and isinstance(values.get(name), str)) or name in {
        "match_separator",
        "aside_separator",
    }:
        values[name] = _separator(text)
    elif name in {"passthru", "after", "before", "around"}:
        _settle_context(values, name)


def _settle_context(values: _Values, name: str) -> None:
    """Of context and the printing of all lines the last one counts."""
    if name == "passthru":
        for other in ("after", "before", "around"):
            values.pop(other, None)
    else:
        values["passthru"] = False


def _take(values: _Values, name: str, *, keep: bool = False) -> list[str]:
    found = values.get(name)
    if not keep and name in values:
        values[name] = ()
    return list(found) if isinstance(found, list | tuple) else []


def _patterns_of_files(names: Sequence[str]) -> list[str]:
    """The lines of files of patterns."""
    found: list[str] = []
    for name in names:
        if name == "-":
            raise LeftToRipgrepError("patterns come from standard input")
        try:
            with open(name, "rb") as file:
                data = file.read(_MAX_PATTERN_BYTES + 1)
            text = data.decode()
        except (OSError, UnicodeDecodeError):
            raise LeftToRipgrepError(f"{name} can't be read") from None
        if len(data) > _MAX_PATTERN_BYTES:
            raise LeftToRipgrepError(f"{name} is long")
        rows = text.split("\n")
        found += rows if rows[-1] else rows[:-1]
    return found


def _sorting(values: _Values) -> _Values:
    """The order of files: ripgrep's own is not always the same, and then it is that of paths."""
    first, last = values.pop("sort", "none"), values.pop("sort_reverse", None)
    if {first, last or "none"} - _SORTS or (first != "none" and last is not None):
        raise LeftToRipgrepError("the order is not that of paths")
    return {"sort_reverse": last == "path"}


def _surroundings(values: _Values) -> _Values:
    """Lines before and after a match."""
    around = values.pop("around", 0)
    return {name: values.get(name, around) for name in ("before", "after")}


def _presentation(values: _Values) -> _Values:
    """Fields that several options set."""
    found: _Values = {}
    if values.get("color", "auto") not in _COLORS:
        raise LeftToRipgrepError("--color has another value")
    text = values.pop("replacement", None)
    if isinstance(text, str):
        pieces = replacement_pieces(text)
        if pieces is None:
            raise LeftToRipgrepError("-r names groups, which are not kept")
        found["replacement"] = tuple(map(os.fsencode, pieces))
    size = values.pop("max_filesize", None)
    if isinstance(size, str):
        known = _SIZE.fullmatch(size)
        if not known:
            raise LeftToRipgrepError("--max-filesize has another value")
        found["max_filesize"] = int(known[1]) * _UNITS[known[2]]
    for name in ("regexps", "pattern_files"):
        values.pop(name, None)
    return found


def _settled(request: RipgrepRequest) -> RipgrepRequest:
    """The request without what others of its fields make void."""
    if request.edges and request.inverted and request.passthru:
        raise LeftToRipgrepError("--passthru with -v")
    if request.mode == "count" and request.only_matching:
        request = replace(request, mode="matches")
    if request.mode == "matches" and request.inverted:
        request = replace(request, mode="count")
    return request


def _separator(text: str) -> bytes:
    if _ESCAPE in text:
        raise LeftToRipgrepError("a separator with escapes")
    return os.fsencode(text)


def _in_any_case(glob: str) -> str:
    """A glob whose letters stand for both cases."""
    if "[" in glob or "\\" in glob or not glob.isascii():
        raise LeftToRipgrepError("--iglob with sets")
    return "".join(f"[{mark.lower()}{mark.upper()}]" if mark.isalpha() else mark for mark in glob)
