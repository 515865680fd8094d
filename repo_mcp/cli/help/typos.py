"""Suggestions for a misspelt name."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from repo_mcp.errors import near_names

_NO_IGNORED: Final = "files that git ignores are not indexed"
_IN_TEXT: Final = "only text is searched, and all of it is decoded"
_IN_FOLDERS: Final = "folders are always searched with all that is in them"
# options that other programs have for a number of results
_LIMITS: Final = frozenset({"-n", "-k", "-m", "--top", "--max-count"})
# options of ripgrep and grep that no command, or not each command, has
_ELSEWHERE: Final = {
    "-uu": _NO_IGNORED,
    "-uuu": _NO_IGNORED,
    "--unrestricted": _NO_IGNORED,
    "--no-ignore": _NO_IGNORED,
    "--follow": "links are not followed",
    "--pcre2": "expressions are RE2's, without look-around and references to groups",
    "--multiline": "write \\n in the pattern",
    "--text": _IN_TEXT,
    "--encoding": _IN_TEXT,
    "--search-zip": "compressed files are not searched",
    "--threads": "the index needs no threads: leave it out",
    "--pretty": "--color always --heading show what a terminal shows",
    "--no-line-number": "lines are always numbered: -l shows files, -c counts",
    "--max-depth": "-g 'FOLDER/*' chooses the files of one folder",
    "--byte-offset": "--column shows the column of a match",
    "--file": "-e PATTERN may be repeated",
    "-R": _IN_FOLDERS,
    "--recursive": _IN_FOLDERS,
    "--line-number": "lines are always numbered",
}


def explain(flag: str, name: str, known: Collection[str]) -> str:
    """The reason for an unknown option, as the end of a message; empty if that is not known.

    Its `name` is what ripgrep calls it, if it has it.
    """
    if flag[1:].isdecimal() and "-C" in known:
        return f": -C {flag[1:]} shows so many lines around a match"
    if flag in _LIMITS and "--limit" in known:
        return ": --limit N shows so many results"
    return f": {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""


def suggest(name: str, known: Iterable[str]) -> str:
    """The nearest names as the end of a message; empty if none is near."""
    near = near_names(name, known, 2)
    return f": did you mean {' or '.join(map(repr, near))}?" if near else ""
