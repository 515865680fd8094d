"""Redacts a call's arguments for the audit log: secrets, denied paths and long values.

A value is kept whole, cut at its end, or replaced as a whole by the reason; nothing is ever cut
out of the middle of a value.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from repo_mcp.safety.denylist import Denylist

# what the log keeps of one call: characters of a text, items of a list or mapping, characters of
# a name, levels of nesting; integers above 2**53 are not exact in every reader of JSON
_MAX_CHARACTERS: Final = 200
_MAX_VALUES: Final = 20
_MAX_NAME: Final = 60
_MAX_DEPTH: Final = 3
_MAX_NUMBER: Final = 1 << 53
SUSPECT: Final = "[withheld: looks like a secret]"
DENIED: Final = "[withheld: names a denied file]"
# calls refused with these codes name paths that must not be logged
_REFUSED_PATHS: Final = frozenset({"path_denied", "path_outside", "path_data", "path_hard_link"})
# arguments whose whole value is a path or glob
_PATHS: Final = frozenset({"path", "paths", "glob", "file_glob", "uri"})
# not logged: cursors look like random tokens
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
# a secret's name followed by a value with letters and digits, which code rarely has there
_ASSIGNED: Final = re.compile(
    r"(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|credentials?)\w*"
    r"[\"']?\s*(?:[:=]|=>)\s*[\"']?(?=[^\s\"']*[0-9])(?=[^\s\"']*[A-Za-z])[^\s\"'().,;\[\]]{8}",
    re.IGNORECASE,
)
_TOKEN: Final = re.compile(r"[A-Za-z0-9+/=_-]{32,}")
_MIN_DIGITS: Final = 3
# bits per character: identifiers made of words have about 4, random tokens more
_MIN_ENTROPY: Final = 4.2
_WORD: Final = re.compile(r"[^\s\"'`()<>{},;]+")
_OPERATOR: Final = re.compile(r"^-?[a-z]+:(?=.)")


def redact_arguments(
    arguments: Mapping[str, Any], denylist: Denylist, code: str = ""
) -> dict[str, Any]:
    """A call's arguments as they may be logged; `code` is the error of a refused call."""
    return _redact_mapping(arguments, denylist, code, _MAX_DEPTH)


def looks_secret(text: str) -> bool:
    """True if a text contains something like a key, a password or a token."""
    if _KNOWN_SECRETS.search(text) or _ASSIGNED.search(text):
        return True
    return any(_looks_random(found[0]) for found in _TOKEN.finditer(text))


def _redact_mapping(
    values: Mapping[str, Any], denylist: Denylist, code: str, depth: int
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in sorted(values, key=str)[:_MAX_VALUES]:
        shown = _redact_text(str(name), "", denylist, "")[:_MAX_NAME]
        found[shown] = _redact_value(values[name], str(name), denylist, code, depth - 1)
    return found


def _redact_value(value: object, name: str, denylist: Denylist, code: str, depth: int) -> Any:  # noqa: ANN401 plain JSON
    if isinstance(value, str):
        return _redact_text(value, name, denylist, code)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if abs(value) < _MAX_NUMBER else "[withheld: a large number]"
    if depth > 0 and isinstance(value, dict):
        return _redact_mapping(value, denylist, code, depth)
    if depth > 0 and isinstance(value, list):
        items = value[:_MAX_VALUES]
        return [_redact_value(item, name, denylist, code, depth - 1) for item in items]
    return f"[withheld: {type(value).__name__}]"


def _redact_text(value: str, name: str, denylist: Denylist, code: str) -> str:
    if name in _CURSORS:
        return "[given]"
    if name in _PATHS and code in _REFUSED_PATHS:
        return f"[withheld: {code}]"
    if looks_secret(value):
        return SUSPECT
    if any(denylist.rule(path) for path in _paths_in(value, name)):
        return DENIED
    plain = value.encode("utf-8", "replace").decode()
    if len(plain) <= _MAX_CHARACTERS:
        return plain
    return f"{plain[:_MAX_CHARACTERS]} … ({len(plain)} characters)"


def _paths_in(value: str, name: str) -> Iterator[str]:
    """The value if it is a path or globs, each of them, and words with a slash or leading dot."""
    if name in _PATHS:
        yield from map(_normal_path, (value, *(part.strip(" !") for part in value.split(","))))
    for found in _WORD.finditer(value):
        word = _OPERATOR.sub("", found[0]).rstrip(".:!?")
        if "/" in word or "\\" in word or (word.startswith(".") and len(word) > 1):
            yield _normal_path(word)


def _normal_path(path: str) -> str:
    names = path.replace("\\", "/").split("/")
    return "/".join(part for part in names if part not in {"", "."})


def _looks_random(token: str) -> bool:
    """True if a long token is more likely random than made of words."""
    digits = sum(character.isdigit() for character in token)
    if digits < _MIN_DIGITS or token.lower() == token or token.upper() == token:
        return False
    counts = Counter(token).values()
    bits = sum(count * math.log2(len(token) / count) for count in counts) / len(token)
    return bits > _MIN_ENTROPY
