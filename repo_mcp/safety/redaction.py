"""What of a call's arguments may be written down: nothing secret, nothing denied, nothing long.

A value is kept whole, cut at its end, or withheld whole with the reason in its place; no value is
kept in part around something that was taken out of it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from repo_mcp.safety.denylist import Denylist

_MOST_CHARACTERS: Final = 200
_MOST_VALUES: Final = 20
_MOST_NAME: Final = 60
_MOST_DEPTH: Final = 3
_LARGEST: Final = 1 << 53
SUSPECT: Final = "[withheld: looks like a secret]"
DENIED: Final = "[withheld: names a denied file]"
# calls refused with these codes named what must not be named again
_REFUSED_PATHS: Final = frozenset({"path_denied", "path_outside", "path_data", "path_hard_link"})
# arguments that are paths or globs as a whole
_PATHS: Final = frozenset({"path", "paths", "glob", "file_glob", "uri"})
# they say where an answer ended, and look like chance
_CURSORS: Final = frozenset({"cursor"})
_KNOWN_SECRETS: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{20}|\bgithub_pat_\w{20}|\bglpat-[\w-]{20}|\bnpm_[A-Za-z0-9]{30}"
    r"|\bxox[abeprs]-[\w-]{10}|\bsk-[\w-]{20}|\b[sr]k_(?:live|test)_\w{10}|\bAIza[\w-]{35}"
    r"|\bpypi-[\w-]{30}|\beyJ[\w-]{10,}\.[\w-]{10,}\.|\bbearer\s+[\w.~+/-]{16}"
    r"|://[^/\s:@]+:[^/\s@]+@",
    re.IGNORECASE,
)
# a name of a secret, and beside it a value that no code would have there
_ASSIGNED: Final = re.compile(
    r"(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|credentials?)\w*"
    r"[\"']?\s*(?:[:=]|=>)\s*[\"']?(?=[^\s\"']*[0-9])(?=[^\s\"']*[A-Za-z])[^\s\"'().,;\[\]]{8}",
    re.IGNORECASE,
)
_TOKEN: Final = re.compile(r"[A-Za-z0-9+/=_-]{32,}")
_LEAST_DIGITS: Final = 3
# bits for each character: words joined to a name have about 4, chance has more
_LEAST_CHANCE: Final = 4.2
_WORD: Final = re.compile(r"[^\s\"'`()<>{},;]+")
_OPERATOR: Final = re.compile(r"^-?[a-z]+:(?=.)")


def kept(arguments: Mapping[str, Any], denylist: Denylist, code: str = "") -> dict[str, Any]:
    """The arguments of a call as they may be stored; `code` says why it was refused, if it was."""
    return _of_mapping(arguments, denylist, code, _MOST_DEPTH)


def looks_secret(text: str) -> bool:
    """Whether a text holds what looks like a key, a password or a token."""
    if _KNOWN_SECRETS.search(text) or _ASSIGNED.search(text):
        return True
    return any(_is_chance(found[0]) for found in _TOKEN.finditer(text))


def _of_mapping(
    values: Mapping[str, Any], denylist: Denylist, code: str, depth: int
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in sorted(values, key=str)[:_MOST_VALUES]:
        shown = _text(str(name), "", denylist, "")[:_MOST_NAME]
        found[shown] = _value(values[name], str(name), denylist, code, depth - 1)
    return found


def _value(value: object, name: str, denylist: Denylist, code: str, depth: int) -> Any:  # noqa: ANN401 plain JSON
    if isinstance(value, str):
        return _text(value, name, denylist, code)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if abs(value) < _LARGEST else "[withheld: a large number]"
    if depth > 0 and isinstance(value, dict):
        return _of_mapping(value, denylist, code, depth)
    if depth > 0 and isinstance(value, list):
        return [_value(item, name, denylist, code, depth - 1) for item in value[:_MOST_VALUES]]
    return f"[withheld: {type(value).__name__}]"


def _text(value: str, name: str, denylist: Denylist, code: str) -> str:
    if name in _CURSORS:
        return "[given]"
    if name in _PATHS and code in _REFUSED_PATHS:
        return f"[withheld: {code}]"
    if looks_secret(value):
        return SUSPECT
    if any(denylist.rule(path) for path in _paths_in(value, name)):
        return DENIED
    plain = value.encode("utf-8", "replace").decode()
    if len(plain) <= _MOST_CHARACTERS:
        return plain
    return f"{plain[:_MOST_CHARACTERS]} … ({len(plain)} characters)"


def _paths_in(value: str, name: str) -> Iterator[str]:
    """What is a path as a whole, or looks like one among words: it has a slash, or a dot first."""
    if name in _PATHS:
        yield _plain(value)
    for found in _WORD.finditer(value):
        word = _OPERATOR.sub("", found[0]).rstrip(".:!?")
        if "/" in word or "\\" in word or (word.startswith(".") and len(word) > 1):
            yield _plain(word)


def _plain(path: str) -> str:
    names = path.replace("\\", "/").split("/")
    return "/".join(part for part in names if part not in {"", "."})


def _is_chance(token: str) -> bool:
    """Whether a long word is more likely drawn by chance than made of words."""
    digits = sum(character.isdigit() for character in token)
    if digits < _LEAST_DIGITS or token.lower() == token or token.upper() == token:
        return False
    counts = Counter(token).values()
    bits = sum(count * math.log2(len(token) / count) for count in counts) / len(token)
    return bits > _LEAST_CHANCE
