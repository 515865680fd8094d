"""Units of SQL, by lines."""

from __future__ import annotations

import re
from typing import Final

from code_graph.lines.rules import BLOCK, DASHES, Blocks, LineRules, Unit, by_match, by_statement

_QUOTED: Final = r"(?:[\w$]+|\"[^\"\n]+\"|`[^`\n]+`|\[[^\]\n]+\])"
_NAME: Final = rf"(?:{_QUOTED}\s*\.\s*)*(?P<name>{_QUOTED})"
_CREATE: Final = (
    r"^[ \t]*create\s+(?:or\s+(?:replace|alter)\s+)?(?:definer\s*=\s*\S+\s+)?"
    r"(?:(?:global|local|temp|temporary|unlogged|external|unique|recursive|materialized|clustered"
    r"|nonclustered|constraint|editionable|aggregate|virtual|foreign|public)\s+)*"
)
_NEW: Final = r"(?:(?:concurrently|if\s+not\s+exists)\s+)*"
_DOLLARS: Final = re.compile(r"\$\w*\$")
_BEGIN: Final = re.compile(r"\bbegin\b", re.IGNORECASE)
_NEXT: Final = re.compile(
    r"^[ \t]*(?:create|alter|drop|go|delimiter)\b|^//?[ \t]*$", re.IGNORECASE | re.MULTILINE
)
# what stands in the place of a column's name and names none
_NO_COLUMN: Final = (
    r"(?!(?:primary|foreign|constraint|unique|check|key|index|exclude|like|fulltext|spatial"
    r"|references|on|partition|period|create|insert|select|values|as|from|not|default|and|or)\b)"
)


def _by_routine(blocks: Blocks, _start: int, match_end: int) -> int:
    """The end of a routine: behind the text in dollars, or where the next statement begins."""
    end = blocks.statement(match_end)
    dollars = _DOLLARS.search(blocks.text, match_end, end)
    if dollars is not None:
        closing = blocks.text.find(dollars[0], dollars.end())
        return len(blocks.text) if closing < 0 else blocks.statement(closing + len(dollars[0]))
    if _BEGIN.search(blocks.text, match_end, end) is None:
        return end
    following = _NEXT.search(blocks.text, end)
    return len(blocks.text) if following is None else following.start()


def _unit(kind: str, words: str = "", *, is_routine: bool = False) -> Unit:
    end = _by_routine if is_routine else by_statement
    return Unit(kind, rf"{_CREATE}{words or kind}\s+{_NEW}{_NAME}", end, inside=("",))


RULES: Final = LineRules(
    name="sql",
    comments=(DASHES, BLOCK, r"^\#[^\n]*"),
    texts=(r"'(?:[^']|'')*'?",),
    ignores_case=True,
    units=(
        _unit("table"),
        _unit("view"),
        _unit("function", is_routine=True),
        _unit("procedure", "proc(?:edure)?", is_routine=True),
        _unit("trigger", is_routine=True),
        _unit("package", r"package(?:\s+body)?", is_routine=True),
        _unit("event", is_routine=True),
        _unit("index"),
        _unit("type", "(?:type|domain)"),
        _unit("sequence"),
        _unit("schema", "(?:schema|database)"),
        _unit("synonym"),
        Unit(
            "column",
            rf"(?:^|(?<=[(,]))[ \t]*{_NO_COLUMN}(?P<name>{_QUOTED})[ \t]+"
            rf"(?P<returns>{_QUOTED}(?:\s*\([^()\n]*\))?)",
            by_match,
            inside=("table",),
        ),
    ),
)
