"""A glob as one regular expression over many paths at once; the same paths as `Glob` finds.

Paths stand between NUL characters. No repetition can take back what another one took but inside
one name of a path, so that time grows with the length of the paths and not with their powers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from typing import Final

import numpy as np
import numpy.typing as npt

from repo_mcp.text.globs import Glob

Mask = npt.NDArray[np.bool_]

_ANY_DEPTH: Final = "**"
_FOLDERS: Final = r"(?:[^\0/]*/)*?"
_STARS: Final = re.compile(r"\*+")


class PathText:
    """Many paths, as one text to search."""

    def __init__(self, paths: Sequence[bytes]) -> None:
        """Join the paths."""
        self._paths = paths
        raw = b"\0".join([b"", *paths, b""])
        self.text = raw.decode("utf-8", "surrogatepass")
        plain = raw if len(raw) == len(self.text) else self._wide()
        kind = np.uint8 if plain is raw else np.uint32
        # where the paths begin, and the end
        self._starts = np.flatnonzero(np.frombuffer(plain, dtype=kind) == 0)
        self._sound = len(self._starts) == len(paths) + 1

    def _wide(self) -> bytes:
        return self.text.encode("utf-32-le", "surrogatepass")

    def matching(self, pattern: str) -> Mask:
        """Which paths a glob matches."""
        if not self._sound:  # no system makes such a path
            glob = Glob(pattern)
            return np.array([glob.matches(self._decoded(path)) for path in self._paths], dtype=bool)
        found = expression(pattern)
        if found is None:
            return np.ones(len(self._paths), dtype=np.bool_)
        places = [match.start() for match in found.finditer(self.text)]
        mask = np.zeros(len(self._paths), dtype=np.bool_)
        mask[np.searchsorted(self._starts, np.array(places, np.int64), side="right") - 1] = True
        return mask

    @staticmethod
    def _decoded(path: bytes) -> str:
        return path.decode("utf-8", "surrogatepass")


def expression(pattern: str) -> re.Pattern[str] | None:
    """What is found once in each path that a glob matches; None for a glob that matches all."""
    Glob(pattern)  # which refuses what is unreasonable
    text = pattern.strip().removeprefix("./").lstrip("/")
    parts = f"{text}**".split("/") if text.endswith("/") else text.split("/")
    if parts[-1] == _ANY_DEPTH:
        parts.append("*")
    if len(parts) == 1:
        parts.insert(0, _ANY_DEPTH)
    found = _expression(*_stretches(parts))
    return re.compile(found) if found else None


def _expression(first: Sequence[str], *others: Sequence[str]) -> str:
    """By what stands before any number of folders, between such, and at the end."""
    if not others:
        return rf"\0{_names(first)}(?=\0)"
    begin = rf"\0{_names(first)}/" if first else ""
    between = [names for names in others[:-1] if names]
    behind, anywhere = _last(others[-1])
    if not begin and not between:
        return anywhere
    if not begin and not behind and len(between) == 1:
        return rf"[\0/]{_names(between[0])}/"
    middle = "".join(f"(?>{_FOLDERS}{_names(names)}/)" for names in between)
    return (begin or r"\0") + middle + behind


def _last(names: Sequence[str]) -> tuple[str, str]:
    """What finds these names at the end: behind folders, and anywhere; nothing for any name."""
    if set(names[0]) == {"*"} and len(names) == 1:
        return "", ""
    behind = rf"{_FOLDERS}{_names(names)}(?=\0)"
    if len(names) > 1:
        return behind, rf"[\0/]{_names(names)}(?=\0)"
    fixed = list(_fixed(names[0]))
    if len(fixed) == 2 and not fixed[0]:
        return behind, rf"{_characters(fixed[1])}(?=\0)"
    return behind, rf"[\0/](?=[^\0/]*\0){_names(names)}(?=\0)"


def _stretches(parts: Sequence[str]) -> list[list[str]]:
    """The parts between those that stand for any number of folders."""
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
    """One name: between stars the first place that fits is as good as any later one."""
    first, *others = [_characters(fixed) for fixed in _fixed(part)]
    if not others:
        return first
    middle = "".join(rf"(?>[^\0/]*?{fixed})" for fixed in others[:-1])
    return rf"{first}{middle}[^\0/]*{others[-1]}(?=[\0/])"


def _fixed(part: str) -> Iterator[list[str]]:
    """What stands between the stars: characters, question marks and sets."""
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
    """Where the set ends that begins here; a bracket that never closes is a character."""
    begin = at + 1
    begin += part[begin : begin + 1] == "!"
    begin += part[begin : begin + 1] == "]"
    end = part.find("]", begin)
    return at + 1 if end < 0 else end + 1


def _characters(tokens: Sequence[str]) -> str:
    return "".join(map(_character, tokens))


def _character(mark: str) -> str:
    if mark == "?":
        return r"[^\0/]"
    if len(mark) == 1:
        return re.escape(mark)
    # the library says what a set holds: its expression stands between the flags and the end
    inner = translate(mark).removeprefix("(?s:").rpartition(")")[0]
    return rf"(?:(?![\0/]){inner})"
