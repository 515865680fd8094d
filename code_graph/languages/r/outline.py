"""Units of R, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import HASH, SINGLE, LineRules, Unit, by_braces, by_line

_NAME: Final = r"(?P<name>[\w.]+|`[^`\n]+`|\"[^\"\n]+\")"
_MAKES: Final = r"^[ \t]*(?:[\w.]+[ \t]*(?:<-|=)[ \t]*)?(?:\w+::)?"
_FIRST: Final = r"""[ \t]*\(\s*(?P<name>["'][^"'\n]+["'])"""

RULES: Final = LineRules(
    name="r",
    comments=(HASH,),
    texts=(r"[rR]\"\((?s:.*?)\)\"", r'"(?:[^"\\]|\\(?s:.))*"?', SINGLE),
    word=r"[^\W\d][\w.]*",
    imports=r"""\b(?:library|require|requireNamespace|source)\(["']?(?P<module>[\w./]+)""",
    units=(
        Unit(
            "function",
            rf"^[ \t]*{_NAME}[ \t]*(?:<<?-|=)[ \t]*(?:function\b|\\(?=\())",
            by_braces,
        ),
        Unit("class", _MAKES + r"(?:setClass|setRefClass|R6Class|new_class)" + _FIRST, by_line),
        Unit("function", r"^[ \t]*(?:setGeneric|setMethod|setValidity)" + _FIRST, by_line),
        Unit(
            "variable",
            rf"^{_NAME}[ \t]*(?:<<?-|=(?!=))",
            by_line,
            inside=("",),
            is_once=True,
        ),
    ),
)
