"""Units of Lua, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import DASHES, DOUBLE, SINGLE, LineRules, Unit, by_words

_LONG: Final = r"\[(?P<{0}>=*)\[(?s:.*?)(?:\](?P={0})\]|\Z)"
_PARAMETERS: Final = r"\s*(?P<parameters>\([^()]*\))"

RULES: Final = LineRules(
    name="lua",
    comments=("--" + _LONG.format("c"), DASHES),
    texts=(_LONG.format("t"), DOUBLE, SINGLE),
    opening=r"\b(?:function|if|do|repeat)\b",
    closing=r"\b(?:end|until)\b",
    imports=r"""\brequire\s*\(?\s*(?P<module>["'][^"'\n]*["'])""",
    units=(
        Unit("method", rf"^[ \t]*function\s+[\w.]+[.:](?P<name>\w+){_PARAMETERS}", by_words),
        Unit(
            "function",
            rf"^[ \t]*(?:local\s+)?function\s+(?P<name>\w+){_PARAMETERS}",
            by_words,
        ),
        # `M.open = function(path)`, and the same in a table
        Unit(
            "function",
            r"^[ \t]*(?:local\s+)?(?:[\w.]+[.:])?(?P<name>\w+)\s*=\s*(?:[\w.]+\s+or\s+)?function"
            + _PARAMETERS,
            by_words,
        ),
    ),
)
