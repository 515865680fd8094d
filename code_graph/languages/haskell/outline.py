"""Units of Haskell, by lines."""

from __future__ import annotations

import re
from typing import Final

from code_graph.lines.rules import DOUBLE, Blocks, LineRules, Unit, by_indent, by_line, by_match

_FIRST_WORD: Final = re.compile(r"[\w']*")
_NO_FUNCTION: Final = (
    r"(?!(?:import|module|class|instance|data|newtype|type|infix[lr]?|deriving|default|foreign"
    r"|pattern|where)\b)"
)
_NAME: Final = r"(?P<name>[a-z_][\w']*)"
_CONTEXT: Final = r"(?:[^\n=]*=>[ \t]*)?"
_FAMILY: Final = r"(?:family[ \t]+|instance[ \t]+)?"
_TYPED: Final = r"(?:[ \t]*,[ \t]*[\w']+)*[ \t\n]+::(?P<returns>[^\n]*)"


def _by_equations(blocks: Blocks, start: int, match_end: int) -> int:
    """The end of a function: behind the last of its equations, which begin with its name."""
    name = _FIRST_WORD.match(blocks.text, start)
    end, at = match_end, start
    while at < len(blocks.text):
        line_end = blocks.line_end(at)
        row = blocks.text[at:line_end]
        first = _FIRST_WORD.match(row)
        is_own = name is not None and first is not None and first[0] == name[0]
        if row.strip() and not row[0].isspace() and not is_own:
            break
        end = line_end if row.strip() else end
        at = line_end + 1
    return end


def _unit(kind: str, head: str) -> Unit:
    return Unit(kind, head, by_indent, inside=("",))


def _function(behind: str) -> Unit:
    pattern = rf"^{_NO_FUNCTION}{_NAME}{behind}"
    return Unit("function", pattern, _by_equations, inside=("",), is_once=True)


RULES: Final = LineRules(
    name="haskell",
    comments=(r"\{-(?s:.*?)-\}", r"--+(?![!#$%&*+./<=>?@\\^|~:-])[^\n]*"),
    texts=(DOUBLE, r"(?<![\w'])'(?:[^'\\\n]|\\[^'\n]+|\\')'"),
    word=r"[^\W\d][\w']*",
    imports=r"^import[ \t]+(?:safe[ \t]+|qualified[ \t]+)*(?P<module>[\w.]+)",
    units=(
        Unit("module", r"^module[ \t\n]+(?P<name>[\w.]+)", by_line, inside=("",)),
        _unit("class", rf"^class[ \t]+{_CONTEXT}(?P<name>[A-Z][\w']*)"),
        _unit("impl", r"^instance[ \t]+(?P<name>[^\n]*?)(?=[ \t]+where\b|[ \t]*$)"),
        _unit("struct", rf"^(?:data|newtype)[ \t]+{_FAMILY}{_CONTEXT}(?P<name>[A-Z][\w']*)"),
        _unit("type", rf"^type[ \t]+{_FAMILY}(?P<name>[A-Z][\w']*)"),
        _function(_TYPED),
        _function(r"(?P<parameters>[^\n=|:]*)(?:=(?!=)|\|(?!\|)|\n[ \t]+[|=])"),
        Unit("method", rf"^[ \t]+{_NAME}{_TYPED}", by_indent, inside=("class",)),
        Unit(
            "field",
            rf"(?:^|[{{,])[ \t]*(?:,[ \t]*)?{_NAME}{_TYPED}",
            by_match,
            inside=("struct",),
        ),
        Unit("enumerator", r"[=|][ \t]*(?P<name>[A-Z][\w']*)", by_match, inside=("struct",)),
    ),
)
