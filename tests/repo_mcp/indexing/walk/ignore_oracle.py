"""A slow model of git's ignore rules, byte by byte and without tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_SPECIAL: Final = b"*?[\\"


def ignored(files: Sequence[tuple[str, bytes]], path: str, *, folder: bool) -> bool:
    """True if a path is ignored by these rule files, given with their folders, the deepest last."""
    names = path.split("/")
    return any(
        _entry_ignored(files, "/".join(names[:count]), folder=folder or count < len(names))
        for count in range(1, len(names) + 1)
    )


def _entry_ignored(files: Sequence[tuple[str, bytes]], path: str, *, folder: bool) -> bool:
    verdict = False
    for place, text in files:
        if not place or path.startswith(f"{place}/"):
            below = path[len(place) + 1 :] if place else path
            for line in text.removeprefix("\ufeff".encode()).split(b"\n"):
                says = _line_says(_without_end(line), below.encode(), folder=folder)
                verdict = verdict if says is None else says
    return verdict


def _without_end(line: bytes) -> bytes:
    text = line.removesuffix(b"\r")
    at, end = 0, 0
    while at < len(text):
        kept = text[at : at + 2] if text[at : at + 1] == b"\\" else text[at : at + 1]
        at += len(kept)
        end = end if kept == b" " else at
    return text[:end]


def _line_says(line: bytes, below: bytes, *, folder: bool) -> bool | None:
    """True if the line ignores or includes this entry; None if it does not match."""
    if line.startswith(b"#"):
        return None
    pattern = line.removeprefix(b"!")
    if pattern.endswith(b"/"):
        if not folder:
            return None
        pattern = pattern[:-1]
    if b"/" not in pattern:
        speaks = bool(pattern) and fits(pattern, below.rpartition(b"/")[2], paths=False)
    else:
        pattern = pattern.removeprefix(b"/")
        plain = next((n for n, byte in enumerate(pattern) if byte in _SPECIAL), len(pattern))
        # git compares the plain beginning first, and asks its matcher about the rest alone
        same = below[:plain] == pattern[:plain]
        speaks = same and fits(pattern[plain:], below[plain:], paths=True)
    return not line.startswith(b"!") if speaks else None


def fits(  # noqa: PLR0911 one case for each kind of mark
    pattern: bytes, text: bytes, *, paths: bool, begins: bool = True
) -> bool:
    """True if the pattern matches the whole text; `begins` at the start and after a slash."""
    if not pattern:
        return not text
    first, rest = pattern[:1], pattern[1:]
    if first == b"*":
        return _stars_fit(pattern, text, paths=paths, begins=begins)
    if not text:
        return False
    if first == b"\\":
        literal = rest[:1]
        after = literal == b"/"
        return text[:1] == literal and fits(rest[1:], text[1:], paths=paths, begins=after)
    if first == b"?":
        return not (paths and text[:1] == b"/") and fits(rest, text[1:], paths=paths, begins=False)
    if first == b"[":
        end, holds = _set_holds(pattern, text[0])
        ok = holds and not (paths and text[:1] == b"/")
        return ok and fits(pattern[end:], text[1:], paths=paths, begins=False)
    return text[:1] == first and fits(rest, text[1:], paths=paths, begins=first == b"/")


def _stars_fit(pattern: bytes, text: bytes, *, paths: bool, begins: bool) -> bool:
    rest = pattern.lstrip(b"*")
    between = begins and (not rest or rest.startswith((b"/", b"\\/")))
    deep = not paths or (len(pattern) - len(rest) > 1 and between)
    if paths and deep and rest[:1] == b"/" and fits(rest[1:], text, paths=True):
        return True
    return any(
        fits(rest, text[taken:], paths=paths, begins=False)
        for taken in range(len(text) + 1)
        if deep or b"/" not in text[:taken]
    )


_NAMED: Final = {
    b"alpha": lambda byte: chr(byte).isalpha(),
    b"digit": lambda byte: chr(byte).isdigit(),
    b"space": lambda byte: byte in b" \t\r\n",
    b"upper": lambda byte: chr(byte).isupper(),
}


def _set_holds(pattern: bytes, byte: int) -> tuple[int, bool]:
    """Where the set ends, and whether it holds the byte; a set without end holds nothing."""
    at = 2 if pattern[1:2] in {b"!", b"^"} else 1
    negated, first, holds = at == 2, at, False
    before: int | None = None
    while at == first or pattern[at : at + 1] != b"]":
        if at >= len(pattern):
            return at, False
        if pattern[at : at + 2] == b"[:" and (end := pattern.find(b"]", at + 2)) != at + 2:
            if end < 0:
                return at, False
            if pattern[end - 1 : end] == b":":
                named = _NAMED.get(pattern[at + 2 : end - 1])
                if named is None:
                    return at, False
                holds = holds or (byte < 128 and named(byte))
                at, before = end + 1, None
                continue
        ranged = pattern[at : at + 1] == b"-" and before is not None
        ranged = ranged and pattern[at + 1 : at + 2] not in {b"", b"]"}
        at += ranged
        at += pattern[at : at + 1] == b"\\"
        if at >= len(pattern):
            return at, False
        low = before if ranged and before is not None else pattern[at]
        holds = holds or low <= byte <= pattern[at]
        before = None if ranged else pattern[at]
        at += 1
    return at + 1, holds != negated
