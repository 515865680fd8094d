"""Units of Julia, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import DOUBLE, TRIPLE, LineRules, Unit, by_line, by_words

_NAME: Final = r"(?:[\w.]+\.)?(?P<name>[^\W\d][\w!]*)"
_PARAMETERS: Final = r"(?P<parameters>\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\))"
_MACROS: Final = r"^[ \t]*(?:[\w.]*@\w+[ \t]+)*"
_IN: Final = ("module", "")

RULES: Final = LineRules(
    name="julia",
    comments=(r"\#=(?s:.*?)=\#", r"\#[^\n]*"),
    texts=(TRIPLE, DOUBLE, r"(?<![\w)\]}'.])'(?:[^'\\\n]|\\[^\n]{1,8}?)'"),
    opening=(
        r"(?<![:.\w])(?:function|macro|struct|module|baremodule|begin|let|if|for|while|try|do"
        r"|quote|abstract[ \t]+type|primitive[ \t]+type)\b"
    ),
    closing=r"(?<![:.\w])end\b",
    word=r"[^\W\d][\w!]*",
    imports=r"^[ \t]*(?:using|import|include)[ \t(]+(?P<module>[\w./\"]+)",
    units=(
        Unit("module", r"^[ \t]*(?:bare)?module[ \t]+(?P<name>\w+)", by_words),
        Unit("struct", _MACROS + r"(?:mutable[ \t]+)?struct[ \t]+(?P<name>\w+)", by_words),
        Unit("type", r"^[ \t]*(?:abstract|primitive)[ \t]+type[ \t]+(?P<name>\w+)", by_words),
        Unit("macro", rf"^[ \t]*macro[ \t]+{_NAME}", by_words),
        Unit("function", rf"{_MACROS}function[ \t]+{_NAME}", by_words),
        Unit(
            "function",
            rf"{_MACROS}(?!return\b|if\b|for\b){_NAME}(?:\{{[^}}\n]*\}})?{_PARAMETERS}"
            r"(?:[ \t]*::[ \t]*[\w.{},]+)?(?:[ \t]+where[ \t][^=\n]+)?[ \t]*=(?!=)",
            by_line,
            inside=_IN,
        ),
        Unit("constant", r"^[ \t]*const[ \t]+(?P<name>\w+)", by_line, inside=_IN),
        Unit(
            "field",
            r"^[ \t]+(?P<name>\w+)(?:::(?P<returns>[^\n=]*))?(?:[ \t]*=[^\n=]+)?$",
            by_line,
            inside=("struct",),
        ),
    ),
)
