"""Which words of a prompt are meant as names in code."""

from __future__ import annotations

import re
from typing import Final

_LOOKED_AT: Final = 20_000
_NEAR: Final = 100
_QUOTED: Final = re.compile(r"`([^`\n]{1,200})`")
# a name, or several joined by what joins them in one language or another
_PATH: Final = re.compile(r"[^\W\d]\w*(?:(?:\.|::|->|#)[^\W\d]\w*)*")
_JOINT: Final = re.compile(r"\.|::|->|#")
_INSIDE: Final = re.compile(r"_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[a-z][0-9]")
_ENDS_A_SENTENCE: Final = frozenset(".!?:;")


def identifiers_in(prompt: str) -> tuple[str, ...]:
    """Names in order of appearance, each once: a joined one whole, then its last part.

    What stands in backquotes is a name; so is what is joined, called, or written as prose never is
    (`snake_case`, `camelCase`, `A_CONSTANT`, a capital where no sentence begins).
    """
    prompt = prompt[:_LOOKED_AT]
    quoted = [(found.start(1), found.end(1)) for found in _QUOTED.finditer(prompt)]
    names: dict[str, None] = {}
    for found in _PATH.finditer(prompt):
        path, start, end = found[0], found.start(), found.end()
        parts = _JOINT.split(path)
        inside = any(first <= start and end <= last for first, last in quoted)
        is_called = prompt[end : end + 1] == "("
        if (
            inside
            or is_called
            or _is_code(parts)
            or _is_capital(path, prompt[max(0, start - _NEAR) : start])
        ):
            names[path] = None
            if len(parts) > 1:
                names[parts[-1]] = None
    return tuple(names)


def _is_code(parts: list[str]) -> bool:
    # of joined words a single letter is no name, but an abbreviation, as in "e.g."
    return any(map(_INSIDE.search, parts)) or (len(parts) > 1 and min(map(len, parts)) > 1)


def _is_capital(word: str, before: str) -> bool:
    before = before.rstrip(" \t")
    return (
        word[:1].isupper()
        and word[1:].islower()
        and bool(before.strip())
        and not (before[-1] in _ENDS_A_SENTENCE or before[-1] == "\n")
    )
