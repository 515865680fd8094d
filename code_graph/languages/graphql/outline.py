"""Units of GraphQL, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import (
    DOUBLE,
    HASH,
    TRIPLE,
    LineRules,
    Unit,
    by_braces,
    by_line,
    by_match,
)

_BASES: Final = r"(?:\s+implements\s+(?P<bases>[\w&\s]+?)(?=\s*[@{]))?"
_NAME: Final = r"[ \t]+(?P<name>\w+)"


def _unit(words: str, behind: str = "", kind: str = "") -> Unit:
    pattern = rf"^[ \t]*(?:extend[ \t]+)?(?:{words}){_NAME}{behind}"
    return Unit(kind or words, pattern, by_braces, inside=("",))


RULES: Final = LineRules(
    name="graphql",
    comments=(HASH,),
    texts=(TRIPLE, DOUBLE),
    units=(
        _unit("type", _BASES),
        _unit("interface", _BASES),
        _unit("input"),
        _unit("enum"),
        _unit("scalar"),
        _unit("query|mutation|subscription|fragment", kind="function"),
        Unit(
            "union", rf"^[ \t]*(?:extend[ \t]+)?union{_NAME}[^\n]*(?:\n[ \t]*\|[^\n]*)*", by_match
        ),
        Unit("directive", r"^[ \t]*directive[ \t]+@(?P<name>\w+)", by_line, inside=("",)),
        Unit(
            "field",
            r"(?:^|(?<=[{,]))[ \t]*(?P<name>\w+)\s*(?P<parameters>\([^()]*\))?\s*:\s*"
            r"(?P<returns>[\[\]\w!]+)",
            by_match,
            inside=("type", "interface", "input"),
        ),
        Unit("enumerator", r"(?:^|(?<=[{,]))[ \t]*(?P<name>\w+)", by_match, inside=("enum",)),
    ),
)
