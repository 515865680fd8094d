"""Suggestions for a misspelt name."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from repo_mcp.errors import near_names

_NO_IGNORED: Final = "files that git ignores are not indexed"
_NO_LINKS: Final = "links are not followed"
_ONE_ENGINE: Final = "expressions are RE2's, without look-around and references to groups"
_LINE_ENDS: Final = "write \\n in the pattern"
_IN_TEXT: Final = "only text is searched, and all of it is decoded"
_NUMBERED: Final = "lines are always numbered"
# options that other programs have for a number of results
_LIMITS: Final = frozenset({"-n", "-k", "-m", "--top", "--max-count"})
# options of ripgrep and grep that no command, or not each command, has
_ELSEWHERE: Final = {
    "-u": _NO_IGNORED,
    "-uu": _NO_IGNORED,
    "-uuu": _NO_IGNORED,
    "--unrestricted": _NO_IGNORED,
    "--no-ignore": _NO_IGNORED,
    "-L": _NO_LINKS,
    "--follow": _NO_LINKS,
    "-P": _ONE_ENGINE,
    "--pcre2": _ONE_ENGINE,
    "-U": _LINE_ENDS,
    "--multiline": _LINE_ENDS,
    "-a": _IN_TEXT,
    "--text": _IN_TEXT,
    "-E": _IN_TEXT,
    "--encoding": _IN_TEXT,
    "-z": "compressed files are not searched",
    "--search-zip": "compressed files are not searched",
    "-j": "the index needs no threads: leave it out",
    "--threads": "the index needs no threads: leave it out",
    "-p": "--color always --heading show what a terminal shows",
    "--pretty": "--color always --heading show what a terminal shows",
    "-N": "lines are always numbered: -l shows files, -c counts",
    "--no-line-number": "lines are always numbered: -l shows files, -c counts",
    "-d": "-g 'FOLDER/*' chooses the files of one folder",
    "--max-depth": "-g 'FOLDER/*' chooses the files of one folder",
    "-b": "--column shows the column of a match",
    "--byte-offset": "--column shows the column of a match",
    "-f": "-e PATTERN may be repeated",
    "--file": "-e PATTERN may be repeated",
    "-R": "folders are always searched with all that is in them",
    "--recursive": "folders are always searched with all that is in them",
    "-n": _NUMBERED,
    "--line-number": _NUMBERED,
}


def explain(flag: str, known: Collection[str]) -> str:
    """The reason for an unknown option, as the end of a message; empty if that is not known."""
    if flag[1:].isdecimal() and "-C" in known:
        return f": -C {flag[1:]} shows so many lines around a match"
    if flag in _LIMITS and "--limit" in known:
        return ": --limit N shows so many results"
    return f": {_ELSEWHERE[flag]}" if flag in _ELSEWHERE else ""


def suggest(name: str, known: Iterable[str]) -> str:
    """The nearest names as the end of a message; empty if none is near."""
    near = near_names(name, known, 2)
    return f": did you mean {' or '.join(map(repr, near))}?" if near else ""
