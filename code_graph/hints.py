"""Finds the words of a prompt that are names in code."""

from __future__ import annotations

import re
from typing import Final

# letters of a prompt that are searched, and letters before a word that tell if a sentence begins
_MAX_PROMPT: Final = 20_000
_CONTEXT: Final = 100
_QUOTED: Final = re.compile(r"`([^`\n]{1,200})`")
# a name, or several joined by a language's separator
_PATH: Final = re.compile(r"[^\W\d]\w*(?:(?:\.|::|->|#)[^\W\d]\w*)*")
_JOINT: Final = re.compile(r"\.|::|->|#")
_INSIDE: Final = re.compile(r"_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[a-z][0-9]")
_ENDS_A_SENTENCE: Final = frozenset(".!?:;")


def identifiers_in(prompt: str) -> tuple[str, ...]:
    """Names in order of appearance, each once: a qualified name whole, then its last part.

    Words in backquotes are names; so are qualified names, calls, and words in a style that prose
    does not have (`snake_case`, `camelCase`, `A_CONSTANT`, a capital inside a sentence).
    """
    prompt = prompt[:_MAX_PROMPT]
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
            or _is_capital(path, prompt[max(0, start - _CONTEXT) : start])
        ):
            names[path] = None
            if len(parts) > 1:
                names[parts[-1]] = None
    return tuple(names)


def _is_code(parts: list[str]) -> bool:
    # joined single letters are an abbreviation, as in "e.g."
    return any(map(_INSIDE.search, parts)) or (len(parts) > 1 and min(map(len, parts)) > 1)


def _is_capital(word: str, before: str) -> bool:
    before = before.rstrip(" \t")
    return (
        word[:1].isupper()
        and word[1:].islower()
        and bool(before.strip())
        and not (before[-1] in _ENDS_A_SENTENCE or before[-1] == "\n")
    )
