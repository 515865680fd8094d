"""What was probably meant by a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_NO_IGNORED: Final = "files that git ignores are not indexed"
_NO_LINKS: Final = "links are not followed"
_ONE_ENGINE: Final = "expressions are RE2's, without look-around and references to groups"
_LINE_ENDS: Final = "write \\n in the pattern"
# options of ripgrep that no command has
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
}


def explain(flag: str) -> str:
    """Why there is no such option, as the end of a message; empty if that is not known."""
    return f": {_ELSEWHERE[flag]}" if flag in _ELSEWHERE else ""


def suggest(name: str, known: Iterable[str]) -> str:
    """The nearest names as the end of a message; empty if none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 for errors only

    found = get_close_matches(name, [*known], 2, 0.6)
    return f": did you mean {' or '.join(map(repr, found))}?" if found else ""
