"""Conditions of CMake: `if`, `elseif`, `else` and `endif`, as expressions of cache entries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.conditions.branches import ELIF, ELSE, END, IF, Directive

_COMMAND: Final = re.compile(
    r"^[ \t]*+(if|elseif|else|endif)[ \t]*+\("
    r"((?>(?:[^()#\"]|\"[^\"]{0,500}+\"|\((?>(?:[^()]|\([^()]{0,500}+\)){0,500})\)){0,2000}))\)",
    re.MULTILINE | re.IGNORECASE,
)
_KINDS: Final = {"if": IF, "elseif": ELIF, "else": ELSE, "endif": END}
_SIGNS: Final = {"AND": "&&", "OR": "||", "NOT": "!"}
_WORD: Final = re.compile(r"\b(?:AND|OR|NOT)\b")


def read_commands(text: str, path: str) -> Iterator[Directive]:  # noqa: ARG001 all readers have it
    """The conditions of a file of CMake."""
    line, place = 1, 0
    for match in _COMMAND.finditer(text):
        line += text.count("\n", place, match.start(1))
        place = match.start(1)
        kind = _KINDS[match[1].lower()]
        condition = _WORD.sub(lambda word: _SIGNS[word[0]], " ".join(match[2].split()))
        last = line + match[0].count("\n", match.start(1) - match.start())
        yield Directive(kind, line, last, condition if kind in {IF, ELIF} else "")
