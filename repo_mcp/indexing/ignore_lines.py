"""Reads the lines of a `.gitignore` as git does: marks in front, blanks at the end, slashes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

from repo_mcp.indexing.ignore_parts import Part, Parts, name_part, sequences

_MAX_BYTES: Final = 1 << 20  # what the sandbox reads of such a file
_MAX_RULES: Final = 20_000  # more are no rules but an attack on the reader's time
_EVERYTHING: Final = {b"*", b"**"}
_BOM: Final = b"\xef\xbb\xbf"
_MAX_LENGTH: Final = 4096  # no path is longer; without a limit one line could take minutes


class Rule(NamedTuple):
    """One line: what it says, of what, and the names or paths it speaks of."""

    ignores: bool
    folders_only: bool
    name: Part | None
    paths: Sequence[Parts]


def read(text: bytes) -> list[Rule]:
    """The rules of a file, in its order; a line that git can match with nothing gives none."""
    if len(text) >= _MAX_BYTES:  # half a rule may say more than the whole one
        text = text[: text.rfind(b"\n") + 1]
    lines = text.removeprefix(_BOM).split(b"\n")
    found = (_rule(_trimmed(line)) for line in lines if not line.startswith(b"#"))
    return [rule for rule in islice(found, _MAX_RULES) if rule is not None]


def without_everything(text: bytes) -> bytes:
    """The file without the rules that every name fits."""
    lines = text.removeprefix(_BOM).split(b"\n")
    return b"\n".join(line for line in lines if _trimmed(line).strip(b"/") not in _EVERYTHING)


def _trimmed(line: bytes) -> bytes:
    """Without what ends the line and the blanks before that; a backslash keeps one of them."""
    text = line.removesuffix(b"\r").partition(b"\0")[0]
    kept = text.rstrip(b" ")
    backslashes = len(kept) - len(kept.rstrip(b"\\"))
    return text[: len(kept) + backslashes % 2]


def _rule(line: bytes) -> Rule | None:
    ignores = not line.startswith(b"!")
    pattern = line if ignores else line[1:]
    folders_only = pattern.endswith(b"/")
    pattern = pattern.removesuffix(b"/")
    if not pattern or len(pattern) > _MAX_LENGTH:
        return None
    if b"/" in pattern:
        paths = sequences(pattern.removeprefix(b"/"))
        return Rule(ignores, folders_only, None, paths) if paths else None
    name = name_part(pattern)
    return Rule(ignores, folders_only, name, ()) if name else None
