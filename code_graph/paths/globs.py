"""Globs over repository paths; no pattern takes exponential time.

`*`, `?` and `[...]` match within one component of a path, `**` matches any number of components,
and `{a,b}` matches what one of the patterns between its commas does. A pattern without a slash
matches a name at any depth. Matching is case-sensitive. A list has several patterns between commas;
those that begin with `!` exclude.

A glob becomes one regular expression over paths between NUL characters, so that many paths are
searched in one pass. Repetitions are atomic except within one name of a path, so that the time is
linear in the length of the paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from itertools import takewhile
from posixpath import commonprefix
from typing import Final

_MAX_LENGTH: Final = 1000
_MAX_WILDCARDS: Final = 60
_MAX_ALTERNATIVES: Final = 64
_ANY_DEPTH: Final = "**"
_FOLDERS: Final = r"(?:[^\x00/]*/)*?"
_WILD: Final = re.compile(r"[*?\[]")
_STARS: Final = re.compile(r"\*+")
_NUL: Final = "\0"
_NOTHING: Final = re.compile(r"(?!)")
_SPECIAL: Final = str.maketrans({mark: f"[{mark}]" for mark in "*?[{,"})
_NOT: Final = "!"


class GlobError(ValueError):
    """A pattern is over a limit; the message says which."""


def literal_glob(path: str) -> str:
    """The glob, alone or in a list, that matches a path as it is written."""
    escaped = path.translate(_SPECIAL)
    return f"/{escaped}" if path.startswith(_NOT) else escaped


def glob_in(folder: str, pattern: str) -> str:
    """The glob that matches below a folder what a glob matches in the folder."""
    found = ["/".join((literal_glob(folder), *names)) for names in components(pattern)]
    return found[0] if len(found) == 1 else f"{{{','.join(found)}}}"


def components(pattern: str) -> list[list[str]]:
    """The components of each alternative of a pattern, with short forms expanded."""
    text = pattern.strip().removeprefix("./").lstrip("/")
    return [_parts(item.lstrip("/") or "/") for item in alternatives(text)]


def is_below(path: str, folder: str) -> bool:
    """True if a path is a folder or in it; all are in the root, which is empty."""
    return not folder or path == folder or path.startswith(f"{folder}/")


class Glob:
    """A compiled glob, or several of which one must match; `expression` is None if all paths do.

    The expression matches once in each matching path with a NUL character on either side. All
    paths that match are below `folder`.
    """

    def __init__(self, *patterns: str) -> None:
        """Compile patterns; raises `GlobError` if they are over the limits."""
        texts = [pattern.strip().removeprefix("./").lstrip("/") for pattern in patterns]
        whole = "".join(texts)
        wildcards = sum(whole.count(mark) for mark in "*?[")
        if not (texts and all(texts)) or len(whole) > _MAX_LENGTH or wildcards > _MAX_WILDCARDS:
            raise GlobError(
                f"a glob must have 1 to {_MAX_LENGTH} characters and at most {_MAX_WILDCARDS}"
                " wildcards"
            )
        self.expression: re.Pattern[str] | None = _NOTHING
        self.folder = ""
        if _NUL not in whole:  # no path has one
            every = _checked([item for text in texts for item in alternatives(text)])
            self.folder = "/".join(commonprefix([_literal_folder(item) for item in every]))
            expressions = [
                _expression(*_split_at_any_depth(_parts(item.lstrip("/") or "/"))) for item in every
            ]
            self.expression = re.compile("|".join(expressions)) if all(expressions) else None

    def matches(self, path: str) -> bool:
        """True if the whole path matches."""
        if self.expression is None:
            return True
        if _NUL in path:  # no file system has such a path
            path = path.replace(_NUL, "\x01")
        return self.expression.search(f"{_NUL}{path}{_NUL}") is not None


class GlobList:
    """Globs between commas: one of them must match, and none of those that begin with `!`.

    With none but such, all other paths match. One that begins with `!` and ends with a name without
    wildcards excludes what is in a folder of this name, too, as in `.gitignore`. All paths that
    match are below `folder`.
    """

    def __init__(self, *texts: str) -> None:
        """Compile lists; raises `GlobError` if they are over the limits of a glob."""
        self.plain, excluded = list[str](), list[str]()
        for text in texts:
            plain, never = split_globs(text)
            self.plain += plain
            excluded += never
        self.only = Glob(*self.plain) if self.plain or not excluded else None
        inside = [_inside(item) for pattern in excluded for item in alternatives(pattern)]
        self.never = Glob(*excluded, *filter(None, inside)) if excluded else None
        self.folder = "" if self.only is None else self.only.folder

    def matches(self, path: str) -> bool:
        """True if the whole path matches."""
        if self.never is not None and self.never.matches(path):
            return False
        return self.only is None or self.only.matches(path)


def _inside(pattern: str) -> str:
    """The glob of the content of the folder that a pattern names; empty if it names none."""
    *folders, name = pattern.removeprefix("./").lstrip("/").split("/")
    if not name or _WILD.search(name):
        return ""
    return f"{pattern}/**" if folders else f"{_ANY_DEPTH}/{name}/**"


def split_globs(text: str) -> tuple[list[str], list[str]]:
    """The patterns of a list, and those that exclude, without their mark."""
    choices = _choices(f"{{{text}}}", 0)
    # a brace that is never closed is a character, and so are the commas behind it
    is_list = choices is not None and choices[1] == len(text) + len("{}")
    parts = [part.strip() for part in (choices[0] if choices and is_list else [text])]
    plain = [part for part in parts if part and not part.startswith(_NOT)]
    return plain, [part[len(_NOT) :].strip() for part in parts if part.startswith(_NOT)]


def _literal_folder(pattern: str) -> list[str]:
    """The folders that a pattern begins with, as far as they are written out."""
    *folders, _ = pattern.lstrip("/").split("/")
    return [*takewhile(lambda name: name and not _WILD.search(name), folders)]


def alternatives(text: str, *, as_ripgrep: bool = False) -> list[str]:
    """The patterns that `{a,b}` expands to; braces without a comma are characters.

    With `as_ripgrep` `{a}` stands for `a`, an empty part for nothing, and a single brace is an
    error.
    """
    found = [""]
    at = 0
    while at < len(text):
        end = _end_of_set(text, at) if text[at] == "[" else at + 1
        choices = [text[at:end]]
        inner = _choices(text, at) if text[at] == "{" else None
        if inner and (as_ripgrep or len(inner[0]) > 1):
            parts, end = inner
            if as_ripgrep:
                parts = [part for part in parts if part] or [""]
            choices = [item for part in parts for item in alternatives(part, as_ripgrep=as_ripgrep)]
        elif as_ripgrep and text[at] in "{}":
            raise GlobError(f"a glob has a single {text[at]}")
        found = [begin + choice for begin in found for choice in choices]
        _checked(found)
        at = end
    return list(dict.fromkeys(found))


def _checked(patterns: list[str]) -> list[str]:
    """The patterns that a glob stands for, if they are not too many."""
    if len(patterns) > _MAX_ALTERNATIVES:
        raise GlobError(f"a glob with {{a,b}} stands for at most {_MAX_ALTERNATIVES} patterns")
    return patterns


def _choices(text: str, at: int) -> tuple[list[str], int] | None:
    """The parts between the commas of these braces, and the place behind them."""
    parts, begin, depth, place = list[str](), at + 1, 0, at + 1
    while place < len(text):
        mark = text[place]
        if mark == "[":
            place = _end_of_set(text, place)
            continue
        if mark == "," and not depth:
            parts.append(text[begin:place])
            begin = place + 1
        elif mark == "}" and not depth:
            return [*parts, text[begin:place]], place + 1
        depth += (mark == "{") - (mark == "}")
        place += 1
    return None


def _parts(text: str) -> list[str]:
    """The components of a pattern, with short forms expanded."""
    parts = f"{text}**".split("/") if text.endswith("/") else text.split("/")
    if parts[-1] == _ANY_DEPTH:  # the contents of a folder, not the folder itself
        parts.append("*")
    if len(parts) == 1:
        parts.insert(0, _ANY_DEPTH)
    return parts


def _expression(first: Sequence[str], *others: Sequence[str]) -> str:
    """The expression of the components before, between and after `**`."""
    if not others:
        return rf"\x00{_names(first)}(?=\x00)"
    begin = rf"\x00{_names(first)}/" if first else ""
    between = [names for names in others[:-1] if names]
    behind, anywhere = _last(others[-1])
    if not begin and not between:
        return anywhere
    if not begin and not behind and len(between) == 1:
        return rf"[\x00/]{_names(between[0])}/"
    middle = "".join(f"(?>{_FOLDERS}{_names(names)}/)" for names in between)
    return (begin or r"\x00") + middle + behind


def _last(names: Sequence[str]) -> tuple[str, str]:
    """Expressions for the last names: after folders, and anywhere; empty if any name matches."""
    if set(names[0]) == {"*"} and len(names) == 1:
        return "", ""
    behind = rf"{_FOLDERS}{_names(names)}(?=\x00)"
    if len(names) > 1:
        return behind, rf"[\x00/]{_names(names)}(?=\x00)"
    fixed = list(_fixed(names[0]))
    if len(fixed) == 2 and not fixed[0]:
        return behind, rf"{_characters(fixed[1])}(?=\x00)"
    return behind, rf"[\x00/](?=[^\x00/]*\x00){_names(names)}(?=\x00)"


def _split_at_any_depth(parts: Sequence[str]) -> list[list[str]]:
    """The parts before, between and after `**`."""
    found: list[list[str]] = [[]]
    for part in parts:
        if part == _ANY_DEPTH:
            found.append([])
        else:
            found[-1].append(part)
    return found


def _names(parts: Sequence[str]) -> str:
    return "/".join(map(_name, parts))


def _name(part: str) -> str:
    """The expression of one name; between stars the first match is as good as any later one."""
    first, *others = [_characters(fixed) for fixed in _fixed(part)]
    if not others:
        return first
    middle = "".join(rf"(?>[^\x00/]*?{fixed})" for fixed in others[:-1])
    return rf"{first}{middle}[^\x00/]*{others[-1]}(?=[\x00/])"


def _fixed(part: str) -> Iterator[list[str]]:
    """The characters, question marks and sets between the stars."""
    tokens: list[str] = []
    at = 0
    while at < len(part):
        end = _end_of_set(part, at) if part[at] == "[" else at + 1
        if part[at] == "*":
            end = at + len(_STARS.match(part, at)[0])  # type: ignore[index]
            yield tokens
            tokens = []
        else:
            tokens.append(part[at:end])
        at = end
    yield tokens


def _end_of_set(part: str, at: int) -> int:
    """The end of the set that begins here; a bracket that is never closed is a character."""
    begin = at + 1
    begin += part[begin : begin + 1] == "!"
    begin += part[begin : begin + 1] == "]"
    end = part.find("]", begin)
    return at + 1 if end < 0 else end + 1


def _characters(tokens: Sequence[str]) -> str:
    return "".join(map(_character, tokens))


def _character(mark: str) -> str:
    if mark == "?":
        return r"[^\x00/]"
    if len(mark) == 1:
        return re.escape(mark)
    # fnmatch translates the set; its expression is between the flags and the end
    inner = translate(mark).removeprefix("(?s:").rpartition(")")[0]
    return rf"(?:(?![\x00/]){inner})"
